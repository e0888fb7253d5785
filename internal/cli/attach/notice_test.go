package attach

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// Each terminal is told once, in its own way, and nothing in a text can be more
// than text.
func TestNotification(t *testing.T) {
	hostile := &hostproto.Notice{Session: "1", Title: "a;b\x1b\\c", Text: "4;3\x07\u009cd", Bell: true}
	for name, tt := range map[string]struct {
		env   map[string]string
		title string // as a terminal's engine reads it; "" for none
		text  string
	}{
		"unknown": {nil, "", `Termio: a;b \c 4;3 d`},
		"wezterm": {map[string]string{"TERM_PROGRAM": "WezTerm"}, "", `Termio: a;b \c 4;3 d`},
		"kitty":   {map[string]string{"TERM": "xterm-kitty"}, `a;b \c`, "4;3 d"},
		"foot":    {map[string]string{"TERM": "foot"}, `a,b \c`, "4;3 d"},
		"tmux":    {map[string]string{"TMUX": "x", "TERM_PROGRAM": "WezTerm"}, "", ""},
		"console": {map[string]string{"TERM": "linux"}, "", ""},
	} {
		bells := 0
		var got []vt.Event
		term := vt.New(vt.Options{Cols: 20, Rows: 2, Event: func(e vt.Event) {
			switch e.Kind {
			case vt.EventBell:
				bells++
			case vt.EventNotification:
				got = append(got, e)
			default:
				t.Errorf("%s: event %v", name, e)
			}
		}})
		getenv := func(k string) string { return tt.env[k] }
		term.Write(notification(getenv, hostile))
		if bells != 1 || strings.TrimSpace(term.ScreenText()) != "" {
			t.Errorf("%s: %d bells, the screen %q", name, bells, term.ScreenText())
		}
		switch {
		case tt.title+tt.text == "":
			if len(got) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		case len(got) != 1 || got[0].Title != tt.title || got[0].Text != tt.text:
			t.Errorf("%s: %+v", name, got)
		}
		quiet := notification(getenv, &hostproto.Notice{Session: "1", Withdraw: true, Bell: true})
		if name != "kitty" && len(quiet) != 0 || name == "kitty" && !strings.Contains(string(quiet), "p=close") {
			t.Errorf("%s: taken back by %q", name, quiet)
		}
	}
}
