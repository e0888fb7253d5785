// Package atp is the Agent Terminal Protocol: the JSON manifest that tells a
// host how to launch an agent's command-line program, how to know what it is
// doing, and how to bring its exact conversation back. The agent's own screen
// stays in a real terminal; only this thin layer around it is standardised.
//
// The package holds the manifest's types, one decoder for bundled and user
// files, the published JSON Schema, the catalog of agents, and the pure
// functions that follow from a manifest: the compiled title and screen rules
// and the launch command. It starts no program, touches nothing but the
// manifest files it is pointed at, and depends on the standard library only.
package atp
