package tui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/vt"
)

// A setting of the page: what it is, what it is now, and what it writes where.
type setting struct {
	name   string
	about  string
	writes string
	value  func(m *Model, v *settingsView) string
	turn   func(m *Model, v *settingsView) []Effect
}

// settingsView is the page of settings, which is the first one that a new user
// sees.
type settingsView struct {
	at     int
	values map[string]string // of `termio config`, by key
}

func newSettings(*Model) *settingsView { return &settingsView{values: map[string]string{}} }

// ask reads what is set; a page is drawn meanwhile.
func (v *settingsView) ask(m *Model) []Effect {
	return []Effect{commandEffect{Args: []string{"config", "list", "--json"}, What: "read the settings", Then: func(m *Model, out string) []Effect {
		var r struct {
			Settings map[string]string `json:"settings"`
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			m.say("the settings cannot be read: " + err.Error())
			return nil
		}
		v.values = r.Settings
		return nil
	}}}
}

// chosen is a setting of `termio config` with a few values, in the order in which
// they are gone through. It is written to the settings file, and what it writes
// elsewhere is in writes.
func chosen(key, name, about, writes string, values ...string) setting {
	return setting{
		name, about, writes,
		func(_ *Model, v *settingsView) string { return cmp.Or(v.values[key], "?") },
		func(m *Model, v *settingsView) []Effect {
			to := values[(slices.Index(values, v.values[key])+1)%len(values)]
			return []Effect{commandEffect{Args: []string{"config", "set", key, to}, What: "set " + key, Then: func(m *Model, _ string) []Effect {
				m.say(name + ": " + to)
				return v.ask(m)
			}}}
		},
	}
}

// switchOf is one that is true or false.
func switchOf(key, name, about, writes string) setting {
	return chosen(key, name, about, writes, "true", "false")
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// consents are the settings that write outside of our own home: those of the
// first page.
func consents() []setting {
	return []setting{
		switchOf(
			"liveStatus", "Live status", "Status of agents that you start by hand, too. As it is (at launch), sessions that are started here have it without any file of yours.",
			"hooks into the config of the agents you have: ~/.claude/settings.json, ~/.codex/hooks.json and the like; `termio hooks status` names each. Off takes them out to the byte.",
		),
		switchOf(
			"sessionControl", "Session control", "Agents may start sessions and send to them with `termio sessions`, within their project.",
			"the skill (see the next line), unless that is off. Off turns the commands off.",
		),
		switchOf(
			"skill", "Skill", "Teaches agents `termio sessions`. It goes with session control where you chose that alone.",
			"termio/SKILL.md into the skills folder of each agent that you have, as ~/.claude/skills; `termio skill status` names each.",
		),
		switchOf("link", "Command on the PATH", "`termio` works in every shell.", "~/.local/bin/termio, a link to this program."),
		switchOf("notifications.desktop", "Notifications on the desktop", "When a session needs you, or is done after ten seconds, and nobody looks at it.", "nothing: it asks your desktop to show them."),
	}
}

// settings are the page's lines.
func settings() []setting {
	return append(
		consents(),
		switchOf("notifications.terminal", "Notifications in terminals", "The same, in terminals that are attached to another session.", "nothing"),
		switchOf("notifications.bell", "Bell", "Rings there too.", "nothing"),
		chosen("restore", "After a restart", "What becomes of sessions that ended with the machine: ask offers to reopen them here, always reopens them, never says nothing.", "nothing", "ask", "always", "never"),
		setting{
			"Theme", "terminal is your own 16 colours; dark and light have their own. NO_COLOR turns all colours off.", "",
			func(m *Model, _ *settingsView) string { return m.theme.Name },
			func(m *Model, _ *settingsView) []Effect {
				names := ThemeNames()
				return m.setTheme(names[(slices.Index(names, m.theme.Name)+1)%len(names)])
			},
		},
		setting{
			"Mouse", "Off leaves it to your terminal: its own selection works.", "",
			func(m *Model, _ *settingsView) string { return onOff(m.Looks.mouse()) },
			func(m *Model, _ *settingsView) []Effect {
				to := !m.Looks.mouse()
				m.Looks.Mouse = &to
				return []Effect{looksEffect{m.Looks}}
			},
		},
		setting{
			"Reduced motion", "Nothing turns while a session works.", "",
			func(m *Model, _ *settingsView) string { return onOff(m.Looks.ReducedMotion) },
			func(m *Model, _ *settingsView) []Effect {
				m.Looks.ReducedMotion = !m.Looks.ReducedMotion
				return []Effect{looksEffect{m.Looks}}
			},
		},
	)
}

// lines are those of the page: on the first one only what writes something.
func (v *settingsView) lines(m *Model) []setting {
	if m.FirstRun {
		return consents()
	}
	return settings()
}

func (v *settingsView) key(m *Model, k tea.KeyPressMsg) []Effect {
	all := v.lines(m)
	switch k.String() {
	case "j", "down", "tab":
		v.at = min(v.at+1, len(all)-1)
	case "k", "up", "shift+tab":
		v.at = max(v.at-1, 0)
	case "space", "enter":
		return all[v.at].turn(m, v)
	default:
		first := m.FirstRun
		m.overlay, m.FirstRun = nil, false
		if first && k.String() != "esc" { // it is in nobody's way
			return m.sidebarKey(k)
		}
	}
	return nil
}

func (v *settingsView) paste(*Model, string) {}

func (v *settingsView) view(m *Model, w, h int) (string, []string, string) {
	all := v.lines(m)
	v.at = min(v.at, len(all)-1)
	about := wrap(all[v.at].about, w)
	where := all[v.at].writes
	switch {
	case where == "":
		where = "It is kept in " + m.home(m.Keeps.Looks) + "."
	case where == "nothing":
		where = "It is kept in " + m.home(m.Keeps.Settings) + " and writes nothing else."
	default:
		where = "It writes " + where
	}
	about = append(about, wrap(where, w)...)
	var below []string
	for _, l := range about {
		below = append(below, m.theme.Dim.Render(vt.Truncate(l, w, "")))
	}
	if !m.FirstRun {
		below = append(below, "", m.theme.Dim.Render(vt.Truncate(fmt.Sprintf("prefix %s (termio config set detachKey)", m.PrefixName), w, "")))
		below = append(below, m.theme.Dim.Render(vt.Truncate("keys: "+m.home(m.Keeps.Bindings), w, "")))
		for _, p := range m.Problems {
			below = append(below, m.theme.Error.Render(vt.Truncate("keys: "+oneLine(p), w, m.glyphs.Ellipsis)))
		}
	}
	var lines []string
	title, keys := "Settings", "Space change  Esc close"
	if m.FirstRun {
		title, keys = "Welcome to termio: what may it do?", "Space change  any other key goes on; , opens this again"
		for _, l := range wrap("Nothing is written outside of "+m.home(filepath.Dir(filepath.Dir(m.Keeps.State)))+" until you turn one of these on.", w) {
			lines = append(lines, m.theme.Plain.Render(l))
		}
		lines = append(lines, "")
	}
	room := min(max(h-len(lines)-len(below)-1, 3), len(all))
	from := window(max(v.at-room/2, 0), v.at, len(all), room)
	for i := from; i < from+room; i++ {
		lines = append(lines, m.line(all[i].name, all[i].value(m, v), w, i == v.at))
	}
	lines = append(append(lines, ""), below...)
	return title, lines[:min(len(lines), h)], keys
}
