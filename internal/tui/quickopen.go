package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/project"
)

// foldersEffect asks for directories: those that were opened once, or where a
// path is typed, those that it may become.
type foldersEffect struct {
	Typed string
	User  string // what ~ stands for
}

type foldersMsg struct {
	Effect  foldersEffect
	Folders []string
}

// mostFolders is how many a typed path may become at once.
const mostFolders = 50

// readFolders looks for them on the disk.
func readFolders(registry string, e foldersEffect) foldersMsg {
	msg := foldersMsg{Effect: e}
	if e.Typed == "" {
		// What is wrong with the list the coordinator tells.
		if known, _ := project.Open(registry, time.Now()); known != nil {
			for _, p := range slices.Backward(known.All()) {
				msg.Folders = append(msg.Folders, p.Dir)
			}
		}
		return msg
	}
	path := e.Typed
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == filepath.Separator) {
		path = e.User + rest
	}
	if !filepath.IsAbs(path) {
		return msg
	}
	dir, begin := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return msg
	}
	if begin == "" {
		msg.Folders = append(msg.Folders, filepath.Clean(dir))
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, begin) || strings.HasPrefix(name, ".") && !strings.HasPrefix(begin, ".") {
			continue
		}
		full := filepath.Join(dir, name)
		if st, err := os.Stat(full); err == nil && st.IsDir() {
			msg.Folders = append(msg.Folders, full)
		}
		if len(msg.Folders) == mostFolders {
			break
		}
	}
	return msg
}

// pathTyped reports whether a query is the begin of a path.
func pathTyped(query string) bool {
	return strings.HasPrefix(query, "/") || query == "~" || strings.HasPrefix(query, "~/")
}

// quickOpen is what the list of places to go to is made of.
type quickOpen struct {
	*pickerView
	known, folders, past []item
}

func (q *quickOpen) refresh() { q.list(q.known, q.folders, q.past) }

// openQuick lists sessions, projects and folders, and past conversations once
// there is something to look for.
func (m *Model) openQuick() []Effect {
	q := &quickOpen{pickerView: &pickerView{title: "Go to", in: newInput("session, project, ~/folder, words of a past conversation", "")}}
	for i := range m.fleet.Sessions {
		q.known = append(q.known, m.sessionItem(&m.fleet.Sessions[i]))
	}
	shown := map[string]bool{}
	for _, p := range m.fleet.projects(m.arrangement()) {
		shown[p] = true
		if p == "" {
			continue
		}
		q.known = append(q.known, item{projectName(p), "project", func(m *Model) []Effect { return m.goToProject(p) }})
	}
	for _, dir := range m.recent {
		if !shown[dir] {
			shown[dir] = true
			q.folders = append(q.folders, m.folderItem(dir, "recent folder"))
		}
	}
	recent := slices.Clone(q.folders)
	q.more = func(m *Model, query string) []Effect {
		query = strings.TrimSpace(query)
		q.past = nil
		q.folders = recent
		q.refresh()
		switch {
		case pathTyped(query):
			return []Effect{foldersEffect{query, m.User}}
		case len(query) < 3:
			return nil
		}
		return []Effect{m.askHistory(q, query)}
	}
	m.overlay, m.quick = q, func(m *Model, msg foldersMsg) {
		switch {
		case m.overlay != overlay(q):
			return
		case msg.Effect.Typed == "":
			for _, dir := range msg.Folders {
				if !shown[dir] {
					shown[dir] = true
					recent = append(recent, m.folderItem(dir, "folder"))
				}
			}
			q.folders = recent
		case msg.Effect.Typed != strings.TrimSpace(q.in.Value()):
			return
		default:
			q.folders = nil
			for _, dir := range msg.Folders {
				it := m.folderItem(dir, "open folder")
				if !strings.HasPrefix(msg.Effect.Typed, "~") {
					it.text = dir
				}
				q.folders = append(q.folders, it)
			}
		}
		q.refresh()
	}
	q.refresh()
	return []Effect{foldersEffect{User: m.User}}
}

func (m *Model) heardFolders(msg foldersMsg) {
	m.chrome = true
	if m.quick != nil {
		m.quick(m, msg)
	}
}

func (m *Model) sessionItem(s *api.Session) item {
	link, isClosed := s.Link, s.Status == closed
	note := projectName(s.Project) + " " + m.glyphs.Dot + " " + s.Status
	return item{m.glyphs.agent(s.AgentID, s.Agent) + " " + oneLine(s.Title), note, func(m *Model) []Effect {
		m.cursor = "session " + link
		if isClosed {
			return m.reopen()
		}
		return append(m.show(link), m.enter()...)
	}}
}

func (m *Model) folderItem(dir, note string) item {
	return item{m.home(dir), note, func(m *Model) []Effect { return m.openProject(dir) }}
}

// home is a path with ~ for the person's own directory.
func (m *Model) home(path string) string {
	if rest, ok := strings.CutPrefix(path, m.User); ok && m.User != "" && (rest == "" || rest[0] == filepath.Separator) {
		return "~" + rest
	}
	return path
}

// goToProject brings the sidebar to a project.
func (m *Model) goToProject(dir string) []Effect {
	m.folded[dir] = false
	m.cursor, m.focus = "project "+dir, onSidebar
	return m.arrangePanes()
}

// openProject opens a directory as `+"`termio DIR`"+` does: it is the one in sight
// then, and new sessions start there.
func (m *Model) openProject(dir string) []Effect {
	return []Effect{callEffect{
		Verb: api.VerbOpen, Request: api.OpenRequest{Caller: m.caller(), Dir: dir}, What: "open " + dir,
		Then: func(m *Model, reply any) []Effect {
			r := reply.(*api.OpenReply)
			if m.Home != r.Dir {
				m.opened = append(m.opened, m.Home)
				m.Home, m.Dir = r.Dir, dir
			}
			m.say("opened " + m.home(r.Dir))
			effects := []Effect{m.keep(change{Recent: r.Dir})}
			effects = append(effects, m.goToProject(r.Dir)...)
			return append(effects, m.list()...)
		},
	}}
}

// askHistory looks for past conversations.
func (m *Model) askHistory(q *quickOpen, query string) Effect {
	return callEffect{
		Verb: api.VerbHistory, Request: api.HistoryRequest{Caller: m.caller(), Text: query, Limit: 8}, What: "look through past conversations",
		Then: func(m *Model, reply any) []Effect {
			if m.overlay == overlay(q) && strings.TrimSpace(q.in.Value()) == query {
				q.past = m.past(reply.(*api.HistoryReply), query)
				q.refresh()
			}
			return nil
		},
	}
}

// past are the conversations that a search found. What was looked for is in
// them, so that it is in their lines too: else typing would hide them.
func (m *Model) past(r *api.HistoryReply, query string) []item {
	var items []item
	for _, h := range r.Conversations {
		title := oneLine(h.Title)
		if title == "" {
			title = h.Row
		}
		items = append(items, item{"past: " + title, query + " " + m.glyphs.Dot + " " + h.Agent, func(m *Model) []Effect {
			if h.Link != "" && m.fleet.get(h.Link) != nil {
				return append(m.show(h.Link), m.enter()...)
			}
			a := m.area()
			return []Effect{callEffect{
				Verb: api.VerbHistoryResume, What: "resume the conversation",
				Request: api.HistoryResumeRequest{Caller: m.caller(), Row: h.Row, Cols: max(a.W, 20), Rows: max(a.H-1, 5)},
				Then: func(m *Model, reply any) []Effect {
					link := reply.(*api.SpawnReply).Target
					m.cursor, m.wantedLink = "session "+link, link
					return m.list()
				},
			}}
		}})
	}
	return items
}
