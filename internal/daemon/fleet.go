package daemon

import (
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/orchestrate"
)

func parentOf(s *session) string {
	if s.record.Parent == "" {
		return ""
	}
	return orchestrate.Link(s.record.Parent)
}

// relate tells each row which of the others it started.
func relate(rows []api.Session) {
	nodes := make([]orchestrate.Node, len(rows))
	for i := range rows {
		nodes[i] = orchestrate.Node{ID: rows[i].Link, Parent: rows[i].Parent}
	}
	children := orchestrate.Children(nodes)
	for i := range rows {
		rows[i].Children = children[rows[i].Link]
	}
}
