//go:build unix

package hooks

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestTwoHomesShareAConfig: the second home leaves the hooks of the first, in
// every dialect, until the first one's reporter is gone.
func TestTwoHomesShareAConfig(t *testing.T) {
	for _, id := range []string{"claudeCode", "codex", "gemini", "copilot", "cursor", "kimi", "opencode", "pi", "amp", "cline"} {
		t.Run(id, func(t *testing.T) {
			m := newMachine(t)
			bin := func(home string) string {
				path := filepath.Join(t.TempDir(), home, "bin", ReporterName)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
					t.Fatal(err)
				}
				return path
			}
			first := *m.store
			first.Reporter = bin("first")
			second := *m.store
			second.Dir, second.Reporter = filepath.Join(t.TempDir(), "hooks"), bin("second")
			agent, ctx := m.agent(id), context.Background()
			if o := first.Install(ctx, agent); o.State != Installed || len(o.Changed) == 0 {
				t.Fatalf("first: %+v", o)
			}
			for name, s := range map[string]*Store{"second": &second, "first": &first} {
				if o := s.Install(ctx, agent); o.State != Installed || len(o.Changed) != 0 {
					t.Errorf("%s rewrote what is right: %+v", name, o)
				}
				if o := s.Status(ctx, agent); o.State != Installed {
					t.Errorf("%s: %+v", name, o)
				}
			}
			if err := os.Remove(first.Reporter); err != nil {
				t.Fatal(err)
			}
			if o := second.Status(ctx, agent); o.State != Outdated {
				t.Errorf("without the first's reporter: %+v", o)
			}
			if o := second.Install(ctx, agent); o.State != Installed || len(o.Changed) == 0 {
				t.Errorf("it was not healed: %+v", o)
			}
			if o := second.Remove(ctx, agent); o.State != NotInstalled || len(o.Changed) == 0 {
				t.Errorf("removal: %+v", o)
			}
		})
	}
}
