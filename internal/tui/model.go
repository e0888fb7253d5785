package tui

import (
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/tui/chat"
	"github.com/termio-sh/termio/vt"
)

// Setup is what the model is told once.
type Setup struct {
	Cols, Rows int
	Home       string // root directory of the project that was opened
	Dir        string // where new sessions start there
	Prefix     vt.Key // the one key that is not the session's
	PrefixName string
	Bindings   Bindings
	Problems   []string // of the user's files, told once
	Looks      Looks
	Unicode    bool
	Agents     map[string]string // signs of agents, by id
	Speaks     map[string]bool   // agents that can be spoken to over ACP, by id
	Kept       Kept
	FirstRun   bool
	Only       string     // the one session that is shown, of a face for that
	User       string     // the person's own directory
	Editor     string     // their editor, as in $EDITOR
	Pictures   bool       // the outer terminal shows some
	Keeps      Places     // where files of ours are
	Caller     api.Caller // who asks
}

// Places are files that people are told of.
type Places struct{ Settings, Bindings, Looks, State string }

// Looks is what the user chose about how things look and behave.
type Looks struct {
	Theme         string `json:"theme,omitempty"`
	Mouse         *bool  `json:"mouse,omitempty"` // nil is on
	ReducedMotion bool   `json:"reducedMotion,omitempty"`
	Sidebar       int    `json:"sidebar,omitempty"` // its columns
}

func (l *Looks) mouse() bool { return l.Mouse == nil || *l.Mouse }

// focus is what keys go to.
type focus uint8

const (
	onSidebar focus = iota
	onPane
)

// Model is the whole state of the face. It is not safe for concurrent use.
type Model struct {
	Setup
	now    time.Time
	theme  *Theme
	glyphs *Glyphs

	fleet      Fleet
	listed     bool // the roster has come
	listing    bool // it has been asked for
	stale      bool // it changed since it was asked for
	asked      time.Time
	offline    string
	folded     map[string]bool
	showClosed bool
	cursor     string // key of the row that is chosen
	first      int    // the sidebar's first row that is shown

	pins      []string            // links
	order     map[string][]string // rows that were moved, by bucket
	recent    []string            // directories
	opened    []string            // projects that were opened before Home
	lastAgent string
	lostCount int // sessions that were lost, and can be reopened
	letGo     int // those of them that nobody wants back
	beside    *splitting
	drawnRows []Row // while a frame is drawn
	rowLines  map[lineKey]string
	quick     func(m *Model, msg foldersMsg) // of the list that is open
	files     *pickerView
	editors   map[string]string // names of files, by the links of the editors that they are open in

	codeColors *codeColors
	codeTheme  string // the theme that they are of

	focus     focus
	layouts   map[string]*Layout
	project   string // whose layout is shown
	active    *node  // the pane that keys go to
	zoom      bool
	panes     map[string]*Pane  // by link
	drafts    map[string]string // prompts that were not sent, by link
	previewed time.Time
	pending   string // a session that the cursor rests on, to be shown in a moment
	// wantedLink is a session to be gone into as soon as the roster has it.
	wantedLink string

	overlay overlay
	scrolls bool // keys scroll and select in the pane
	agents  []api.Agent

	toast      string
	toastUntil time.Time
	spin       int
	blurred    bool // the outer terminal has not the focus
	drag       dragging
	chrome     bool      // something other than a pane's picture changed
	drawn      bool      // the canvas shows all of it
	deaf       time.Time // until when the sidebar takes no keys
	quit       bool
	Farewell   string // what is said when it is over
}

// dragging is what the mouse holds.
type dragging struct {
	border *border
	pane   *Pane
	from   point
	clicks int
	at     time.Time
	x, y   int
}

// New makes the model; Init is what it wants first.
func New(s Setup, now time.Time) *Model {
	m := &Model{
		Setup: s, now: now, editors: map[string]string{}, folded: map[string]bool{}, layouts: map[string]*Layout{}, panes: map[string]*Pane{},
		theme: newTheme(s.Looks.Theme), glyphs: newGlyphs(s.Unicode, s.Agents), project: s.Home, chrome: true,
	}
	m.pins, m.order, m.recent, m.lastAgent, m.letGo = s.Kept.Pins, s.Kept.Order, s.Kept.Recent, s.Kept.Agent, s.Kept.LetGo
	for p, l := range s.Kept.Layouts {
		if l = l.sound(); l != nil {
			m.layouts[p] = l
		}
	}
	if len(s.Problems) > 0 {
		m.say(s.Problems[0])
	}
	return m
}

// Init is what is wanted first.
func (m *Model) Init() []Effect {
	m.listing = true
	effects := []Effect{watchEffect{}, listEffect{Closed: m.showClosed}}
	if m.FirstRun {
		v := newSettings(m)
		m.overlay = v
		effects = append(effects, v.ask(m)...)
	}
	return effects
}

// Effects are what the model wants done. They are values, so that a test can
// look at them.
type (
	// Effect is one of those below.
	Effect any

	listEffect  struct{ Closed bool }
	watchEffect struct{}
	// dialEffect connects a pane to its session's host. Types asks for input
	// and size even where another viewer has them; otherwise only where nobody
	// has.
	dialEffect struct {
		Link  string
		Run   int
		Size  hostproto.Size
		Types bool
	}
	hangUpEffect struct{ Link string }
	typeEffect   struct {
		Link  string
		Bytes []byte
	}
	resizeEffect struct {
		Link string
		Size hostproto.Size
	}
	seenEffect struct{ Link string }
	// callEffect asks the coordinator; what happened comes as calledMsg.
	callEffect struct {
		Verb    string
		Request any
		What    string // for people, as in "close the session"
		Then    func(m *Model, reply any) []Effect
		Failed  func(m *Model, err error) []Effect // nil: the error is told
	}
	copyEffect  struct{ Text string }
	passEffect  struct{ Event vt.Event } // to the outer terminal
	looksEffect struct{ Looks Looks }
	// commandEffect runs `termio` with arguments, for what has no call.
	commandEffect struct {
		Args []string
		What string
		Then func(m *Model, out string) []Effect
	}
	suspendEffect struct{}
	quitEffect    struct{}
)

// Messages that are not the keyboard's.
type (
	rosterMsg struct {
		Reply  api.ListReply
		Err    error
		Closed bool
	}
	watchMsg struct {
		Event *api.WatchEvent
		Err   error // the stream ended; it is tried again
		Up    bool  // it began
	}
	hostMsg struct {
		Link     string
		Run      int
		Messages []hostproto.Message
		Talk     []chat.Event // of a conversation
		Err      error
	}
	hostUpMsg struct {
		Link  string
		Run   int
		Types bool
		Err   error
		// Text tells that the session has no terminal to look at.
		Text bool
	}
	calledMsg struct {
		Effect callEffect
		Reply  any
		Err    error
	}
	commandMsg struct {
		Effect commandEffect
		Out    string
		Err    error
	}
	tickMsg struct{}
)

// toastFor is how long a line of news stands.
const toastFor = 4 * time.Second

func (m *Model) say(text string) {
	m.toast, m.toastUntil, m.chrome = oneLine(text), m.now.Add(toastFor), true
}

// spinEvery is the pace of the sign of work, and refreshEvery that of what
// changes without an event: titles, ages.
const (
	spinEvery    = 250 * time.Millisecond
	refreshEvery = 5 * time.Second
	ageEvery     = 30 * time.Second
	previewAfter = 60 * time.Millisecond
)

// nextTick is when the model wants a tickMsg; ok is false for never.
func (m *Model) nextTick() (time.Duration, bool) {
	next := ageEvery
	c := m.fleet.counts()
	if c.working > 0 && !m.blurred {
		next = refreshEvery
		if !m.Looks.ReducedMotion && m.sidebarShown() {
			next = spinEvery
		}
	}
	for link, p := range m.panes {
		if s := m.fleet.get(link); p.text && s != nil && s.Status == working && !m.blurred {
			next = min(next, m.talkEvery())
		}
	}
	if m.toast != "" {
		next = min(next, max(m.toastUntil.Sub(m.now), 0)+time.Millisecond)
	}
	if m.pending != "" {
		next = min(next, previewAfter)
	}
	for _, p := range m.panes {
		if p.holds(m.now) {
			next = min(next, p.held.Add(syncHold).Sub(m.now))
		}
	}
	return next, true
}

// Changed reports whether the canvas does not show the model any more.
func (m *Model) Changed() bool { return m.chrome || !m.drawn }

// narrow reports a terminal too narrow for the sidebar beside a pane.
func (m *Model) narrow() bool { return m.Cols < 64 }

func (m *Model) sidebarShown() bool {
	return !m.zoom && !m.narrow() || m.focus == onSidebar && (m.narrow() || m.zoom)
}

// sidebarCols is the sidebar's width, without the line beside it.
func (m *Model) sidebarCols() int {
	if !m.sidebarShown() {
		return 0
	}
	if m.narrow() {
		return m.Cols
	}
	w := m.Looks.Sidebar
	if w == 0 {
		w = min(34, m.Cols/3)
	}
	return min(max(w, 18), m.Cols-24)
}

// area is where the panes are: all but the sidebar and the bottom line.
func (m *Model) area() Rect {
	x := m.sidebarCols()
	if x > 0 {
		x++
	}
	return Rect{X: x, W: max(m.Cols-x, 0), H: max(m.Rows-1, 0)}
}

// places are the panes that are shown and where.
func (m *Model) places() ([]place, []border) {
	a := m.area()
	if a.W <= 0 || a.H <= 0 {
		return nil, nil
	}
	t := m.tree()
	if (m.zoom || m.narrow()) && m.active != nil {
		t = &node{Session: m.active.Session}
		return []place{{m.active, a}}, nil
	}
	return arrange(t, a, nil, nil)
}

// arrangePanes gives the panes that are shown their places, connects those that
// were not shown and hangs up those that are not any more.
func (m *Model) arrangePanes() []Effect {
	m.chrome = true
	var effects []Effect
	shown := map[string]bool{}
	places, _ := m.places()
	for _, pl := range places {
		link := pl.node.Session
		if link == "" {
			continue
		}
		shown[link] = true
		rect := pl.rect
		rect.Y, rect.H = rect.Y+1, rect.H-1 // its title
		p := m.panes[link]
		if p == nil {
			p = &Pane{link: link, rect: rect}
			m.panes[link] = p
			effects = append(effects, m.dial(p, false)...)
			continue
		}
		if p.rect == rect {
			continue
		}
		resized := p.rect.W != rect.W || p.rect.H != rect.H
		p.rect, p.marks = rect, nil
		if resized && p.owner && p.live() {
			effects = append(effects, resizeEffect{link, p.size()})
		}
	}
	for link := range m.panes {
		if !shown[link] {
			if m.narrow() && m.focus == onSidebar && m.active != nil && link == m.active.Session {
				continue // behind the sidebar
			}
			m.keepDraft(link)
			delete(m.panes, link)
			effects = append(effects, hangUpEffect{link})
		}
	}
	return effects
}

func (p *Pane) size() hostproto.Size {
	return hostproto.Size{Cols: max(p.rect.W, 1), Rows: max(p.rect.H, 1)}
}

// dial connects a pane anew.
func (m *Model) dial(p *Pane, types bool) []Effect {
	s := m.fleet.get(p.link)
	if s != nil && s.Status == closed {
		if s.Kind == hostproto.KindACP {
			return m.recall(p)
		}
		p.error = "this session is closed; o reopens it"
		return nil
	}
	p.run++
	p.types, p.ready, p.error = types, false, ""
	return []Effect{dialEffect{p.link, p.run, p.size(), types}}
}

// activePane is the pane that keys go to, nil if there is none.
func (m *Model) activePane() *Pane {
	if m.active == nil {
		return nil
	}
	return m.panes[m.active.Session]
}

// enter gives the keys to the active pane.
func (m *Model) enter() []Effect {
	p := m.activePane()
	if p == nil && m.active == nil {
		return nil
	}
	m.focus, m.chrome = onPane, true
	effects := m.arrangePanes()
	if p = m.activePane(); p == nil {
		return effects
	}
	if !p.owner && !p.text {
		effects = append(effects, m.dial(p, true)...)
	}
	return append(effects, m.look(p)...)
}

// look tells the host that a person sees the session.
func (m *Model) look(p *Pane) []Effect {
	if s := m.fleet.get(p.link); s != nil && s.Status == done && !m.blurred && m.focus == onPane {
		return []Effect{seenEffect{p.link}}
	}
	return nil
}

// leave gives the keys back to the sidebar, the cursor on the session.
func (m *Model) leave() []Effect {
	if m.alone() {
		return m.leaveAlone()
	}
	m.focus, m.chrome, m.scrolls = onSidebar, true, false
	if m.active != nil && m.cursorLink() != m.active.Session {
		m.cursor = "session " + m.active.Session
	}
	return m.arrangePanes()
}
