#!/bin/sh
# Checks for known vulnerabilities without the network: the database is the
# Go module golang.org/x/vulndb, pinned in tools/go.mod and indexed once.
set -eu
version=$(go list -modfile=tools/go.mod -m -f '{{.Version}}' golang.org/x/vulndb)
db=$(mkdir -p "${TERMIO_VULNDB_DIR:-.cache/vulndb}" && cd "${TERMIO_VULNDB_DIR:-.cache/vulndb}" && pwd)/$version
if [ ! -f "$db/index/modules.json" ]; then
	echo "indexing the vulnerability database (a minute, once)"
	go mod download -modfile=tools/go.mod golang.org/x/vulndb
	src=$(go list -modfile=tools/go.mod -m -f '{{.Dir}}' golang.org/x/vulndb)
	rm -rf "$db.part" && mkdir -p "$db.part"
	go tool -modfile=tools/go.mod indexdb -vulns "$src/data/osv" -out "$db.part"
	rm -rf "$db" && mv "$db.part" "$db"
fi
go tool -modfile=tools/go.mod govulncheck -db "file://$db" ./...
