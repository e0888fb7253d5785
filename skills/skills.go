// Package skills holds the skill that teaches agents to use Termio.
package skills

import _ "embed"

// Termio is the text of the skill's SKILL.md.
//
//go:embed termio/SKILL.md
var Termio string
