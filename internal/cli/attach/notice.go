package attach

import (
	"strings"

	"github.com/termio-sh/termio/internal/hostproto"
)

// What another session has to say is shown in the terminal that is attached to
// this one: on its last line for a while, by a bell, and as the terminal's own
// notification, in the way that this terminal knows.

// notification is the bytes that make the outer terminal tell. A terminal is
// given one way only, or some would tell twice.
func notification(getenv func(string) string, n *hostproto.Notice) []byte {
	var b strings.Builder
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	is := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(term, p) || strings.HasPrefix(strings.ToLower(program), p) {
				return true
			}
		}
		return false
	}
	title, text := harmless(n.Title), harmless(n.Text)
	switch {
	case getenv("TMUX") != "" || getenv("STY") != "" || is("tmux", "screen", "linux", "dumb", "apple_terminal"):
		// These only have the bell.
	case getenv("KITTY_WINDOW_ID") != "" || is("xterm-kitty"):
		id := "i=termio-" + harmless(n.Session)
		if n.Withdraw {
			return []byte("\x1b]99;" + id + ":p=close;\x1b\\")
		}
		b.WriteString("\x1b]99;" + id + ":d=0:p=title;" + title + "\x1b\\")
		b.WriteString("\x1b]99;" + id + ":d=1:p=body;" + text + "\x1b\\")
	case n.Withdraw:
	case is("foot", "rxvt", "contour"):
		b.WriteString("\x1b]777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + text + "\x1b\\")
	default:
		// A text that began with a number would be another command.
		b.WriteString("\x1b]9;Termio: " + strings.TrimSpace(title+" "+text) + "\a")
	}
	if n.Bell && !n.Withdraw {
		b.WriteByte('\a')
	}
	return []byte(b.String())
}

// harmless is text on one line without what could end a control sequence.
func harmless(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c < 0x20 || c >= 0x7f && c < 0xa0 }), " ")
}

// noticed takes a notice of the host.
func (v *viewer) noticed(n *hostproto.Notice) {
	if n == nil || v.o.Observe {
		return
	}
	v.ring = append(v.ring, notification(v.o.Getenv, n)...)
	v.dirty = true
	if !n.Withdraw {
		v.say(harmless(n.Title), noticeFor)
	}
}
