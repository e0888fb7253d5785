// Package acpagent is an agent for tests that speaks the Agent Client Protocol
// as it is told: its temper is a Config, and what it does in a turn is written
// in the prompt, a step a line (see steps.go). It checks every frame that it is
// sent against the protocol's schema.
//
// A test runs it in its own process over pipes (Serve), or as a program (Build,
// with the Config in ACPAGENT).
package acpagent
