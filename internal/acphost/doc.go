// Package acphost is what a host for an agent over the Agent Client Protocol
// does, without a process of its own: the set-up of a session and its ladder,
// the turn, permissions and questions, what the agent may do with files and
// terminals, and the views of a conversation that are made of a session's
// journal. Processes, files of the session and the host protocol are
// internal/host/acp's.
//
// The numbers in comments and in the names of tests are the rows of the ACP
// host's reference.
package acphost
