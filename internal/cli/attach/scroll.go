package attach

import (
	"strconv"

	"github.com/termio-sh/termio/vt"
)

// wheelLines is how far one turn of the wheel goes.
const wheelLines = 3

// scroll is the view back into a terminal's scrollback.
type scroll struct {
	back int          // lines above the bottom; 0 is the live screen
	kept int          // the scrollback's length when back was set
	view *vt.Terminal // what is seen
}

// by moves n lines back (or, negative, forth).
func (s *scroll) by(t *vt.Terminal, n int) {
	s.follow(t)
	s.back = min(max(s.back+n, 0), s.kept)
}

// follow keeps the same lines in view while new ones come.
func (s *scroll) follow(t *vt.Terminal) {
	if now := t.ScrollbackLen(); s.back > 0 {
		s.back = min(s.back+max(now-s.kept, 0), now)
		s.kept = now
	} else {
		s.kept = now
	}
}

// screen is the terminal to show: t itself, or the view back.
func (s *scroll) screen(t *vt.Terminal) *vt.Terminal {
	s.follow(t)
	if s.back == 0 {
		s.view = nil
		return t
	}
	cols, rows := t.Size()
	if s.view == nil {
		s.view = vt.New(vt.Options{Cols: cols, Rows: rows, Scrollback: -1})
	} else if c, r := s.view.Size(); c != cols || r != rows {
		s.view.Resize(cols, rows)
	}
	out := []byte("\x1b[?7l")
	for y := range rows {
		out = append(append(out, "\x1b["...), strconv.Itoa(y+1)...)
		out = append(out, ";1H\x1b[m\x1b[2K"...)
		if i := s.kept - s.back + y; i < s.kept {
			out = t.AppendScrollbackRow(out, i)
		} else if i-s.kept < rows {
			out = t.AppendRow(out, i-s.kept, 0, cols)
		}
	}
	s.view.Write(out)
	return s.view
}
