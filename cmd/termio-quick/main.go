// Command termio-quick is what `make build` installs as termio: it runs the
// verbs that ask one thing through the coordinator, in a fraction of the time
// that the whole program takes to start, and hands everything else to the
// whole program, which then stands beside it as termio-core (see
// docs/decisions/0012-quick-verbs.md).
package main
