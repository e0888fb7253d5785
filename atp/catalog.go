package atp

import (
	"cmp"
	"slices"
	"strings"
)

// Catalog is an immutable set of manifests. The zero Catalog is empty.
type Catalog struct {
	picker []*Manifest          // Terminal first, then (order, id)
	byID   map[string]*Manifest // exact ids
	byName map[string]*Manifest // lower-case ids, names, wires and aliases
	byProg map[string]*Manifest // lower-case program names
}

// NewCatalog makes a catalog of the manifests; of two with one id the later
// one counts, whole. Where two agents claim one name or program, an id beats a
// display name, which beats an alias, which beats a program name's owner
// further down the picker.
func NewCatalog(manifests ...*Manifest) Catalog {
	c := Catalog{byID: map[string]*Manifest{}, byName: map[string]*Manifest{}, byProg: map[string]*Manifest{}}
	for _, m := range manifests {
		c.byID[m.ID] = m
	}
	for _, m := range c.byID {
		c.picker = append(c.picker, m)
	}
	slices.SortFunc(c.picker, func(a, b *Manifest) int {
		if a.IsTerminal() != b.IsTerminal() {
			if a.IsTerminal() {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.ID, b.ID))
	})
	claim := func(index map[string]*Manifest, name string, m *Manifest) {
		name = fold(name)
		if _, taken := index[name]; !taken && name != "" {
			index[name] = m
		}
	}
	for _, names := range []func(*Manifest) []string{
		func(m *Manifest) []string { return []string{m.ID} },
		func(m *Manifest) []string { return []string{m.Name} },
		func(m *Manifest) []string { return m.Aliases },
		func(m *Manifest) []string { return []string{m.Wire} },
	} {
		for _, m := range c.picker {
			for _, n := range names(m) {
				claim(c.byName, n, m)
			}
		}
	}
	for _, m := range c.picker {
		if m.IsTerminal() {
			continue
		}
		for _, p := range m.Programs() {
			claim(c.byProg, p, m)
		}
	}
	return c
}

// Merge is c with the manifests put over it, by id.
func (c Catalog) Merge(manifests ...*Manifest) Catalog {
	return NewCatalog(append(slices.Clone(c.picker), manifests...)...)
}

// Len is the number of manifests.
func (c Catalog) Len() int { return len(c.picker) }

// All returns the manifests in picker order: Terminal first, then by order and
// id.
func (c Catalog) All() []*Manifest { return slices.Clone(c.picker) }

// IDs returns the ids in picker order.
func (c Catalog) IDs() []string {
	ids := make([]string, len(c.picker))
	for i, m := range c.picker {
		ids[i] = m.ID
	}
	return ids
}

// ByID finds a manifest by its exact id.
func (c Catalog) ByID(id string) (*Manifest, bool) {
	m, ok := c.byID[id]
	return m, ok
}

// Lookup finds a manifest by id, display name, alias or wire token, whatever
// the case.
func (c Catalog) Lookup(name string) (*Manifest, bool) {
	m, ok := c.byName[fold(name)]
	return m, ok
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Programs are the lower-case program names by which the running agent is
// recognised: the base name of the command's first word, and Processes.
func (m *Manifest) Programs() []string {
	var out []string
	if words, _ := Words(m.Command); len(words) > 0 {
		out = append(out, strings.ToLower(base(words[0])))
	}
	for _, p := range m.Processes {
		out = append(out, strings.ToLower(p))
	}
	return out
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
