package orchestrate

import (
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/prompt"
)

// enveloped is the text that a new session is given: for an agent that another
// session has asked for, with the envelope before it. In a plain terminal it
// would be run as a command, and from a shell outside there is nobody to
// answer to.
func enveloped(m *atp.Manifest, from Origin, text string) string {
	if from.Parent == "" || m.IsTerminal() {
		return text
	}
	return prompt.Envelope(Link(from.Parent), text)
}
