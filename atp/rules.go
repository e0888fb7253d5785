package atp

import (
	"regexp"
	"strings"
	"sync"
)

// Rules classifies what a terminal shows by one manifest's rules. It holds no
// compiled expression until the first classification needs it. It is safe for
// concurrent use.
type Rules struct {
	title, screen    []rule
	rows             int
	progress         bool
	readyOn, readyNo []rule
}

// Verdict is the outcome of a classification: which rule spoke, and on what.
// The zero Verdict means that no rule matched.
type Verdict struct {
	State State
	// Rule is the rule's key, as in "titleStatus.working[0]".
	Rule string
	// Pattern is the rule's expression.
	Pattern string
	// Matched is the text that it matched, cut to 200 bytes.
	Matched string
}

// NewRules prepares the rules of m, which may have none.
func NewRules(m *Manifest) *Rules {
	r := &Rules{progress: m.ProgressStatus}
	if t := m.TitleStatus; t != nil {
		r.title = append(r.title, newRules("titleStatus.attention", StateAttention, t.Attention, "")...)
		r.title = append(r.title, newRules("titleStatus.working", StateWorking, t.Working, "")...)
		r.title = append(r.title, newRules("titleStatus.idle", StateIdle, t.Idle, "")...)
	}
	if s := m.Status; s != nil {
		r.rows = s.Rows
		r.screen = append(r.screen, newRules("status.attention", StateAttention, s.Attention, screenFlags)...)
		r.screen = append(r.screen, newRules("status.working", StateWorking, s.Working, screenFlags)...)
		r.screen = append(r.screen, newRules("status.idle", StateIdle, s.Idle, screenFlags)...)
	}
	if y := m.Ready; y != nil {
		r.readyOn = newRules("ready.screen", StateIdle, y.Screen, screenFlags)
		r.readyNo = newRules("ready.notScreen", StateIdle, y.NotScreen, screenFlags)
	}
	return r
}

// HasTitle reports whether there is a title rule.
func (r *Rules) HasTitle() bool { return len(r.title) > 0 }

// HasScreen reports whether there is a screen rule.
func (r *Rules) HasScreen() bool { return len(r.screen) > 0 }

// Progress reports whether OSC 9;4 progress tells this agent's state.
func (r *Rules) Progress() bool { return r.progress }

// ClassifyTitle says what a raw terminal title (OSC 0/2) means. A title that
// no rule matches, for an agent that has title rules, is idle with no rule.
func (r *Rules) ClassifyTitle(title string) Verdict {
	return classify(r.title, clip(title, maxTitle))
}

// ClassifyScreen says what the text of the live screen, lines separated by
// newlines, means. Screen rules are case-insensitive and see the whole text,
// or its last lines when the manifest says so; attention beats working, working
// beats idle. Text
// that no rule matches, for an agent that has screen rules, is idle with no
// rule.
func (r *Rules) ClassifyScreen(text string) Verdict {
	if len(r.screen) == 0 {
		return Verdict{}
	}
	return classify(r.screen, bottom(text, r.rows))
}

// ScreenReady reports whether the text of the screen meets the manifest's
// ready.screen and ready.notScreen. It is true when neither is declared.
func (r *Rules) ScreenReady(text string) bool {
	text = clip(text, maxScreen)
	if len(r.readyOn) > 0 && classify(r.readyOn, text).Rule == "" {
		return false
	}
	return len(r.readyNo) == 0 || classify(r.readyNo, text).Rule == ""
}

// Bounds on what one classification looks at: far more than any real title or
// screen, far less than a hostile one.
const (
	maxTitle    = 4 << 10
	maxScreen   = 256 << 10
	maxMatched  = 200
	screenFlags = "(?i)"
)

type rule struct {
	key     string
	state   State
	pattern string
	re      func() *regexp.Regexp
}

func newRules(key string, state State, patterns []string, flags string) []rule {
	out := make([]rule, 0, len(patterns))
	for i, p := range patterns {
		out = append(out, rule{
			key: key + "[" + itoa(i) + "]", state: state, pattern: p,
			re: sync.OnceValue(func() *regexp.Regexp {
				// The decoder has parsed it; a manifest built by hand
				// may still hold a bad one, which then never matches.
				re, _ := regexp.Compile(flags + p)
				return re
			}),
		})
	}
	return out
}

func classify(rules []rule, text string) Verdict {
	if len(rules) == 0 {
		return Verdict{}
	}
	for i := range rules {
		re := rules[i].re()
		if re == nil {
			continue
		}
		if at := re.FindStringIndex(text); at != nil {
			return Verdict{
				State: rules[i].state, Rule: rules[i].key, Pattern: rules[i].pattern,
				Matched: strings.ToValidUTF8(clip(text[at[0]:at[1]], maxMatched), ""),
			}
		}
	}
	return Verdict{State: StateIdle}
}

// bottom returns the last n lines of text that are not blank, with what stands
// between them; all of it for n = 0. Trailing blank lines are dropped.
func bottom(text string, n int) string {
	if len(text) > maxScreen {
		text = text[len(text)-maxScreen:]
	}
	if n <= 0 {
		return text
	}
	text = strings.TrimRight(text, " \t\r\n")
	end := len(text)
	for start := end; start > 0; {
		nl := strings.LastIndexByte(text[:start], '\n')
		if strings.TrimSpace(text[nl+1:start]) != "" {
			n--
		}
		if n == 0 || nl < 0 {
			return text[nl+1:]
		}
		start = nl
	}
	return text
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
