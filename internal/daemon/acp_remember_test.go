package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
)

// Rows 178–184: what is remembered of an agent, by whom it is read again, and
// what counts before it.
func TestRememberedOptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acp-options.json")
	open := func() *remembered { return &remembered{path: path, now: time.Now} }
	r := open()
	set := []acphost.Applied{
		{ID: "m", Role: acphost.RoleModel, Value: "big"},
		{ID: "e", Role: acphost.RoleEffort, Value: "high"},
		{ID: "f", Role: acphost.RoleFast, Value: "on"},
		{ID: "x", Role: acphost.RoleMode, Value: "yolo"},
		{ID: "own", Value: "1"},
	}
	if err := r.note("codex", set, nil); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
	if got := fmt.Sprint(open().settings("codex")); got != "[{model big} {effort high} {fast true}]" {
		t.Errorf("read again: %s", got)
	}
	if got := open().settings("pi"); got != nil {
		t.Errorf("of another agent: %v", got)
	}
	fast := false
	p := r.preferences("codex", api.ACPOptions{Model: "small", Effort: "highest", Fast: &fast, Set: []api.OptionSetting{{Name: "Collaboration", Value: "plan"}, {Name: "own", Value: "2"}}})
	if p.Model != "small" || p.Effort != "" || !p.Highest || *p.Fast || p.Collaboration != "plan" || fmt.Sprint(p.Others) != "[{own 2}]" {
		t.Errorf("asked for: %+v", p)
	}
	if err := r.note("codex", nil, []string{acphost.RoleModel, acphost.RoleFast}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(open().settings("codex")); got != "[{effort high}]" {
		t.Errorf("forgotten: %s", got)
	}
	if err := r.note("codex", nil, []string{"mode"}); err == nil || !strings.Contains(err.Error(), `nothing is remembered of "mode"`) {
		t.Errorf("%v", err)
	}

	// What is no such file is set aside, and nothing is remembered then.
	if err := os.WriteFile(path, []byte("{oh"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = open()
	if got := r.settings("codex"); got != nil {
		t.Errorf("of a corrupt file: %v", got)
	}
	if err := r.note("codex", set[:1], nil); err != nil {
		t.Error(err)
	}
	if aside, err := filepath.Glob(path + ".corrupt-*"); err != nil || len(aside) != 1 {
		t.Errorf("set aside: %v, %v", aside, err)
	}
}
