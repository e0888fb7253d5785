#!/bin/sh
# Fuzzes every target, one after the other, for the time given.
set -eu
each=$1
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" 2>/dev/null | grep '^Fuzz' || true); do
		echo "== $pkg $target ($each)"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$each" "$pkg"
	done
done
