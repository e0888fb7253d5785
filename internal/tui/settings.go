package tui

import (
	"encoding/json"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/vt"
)

// A setting of the page: what it is, what it is now, and what it writes where.
type setting struct {
	name  string
	about string
	value func(m *Model, v *settingsView) string
	turn  func(m *Model, v *settingsView) []Effect
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

// switchOf is a setting of `termio config` that is true or false.
func switchOf(key, name, about string) setting {
	return setting{
		name, about,
		func(_ *Model, v *settingsView) string {
			if now := v.values[key]; now != "" {
				return now
			}
			return "?"
		},
		func(m *Model, v *settingsView) []Effect {
			to := "true"
			if v.values[key] == "true" {
				to = "false"
			}
			return []Effect{commandEffect{Args: []string{"config", "set", key, to}, What: "set " + key, Then: func(m *Model, _ string) []Effect {
				v.values[key] = to
				m.say(name + ": " + to)
				return nil
			}}}
		},
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// settings are the page's lines.
func settings() []setting {
	return []setting{
		switchOf("liveStatus", "Live status", "hooks in the config of the agents you have; off takes them out"),
		switchOf("sessionControl", "Session control", "agents may drive sessions; writes a skill, termio/SKILL.md, into their folders"),
		switchOf("link", "Command on the PATH", "writes ~/.local/bin/termio, a link to the program"),
		switchOf("notifications.desktop", "Desktop notifications", "when a session needs you, or is done after ten seconds"),
		{
			"Theme", "terminal (your own 16 colours), dark, light; kept in config/tui.json",
			func(m *Model, _ *settingsView) string { return m.theme.Name },
			func(m *Model, _ *settingsView) []Effect {
				names := ThemeNames()
				return m.setTheme(names[(slices.Index(names, m.theme.Name)+1)%len(names)])
			},
		},
		{
			"Mouse", "off leaves it to your terminal: its own selection works",
			func(m *Model, _ *settingsView) string { return onOff(m.Looks.mouse()) },
			func(m *Model, _ *settingsView) []Effect {
				to := !m.Looks.mouse()
				m.Looks.Mouse = &to
				return []Effect{looksEffect{m.Looks}}
			},
		},
		{
			"Reduced motion", "nothing turns while a session works",
			func(m *Model, _ *settingsView) string { return onOff(m.Looks.ReducedMotion) },
			func(m *Model, _ *settingsView) []Effect {
				m.Looks.ReducedMotion = !m.Looks.ReducedMotion
				return []Effect{looksEffect{m.Looks}}
			},
		},
	}
}

func (v *settingsView) key(m *Model, k tea.KeyPressMsg) []Effect {
	all := settings()
	switch k.String() {
	case "j", "down", "tab":
		v.at = min(v.at+1, len(all)-1)
	case "k", "up", "shift+tab":
		v.at = max(v.at-1, 0)
	case "space", "enter":
		return all[v.at].turn(m, v)
	default:
		m.overlay, m.FirstRun = nil, false
	}
	return nil
}

func (v *settingsView) paste(*Model, string) {}

func (v *settingsView) view(m *Model, w, h int) (string, []string, string) {
	var lines []string
	for i, s := range settings() {
		lines = append(lines, m.line(s.name, s.value(m, v), w, i == v.at))
	}
	lines = append(lines, "")
	for _, l := range wrap(settings()[v.at].about, w) {
		lines = append(lines, m.theme.Dim.Render(l))
	}
	lines = append(lines, m.theme.Dim.Render(vt.Truncate(fmt.Sprintf("prefix %s (termio config set detachKey)", m.PrefixName), w, "")))
	lines = append(lines, m.theme.Dim.Render(vt.Truncate("keys: config/keybindings.json", w, "")))
	for _, p := range m.Problems {
		lines = append(lines, m.theme.Error.Render(vt.Truncate("keys: "+oneLine(p), w, m.glyphs.Ellipsis)))
	}
	title := "Settings"
	if m.FirstRun {
		title = "Welcome to termio: what may it do?"
	}
	return title, lines[:min(len(lines), h)], "Space change  Esc close"
}
