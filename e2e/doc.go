// Package e2e drives the built programs from outside, as a person, a script
// and an agent would: real binaries, real PTYs, real sockets, real agents. It
// holds only tests, and they need Linux: network namespaces, and /proc to see
// what was left behind.
package e2e
