#!/bin/sh
# Fetches the schema of the Agent Client Protocol, which stands in its npm
# package, into .cache/acp, and generates internal/acp's types and its test
# schema from it. With --check it only tells whether what is checked in is what
# the schema gives; that says so and succeeds where the package is not there
# and cannot be fetched.
set -eu
cd "$(dirname "$0")/.."
dir=${TERMIO_ACP_DIR:-.cache/acp}
version=2.4.0
package=$dir/node_modules/@agentclientprotocol/sdk
if [ ! -f "$package/schema/v1/schema.json" ] || ! grep -q "\"version\": *\"$version\"" "$package/package.json"; then
  mkdir -p "$dir"
  [ -f "$dir/package.json" ] || echo '{"private":true}' >"$dir/package.json"
  if ! npm install --prefix "$dir" --no-audit --no-fund --no-package-lock --ignore-scripts --omit=peer --loglevel=error \
    "@agentclientprotocol/sdk@$version"; then
    [ "${1:-}" = --check ] || exit 1
    echo "the schema's package cannot be fetched: the generated types were not compared"
    exit 0
  fi
fi
go run ./internal/acp/schemagen ${1:+"$1"} -schema "$package/schema/v1" -version "$version"
