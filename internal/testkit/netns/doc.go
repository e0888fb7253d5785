// Package netns gives a test a network namespace whose one interface is the
// loopback, so that a program under test, whatever it tries, reaches nothing
// outside. Real agent CLIs are started only in one.
//
// The test process itself stays where it is; servers of the test listen inside
// (Listen) and programs are started inside (Start). Each test has its own
// namespace, so tests may run in parallel and use the same ports.
//
// At the end of the test every process of the namespace must be gone. One that
// is left is killed, by its id, and fails the test. A process belongs to the
// namespace when its network namespace is this one, when its environment holds
// the namespace's mark, or when an ancestor of it belongs: so neither a new
// session, nor a double fork, nor a sandbox with a namespace of its own hides
// it.
//
// Making a namespace needs root or unprivileged user namespaces. A test binary
// that calls Main from its TestMain gets the second by itself; where neither
// is there, New skips the test and says so. Linux only.
package netns
