// Package acpschema holds the protocol's JSON Schema without its prose, as
// schemagen wrote it. Only tests link it.
package acpschema

import _ "embed"

// JSON is the schema.
//
//go:embed schema.json
var JSON []byte
