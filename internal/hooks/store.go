// Package hooks writes the hooks by which agents report what they do, and the
// skill that teaches them to drive sessions, and takes both out again.
//
// An edit is pure: bytes in, bytes out or a refusal (json.go, toml.go,
// plugin.go; one dialect a variable). Store is the thin shell around it. A
// file that cannot be read is never treated as empty; what is not ours stays
// byte for byte; removing gives back the file that was there.
package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/filelock"
)

// States of an agent's hooks or skill.
const (
	Installed    = "installed"
	NotInstalled = "not-installed"
	Outdated     = "outdated" // another program changed it, or the manifest did
	Refused      = "refused"  // the file is left as it is
	NoAgent      = "no-agent" // its program is not here
	Undeclared   = "undeclared"
)

// Outcome is what is known of one agent's hooks or skill, or what was done.
type Outcome struct {
	Agent string `json:"agent"` // manifest id
	Name  string `json:"name"`
	State string `json:"state"`
	// Injected tells that sessions get the hooks at launch, without any file
	// of the user's.
	Injected bool     `json:"injected,omitempty"`
	Files    []string `json:"files,omitempty"`
	Changed  []string `json:"changed,omitempty"`
	Why      string   `json:"why,omitempty"`
}

// Store installs and removes.
type Store struct {
	// Dir is Termio's folder for backups and the list of changed files.
	Dir string
	// Reporter is the program that hooks run (see CopyReporter).
	Reporter string
	// Getenv reads the environment that agents get: the login shell's.
	Getenv func(string) string
	// Find gives the path of an agent's program, or an error when it is not
	// installed; Version its version, "" for unknown.
	Find    func(ctx context.Context, m *atp.Manifest) (string, error)
	Version func(ctx context.Context, m *atp.Manifest, path string) string
	// Wanted, which may be nil, is asked once nobody else changes files: where
	// it says no, the user has chosen otherwise meanwhile, and nothing is done.
	Wanted func() bool

	changer *changer // of tests
}

// ledger is what Termio did in other programs' folders, so that it is found
// again when the manifest or the environment has changed since.
type ledger struct {
	Files map[string]entry `json:"files"`
	// Folders are those that were made; each goes when it is empty again.
	Folders []string `json:"folders"`
}

// entry is a file that was changed.
type entry struct {
	Agent   string `json:"agent"`
	Type    string `json:"type"`
	Dialect string `json:"dialect"`
}

func ledgerPath(dir string) string { return filepath.Join(dir, "files.json") }

// maxLedger is the largest list of changed files that is read, in bytes.
const maxLedger = 64 << 20

func readLedger(dir string) (*ledger, error) {
	list := &ledger{Files: map[string]entry{}}
	path := ledgerPath(dir)
	data, err := atomicfile.Read(path, maxLedger)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of changed files: %w", err)
	}
	if json.Unmarshal(data, list) != nil || list.Files == nil {
		// What is declared now is found without the list.
		if _, err := atomicfile.SetAside(path, time.Now()); err != nil {
			return nil, err
		}
		return &ledger{Files: map[string]entry{}}, nil
	}
	return list, nil
}

// Files are the files, below dir's list, that Termio has written into.
func Files(dir string) []string {
	list, err := readLedger(dir)
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(list.Files))
}

// sweep removes the folders that were made and are empty.
func (l *ledger) sweep() {
	slices.SortFunc(l.Folders, func(a, b string) int { return len(b) - len(a) }) // inner ones first
	l.Folders = slices.DeleteFunc(slices.Compact(l.Folders), func(dir string) bool {
		err := os.Remove(dir)
		return err == nil || errors.Is(err, fs.ErrNotExist)
	})
}

func saveLedger(dir string, list *ledger) error {
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("save the list of changed files: %w", err)
	}
	return atomicfile.Write(ledgerPath(dir), append(data, '\n'), 0o600)
}

// lockWait bounds how long another Termio process is waited for.
const lockWait = 5 * time.Second

var errUnwanted = errors.New("the settings have changed meanwhile")

// locked runs f while no other Termio process changes files.
func (s *Store) locked(ctx context.Context, f func(*ledger) error) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of backups: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock, err := filelock.Acquire(ctx, filepath.Join(s.Dir, "lock"))
	if err != nil {
		return err
	}
	defer lock.Release()
	if s.Wanted != nil && !s.Wanted() {
		return errUnwanted
	}
	list, err := readLedger(s.Dir)
	if err != nil {
		return err
	}
	before, _ := json.Marshal(list) // it holds nothing that cannot be encoded
	err = f(list)
	list.sweep()
	if after, _ := json.Marshal(list); string(after) == string(before) {
		return err
	}
	return errors.Join(err, saveLedger(s.Dir, list))
}

func (s *Store) files(l *ledger) changer {
	c := changer{write: writeAll}
	if s.changer != nil {
		c = *s.changer
	}
	c.keep = s.keep
	c.made = func(dir string) { l.Folders = append(l.Folders, dir) }
	return c
}

// keep stores the first version of a file, once.
func (s *Store) keep(path string, data []byte) error {
	sum := sha256.Sum256([]byte(path))
	backup := filepath.Join(s.Dir, "backup", hex.EncodeToString(sum[:4])+"-"+filepath.Base(path))
	if _, err := os.Lstat(backup); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(backup), 0o700); err != nil {
		return fmt.Errorf("keep a backup of it: %w", err)
	}
	if err := atomicfile.Write(backup, data, 0o600); err != nil {
		return fmt.Errorf("keep a backup of it: %w", err)
	}
	return nil
}

// placed is the manifest's hooks with their paths made absolute.
func (s *Store) placed(m *atp.Manifest) *atp.Hooks {
	h := *m.Hooks
	if h.File != "" {
		h.File = m.Place(h.File, s.Getenv)
	}
	if h.Dir != "" {
		h.Dir = m.Place(h.Dir, s.Getenv)
	}
	return &h
}

func (s *Store) targets(m *atp.Manifest, version string) (Spec, []target, error) {
	h := s.placed(m)
	if h.File == "" && h.Dir == "" {
		return Spec{}, nil, errors.New("the home folder is not known")
	}
	spec := Spec{Hooks: h, Reporter: s.Reporter, Version: version}
	var names []string
	if h.Type == "scripts" {
		list, err := os.ReadDir(h.Dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return spec, nil, fmt.Errorf("look into %s: %w", h.Dir, err)
		}
		for _, e := range list {
			if e.Type().IsRegular() {
				names = append(names, e.Name())
			}
		}
	}
	list, err := targets(spec, names)
	return spec, list, err
}

func outcomeOf(m *atp.Manifest) Outcome { return Outcome{Agent: m.ID, Name: m.Name} }

// present tells whether an agent is to have hooks at all, and its version.
func (s *Store) present(ctx context.Context, m *atp.Manifest, o *Outcome) (version string, ok bool) {
	if m.Hooks == nil {
		o.State = Undeclared
		return "", false
	}
	o.Injected = m.Hooks.Inject != nil
	path, err := s.Find(ctx, m)
	if err != nil {
		o.State = NoAgent
		return "", false
	}
	if slices.ContainsFunc(m.Hooks.Events, func(e atp.HookEvent) bool { return e.Since != "" }) {
		version = s.Version(ctx, m, path)
	}
	return version, true
}

// Install puts the hooks of an agent into its config, or puts right what is
// there. An agent that is not installed gets nothing.
func (s *Store) Install(ctx context.Context, m *atp.Manifest) Outcome {
	o := outcomeOf(m)
	version, ok := s.present(ctx, m, &o)
	if !ok {
		return o
	}
	spec, list, err := s.targets(m, version)
	if err != nil {
		return o.refused("", err)
	}
	o.State = Installed
	err = s.locked(ctx, func(ledger *ledger) error {
		for _, t := range list {
			edit := t.remove
			if t.due {
				o.Files = append(o.Files, t.path)
				edit = func(old []byte) ([]byte, error) { return t.shared(old, spec) }
			}
			changed, err := s.files(ledger).change(t.path, t.mode, edit)
			if err != nil {
				o = o.refused(t.path, err)
				continue
			}
			if changed {
				o.Changed = append(o.Changed, t.path)
			}
			if t.due {
				ledger.Files[t.path] = entry{m.ID, spec.Hooks.Type, spec.Hooks.Dialect}
			}
		}
		return nil
	})
	if err != nil {
		return o.refused("", err)
	}
	return o
}

func (o Outcome) refused(path string, err error) Outcome {
	o.State = Refused
	why := err.Error()
	if path != "" {
		why = path + ": " + why
	}
	if o.Why != "" {
		why = o.Why + "; " + why
	}
	o.Why = why
	return o
}

// Status says how an agent's hooks are, and changes nothing.
func (s *Store) Status(ctx context.Context, m *atp.Manifest) Outcome {
	o := outcomeOf(m)
	version, ok := s.present(ctx, m, &o)
	if !ok {
		return o
	}
	spec, list, err := s.targets(m, version)
	if err != nil {
		return o.refused("", err)
	}
	some, right := false, true
	for _, t := range list {
		if !t.due {
			continue
		}
		o.Files = append(o.Files, t.path)
		now, err := look(t.path)
		if err != nil {
			return o.refused(t.path, err)
		}
		bare, err := t.remove(now.data)
		if err != nil {
			return o.refused(t.path, err)
		}
		some = some || (bare == nil) != (now.data == nil) || string(bare) != string(now.data)
		want, err := t.shared(now.data, spec)
		if err != nil {
			return o.refused(t.path, err)
		}
		right = right && now.data != nil && string(want) == string(now.data)
	}
	switch {
	case some && right:
		o.State = Installed
	case some:
		o.State = Outdated
	default:
		o.State = NotInstalled
	}
	return o
}

// Remove takes the hooks of an agent out, wherever they were put, whether its
// program is still installed or not.
func (s *Store) Remove(ctx context.Context, m *atp.Manifest) Outcome {
	o := outcomeOf(m)
	o.State = NotInstalled
	err := s.locked(ctx, func(ledger *ledger) error {
		var list []target
		if m.Hooks != nil {
			_, declared, err := s.targets(m, "999999")
			if err != nil {
				return err
			}
			list = declared
		}
		for path, e := range ledger.Files {
			known := slices.ContainsFunc(list, func(t target) bool { return t.path == path })
			if e.Agent == m.ID && e.Type != typeSkill && !known {
				if t, ok := e.target(path); ok {
					list = append(list, t)
				}
			}
		}
		for _, t := range list {
			changed, err := s.files(ledger).change(t.path, t.mode, t.remove)
			if err != nil {
				o = o.refused(t.path, err)
				continue
			}
			delete(ledger.Files, t.path)
			if changed {
				o.Changed = append(o.Changed, t.path)
			}
		}
		return nil
	})
	if err != nil {
		return o.refused("", err)
	}
	return o
}

// RemoveForgotten takes out what was put in for agents that are none of known:
// their manifests are gone. skills tells whether hooks are meant or skills.
func (s *Store) RemoveForgotten(ctx context.Context, known []string, skills bool) (out []Outcome) {
	list, err := readLedger(s.Dir)
	if err != nil {
		return []Outcome{Outcome{}.refused("", err)}
	}
	gone := map[string]bool{}
	for _, e := range list.Files {
		if !slices.Contains(known, e.Agent) && (e.Type == typeSkill) == skills {
			gone[e.Agent] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		m := &atp.Manifest{ID: id, Name: id}
		if skills {
			out = append(out, s.RemoveSkill(ctx, m))
		} else {
			out = append(out, s.Remove(ctx, m))
		}
	}
	return out
}

// target is how a file of the list is cleaned.
func (e entry) target(path string) (target, bool) {
	if e.Type == "scripts" {
		return target{path: path, remove: removeScript}, true
	}
	t, ok := fileDialect(&atp.Hooks{Type: e.Type, Dialect: e.Dialect, File: path})
	t.path = path
	return t, ok
}

// Has tells whether an agent's own config has hooks of ours, right or not, so
// that a launch needs none.
func (s *Store) Has(m *atp.Manifest) bool {
	if m.Hooks == nil {
		return false
	}
	_, list, err := s.targets(m, "")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(list, func(t target) bool {
		now, err := look(t.path)
		return err == nil && (strings.Contains(string(now.data), markWord) || strings.HasPrefix(string(now.data), pluginFirst))
	})
}
