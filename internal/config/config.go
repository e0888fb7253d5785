// Package config is the user's settings (config/settings.json). The file holds
// only what the user chose; defaults are here. Keys that this version does not
// know are kept.
package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/atomicfile"
)

// Defaults.
const (
	DefaultScrollback = 10_000
	DefaultDetachKey  = `ctrl-\`
)

// MaxScrollback is the most lines of scrollback that can be set.
const MaxScrollback = 1_000_000

// Settings is what the user chose. A nil or empty field was not chosen.
type Settings struct {
	DefaultAgent string
	// SessionControl turns the sessions verbs on and off.
	SessionControl *bool
	// LiveStatus is about agents' hooks: not chosen, sessions get them at
	// launch; true, they are in agents' own config too; false, neither.
	LiveStatus *bool
	// Skill keeps the skill in agents' folders; not chosen, it goes with
	// SessionControl where that was chosen.
	Skill *bool
	// Link keeps ~/.local/bin/termio.
	Link *bool
	// Asked is the version of the questions that `termio setup` was answered.
	Asked         int
	Notifications Notifications
	Scrollback    *int
	// ShellMarks makes the shells of plain terminals mark their commands.
	ShellMarks *bool
	DetachKey  string
	Restore    Restore
	Warm       Warm             // when agents over ACP are started before their session
	Agents     map[string]Agent // by manifest id
	// MaxDepth and MaxDescendants bound sessions that start sessions.
	MaxDepth, MaxDescendants *int
	Projects                 map[string]Project // by root directory
	ACP                      ACP

	rest       map[string]json.RawMessage // keys that are not ours or cannot be used
	restAgents map[string]json.RawMessage // entries of agents that cannot be used
	// restProjects are entries of projects that cannot be used.
	restProjects map[string]json.RawMessage
	unread       *Problem        // why the file's content is not known, nor set aside
	doubt        map[string]bool // switches whose value cannot be used
}

// Agent is what the user chose for one agent.
type Agent struct {
	// BypassPermissions starts it with its permission-bypass flag.
	BypassPermissions bool
	// Command is used instead of the manifest's.
	Command string

	rest map[string]json.RawMessage
}

// ScrollbackLines is the number of scrollback lines of a new session.
func (s Settings) ScrollbackLines() int {
	if s.Scrollback == nil {
		return DefaultScrollback
	}
	return *s.Scrollback
}

// Detach is the name of the key that leaves an attached session.
func (s Settings) Detach() string {
	if s.DetachKey == "" {
		return DefaultDetachKey
	}
	return s.DetachKey
}

// Problem is a key of the settings file that cannot be used; the default
// counts instead.
type Problem struct {
	File, Key, Rule string
	// Unsettled is a file that cannot be read and was changed a moment ago:
	// somebody may be writing it. What was read before still counts.
	Unsettled bool
}

// Settle is how long a file that cannot be read must have been left alone
// until it counts as corrupt.
const Settle = 2 * time.Second

func (p Problem) Error() string {
	if p.Key == "" {
		return p.File + ": " + p.Rule
	}
	return p.File + ": " + p.Key + ": " + p.Rule
}

// Load reads the settings at path. A file that is missing or empty is no
// settings. One that is no JSON object is set aside and reported, once it has
// been left alone for Settle; a key with a value that cannot be used is
// reported and left as it is in the file. The settings returned can always be
// used; what is not known in them never widens what is allowed.
func Load(path string, now time.Time) (Settings, []Problem) {
	data, changed, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Settings{}, nil
	}
	if err != nil {
		return unread(Problem{File: path, Rule: err.Error()})
	}
	var all map[string]json.RawMessage
	if err = json.Unmarshal(data, &all); err == nil && all == nil {
		err = errors.New("null is no object")
	}
	if err == nil {
		r := &reader{file: path, doubt: map[string]bool{}}
		return r.settings(all), r.problems
	}
	rule := fmt.Sprintf("it is no JSON object (%v)", err)
	switch {
	case now.Sub(changed) < Settle:
		return unread(Problem{File: path, Rule: rule + "; it was changed a moment ago", Unsettled: true})
	case len(bytes.TrimSpace(data)) == 0:
		return Settings{}, nil
	}
	aside, err := atomicfile.SetAside(path, now)
	if err != nil {
		return unread(Problem{File: path, Rule: rule + ", and " + err.Error()})
	}
	rule += "; it was set aside as " + filepath.Base(aside) + " and the defaults are used"
	kept, any := salvage(data)
	if any {
		rule += ", but for what it switched off"
		if err := Save(path, kept); err != nil {
			rule += " (" + err.Error() + ")"
		}
	}
	return kept, []Problem{{File: path, Rule: rule}}
}

// unread stands in for a file whose content is not known: the defaults, but for
// the switches, which are all off. Saving it would destroy the file.
func unread(p Problem) (Settings, []Problem) { return Settings{unread: &p}, []Problem{p} }

// read gives a file's content and when it was last changed. What is no regular
// file is refused before it is opened: a pipe would keep everybody waiting.
func read(path string) ([]byte, time.Time, error) {
	if st, err := os.Stat(path); err != nil {
		return nil, time.Time{}, err
	} else if !st.Mode().IsRegular() {
		return nil, time.Time{}, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, time.Time{}, err
	}
	st, err := f.Stat() // after reading, so that a change meanwhile shows
	if err != nil {
		return nil, time.Time{}, err
	}
	return data, st.ModTime(), nil
}

// The keys of the file.
const (
	keyDefaultAgent   = "defaultAgent"
	keySessionControl = "sessionControl"
	keyLiveStatus     = "liveStatus"
	keySkill          = "skill"
	keyLink           = "link"
	keyAsked          = "setup"
	keyNotifications  = "notifications"
	keyDesktop        = "desktop"
	keyTerminal       = "terminal"
	keyBell           = "bell"
	keyNotifyCommand  = "command"
	keyAfter          = "after"
	keyScrollback     = "scrollback"
	keyShellMarks     = "shellMarks"
	keyDetachKey      = "detachKey"
	keyAgents         = "agents"
	keyBypass         = "bypassPermissions"
	keyCommand        = "command"
)

type reader struct {
	file     string
	problems []Problem
	doubt    map[string]bool // keys with values that cannot be used
}

func (r *reader) settings(all map[string]json.RawMessage) Settings {
	s := Settings{rest: all}
	take(r, all, "", keyDefaultAgent, &s.DefaultAgent, "an agent's id")
	take(r, all, "", keySessionControl, &s.SessionControl, "true or false")
	take(r, all, "", keyLiveStatus, &s.LiveStatus, "true or false")
	take(r, all, "", keySkill, &s.Skill, "true or false")
	take(r, all, "", keyLink, &s.Link, "true or false")
	take(r, all, "", keyAsked, &s.Asked, "a number")
	take(r, all, "", keyShellMarks, &s.ShellMarks, "true or false")
	s.doubt = r.doubt
	s.Notifications = r.notifications(all)
	r.detachKey(all, &s)
	r.restore(all, &s)
	var lines *int
	take(r, all, "", keyScrollback, &lines, "a number of lines")
	if lines != nil {
		if *lines < 0 || *lines > MaxScrollback {
			r.problems = append(r.problems, Problem{File: r.file, Key: keyScrollback, Rule: fmt.Sprintf("%d is not between 0 and %d", *lines, MaxScrollback)})
			all[keyScrollback], _ = json.Marshal(*lines)
		} else {
			s.Scrollback = lines
		}
	}
	r.fleet(all, &s)
	r.acp(all, &s)
	agents := map[string]json.RawMessage{}
	take(r, all, "", keyAgents, &agents, "an object with one entry for each agent")
	s.restAgents = agents
	for id, raw := range maps.Clone(agents) {
		var entry map[string]json.RawMessage
		if json.Unmarshal(raw, &entry) != nil || entry == nil {
			r.problems = append(r.problems, Problem{File: r.file, Key: keyAgents + "." + id, Rule: "it must be an object"})
			continue
		}
		a := Agent{rest: entry}
		take(r, entry, keyAgents+"."+id+".", keyBypass, &a.BypassPermissions, "true or false")
		take(r, entry, keyAgents+"."+id+".", keyCommand, &a.Command, "a shell command")
		if s.Agents == nil {
			s.Agents = map[string]Agent{}
		}
		s.Agents[id] = a
		delete(agents, id)
	}
	slices.SortFunc(r.problems, func(a, b Problem) int { return strings.Compare(a.Key, b.Key) })
	return s
}

// detachKey takes a key that can leave attach; another one stays in the file.
func (r *reader) detachKey(all map[string]json.RawMessage, s *Settings) {
	raw := all[keyDetachKey]
	take(r, all, "", keyDetachKey, &s.DetachKey, `a key's name, as in "ctrl-\\"`)
	if err := CheckDetachKey(s.DetachKey); err != nil {
		r.problems = append(r.problems, Problem{File: r.file, Key: keyDetachKey, Rule: err.Error() + "; " + DefaultDetachKey + " is used"})
		s.DetachKey, all[keyDetachKey] = "", raw
	}
}

// take moves a key's value into into. One that cannot be used stays in from,
// and into is left as it was.
func take[T any](r *reader, from map[string]json.RawMessage, prefix, key string, into *T, want string) {
	raw, ok := from[key]
	if !ok {
		return
	}
	value := *into
	if err := json.Unmarshal(raw, &value); err != nil {
		r.doubt[prefix+key] = true
		r.problems = append(r.problems, Problem{File: r.file, Key: prefix + key, Rule: "it must be " + want})
		return
	}
	*into = value
	delete(from, key)
}

// Save writes the settings to path: what the user chose, and every key that
// was in the file and is not ours or could not be used. Settings that stand in
// for a file that could not be read are not saved over it.
func Save(path string, s Settings) error {
	if s.unread != nil {
		return fmt.Errorf("save the settings: the file is left as it is, since it cannot be read: %w", *s.unread)
	}
	all := map[string]any{}
	for k, v := range s.rest {
		all[k] = v
	}
	put(all, keyDefaultAgent, s.DefaultAgent, s.DefaultAgent != "")
	put(all, keySessionControl, s.SessionControl, s.SessionControl != nil)
	put(all, keyLiveStatus, s.LiveStatus, s.LiveStatus != nil)
	put(all, keySkill, s.Skill, s.Skill != nil)
	put(all, keyLink, s.Link, s.Link != nil)
	put(all, keyAsked, s.Asked, s.Asked != 0)
	notifications := s.Notifications.save()
	put(all, keyNotifications, notifications, len(notifications) > 0)
	put(all, keyScrollback, s.Scrollback, s.Scrollback != nil)
	put(all, keyShellMarks, s.ShellMarks, s.ShellMarks != nil)
	put(all, keyDetachKey, s.DetachKey, s.DetachKey != "")
	put(all, keyRestore, s.Restore, s.Restore != "")
	s.saveFleet(all)
	s.saveACP(all)
	agents := map[string]any{}
	for id, raw := range s.restAgents {
		agents[id] = raw
	}
	for id, a := range s.Agents {
		entry := map[string]any{}
		for k, v := range a.rest {
			entry[k] = v
		}
		put(entry, keyBypass, a.BypassPermissions, a.BypassPermissions)
		put(entry, keyCommand, a.Command, a.Command != "")
		if len(entry) > 0 {
			agents[id] = entry
		}
	}
	put(all, keyAgents, agents, len(agents) > 0)
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("save the settings: %w", err)
	}
	if err := atomicfile.Write(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("save the settings: %w", err)
	}
	return nil
}

func put(into map[string]any, key string, value any, chosen bool) {
	if chosen {
		into[key] = value
	}
}
