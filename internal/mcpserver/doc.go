// Package mcpserver offers the verbs of `termio sessions` as tools of the Model
// Context Protocol, for agents that cannot run a shell. A tool's arguments are
// the verb's, its structured result is the verb's reply or the one error, and
// both have the schemas of package api. It does nothing that the verbs do not:
// scope, limits and refusals are the coordinator's.
//
// It is linked into a program of its own (cmd/termio-mcp), since the SDK's
// start would cost every other command half a millisecond.
package mcpserver
