#!/bin/sh
# What `make run` shows: a demo project with a shell session and one session
# for each agent that is found, in a home of its own, and what to type next.
# While any session of the demo runs, nothing more is started.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$root/bin:$PATH
TERMIO_HOME=${TERMIO_HOME:-$root/.demo}
export PATH TERMIO_HOME
demo=$TERMIO_HOME/demo-project

if [ ! -d "$demo" ]; then
	mkdir -p "$demo"
	printf '# Demo\n\nA small project to try Termio in.\n' >"$demo/README.md"
	printf 'This is a durable terminal. Ctrl-%s leaves it; it goes on.\n' '\' >"$demo/welcome.txt"
	if command -v git >/dev/null; then
		git -C "$demo" init -q
		git -C "$demo" add -A
		git -C "$demo" -c user.name=demo -c user.email=demo@example.invalid commit -qm "Start"
	fi
fi
cd "$demo"
termio open . >/dev/null

found=$(termio agents list --found --ids)
agents=$(printf '%s\n' "$found" | sed '/^terminal$/d')
if ! termio sessions list --json | grep -q '"link"'; then
	termio sessions run "cat welcome.txt" --title shell >/dev/null
	for agent in $agents; do
		termio sessions spawn --agent "$agent" >/dev/null || echo "$agent was not started" >&2
	done
fi

termio sessions list
echo
if [ -n "$agents" ]; then
	echo "Agents found:" $agents
else
	echo "No agent was found. Get one, and run this again:"
	termio agents list --missing
fi
cat <<EOF

Type next (in any shell):

  export PATH="$root/bin:\$PATH" TERMIO_HOME="$TERMIO_HOME"; cd "$demo"
  termio                                all of them, side by side; ? lists the keys
  termio sessions attach shell          work in it; Ctrl-\\ leaves it running
EOF
if [ -n "$agents" ]; then
	first=${agents%%
*}
	echo "  termio sessions spawn \"say hello\" --agent $first"
fi
cat <<EOF
  termio sessions send shell "ls -la"   type into it from outside
  termio sessions read shell            print its screen
  termio sessions close shell           end it
EOF
