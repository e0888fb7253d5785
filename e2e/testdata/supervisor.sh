#!/bin/sh
# A supervisor with nothing but exit codes and JSON lines. For each agent named
# it spawns a worker, allows what the workers ask for as `watch` tells it, and
# collects each answer by the lines of the transcript that hold it. Then it gives
# all of them a second task at once and waits for each.
#
#   supervisor.sh DIR AGENT…    writes DIR/answer.N and DIR/second.N
set -eu
dir=$1
shift
cd "$dir"

# value KEY JSON: a member whose value is a string or a number.
value() {
	printf '%s\n' "$2" | sed -n 's/.*[{,]"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'
}

mkfifo events
termio sessions watch --json --state done,needs-you,closed >events &
watch=$!
exec 3<events

n=0
for agent in "$@"; do
	n=$((n + 1))
	reply=$(termio sessions spawn "please TOOL \`echo worker-$n >>ran.txt\`" --agent "$agent" --title "worker $n" --json)
	value target "$reply" >"link.$n"
done

left=$n
while [ "$left" -gt 0 ]; do
	read -r event <&3
	link=$(value link "$event")
	[ -n "$link" ] || continue # a heartbeat
	number=
	for file in link.*; do
		if [ "$(cat "$file")" = "$link" ]; then number=${file#link.}; fi
	done
	[ -n "$number" ] || continue
	case $(value status "$event") in
	needs-you)
		# An answer to a question that is gone is refused, not typed.
		termio sessions send "$link" --answers "$(value prompt_id "$event")" --key enter >>allowed 2>>refused ||
			grep -q 'question' refused
		;;
	done)
		[ -e "answer.$number" ] && continue
		end=$(value cursor_end "$event")
		termio sessions transcript "$link" --from 0 --to "${end:?no cursor_end in $event}" --json >"answer.$number"
		left=$((left - 1))
		;;
	closed)
		echo "worker $number is gone: $event" >&2
		exit 1
		;;
	esac
done
kill -INT "$watch"
wait "$watch" # 0: it was asked to end

i=0
while [ "$i" -lt "$n" ]; do
	i=$((i + 1))
	link=$(cat "link.$i")
	(
		reply=$(termio sessions send "$link" "second task of worker $i" --wait --timeout 240000 --json) || echo "$reply" >"failed.$i"
		[ "$(value status "$reply")" = done ] || echo "$reply" >"failed.$i"
		termio sessions transcript "$link" --from "$(value cursor "$reply")" --to "$(value cursor_end "$reply")" --json >"second.$i"
	) &
done
wait
! cat failed.* 2>/dev/null
