package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Restore says what becomes, after the machine has started again, of the
// sessions that ended with it.
type Restore string

// The values of the restore setting.
const (
	RestoreAsk    Restore = "ask"    // they are told of, and reopened when asked
	RestoreAlways Restore = "always" // they are reopened by the first coordinator
	RestoreNever  Restore = "never"  // they are in `list --closed`, and nobody tells
)

const keyRestore = "restore"

// WhenRestarted is the restore setting; ask when nothing was chosen.
func (s Settings) WhenRestarted() Restore {
	if s.Restore == "" {
		return RestoreAsk
	}
	return s.Restore
}

// ParseRestore reads a value of the restore setting.
func ParseRestore(text string) (Restore, error) {
	switch r := Restore(strings.ToLower(strings.TrimSpace(text))); r {
	case RestoreAsk, RestoreAlways, RestoreNever:
		return r, nil
	}
	return "", fmt.Errorf("%q is not %s, %s or %s", text, RestoreAsk, RestoreAlways, RestoreNever)
}

// restore takes the setting; a word that is none stays in the file.
func (r *reader) restore(all map[string]json.RawMessage, s *Settings) {
	raw := all[keyRestore]
	take(r, all, "", keyRestore, &s.Restore, "ask, always or never")
	if s.Restore == "" {
		return
	}
	if _, err := ParseRestore(string(s.Restore)); err != nil {
		r.problems = append(r.problems, Problem{File: r.file, Key: keyRestore, Rule: err.Error() + "; ask is used"})
		s.Restore, all[keyRestore] = "", raw
	}
}
