package tui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
)

func asError(err error, into **api.Error) bool { return errors.As(err, into) }

// at is the index of the row that the cursor is on, -1 without one.
func (m *Model) at(rows []Row) int {
	for i := range rows {
		if rows[i].key == m.cursor && rows[i].chosen() {
			return i
		}
	}
	return -1
}

// cursorRow is the row that the cursor is on, nil if there is none.
func (m *Model) cursorRow() *Row {
	rows := m.rows()
	if i := m.at(rows); i >= 0 {
		return &rows[i]
	}
	return nil
}

func (m *Model) cursorLink() string {
	if r := m.cursorRow(); r != nil && r.session != nil {
		return r.session.Link
	}
	return ""
}

// target is the session that an action is about: the row's, or the pane's that
// has the keys.
func (m *Model) target() *api.Session {
	if m.focus == onPane && m.active != nil {
		return m.fleet.get(m.active.Session)
	}
	return m.fleet.get(m.cursorLink())
}

// keepCursor puts the cursor on a row again when its own is gone: that of the
// same session elsewhere, else the first.
func (m *Model) keepCursor(link string) {
	rows := m.rows()
	if m.at(rows) >= 0 {
		return
	}
	if link != "" {
		for i := range rows {
			if rows[i].chosen() && rows[i].session != nil && rows[i].session.Link == link {
				m.cursor = rows[i].key
				return
			}
		}
	}
	for i := range rows {
		if rows[i].chosen() {
			m.cursor = rows[i].key
			return
		}
	}
}

// move puts the cursor n rows on, over rows that cannot be chosen.
func (m *Model) move(n int) []Effect {
	rows := m.rows()
	rows = slices.DeleteFunc(rows, func(r Row) bool { return !r.chosen() })
	if len(rows) == 0 {
		return nil
	}
	i := m.at(rows)
	if i < 0 {
		i = 0
	} else {
		i = min(max(i+n, 0), len(rows)-1)
	}
	return m.choose(&rows[i])
}

// choose puts the cursor on a row and, when it has rested there for a moment,
// shows the session.
func (m *Model) choose(r *Row) []Effect {
	m.cursor, m.chrome = r.key, true
	if r.session == nil {
		m.pending = ""
		return nil
	}
	m.pending, m.previewed = r.session.Link, m.now
	if m.active != nil && m.active.Session == m.pending {
		m.pending = ""
	}
	return nil
}

// sidebarKey takes a key while the sidebar has the focus.
func (m *Model) sidebarKey(msg tea.KeyPressMsg) []Effect {
	name := msg.String()
	a, ok := m.Bindings.of[name]
	if !ok {
		a, ok = m.Bindings.of[msg.Keystroke()]
	}
	if !ok {
		if n := optionKey(msg); n > 0 {
			return m.answerRow(n)
		}
		return nil
	}
	return m.act(a)
}

// optionKey is the number of the option that a digit names, 0 for no digit.
func optionKey(msg tea.KeyPressMsg) int {
	if t := msg.Text; len(t) == 1 && t[0] >= '1' && t[0] <= '9' {
		return int(t[0] - '0')
	}
	return 0
}

// act does what an action says.
func (m *Model) act(a Action) []Effect {
	switch a {
	case ActDown:
		return m.move(1)
	case ActUp:
		return m.move(-1)
	case ActTop:
		return m.move(-1 << 20)
	case ActBottom:
		return m.move(1 << 20)
	case ActNextNeeds:
		return m.nextNeeds()
	case ActEnter:
		return m.enterRow()
	case ActBack:
		return m.enter()
	case ActFold:
		return m.fold()
	case ActClosed:
		m.showClosed = !m.showClosed
		return m.list()
	case ActHelp:
		m.overlay = newHelp(m)
	case ActQuit:
		m.quit = true
		return []Effect{quitEffect{}}
	case ActSuspend:
		return []Effect{suspendEffect{}}
	case ActWiden, ActNarrow:
		return m.resizeSidebar(a == ActWiden)
	case ActPrefix:
		return m.typePrefix()
	default:
		return m.actOn(a)
	}
	return nil
}

// actOn does what opens a view or is about a session or a pane.
func (m *Model) actOn(a Action) []Effect {
	switch a {
	case ActAnswer:
		return m.openQuestion()
	case ActReopenLost:
		return m.reopenLost()
	case ActPin:
		return m.pin()
	case ActMoveUp:
		return m.moveRow(-1)
	case ActMoveDown:
		return m.moveRow(1)
	case ActGroup:
		return m.openGroup()
	case ActUngroup:
		return m.ungroup()
	case ActEdit:
		return m.openFiles()
	case ActNew:
		return m.openNew()
	case ActTerminal:
		return m.spawnTerminal()
	case ActClose:
		return m.closeSession()
	case ActRename:
		return m.openRename()
	case ActReopen:
		return m.reopen()
	case ActPalette:
		m.overlay = newPalette(m)
	case ActOpen:
		return m.openQuick()
	case ActSettings:
		v := newSettings(m)
		m.overlay = v
		return v.ask(m)
	case ActReview:
		return m.openReview()
	case ActScroll:
		return m.startScroll()
	case ActSearch:
		return append(m.startScroll(), m.openSearch()...)
	case ActSplitRight, ActSplitDown:
		return m.split(a == ActSplitDown)
	case ActUnsplit:
		return m.unsplit()
	case ActZoom:
		if m.active != nil {
			m.zoom = !m.zoom
			return m.arrangePanes()
		}
	case ActLeft:
		return m.goTo(toLeft)
	case ActRight:
		return m.goTo(toRight)
	case ActAbove:
		return m.goTo(toAbove)
	case ActBelow:
		return m.goTo(toBelow)
	}
	return nil
}

// enterRow goes into the row's session; of one that needs somebody it opens the
// question, of a project it folds.
func (m *Model) enterRow() []Effect {
	r := m.cursorRow()
	switch {
	case r == nil:
		return m.enter()
	case r.kind == rowProject:
		return m.fold()
	case r.kind == rowLost:
		return m.reopenLost()
	case r.kind == rowNeeds:
		return m.openQuestion()
	case r.session.Status == closed:
		return m.reopen()
	}
	return append(m.show(r.session.Link), m.enter()...)
}

// nextNeeds goes to the next session that needs somebody, round and round.
func (m *Model) nextNeeds() []Effect {
	rows := slices.DeleteFunc(m.rows(), func(r Row) bool { return r.kind != rowNeeds })
	if len(rows) == 0 {
		m.say("nobody needs you")
		return nil
	}
	return m.choose(&rows[(m.at(rows)+1)%len(rows)])
}

func (m *Model) fold() []Effect {
	r := m.cursorRow()
	if r == nil || r.kind == rowLost {
		return nil
	}
	dir := r.dir
	if r.session != nil {
		dir = r.session.Project
	}
	m.folded[dir] = !m.folded[dir]
	if m.folded[dir] {
		m.cursor = "project " + dir
	}
	return nil
}

func (m *Model) resizeSidebar(wider bool) []Effect {
	w := m.sidebarCols()
	if w == 0 || m.narrow() {
		return nil
	}
	if wider {
		w += 2
	} else {
		w -= 2
	}
	m.Looks.Sidebar = min(max(w, 18), m.Cols-24)
	return append(m.arrangePanes(), looksEffect{m.Looks})
}

func (m *Model) typePrefix() []Effect {
	p := m.activePane()
	if p == nil || !p.live() {
		return nil
	}
	effects := m.enter()
	return append(effects, m.typeKey(p, m.Prefix)...)
}

// closeSession closes the row's session, and asks first where something runs.
func (m *Model) closeSession() []Effect {
	s := m.target()
	if r := m.cursorRow(); r != nil && r.kind == rowLost && m.focus == onSidebar {
		return m.leaveLost()
	}
	if s == nil || s.Status == closed {
		return nil
	}
	link, title := s.Link, oneLine(s.Title)
	do := func(m *Model) []Effect {
		return []Effect{callEffect{
			Verb: api.VerbClose, Request: api.TargetRequest{Caller: m.caller(), Target: link}, What: "close the session",
			Then: func(m *Model, _ any) []Effect {
				m.say("closed " + title)
				return append(m.dropPane(link), m.list()...)
			},
		}}
	}
	if s.Status == working || s.Status == needsYou {
		what := "it is working"
		if s.Status == needsYou {
			what = "it waits for an answer"
		}
		m.overlay = &confirmView{title: "Close " + title + "?", text: what + "; what it does ends", yes: do}
		return nil
	}
	return do(m)
}

// reopen starts a closed session again, in its conversation.
func (m *Model) reopen() []Effect {
	link := ""
	if s := m.target(); s != nil && s.Status == closed {
		link = s.Link
	} else if p := m.activePane(); p != nil && p.ended != "" {
		link = p.link // what stands there is its last picture
	}
	if link == "" {
		m.say("this session is not closed; c shows those that are")
		return nil
	}
	a := m.area()
	return []Effect{callEffect{
		Verb: api.VerbReopen, Request: api.ReopenRequest{Caller: m.caller(), Target: link, Cols: a.W, Rows: max(a.H-1, 1)}, What: "reopen the session",
		Then: func(m *Model, reply any) []Effect {
			r := reply.(*api.ReopenReply).Reopened
			if r == nil {
				return m.list()
			}
			if r.Fresh != "" {
				m.say("it starts anew: " + r.Fresh)
			}
			if s := m.fleet.get(link); s != nil {
				s.Status, s.Closed = idle, nil
			} else {
				m.wanted(link, r.Title, api.SpawnRequest{})
			}
			m.cursor = "session " + link
			delete(m.panes, link)
			return append(append(m.show(link), m.enter()...), m.list()...)
		},
	}}
}

// spawnTerminal starts a plain terminal where the row's session is.
func (m *Model) spawnTerminal() []Effect {
	return m.spawn(api.SpawnRequest{Agent: plainAgent})
}

// spawn starts a session, shows it and goes into it.
func (m *Model) spawn(r api.SpawnRequest) []Effect { return m.spawnOr(r, nil) }

// spawnOr is spawn; failed is told if that cannot be.
func (m *Model) spawnOr(r api.SpawnRequest, failed func(m *Model, err error) []Effect) []Effect {
	a := m.area()
	r.Caller = m.caller()
	r.Cols, r.Rows = max(a.W, 20), max(a.H-1, 5)
	if r.Dir == "" {
		r.Dir = m.where()
	}
	return []Effect{callEffect{
		Verb: api.VerbSpawn, Request: r, What: "start the session", Failed: failed,
		Then: func(m *Model, reply any) []Effect {
			link := reply.(*api.SpawnReply).Target
			m.wanted(link, reply.(*api.SpawnReply).Title, r)
			m.cursor = "session " + link
			return append(append(m.showStarted(link), m.enter()...), m.list()...)
		},
	}}
}

// wanted puts a session that was just started into the roster, until that comes
// anew.
func (m *Model) wanted(link, title string, r api.SpawnRequest) {
	if m.fleet.get(link) != nil {
		return
	}
	now := m.now
	m.fleet.Sessions = append(m.fleet.Sessions, api.Session{
		Link: link, ID: link[max(strings.LastIndexByte(link, '/')+1, 0):][:8], Title: title, Agent: title, AgentID: r.Agent,
		Status: idle, Since: &now, Project: m.projectHere(), Cwd: r.Dir,
	})
}

// projectHere is the project of the row that the cursor is on, else home.
func (m *Model) projectHere() string {
	if r := m.cursorRow(); r != nil && r.kind != rowLost {
		if r.session != nil {
			return r.session.Project
		}
		return r.dir
	}
	return m.Home
}

// where is the directory that a new session starts in: the worktree of the row,
// or its project.
func (m *Model) where() string {
	if r := m.cursorRow(); r != nil {
		switch {
		case r.session != nil && r.session.Worktree != "":
			return r.session.Worktree
		case r.session != nil && r.session.Project != "":
			return r.session.Project
		case r.dir != "":
			return r.dir
		}
	}
	return m.Dir
}
