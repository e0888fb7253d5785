#!/bin/sh
# Builds the benchmark program (a module of its own, so that what it compares
# with is no dependency of Termio) and runs it. Arguments name what to measure.
set -eu
mkdir -p .cache
(cd bench && go build -o ../.cache/bench .)
exec .cache/bench -bin bin ${BENCH:-}
