package transcript

import (
	"testing"

	"github.com/termio-sh/termio/internal/prompt"
)

// A conversation that another session has begun is called by its task.
func TestTitleWithoutEnvelope(t *testing.T) {
	const link = "termio://session/ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44"
	for text, want := range map[string]string{
		prompt.Envelope(link, "fix the build"): "fix the build",
		prompt.Envelope(link, "\nfix\nit"):     "fix",
		"plain":                                "plain",
	} {
		if got := titleOf(text); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
}
