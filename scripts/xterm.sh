#!/bin/sh
# Installs the terminal that vt's differential tests compare with into
# .cache/xterm. The versions are those of the web page.
set -eu
cd "$(dirname "$0")/.."
dir=${TERMIO_XTERM_DIR:-.cache/xterm}
mkdir -p "$dir"
[ -f "$dir/package.json" ] || echo '{"private":true}' >"$dir/package.json"
npm install --prefix "$dir" --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error \
  @xterm/headless@6.0.0 @xterm/addon-unicode-graphemes@0.4.0
echo "installed into $dir; now: go test ./vt -run Xterm -v"
