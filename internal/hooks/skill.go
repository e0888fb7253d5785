package hooks

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/skills"
)

// The skill's last line is what makes the file ours.
const skillMark = "<!-- termio-skill v1 -->"

var skillLine = regexp.MustCompile(`(?m)^<!-- termio-skill v\d+ -->\r?$`)

func installSkill(old []byte) ([]byte, error) {
	if old != nil && !skillLine.Match(old) {
		return nil, refuse("a skill of that name is there that Termio did not write")
	}
	return []byte(skills.Termio + "\n" + skillMark + "\n"), nil
}

func removeSkill(old []byte) ([]byte, error) {
	if !skillLine.Match(old) {
		return old, nil
	}
	return nil, nil
}

// skillPath is where an agent looks for the skill; empty where it has no
// folder of skills.
func (s *Store) skillPath(m *atp.Manifest) string {
	if m.Skills == nil {
		return ""
	}
	dir := m.Place(m.Skills.Dir, s.Getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "termio", "SKILL.md")
}

// typeSkill is the list's word for a skill's file.
const typeSkill = "skill"

func (s *Store) skillOutcome(ctx context.Context, m *atp.Manifest) (o Outcome, path string, ok bool) {
	o = outcomeOf(m)
	path = s.skillPath(m)
	if path == "" {
		o.State = Undeclared
		return o, "", false
	}
	if _, err := s.Find(ctx, m); err != nil {
		o.State = NoAgent
		return o, path, false
	}
	o.Files = []string{path}
	return o, path, true
}

// InstallSkill puts the skill into an agent's folder of skills, or puts right
// what is there.
func (s *Store) InstallSkill(ctx context.Context, m *atp.Manifest) Outcome {
	o, path, ok := s.skillOutcome(ctx, m)
	if !ok {
		return o
	}
	o.State = Installed
	err := s.locked(ctx, func(ledger *ledger) error {
		changed, err := s.files(ledger).change(path, 0o644, installSkill)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if changed {
			o.Changed = []string{path}
		}
		ledger.Files[path] = entry{Agent: m.ID, Type: typeSkill}
		return nil
	})
	if err != nil {
		return o.refused("", err)
	}
	return o
}

// StatusSkill says how an agent's skill is, and changes nothing.
func (s *Store) StatusSkill(ctx context.Context, m *atp.Manifest) Outcome {
	o, path, ok := s.skillOutcome(ctx, m)
	if !ok {
		return o
	}
	now, err := look(path)
	if err != nil {
		return o.refused(path, err)
	}
	want, err := installSkill(now.data)
	switch {
	case err != nil:
		return o.refused(path, err)
	case now.data == nil:
		o.State = NotInstalled
	case string(want) == string(now.data):
		o.State = Installed
	default:
		o.State = Outdated
	}
	return o
}

// RemoveSkill takes the skill of an agent out, wherever it was put. Agents
// that share a folder lose it together.
func (s *Store) RemoveSkill(ctx context.Context, m *atp.Manifest) Outcome {
	o := outcomeOf(m)
	o.State = NotInstalled
	err := s.locked(ctx, func(ledger *ledger) error {
		var paths []string
		if p := s.skillPath(m); p != "" {
			paths = append(paths, p)
		}
		for path, e := range ledger.Files {
			if e.Agent == m.ID && e.Type == typeSkill && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		for _, path := range paths {
			changed, err := s.files(ledger).change(path, 0o644, removeSkill)
			if err != nil {
				o = o.refused(path, err)
				continue
			}
			delete(ledger.Files, path)
			if changed {
				o.Changed = append(o.Changed, path)
			}
		}
		return nil
	})
	if err != nil {
		return o.refused("", err)
	}
	return o
}
