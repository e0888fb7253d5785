package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/termio-sh/termio/vt"
)

// The switches. Where the file cannot be read, or one's value in it cannot be
// used, the switch is in doubt: it widens nothing (no session control, no
// hooks), and nothing that was installed is taken out because of it.

// ControlsSessions reports whether the sessions verbs are on.
func (s Settings) ControlsSessions() bool {
	return !s.inDoubt(keySessionControl) && (s.SessionControl == nil || *s.SessionControl)
}

// InjectsHooks reports whether sessions get agents' hooks at launch.
func (s Settings) InjectsHooks() bool {
	return !s.inDoubt(keyLiveStatus) && (s.LiveStatus == nil || *s.LiveStatus)
}

// InstallsHooks reports whether hooks are kept in agents' own config.
func (s Settings) InstallsHooks() bool { return s.LiveStatus != nil && *s.LiveStatus }

// RemovesHooks reports whether hooks are taken out of agents' own config.
func (s Settings) RemovesHooks() bool { return s.LiveStatus != nil && !*s.LiveStatus }

// InstallsSkill reports whether the skill is kept in agents' folders. It goes
// with session control, unless it was chosen by itself.
func (s Settings) InstallsSkill() bool {
	if s.inDoubt(keySessionControl) || s.inDoubt(keySkill) || !s.ControlsSessions() {
		return false
	}
	if s.Skill != nil {
		return *s.Skill
	}
	return s.SessionControl != nil
}

// RemovesSkill reports whether the skill is taken out of agents' folders.
func (s Settings) RemovesSkill() bool {
	return s.SessionControl != nil && !*s.SessionControl || s.Skill != nil && !*s.Skill
}

// KeepsLink reports whether the command on the PATH is looked after.
func (s Settings) KeepsLink() bool { return s.Link != nil && *s.Link }

// MarksShells reports whether the shells of plain terminals are made to mark
// their commands.
func (s Settings) MarksShells() bool {
	return !s.inDoubt(keyShellMarks) && (s.ShellMarks == nil || *s.ShellMarks)
}

// inDoubt tells whether what the user chose for a key is not known.
func (s Settings) inDoubt(key string) bool { return s.unread != nil || s.doubt[key] }

// Unread says why nothing is known of what the user chose; nil when it is.
func (s Settings) Unread() *Problem { return s.unread }

// Notifications are where the user wants to be told that a session needs them
// or is done. A nil or empty field was not chosen.
type Notifications struct {
	Desktop  *bool  // the desktop's own notifications; on unless chosen
	Terminal *bool  // viewers that are attached to another session; on unless chosen
	Bell     *bool  // the bell, in those viewers too; on unless chosen
	Command  string // shell text, run for each notification
	// After is how long a turn must have taken for its end to be told.
	After *time.Duration

	rest map[string]json.RawMessage
}

// DefaultNotifyAfter is the shortest turn whose end is told.
const DefaultNotifyAfter = 10 * time.Second

// OnDesktop, InTerminal and Rings report what is on.
func (n Notifications) OnDesktop() bool  { return n.Desktop == nil || *n.Desktop }
func (n Notifications) InTerminal() bool { return n.Terminal == nil || *n.Terminal }
func (n Notifications) Rings() bool      { return n.Bell == nil || *n.Bell }

// AfterTurn is the shortest turn whose end is told.
func (n Notifications) AfterTurn() time.Duration {
	if n.After == nil {
		return DefaultNotifyAfter
	}
	return *n.After
}

// notifications takes the object of that key apart.
func (r *reader) notifications(all map[string]json.RawMessage) (n Notifications) {
	entry := map[string]json.RawMessage{}
	take(r, all, "", keyNotifications, &entry, "an object")
	n.rest = entry
	if entry == nil {
		return n
	}
	const at = keyNotifications + "."
	take(r, entry, at, keyDesktop, &n.Desktop, "true or false")
	take(r, entry, at, keyTerminal, &n.Terminal, "true or false")
	take(r, entry, at, keyBell, &n.Bell, "true or false")
	take(r, entry, at, keyNotifyCommand, &n.Command, "a shell command")
	raw, given := entry[keyAfter]
	var text string
	take(r, entry, at, keyAfter, &text, `a duration, as in "10s"`)
	if text != "" {
		d, err := ParseAfter(text)
		if err != nil {
			r.problems = append(r.problems, Problem{File: r.file, Key: at + keyAfter, Rule: err.Error()})
			if given {
				entry[keyAfter] = raw
			}
		} else {
			n.After = &d
		}
	}
	return n
}

func (n Notifications) save() map[string]any {
	entry := map[string]any{}
	for k, v := range n.rest {
		entry[k] = v
	}
	put(entry, keyDesktop, n.Desktop, n.Desktop != nil)
	put(entry, keyTerminal, n.Terminal, n.Terminal != nil)
	put(entry, keyBell, n.Bell, n.Bell != nil)
	put(entry, keyNotifyCommand, n.Command, n.Command != "")
	if n.After != nil {
		entry[keyAfter] = n.After.String()
	}
	return entry
}

// MaxNotifyAfter is the longest turn that can be asked for.
const MaxNotifyAfter = 24 * time.Hour

// ParseAfter reads the shortest turn whose end is told.
func ParseAfter(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > MaxNotifyAfter {
		return 0, fmt.Errorf("%q is no duration from 0s to 24h, as in 10s or 1m30s", text)
	}
	return d, nil
}

// CheckDetachKey tells whether a key can be spared for leaving attach: a
// function key, or a character with Ctrl that is not the same as Tab, Enter or
// Escape. The empty text is the default key.
func CheckDetachKey(text string) error {
	if text == "" {
		return nil
	}
	k, err := vt.ParseKey(text)
	if err != nil {
		return err
	}
	if k.Code >= vt.KeyF1 && k.Code <= vt.KeyF12 {
		return nil
	}
	if k.Mods&vt.ModCtrl != 0 && (k.Code != vt.KeyRune || !strings.ContainsRune("im[", k.Rune)) {
		return nil
	}
	return fmt.Errorf("%q is a key that programs need; take a function key or one with ctrl-, as in ctrl-] or f12", text)
}

// switchOff finds a switch in a text that is no JSON.
var switchOff = regexp.MustCompile(`"(` + keySessionControl + `|` + keyLiveStatus + `)"\s*:\s*(true\b)?`)

// salvage gives the switches that a text that is no JSON turns off, so that
// what was closed stays closed when the file is set aside. One that is named
// and not clearly on is off.
func salvage(text []byte) (s Settings, any bool) {
	off := false
	for _, m := range switchOff.FindAllSubmatch(text, -1) {
		if len(m[2]) > 0 {
			continue
		}
		any = true
		if string(m[1]) == keySessionControl {
			s.SessionControl = &off
		} else {
			s.LiveStatus = &off
		}
	}
	return s, any
}
