package cli

import (
	"strings"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/orchestrate"
)

// treeOf puts sessions below those that started them, and gives for each the
// lines that lead to it.
func treeOf(sessions []api.Session) (ordered []api.Session, lines []string) {
	nodes := make([]orchestrate.Node, len(sessions))
	for i, s := range sessions {
		nodes[i] = orchestrate.Node{ID: s.Link, Parent: s.Parent}
	}
	for _, p := range orchestrate.Tree(nodes) {
		ordered = append(ordered, sessions[p.Index])
		lines = append(lines, branch(p))
	}
	return ordered, lines
}

// branch draws the lines to a place in a tree; a root has none.
func branch(p orchestrate.Place) string {
	var b strings.Builder
	for level := 1; level <= p.Depth; level++ {
		switch last := p.Last[level]; {
		case level < p.Depth && last:
			b.WriteString("   ")
		case level < p.Depth:
			b.WriteString("│  ")
		case last:
			b.WriteString("└─ ")
		default:
			b.WriteString("├─ ")
		}
	}
	return b.String()
}
