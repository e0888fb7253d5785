package daemon

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/termio-sh/termio/internal/api"
)

// The rules of our own files; a manifest's are those of its checker.
const (
	ruleSetting  = "setting"  // a settings file, or a key of it, cannot be used
	ruleRecord   = "record"   // a session's record cannot be read
	ruleRegistry = "registry" // the registry of projects cannot be read
)

// problem is a file that could not be used.
type problem struct {
	file, key, rule, message string
	line, column             int
	warning                  bool
}

// problems are the files that cannot be used right now, by where they come
// from. Each is logged once, when it appears.
type problems struct {
	log *slog.Logger

	mu   sync.Mutex
	from map[string][]problem
}

// set replaces what is known of one source.
func (p *problems) set(source string, list []problem) {
	p.mu.Lock()
	before := p.from[source]
	if p.from == nil {
		p.from = map[string][]problem{}
	}
	p.from[source] = slices.Clone(list)
	p.mu.Unlock()
	for _, one := range list {
		if !slices.Contains(before, one) {
			p.log.Warn("a file cannot be used", "file", one.file, "key", one.key, "rule", one.rule, "why", one.message)
		}
	}
}

// add is set for a source whose problems come one by one.
func (p *problems) add(source string, one problem) {
	p.mu.Lock()
	list := append(slices.Clone(p.from[source]), one)
	p.mu.Unlock()
	p.set(source, list)
}

// all are the problems, in the order of their sources' names.
func (p *problems) all() []api.Problem {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []api.Problem
	for _, source := range slices.Sorted(maps.Keys(p.from)) {
		out = append(out, asAPI(p.from[source])...)
	}
	return out
}

// of are the problems of one source.
func (p *problems) of(source string) []api.Problem {
	p.mu.Lock()
	defer p.mu.Unlock()
	return asAPI(p.from[source])
}

func asAPI(list []problem) []api.Problem {
	var out []api.Problem
	for _, one := range list {
		out = append(out, api.Problem{
			File: one.file, Key: one.key, Rule: one.rule, Message: one.message,
			Line: one.line, Column: one.column, Warning: one.warning,
		})
	}
	return out
}
