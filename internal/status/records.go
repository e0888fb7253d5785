package status

import (
	"cmp"
	"slices"
	"strings"
)

// Limits of the Program Status Protocol.
const (
	maxRecords  = 256
	maxIDDepth  = 8
	maxIDBytes  = 128
	maxSegBytes = 32
)

// record is what a program last said of itself (id "") or of one of its tasks.
type record struct {
	Program
	used uint64 // order of the last update
}

// records is the tree of the Program Status Protocol, by id. The ids carry the
// tree: "a/b" is below "a", and everything is below "".
type records struct {
	byID  map[string]record
	clock uint64
}

// report takes one report and tells whether it was a valid one.
func (r *records) report(p Program) bool {
	if !validID(p.ID) {
		return false
	}
	switch p.State {
	case "clear":
		for id := range r.byID {
			if p.ID == "" || id == p.ID || strings.HasPrefix(id, p.ID+"/") {
				delete(r.byID, id)
			}
		}
		return true
	case "idle", "working", "blocked", "done", "error":
	default:
		return false
	}
	if r.byID == nil {
		r.byID = map[string]record{}
	}
	if _, known := r.byID[p.ID]; !known && len(r.byID) >= maxRecords {
		r.dropOldest()
	}
	r.clock++
	r.byID[p.ID] = record{p, r.clock}
	return true
}

func (r *records) dropOldest() {
	oldest, used := "", r.clock+1
	for id, rec := range r.byID {
		if rec.used < used {
			oldest, used = id, rec.used
		}
	}
	delete(r.byID, oldest)
}

// ended drops what a program that is gone can no longer mean: every record but
// done and error.
func (r *records) ended() {
	for id, rec := range r.byID {
		if rec.State != "done" && rec.State != "error" {
			delete(r.byID, id)
		}
	}
}

// verdict is what all records say together.
type verdict struct {
	state string // "" without records, else idle, working, blocked, done, error
	lead  record // the record that decides
	// tasks counts the tasks that still work behind a root at rest.
	tasks int
}

// verdict asks the records: any block beats any work, and a task that works
// keeps a root at rest from counting as the end.
func (r *records) verdict() verdict {
	root, hasRoot := r.byID[""]
	if rec, ok := r.newest("blocked"); ok {
		if hasRoot && root.State == "blocked" {
			rec = root
		}
		return verdict{state: "blocked", lead: rec}
	}
	if hasRoot && root.State == "working" {
		return verdict{state: "working", lead: root}
	}
	if rec, ok := r.newest("working"); ok {
		v := verdict{state: "working", lead: rec}
		for _, other := range r.byID {
			if other.State == "working" {
				v.tasks++
			}
		}
		return v
	}
	if hasRoot {
		return verdict{state: root.State, lead: root}
	}
	for _, state := range []string{"done", "error", "idle"} {
		if rec, ok := r.newest(state); ok {
			return verdict{state: state, lead: rec}
		}
	}
	return verdict{}
}

func (r *records) newest(state string) (record, bool) {
	var found []record
	for _, rec := range r.byID {
		if rec.State == state {
			found = append(found, rec)
		}
	}
	if len(found) == 0 {
		return record{}, false
	}
	return slices.MaxFunc(found, func(a, b record) int { return cmp.Compare(a.used, b.used) }), true
}

// validID repeats the parser's rule: a malformed id voids the report and is
// never taken for the root.
func validID(id string) bool {
	if id == "" {
		return true
	}
	if len(id) > maxIDBytes {
		return false
	}
	depth := 0
	for seg := range strings.SplitSeq(id, "/") {
		if depth++; depth > maxIDDepth || seg == "" || len(seg) > maxSegBytes {
			return false
		}
	}
	return true
}
