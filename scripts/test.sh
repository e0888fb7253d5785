#!/bin/sh
# Runs go test with the arguments given. Packages that fail are run once more,
# alone: tests here wait for real programs, and a machine that is busy with all
# packages at once can be too slow for them. What passes only alone is named
# loudly, since it is a test to mend; what fails twice fails.
set -u
log=$(mktemp)
trap 'rm -f "$log" "$log.rc"' EXIT
{ go test "$@" 2>&1; echo $? >"$log.rc"; } | tee "$log"
[ "$(cat "$log.rc")" != 0 ] || exit 0
failed=$(awk '/^FAIL\t/ && $3 !~ /build|setup/ {print $2}' "$log" | sort -u)
if [ -z "$failed" ] || grep -q 'build failed\|setup failed' "$log"; then
	exit 1
fi
flags=
for arg; do
	case $arg in -*) flags="$flags $arg" ;; esac
done
echo "once more, alone: $failed"
go test $flags -count=1 -p 1 $failed || exit 1
echo "FLAKY: failed beside others and passed alone: $failed"
