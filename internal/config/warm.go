package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Warm says when an agent over the Agent Client Protocol is started before its
// session is there. One takes some hundred megabytes.
type Warm string

// The values of the acpWarm setting.
const (
	WarmNever  Warm = "never"  // not even when asked
	WarmAsked  Warm = "asked"  // when somebody says that a session is to come
	WarmAlways Warm = "always" // also after each new session, for the next one like it
)

const keyWarm = "acpWarm"

// WarmsACP is the acpWarm setting; asked when nothing was chosen, never while
// what was chosen is not known.
func (s Settings) WarmsACP() Warm {
	switch {
	case s.Warm != "":
		return s.Warm
	case s.unread != nil || s.doubt[keyWarm]:
		return WarmNever
	}
	return WarmAsked
}

// ParseWarm reads a value of the acpWarm setting.
func ParseWarm(text string) (Warm, error) {
	switch w := Warm(strings.ToLower(strings.TrimSpace(text))); w {
	case WarmNever, WarmAsked, WarmAlways:
		return w, nil
	}
	return "", fmt.Errorf("%q is not %s, %s or %s", text, WarmNever, WarmAsked, WarmAlways)
}

// warm takes the setting; a word that is none stays in the file.
func (r *reader) warm(all map[string]json.RawMessage, s *Settings) {
	raw := all[keyWarm]
	take(r, all, "", keyWarm, &s.Warm, "never, asked or always")
	if s.Warm == "" {
		return
	}
	if _, err := ParseWarm(string(s.Warm)); err != nil {
		r.problems = append(r.problems, Problem{File: r.file, Key: keyWarm, Rule: err.Error() + "; never is used"})
		s.Warm, all[keyWarm] = "", raw
		r.doubt[keyWarm] = true
	}
}
