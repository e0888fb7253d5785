// Package agents prepares real, published agent CLIs for tests: it installs
// pinned versions from the npm registry into one ignored folder, and writes
// for each agent a home of its own that reaches the prompt without an account,
// with a model server on the loopback as its only counterpart and with
// telemetry and update checks switched off.
//
// An agent is started only inside a network namespace (package netns): every
// one of these programs tries to reach the outside world.
package agents
