package tui

import "github.com/termio-sh/termio/internal/paint"

// pictured is the pane whose pictures are shown: the active one's, live, with
// nothing over it. One at a time, since programs name their pictures by numbers
// of their own, which would be mixed up on the outer terminal.
func (m *Model) pictured() *paint.Inset {
	p := m.activePane()
	if m.overlay != nil || p == nil || p.term == nil || p.text || p.scroll.back > 0 || !m.visible(p) || len(p.term.Images()) == 0 {
		return nil
	}
	places, _ := m.places()
	for _, pl := range places {
		if pl.node == m.active {
			return &paint.Inset{Term: p.term, Left: p.left, Top: p.top, X: p.rect.X, Y: p.rect.Y, Cols: p.rect.W, Rows: p.rect.H}
		}
	}
	return nil
}
