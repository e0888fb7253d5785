package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
)

// Limits of sessions that start sessions, where nothing else was chosen: a
// supervisor, its workers and their helpers; and more at once than a machine
// runs agents well.
const (
	DefaultMaxDepth       = 3
	DefaultMaxDescendants = 32
)

// MaxLimit is the largest number that either can be set to.
const MaxLimit = 1000

// Project is what the user chose for one project.
type Project struct {
	// Setup is shell text that makes a fresh worktree of it ready.
	Setup string
	// MCPServers are given to its sessions over ACP, by name.
	MCPServers map[string]json.RawMessage

	rest map[string]json.RawMessage
}

// SpawnDepth is how far below the first session of its line a session may be.
func (s Settings) SpawnDepth() int { return orDefault(s.MaxDepth, DefaultMaxDepth) }

// SpawnDescendants is how many live sessions there may be below the first one.
func (s Settings) SpawnDescendants() int { return orDefault(s.MaxDescendants, DefaultMaxDescendants) }

func orDefault(n *int, def int) int {
	if n == nil {
		return def
	}
	return *n
}

// CheckLimit refuses a number that a limit cannot be.
func CheckLimit(n int) error {
	if n < 0 || n > MaxLimit {
		return fmt.Errorf("%d is not between 0 and %d", n, MaxLimit)
	}
	return nil
}

// The keys of the file that are about fleets.
const (
	keyMaxDepth       = "maxDepth"
	keyMaxDescendants = "maxDescendants"
	keyProjects       = "projects"
	keySetup          = "setup"
)

// fleet takes the limits and what was chosen for projects.
func (r *reader) fleet(all map[string]json.RawMessage, s *Settings) {
	s.MaxDepth = r.limit(all, keyMaxDepth)
	s.MaxDescendants = r.limit(all, keyMaxDescendants)
	projects := map[string]json.RawMessage{}
	take(r, all, "", keyProjects, &projects, "an object with one entry for each project's directory")
	s.restProjects = projects
	for dir, raw := range maps.Clone(projects) {
		at := keyProjects + "." + dir
		var entry map[string]json.RawMessage
		if !filepath.IsAbs(dir) || json.Unmarshal(raw, &entry) != nil || entry == nil {
			r.problems = append(r.problems, Problem{File: r.file, Key: at, Rule: "it must be an object, and its name an absolute directory"})
			continue
		}
		p := Project{rest: entry}
		take(r, entry, at+".", keySetup, &p.Setup, "a shell command")
		take(r, entry, at+".", keyMCPServers, &p.MCPServers, mcpRule)
		if s.Projects == nil {
			s.Projects = map[string]Project{}
		}
		s.Projects[dir] = p
		delete(projects, dir)
	}
}

func (r *reader) limit(all map[string]json.RawMessage, key string) *int {
	raw := all[key]
	var n *int
	take(r, all, "", key, &n, "a number")
	if n == nil {
		return nil
	}
	if err := CheckLimit(*n); err != nil {
		r.problems = append(r.problems, Problem{File: r.file, Key: key, Rule: err.Error()})
		all[key] = raw
		return nil
	}
	return n
}

func (s Settings) saveFleet(all map[string]any) {
	put(all, keyMaxDepth, s.MaxDepth, s.MaxDepth != nil)
	put(all, keyMaxDescendants, s.MaxDescendants, s.MaxDescendants != nil)
	projects := map[string]any{}
	for dir, raw := range s.restProjects {
		projects[dir] = raw
	}
	for dir, p := range s.Projects {
		entry := map[string]any{}
		for k, v := range p.rest {
			entry[k] = v
		}
		put(entry, keySetup, p.Setup, p.Setup != "")
		put(entry, keyMCPServers, p.MCPServers, len(p.MCPServers) > 0)
		put(projects, dir, entry, len(entry) > 0)
	}
	put(all, keyProjects, projects, len(projects) > 0)
}
