package status_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/status"
)

// TestReplayHooks plays the hooks that real agents ran, in every state, through
// their manifest and the reducer, with no other channel beside them: what hooks
// alone would tell. A turn that stays working here until the next prompt is one
// whose end no hook told; the other channels end it (TestReplay,
// TestHowRealAgentsEndATurn, and the timeline suite on the agents themselves).
//
// A recording has lines of "seconds event", with the text that the agent's
// matcher is compared with (match), the tool, the sub-agent and the number of
// background tasks, where the payload had them.
func TestReplayHooks(t *testing.T) {
	catalog, _ := atp.LoadBundled()
	for name, agent := range map[string]string{
		"claude": "claudeCode", "codex": "codex", "gemini": "gemini", "qwen": "qwen",
		"copilot": "copilot", "opencode": "opencode", "pi": "pi",
	} {
		t.Run(name, func(t *testing.T) {
			manifest, ok := catalog.ByID(agent)
			if !ok {
				t.Fatalf("no agent %q", agent)
			}
			base := filepath.Join("testdata", "replay", name)
			lines, err := os.ReadFile(base + ".hooks")
			if err != nil {
				t.Fatal(err)
			}
			m := status.New(status.Config{Hooks: true, Generation: 1}, start)
			var out strings.Builder
			for line := range strings.Lines(string(lines)) {
				ev, ok := hookEvent(t, manifest, strings.Fields(line))
				if !ok {
					continue
				}
				for _, c := range m.Apply(ev) {
					fmt.Fprintf(&out, "%7.2f %-9s %s\n", c.At.Sub(start).Seconds(), c.To, c.Cause.Rule)
				}
			}
			golden := base + "-hooks.want"
			if *update {
				if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(string(want), out.String()); diff != "" {
				t.Errorf("timeline (-want +got)\n%s", diff)
			}
		})
	}
}

// hookEvent is what the agent's event is for the reducer, when the manifest
// hooks it.
func hookEvent(t *testing.T, m *atp.Manifest, words []string) (status.Event, bool) {
	t.Helper()
	ev := status.Event{At: seconds(t, words[0]), Kind: status.KindHook}
	field := map[string]string{}
	for _, w := range words[2:] {
		k, v, _ := strings.Cut(w, "=")
		field[k] = v
	}
	for _, e := range m.Hooks.Events {
		if e.On != words[1] || e.Matcher != "" && e.Matcher != "*" && !regexp.MustCompile("^(?:"+e.Matcher+")$").MatchString(field["match"]) {
			continue
		}
		pending, _ := strconv.Atoi(field["pending"])
		ev.Hook = status.Hook{
			State: status.HookState(e.State), Event: e.On, Tool: field["tool"], Generation: 1,
			Subagent: field["agent"] != "", SubagentID: field["agent"], Pending: pending,
		}
		return ev, true
	}
	return ev, false
}
