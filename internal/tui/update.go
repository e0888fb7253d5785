package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// Update takes a message at a moment and says what is to be done.
func (m *Model) Update(msg any, now time.Time) []Effect {
	m.now = now
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		// A key that only goes to the session changes nothing here: its echo
		// will, and is not to wait for a frame that shows the same.
		p := m.typing()
		m.chrome = m.chrome || p == nil
		m.drawn = m.drawn && p != nil && p.untouched()
		was, told := m.keysGo(), m.toastUntil
		effects := m.key(msg)
		if m.keysGo() != was && m.toastUntil.Equal(told) {
			m.toast = "" // it would hide where the keys go now
		}
		return effects
	case tea.KeyReleaseMsg:
		return m.release(msg)
	case tea.PasteMsg:
		m.chrome = m.chrome || m.typing() == nil
		return m.paste(msg.Content)
	}
	m.drawn = false
	switch msg := msg.(type) {
	case hostMsg:
		return m.hostSaid(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.FocusMsg:
		m.blurred, m.chrome = false, true
		return append(m.focusReport(true), m.lookAgain()...)
	case tea.BlurMsg:
		m.blurred = true
		return m.focusReport(false)
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 && (msg.Width != m.Cols || msg.Height != m.Rows) {
			m.Cols, m.Rows, m.drag = msg.Width, msg.Height, dragging{}
			return m.arrangePanes()
		}
	case rosterMsg:
		return m.roster(msg)
	case watchMsg:
		return m.watched(msg)
	case hostUpMsg:
		return m.hostUp(msg)
	case calledMsg:
		m.chrome = true
		switch {
		case msg.Err != nil && msg.Effect.Failed != nil:
			return msg.Effect.Failed(m, msg.Err)
		case msg.Err != nil:
			m.beside = nil
			m.say(msg.Effect.What + ": " + plainError(msg.Err))
			return nil
		}
		if msg.Effect.Then != nil {
			return msg.Effect.Then(m, msg.Reply)
		}
	case commandMsg:
		m.chrome = true
		if msg.Err != nil {
			m.say(msg.Effect.What + ": " + firstLine(msg.Out+"\n"+msg.Err.Error()))
			return nil
		}
		if msg.Effect.Then != nil {
			return msg.Effect.Then(m, msg.Out)
		}
	case journalMsg:
		m.recalled(msg)
	case chatFailedMsg:
		m.chatFailed(msg)
	case reviewMsg:
		m.chrome = true
		m.reviewed(msg)
	case foldersMsg:
		m.heardFolders(msg)
	case filesMsg:
		m.heardFiles(msg)
	case keptMsg:
		m.keptElsewhere(msg.Kept)
	case tickMsg:
		return m.tick()
	}
	return nil
}

// keysGo is where the keys go: to which part, to which session, and as what.
func (m *Model) keysGo() (w struct {
	focus   focus
	scrolls bool
	session string
},
) {
	w.focus, w.scrolls = m.focus, m.scrolls
	if m.active != nil && m.focus == onPane {
		w.session = m.active.Session
	}
	return w
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func plainError(err error) string {
	text := err.Error()
	var e *api.Error
	if asError(err, &e) {
		text = e.Message
	}
	return oneLine(text)
}

// tick does what time brings.
func (m *Model) tick() []Effect {
	m.chrome = true
	m.spin++
	if m.toast != "" && !m.now.Before(m.toastUntil) {
		m.toast = ""
	}
	var effects []Effect
	if m.pending != "" && m.now.Sub(m.previewed) >= previewAfter/2 {
		effects = m.show(m.pending)
	}
	if every := int(refreshEvery / spinEvery); m.fleet.counts().working > 0 && m.spin%every == 0 {
		effects = append(effects, m.list()...)
	}
	return effects
}

// list asks for the roster, once at a time.
func (m *Model) list() []Effect {
	if m.listing {
		m.stale = true
		return nil
	}
	m.listing, m.stale, m.asked = true, false, m.now
	return []Effect{listEffect{Closed: m.showClosed}}
}

func (m *Model) roster(msg rosterMsg) []Effect {
	m.listing = false
	var effects []Effect
	if m.stale {
		effects = m.list()
	}
	if msg.Err != nil {
		m.chrome = true
		m.offline = plainError(msg.Err)
		return effects
	}
	m.offline = ""
	was := m.cursorLink()
	m.fleet.Sessions = msg.Reply.Sessions
	m.chrome = true
	effects = append(effects, m.heardLost(msg.Reply.Lost)...)
	first := !m.listed
	m.listed = true
	m.keepCursor(was)
	if first {
		effects = append(effects, m.begin()...)
	}
	if link := m.wantedLink; link != "" && m.fleet.get(link) != nil {
		m.wantedLink, m.cursor = "", "session "+link
		effects = append(append(effects, m.show(link)...), m.enter()...)
	}
	for link, p := range m.panes {
		s := m.fleet.get(link)
		if s == nil || s.Status == closed {
			p.away = true
			continue
		}
		p.name = oneLine(s.Title)
		if m.livesAgain(p) {
			effects = append(effects, m.follow(p)...)
		}
	}
	return effects
}

// begin shows something at first: the kept layout, else the first session of
// the project, else of all.
func (m *Model) begin() []Effect {
	if m.alone() {
		return m.beginAlone()
	}
	for _, l := range m.layouts {
		l.keepLive(func(link string) bool {
			s := m.fleet.get(link)
			return s != nil && s.Status != closed
		})
	}
	if l := m.layouts[m.project]; l != nil && m.fleet.get(l.Shown) != nil {
		m.cursor = "session " + l.Shown
		return m.show(l.Shown)
	}
	for _, r := range m.rows() {
		if r.session != nil && r.session.Status != closed {
			m.cursor = r.key
			return m.show(r.session.Link)
		}
	}
	return nil
}

func (m *Model) watched(msg watchMsg) []Effect {
	switch {
	case msg.Err != nil:
		m.offline, m.chrome = "the coordinator is away; it is asked again", true
		return nil
	case msg.Up:
		m.offline, m.chrome = "", true
		return m.list()
	case msg.Event == nil:
		return nil
	}
	m.chrome = true
	e := msg.Event
	was := m.cursorLink()
	known := m.fleet.hear(e, m.now)
	var effects []Effect
	if !e.Snapshot || !known && m.listed {
		effects = m.list()
	}
	m.keepCursor(was)
	if p := m.panes[e.Link]; p != nil {
		if p == m.activePane() {
			effects = append(effects, m.look(p)...)
		}
	}
	if q, ok := m.overlay.(*questionView); ok && q.link == e.Link {
		q.follow(m)
	}
	return effects
}

// hostSaid takes what a session's host sent.
func (m *Model) hostSaid(msg hostMsg) []Effect {
	p := m.panes[msg.Link]
	if p == nil || p.run != msg.Run {
		return nil
	}
	var effects []Effect
	owner, ended := p.owner, p.ended
	m.talked(p, msg.Talk)
	for _, one := range msg.Messages {
		p.feed(one)
	}
	p.noteHold(m.now)
	effects = append(effects, m.typeEarly(p)...)
	for _, e := range p.takeEvents() {
		if e.Kind != vt.EventClipboard || p.owner {
			effects = append(effects, passEffect{e})
		}
	}
	if p.owner != owner {
		m.chrome = true
		switch {
		case !p.owner && m.focus == onPane && p == m.activePane():
			m.say("another viewer types now; " + m.PrefixName + " and Enter takes over")
		case p.owner && p.live():
			effects = append(effects, resizeEffect{p.link, p.size()})
		}
	}
	if p.ended != ended && p.ended != "" {
		m.chrome = true
		m.noteEnd(p)
		if m.editors[p.link] != "" {
			return append(effects, m.editorOver(p.link)...)
		}
		if m.focus == onPane && p == m.activePane() {
			effects = append(effects, m.lost(p)...)
		}
	}
	if msg.Err != nil && p.ended == "" {
		m.chrome = true
		m.noteEnd(p)
		p.ended = "lost its host"
		if m.focus == onPane && p == m.activePane() {
			effects = append(effects, m.lost(p)...)
		}
		effects = append(effects, m.list()...)
	}
	return effects
}

func (m *Model) hostUp(msg hostUpMsg) []Effect {
	p := m.panes[msg.Link]
	if p == nil || p.run != msg.Run {
		return nil
	}
	m.chrome = true
	if msg.Text {
		return m.converse(p)
	}
	p.error = ""
	if msg.Err != nil {
		p.error, p.early = plainError(msg.Err), nil
	}
	return m.followed(p, msg.Err != nil)
}

// caller is who asks.
func (m *Model) caller() api.Caller { return m.Caller }

// lookAgain is for when the outer terminal gets the focus.
func (m *Model) lookAgain() []Effect {
	if p := m.activePane(); p != nil {
		return m.look(p)
	}
	return nil
}

func (m *Model) focusReport(in bool) []Effect {
	p := m.typing()
	if p == nil {
		return nil
	}
	return m.send(p, vt.EncodeFocus(nil, in, p.term.InputModes()))
}

// typing is the pane that keys go to right now, nil if they do not.
func (m *Model) typing() *Pane {
	p := m.activePane()
	if m.focus != onPane || m.overlay != nil || m.scrolls || p == nil || !p.live() {
		return nil
	}
	return p
}

// untouched reports whether the pane shows its live screen, as it is.
func (p *Pane) untouched() bool {
	return p.scroll.back == 0 && !p.sel.on && len(p.find.found) == 0
}

// send sends bytes to the program of a pane.
func (m *Model) send(p *Pane, b []byte) []Effect {
	if len(b) == 0 {
		return nil
	}
	if !p.owner {
		m.say("another viewer types; " + m.PrefixName + " and Enter takes over")
		return nil
	}
	return []Effect{typeEffect{p.link, b}}
}

// key takes a key press.
func (m *Model) key(msg tea.KeyPressMsg) []Effect {
	k := keyOf(tea.Key(msg), vt.KeyPress)
	if m.overlay != nil {
		if sameKey(k, m.Prefix) {
			m.overlay = nil
			return nil
		}
		return m.overlay.key(m, msg)
	}
	if sameKey(k, m.Prefix) {
		if m.focus == onPane {
			return m.leave()
		}
		return m.enter()
	}
	if m.scrolls {
		return m.scrollKey(msg)
	}
	if m.now.Before(m.deaf) {
		return nil
	}
	if m.focus == onSidebar {
		if p := m.activePane(); p != nil {
			p.end.typed = false
		}
		return m.sidebarKey(msg)
	}
	p := m.activePane()
	switch {
	case p == nil:
		return m.leave()
	case p.chat != nil:
		return m.chatKey(p, msg)
	case p.dialing():
		p.early = append(p.early, early{key: k})
		return nil
	case !p.live():
		return m.lost(p)
	}
	return m.typeKey(p, k)
}

func (m *Model) release(msg tea.KeyReleaseMsg) []Effect {
	p := m.typing()
	k := keyOf(tea.Key(msg), vt.KeyRelease)
	if p == nil || sameKey(k, m.Prefix) {
		return nil
	}
	b := vt.EncodeKey(nil, k, p.term.InputModes())
	if len(b) == 0 {
		return nil
	}
	return m.send(p, b)
}

// lost takes the keys away from a session that cannot have them any more. What
// is typed on for a moment was meant for it, not for the sidebar.
func (m *Model) lost(p *Pane) []Effect {
	why := p.ended
	if why == "" {
		why = "cannot be typed into"
	}
	m.say("the session " + why)
	m.deaf = m.now.Add(grace)
	return m.leave()
}

// typeEarly sends what was typed while the pane was being connected.
func (m *Model) typeEarly(p *Pane) []Effect {
	if p.dialing() || len(p.early) == 0 {
		return nil
	}
	typed := p.early
	p.early = nil
	if !p.live() {
		return nil
	}
	var b []byte
	for _, e := range typed {
		if e.paste != "" {
			b = vt.EncodePaste(b, []byte(e.paste), p.term.InputModes())
		} else {
			b = vt.EncodeKey(b, e.key, p.term.InputModes())
		}
	}
	return m.send(p, b)
}

func (m *Model) typeKey(p *Pane, k vt.Key) []Effect {
	if !p.untouched() {
		p.scroll.back, p.sel = 0, selection{}
		p.find.clear()
	}
	return m.send(p, vt.EncodeKey(nil, k, p.term.InputModes()))
}

func (m *Model) paste(text string) []Effect {
	if m.overlay != nil {
		m.overlay.paste(m, text)
		return nil
	}
	if p := m.activePane(); p != nil && m.focus == onPane && p.dialing() {
		p.early = append(p.early, early{paste: text})
		return nil
	}
	if p := m.talking(); p != nil {
		p.chat.Paste(text)
		return nil
	}
	p := m.typing()
	if p == nil {
		return nil
	}
	p.scroll.back = 0
	return m.send(p, vt.EncodePaste(nil, []byte(text), p.term.InputModes()))
}
