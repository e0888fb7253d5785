# Termio's build. `make` alone says what there is.
# The toolchain is pinned here and in go.mod: older ones have known vulnerabilities.

export GOTOOLCHAIN := go1.27.3
export GOFLAGS     := -buildvcs=false
export CGO_ENABLED ?= 0

BIN     := bin
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w
TOOL    := go tool -modfile=tools/go.mod
GOFILES := $(shell git ls-files '*.go' 2>/dev/null)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list what can be made
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: need-go ## build termio and its companions into bin/
	@mkdir -p $(BIN)
	@go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...
	@mv -f $(BIN)/termio $(BIN)/termio-core
	@mv -f $(BIN)/termio-quick $(BIN)/termio

.PHONY: run
run: build ## build, then open a demo project with a shell session and any agents found
	@sh scripts/demo.sh

.PHONY: test
test: need-go ## run the tests (the real-agent ones need `make agents`)
	@sh scripts/test.sh -timeout=60m ./...

.PHONY: race
race: need-go ## run the tests under the race detector
	@CGO_ENABLED=1 sh scripts/test.sh -race -short -timeout=20m ./...

.PHONY: agents
agents: need-go need-npm ## install the pinned real agent CLIs into .agents/ (some 2 GB)
	@go run ./internal/testkit/agents/install

.PHONY: xterm
xterm: need-npm ## install the reference terminal that the differential tests use into .cache/
	@sh scripts/xterm.sh

.PHONY: lint
lint: need-go ## formatting, vet, staticcheck, package arrows
	@out=$$($(TOOL) gofumpt -l $(GOFILES)); if [ -n "$$out" ]; then echo "not gofumpt-ed (run: make fmt):"; echo "$$out"; exit 1; fi
	@go vet ./...
	@$(TOOL) staticcheck ./...

.PHONY: fmt
fmt: need-go ## format the code
	@$(TOOL) gofumpt -w $(GOFILES)

.PHONY: cross
cross: need-go ## build for every other system
	@for t in darwin/arm64 darwin/amd64 linux/arm64 windows/amd64; do \
	  echo "build $$t"; GOOS=$${t%/*} GOARCH=$${t#*/} go build -trimpath -o /dev/null ./... || exit 1; \
	  GOOS=$${t%/*} GOARCH=$${t#*/} go vet ./... || exit 1; done

.PHONY: vuln
vuln: need-go ## known vulnerabilities, from a database that is a Go module
	@sh scripts/vuln.sh

.PHONY: fuzz-seeds
fuzz-seeds: need-go ## run every fuzz target over its kept seeds
	@go test -run '^Fuzz' ./...

.PHONY: fuzz
fuzz: need-go ## fuzz each target for FUZZTIME (default 60s)
	@sh scripts/fuzz.sh $(or $(FUZZTIME),60s)

.PHONY: bench
bench: build ## measure, beside tmux and others, and print ratios
	@BENCH="$(BENCH)" sh scripts/bench.sh

.PHONY: ci
ci: ## everything that must pass before a change lands
	@sh scripts/ci.sh

.PHONY: clean
clean: ## remove what was built
	@rm -rf $(BIN) dist

.PHONY: need-go
need-go:
	@command -v go >/dev/null || { echo "Go is missing: install any Go >= 1.21 from https://go.dev/dl (it fetches the pinned toolchain itself)."; exit 1; }

.PHONY: need-npm
need-npm:
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js 20 or newer (Debian: apt-get install nodejs npm)."; exit 1; }
