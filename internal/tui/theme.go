package tui

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/termio-sh/termio/internal/tui/chat"
)

// Theme is how things look. Everything that is said by a colour is said by a
// sign or a word as well, for terminals without colours.
type Theme struct {
	Name  string
	Plain lipgloss.Style
	Dim   lipgloss.Style
	Bold  lipgloss.Style
	Title lipgloss.Style
	// Cursor is the row that is chosen, while the sidebar has the focus, and
	// Chosen while it has not.
	Cursor, Chosen lipgloss.Style
	Working        lipgloss.Style
	Done           lipgloss.Style
	Needs          lipgloss.Style // loud
	Error          lipgloss.Style
	Border, Active lipgloss.Style // between panes; of the pane with the focus
	Bar            lipgloss.Style // the bottom line
	Key            lipgloss.Style
	Warn, Code     lipgloss.Style // of conversations
	agents         []color.Color
	chat           *[chat.Roles]string // see roles
}

// ThemeNames are the themes there are.
func ThemeNames() []string { return []string{"terminal", "dark", "light"} }

// newTheme makes a theme by its name; an unknown one is the terminal's own 16
// colours, which are right on any background.
func newTheme(name string) *Theme {
	type palette struct{ text, dim, accent, good, warn, bad, bar, barText, code string }
	p := palette{"", "8", "4", "2", "3", "1", "", "", "6"}
	switch name {
	case "dark":
		p = palette{"#d8dee9", "#7b8394", "#7aa2f7", "#9ece6a", "#f0b34e", "#f7768e", "#24283b", "#c0caf5", "#7dcfff"}
	case "light":
		p = palette{"#2e3440", "#7a7f8c", "#2e5cb8", "#3c7a1e", "#b35c00", "#c0202f", "#e3e6ee", "#2e3440", "#0f6674"}
	default:
		name = "terminal"
	}
	base := lipgloss.NewStyle()
	fg := func(c string) lipgloss.Style {
		if c == "" {
			return base
		}
		return base.Foreground(lipgloss.Color(c))
	}
	t := &Theme{
		Name: name, Plain: fg(p.text), Dim: fg(p.dim), Bold: fg(p.text).Bold(true), Title: fg(p.accent).Bold(true),
		Cursor: base.Reverse(true), Chosen: fg(p.text).Underline(true),
		Working: fg(p.accent), Done: fg(p.good), Needs: fg(p.warn).Bold(true).Reverse(true), Error: fg(p.bad),
		Border: fg(p.dim), Active: fg(p.accent).Bold(true), Key: fg(p.accent).Bold(true), Bar: base.Reverse(true),
		Warn: fg(p.warn), Code: fg(p.code),
	}
	if p.bar != "" {
		t.Bar = fg(p.barText).Background(lipgloss.Color(p.bar))
	}
	if name == "terminal" {
		t.Dim = base.Faint(true)
		t.Border = t.Dim
	}
	for _, c := range []string{"3", "2", "6", "5", "4", "1"} {
		t.agents = append(t.agents, lipgloss.Color(c))
	}
	return t
}

// agent is the style of an agent's sign: always the same colour for an agent.
func (t *Theme) agent(id string) lipgloss.Style {
	if i, ok := signs[id]; ok {
		return lipgloss.NewStyle().Foreground(t.agents[i.color%len(t.agents)])
	}
	sum := 0
	for _, c := range id {
		sum += int(c)
	}
	return lipgloss.NewStyle().Foreground(t.agents[sum%len(t.agents)])
}

// sign is how an agent is told from others at a glance.
type sign struct {
	ascii string
	color int
}

// signs are an agent's letter where the locale has no other signs, and its
// colour. What it is drawn as elsewhere is in its manifest.
var signs = map[string]sign{
	"terminal":    {">", 4},
	"claudeCode":  {"C", 0},
	"codex":       {"X", 1},
	"gemini":      {"G", 4},
	"opencode":    {"O", 2},
	"pi":          {"P", 3},
	"qwen":        {"Q", 3},
	"copilot":     {"H", 2},
	"cursor":      {"U", 4},
	"amp":         {"A", 5},
	"droid":       {"D", 0},
	"grok":        {"K", 5},
	"kimi":        {"M", 4},
	"cline":       {"L", 3},
	"crush":       {"R", 5},
	"antigravity": {"Y", 2},
	"hermes":      {"E", 0},
}

// Glyphs are the signs that are drawn.
type Glyphs struct {
	unicode                       bool
	agents                        map[string]string // signs of agents, by id
	Spinner                       []string
	Done, Needs, Closed, Fold     string
	Work                          string // for counts
	Group                         string // a session that is shown with others
	Unfold, Branch, Vert, Horiz   string
	Cross, Ellipsis, Dot, Pointer string
}

// newGlyphs chooses by the locale: what a session shows passes as it is either
// way, but our own signs are ASCII where the locale is not UTF-8.
func newGlyphs(unicode bool, agents map[string]string) *Glyphs {
	if !unicode {
		return &Glyphs{
			Spinner: []string{"-", "\\", "|", "/"}, Done: "+", Needs: "!", Work: "*", Group: "#", Closed: "x", Fold: "v", Unfold: ">", Branch: "@",
			Vert: "|", Horiz: "-", Cross: "+", Ellipsis: "~", Dot: "*", Pointer: ">",
		}
	}
	return &Glyphs{
		unicode: true, agents: agents,
		Spinner: []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}, Done: "✓", Needs: "●", Work: "◌", Group: "◫", Closed: "×", Fold: "▾", Unfold: "▸", Branch: "⎇",
		Vert: "│", Horiz: "─", Cross: "┼", Ellipsis: "…", Dot: "·", Pointer: "▸",
	}
}

// agent is an agent's sign.
func (g *Glyphs) agent(id, name string) string {
	if glyph := g.agents[id]; glyph != "" {
		return glyph
	}
	if id == plainAgent && g.unicode {
		return "❯"
	}
	if s, ok := signs[id]; ok {
		return s.ascii
	}
	for _, r := range strings.ToUpper(name) {
		if r > ' ' && r < 0x7f || g.unicode {
			return string(r)
		}
	}
	return "?"
}

// unicodeLocale tells whether the locale writes UTF-8.
func unicodeLocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
