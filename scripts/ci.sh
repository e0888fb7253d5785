#!/bin/sh
# Everything that must pass before a change lands, one named step after the
# other, each with its time. It installs what a clean machine lacks.
set -eu

started=$(date +%s)
step() {
	name=$1
	shift
	t=$(date +%s)
	echo "==> $name"
	if ! "$@"; then
		echo "==> FAILED: $name"
		exit 1
	fi
	echo "==> ok: $name ($(($(date +%s) - t)) s)"
}

# Downloads are kept between runs on one machine; a clean one fills it anew.
cache=${TERMIO_CI_CACHE:-$HOME/.cache/termio-ci}
mkdir -p "$cache" .cache
export TERMIO_TEST_AGENTS="${TERMIO_TEST_AGENTS:-$cache/agents}"
export TERMIO_XTERM_DIR="${TERMIO_XTERM_DIR:-$cache/xterm}"
export TERMIO_VULNDB_DIR="${TERMIO_VULNDB_DIR:-$cache/vulndb}"
export TERMIO_ACP_DIR="${TERMIO_ACP_DIR:-$cache/acp}"

# The programs that the terminal tests run, where the machine lets us install them.
programs() {
	missing=
	for p in tmux vim less htop bash npm; do
		command -v "$p" >/dev/null || missing="$missing $p"
	done
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
	else
		echo "missing, so their tests will say that they skip:$missing"
	fi
}

step "programs" programs
step "build" make -s build
step "lint" make -s lint
step "real agents" make -s agents
step "real ACP servers" go run ./internal/testkit/agents/install claude-acp codex-acp pi-acp
step "reference terminal" make -s xterm
step "ACP schema" sh scripts/acpschema.sh --check
step "tests" env TERMIO_CI=1 make -s test
step "race detector" make -s race
step "fuzz seeds" make -s fuzz-seeds
step "cross builds" make -s cross
step "vulnerabilities" make -s vuln
echo "==> all green in $(($(date +%s) - started)) s"
