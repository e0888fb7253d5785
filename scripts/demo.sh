#!/bin/sh
# What `make run` shows: a demo project with a shell session and one session
# for each agent that is found, in a home of its own, and what to type next.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$root/bin:$PATH
TERMIO_HOME=${TERMIO_HOME:-$root/.demo}
export PATH TERMIO_HOME
demo=$TERMIO_HOME/demo-project

if [ ! -d "$demo" ]; then
	mkdir -p "$demo"
	printf '# Demo\n\nA small project to try Termio in.\n' >"$demo/README.md"
	if command -v git >/dev/null; then
		git -C "$demo" init -q
		git -C "$demo" add -A
		git -C "$demo" -c user.name=demo -c user.email=demo@example.invalid commit -qm "Start"
	fi
fi
cd "$demo"
termio open . >/dev/null

running() { termio sessions list --json | grep -c '"link"' || true; }
if [ "$(running)" = 0 ]; then
	termio sessions run "echo 'This is a durable terminal. Detach with Ctrl-\\\\.'" --title "shell" >/dev/null
	for agent in $(termio agents list --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p'); do
		[ "$agent" = terminal ] && continue
		termio agents show "$agent" --json | grep -q '"found": *true' || continue
		termio sessions spawn --agent "$agent" >/dev/null || true
	done
fi

termio sessions list
cat <<EOF

Type next (from this folder, in any shell):

  export PATH="$root/bin:\$PATH" TERMIO_HOME="$TERMIO_HOME"; cd "$demo"
  termio sessions attach shell          work in it; Ctrl-\\ leaves it running
  termio sessions spawn "say hello"     start an agent with a prompt
  termio sessions send shell "ls -la"   type into it from outside
  termio sessions read shell            print its screen
  termio sessions close shell           end it
EOF
