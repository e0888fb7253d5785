package tui

import (
	"slices"
	"time"
)

// Kept is what a person has arranged and what the face remembers for them
// (state/tui.json). Faces that run at the same time share it: each writes only
// what its person changed.
type Kept struct {
	Welcomed bool `json:"welcomed,omitempty"`
	// Layouts are the panes, by project.
	Layouts map[string]*Layout `json:"layouts,omitempty"`
	// Pins are links of sessions that stand before all projects.
	Pins []string `json:"pins,omitempty"`
	// Order is how rows stand that were moved, by the bucket that they are in.
	Order map[string][]string `json:"order,omitempty"`
	// Recent are directories that were opened, the newest first.
	Recent []string `json:"recent,omitempty"`
	// LetGo is how many lost sessions the person does not want to hear of.
	LetGo int `json:"letGo,omitempty"`
	// Agent is the manifest id that the last new session was started with.
	Agent string `json:"agent,omitempty"`
}

// Layout is the panes of one project.
type Layout struct {
	// Groups are sessions that are shown together: trees of two panes or more.
	Groups []*node `json:"groups,omitempty"`
	// Shown is the session that was looked at last.
	Shown string    `json:"shown,omitempty"`
	Used  time.Time `json:"used,omitzero"`

	tree *node // what is shown: one of the groups, or a pane of its own
}

// Bounds of what is kept.
const (
	mostPins    = 200
	mostRows    = 1000
	mostBuckets = 200
	mostRecent  = 30
	mostLayouts = 200
)

// change is one thing that a person changed of what is kept. Only the fields
// that are set count.
type change struct {
	Welcomed bool

	Project string
	Layout  *Layout // of Project

	Pin   string // link
	Unpin bool

	Bucket string
	Order  []string // of Bucket

	Recent string
	Agent  string
	LetGo  *int
}

// apply makes a change, whatever else was changed meanwhile.
func (k *Kept) apply(c change) {
	k.Welcomed = k.Welcomed || c.Welcomed
	if c.Layout != nil {
		if k.Layouts == nil {
			k.Layouts = map[string]*Layout{}
		}
		k.Layouts[c.Project] = c.Layout
		for len(k.Layouts) > mostLayouts {
			delete(k.Layouts, k.oldestLayout())
		}
	}
	if c.Pin != "" {
		k.Pins = slices.DeleteFunc(slices.Clone(k.Pins), func(l string) bool { return l == c.Pin })
		if !c.Unpin {
			k.Pins = append(k.Pins, c.Pin)
			k.Pins = k.Pins[max(len(k.Pins)-mostPins, 0):]
		}
	}
	if c.Bucket != "" {
		if k.Order == nil || len(k.Order) >= mostBuckets && k.Order[c.Bucket] == nil {
			k.Order = map[string][]string{} // of so many nobody knows any more why
		}
		k.Order[c.Bucket] = slices.Clone(c.Order[:min(len(c.Order), mostRows)])
	}
	if c.Recent != "" {
		rest := slices.DeleteFunc(slices.Clone(k.Recent), func(d string) bool { return d == c.Recent })
		k.Recent = append([]string{c.Recent}, rest[:min(len(rest), mostRecent-1)]...)
	}
	if c.Agent != "" {
		k.Agent = c.Agent
	}
	if c.LetGo != nil {
		k.LetGo = *c.LetGo
	}
}

func (k *Kept) oldestLayout() (project string) {
	for p, l := range k.Layouts {
		if project == "" || l == nil || k.Layouts[project] != nil && l.Used.Before(k.Layouts[project].Used) {
			project = p
		}
	}
	return project
}

// keepEffect writes a change.
type keepEffect struct{ Change change }

// keptMsg tells what another face wrote.
type keptMsg struct{ Kept Kept }

// keep makes a change here, and has it written.
func (m *Model) keep(c change) Effect {
	k := Kept{Pins: m.pins, Order: m.order, Recent: m.recent}
	k.apply(c)
	m.pins, m.order, m.recent = k.Pins, k.Order, k.Recent
	if c.Agent != "" {
		m.lastAgent = c.Agent
	}
	if c.LetGo != nil {
		m.letGo = *c.LetGo
	}
	m.chrome = true
	return keepEffect{c}
}

// save keeps the layout of the project that is shown.
func (m *Model) save() Effect { return m.saveOf(m.project) }

func (m *Model) saveOf(project string) Effect {
	out := &Layout{Used: m.now}
	if l := m.layouts[project]; l != nil {
		out.Shown = l.Shown
		for _, g := range l.Groups {
			out.Groups = append(out.Groups, g.clone())
		}
	}
	return keepEffect{change{Project: project, Layout: out}}
}

// keptElsewhere takes over what another face wrote: not the panes of what is
// shown here.
func (m *Model) keptElsewhere(k Kept) {
	was := m.cursorLink()
	m.pins, m.order, m.recent, m.chrome = k.Pins, k.Order, k.Recent, true
	for p, l := range k.Layouts {
		if m.layouts[p] == nil {
			if l = l.sound(); l != nil {
				m.layouts[p] = l
			}
		}
	}
	m.keepCursor(was)
}
