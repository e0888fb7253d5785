// Package acp is the host of a session whose agent is spoken to over the Agent
// Client Protocol: the agent's process and its standard files, the journal of
// every message, the status, and the host protocol's answers. What is said and
// decided is internal/acphost's.
//
// A change travels so: the agent's line → the journal (which gives it its
// number) → the translator, which makes events of it → the conversation that
// people read, the status, and the peers. All of that happens on the goroutine
// that reads the agent, in order.
package acp
