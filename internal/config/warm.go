package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Warm says when an agent over the Agent Client Protocol is started before its
// session is there. One takes some hundred megabytes.
type Warm string

// The values of the acp.warm setting.
const (
	WarmNever  Warm = "never"  // not even when asked
	WarmAsked  Warm = "asked"  // when somebody says that a session is to come
	WarmAlways Warm = "always" // also after each new session, for the next one like it
)

const keyWarm = "warm"

// WarmsACP is the acp.warm setting; asked when nothing was chosen, never while
// what was chosen is not known.
func (s Settings) WarmsACP() Warm {
	switch {
	case s.ACP.Warm != "":
		return s.ACP.Warm
	case s.unread != nil || s.doubt[keyACP] || s.doubt[keyACP+"."+keyWarm]:
		return WarmNever
	}
	return WarmAsked
}

// ParseWarm reads a value of the acp.warm setting.
func ParseWarm(text string) (Warm, error) {
	switch w := Warm(strings.ToLower(strings.TrimSpace(text))); w {
	case WarmNever, WarmAsked, WarmAlways:
		return w, nil
	}
	return "", fmt.Errorf("%q is not %s, %s or %s", text, WarmNever, WarmAsked, WarmAlways)
}

// warm takes the setting; a word that is none stays in the file.
func (r *reader) warm(entry map[string]json.RawMessage, a *ACP) {
	key, raw := keyACP+"."+keyWarm, entry[keyWarm]
	take(r, entry, keyACP+".", keyWarm, &a.Warm, "never, asked or always")
	if a.Warm == "" {
		return
	}
	var err error
	if a.Warm, err = ParseWarm(string(a.Warm)); err != nil {
		r.problems = append(r.problems, Problem{File: r.file, Key: key, Rule: err.Error() + "; never is used"})
		entry[keyWarm] = raw
		r.doubt[key] = true
	}
}
