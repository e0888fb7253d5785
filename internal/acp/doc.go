// Package acp is a connection of the Agent Client Protocol: newline-delimited
// JSON-RPC 2.0 in both directions, and the protocol's types, which schemagen
// generates from its schema (scripts/acpschema.sh).
//
// What arrives is handled on one goroutine, in the order of the lines:
// notifications, the other side's requests, and the answers to ours. So an
// update that precedes an answer is handled before the answer is known, and a
// handler that is slow makes the other side wait at its pipe; nothing is
// dropped and nothing is kept in memory. Members and kinds that the schema does
// not know stay in the types' Unknown fields and go out again as they came.
package acp
