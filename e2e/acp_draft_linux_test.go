package e2e

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// TestACPDraft: version 2 of the protocol is offered only where the setting
// says so; an agent that speaks version 1 goes on, one that takes the offer is
// refused with both numbers.
func TestACPDraft(t *testing.T) {
	for _, c := range []struct {
		name, offered string
		draft         bool
		speaks        int
		fails         string
	}{
		{"not asked for", `"protocolVersion":1}`, false, 1, ""},
		{"offered and not taken", `"protocolVersion":2}`, true, 1, ""},
		{"offered and taken", `"protocolVersion":2}`, true, 2, "unsupported_protocol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := acpFleet(t, acpagent.Config{Version: c.speaks})
			if c.draft {
				must[any](f, "config", "set", "acp.draft", "true", "--json")
			}
			_, last, _ := f.acpRun("say hello", "--agent", "fake")
			heard := f.heardOf(acp.MethodInitialize)
			if len(heard) != 1 || !strings.Contains(heard[0], c.offered) {
				t.Errorf("heard %q", heard)
			}
			if said := last.Content; last.Error != c.fails || c.fails == "" && (said == nil || *said != "hello") {
				t.Errorf("ended %+v", last)
			}
		})
	}
}
