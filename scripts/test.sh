#!/bin/sh
# Runs go test with the arguments given. What fails is run again, alone, at most
# twice: tests here wait for real programs, and a machine that is busy with all
# packages at once can be too slow for them. What passes only alone is named
# loudly, since it is a test to mend; what fails each time fails.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags=
for arg; do
	case $arg in -*) flags="$flags $arg" ;; esac
done

# run runs a command, shows what it prints and keeps it in $1.
run() {
	log=$1
	shift
	{ "$@" 2>&1; echo $? >"$log.rc"; } | tee "$log"
	return "$(cat "$log.rc")"
}

# failed lists what failed in a log: a package and the path of a test without
# failed subtests, or a package alone where it ended otherwise.
failed() {
	awk '
		/^ *--- FAIL: / { names[n++] = $3 }
		/^panic: test timed out/ { whole = 1 }
		/^(ok|FAIL)\t/ {
			if ($1 == "FAIL") {
				if (whole || n == 0) print $2
				else for (i = 0; i < n; i++) {
					leaf = 1
					for (j = 0; j < n; j++) if (index(names[j], names[i] "/") == 1) leaf = 0
					if (leaf) print $2, names[i]
				}
			}
			n = 0; whole = 0; split("", names)
		}' "$1" | sort -u
}

# alone runs what a list names, one after the other, into one log.
alone() {
	: >"$2"
	while read -r pkg name; do
		pattern=
		if [ -n "$name" ]; then
			pattern="-run=^$(echo "$name" | sed 's/[][().*+?{}|\\^$]/\\&/g; s,/,$/^,g')\$"
		fi
		# shellcheck disable=SC2086 # flags are words
		run "$dir/one" go test $flags -count=1 -p 1 ${pattern:+"$pattern"} "$pkg" </dev/null || true
		# A name that matches nothing proves nothing.
		if grep -q 'no tests to run' "$dir/one"; then
			printf -- '--- FAIL: %s\nFAIL\t%s\n' "$name" "$pkg" | tee "$dir/one"
		fi
		cat "$dir/one" >>"$2"
	done <"$1"
}

run "$dir/all" go test "$@" && exit 0
if grep -q 'build failed\|setup failed' "$dir/all"; then
	exit 1
fi
failed "$dir/all" >"$dir/first"
[ -s "$dir/first" ] || exit 1
cp "$dir/first" "$dir/again"
for time in once twice; do
	echo "again, alone ($time):"
	cat "$dir/again"
	alone "$dir/again" "$dir/log"
	failed "$dir/log" >"$dir/again"
	[ -s "$dir/again" ] || break
done
if [ -s "$dir/again" ]; then
	echo "failed each time:"
	cat "$dir/again"
	exit 1
fi
echo "FLAKY: failed beside others and passed alone:"
cat "$dir/first"
