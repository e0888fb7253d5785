package status

import (
	"fmt"
	"reflect"
	"testing"
)

func TestRecordsAreBounded(t *testing.T) {
	var r records
	for i := range maxRecords {
		r.report(Program{ID: fmt.Sprint("task", i), State: "working"})
	}
	r.report(Program{ID: "task0", State: "done"}) // used again: no longer the oldest
	r.report(Program{ID: "new", State: "working"})
	if n := len(r.byID); n != maxRecords {
		t.Fatalf("%d records", n)
	}
	for id, want := range map[string]bool{"task0": true, "task1": false, "task2": true, "new": true} {
		if _, ok := r.byID[id]; ok != want {
			t.Errorf("%s kept: %v", id, ok)
		}
	}
}

func TestRecordIsReplacedWhole(t *testing.T) {
	var r records
	r.report(Program{State: "blocked", Kind: "permission", Msg: "Sure?"})
	r.report(Program{State: "working"})
	if rec := r.byID[""]; !reflect.DeepEqual(rec.Program, Program{State: "working"}) {
		t.Errorf("%+v", rec)
	}
}

func TestEndedKeepsWhatIsFinished(t *testing.T) {
	var r records
	for _, state := range []string{"idle", "working", "blocked", "done", "error"} {
		r.report(Program{ID: state, State: state})
	}
	r.ended()
	if len(r.byID) != 2 || r.byID["done"].State != "done" || r.byID["error"].State != "error" {
		t.Errorf("%v", r.byID)
	}
}

func TestVerdict(t *testing.T) {
	type p = Program
	for _, c := range []struct {
		name        string
		reports     []Program
		state, lead string
		tasks       int
	}{
		{"nothing", nil, "", "", 0},
		{"the root alone", []p{{State: "done"}}, "done", "", 0},
		{"the root's question leads", []p{{State: "blocked"}, {ID: "a", State: "blocked"}}, "blocked", "", 0},
		{"a task's question beats the root's work", []p{{State: "working"}, {ID: "a", State: "blocked"}}, "blocked", "a", 0},
		{"of tasks the newest question", []p{{ID: "a", State: "blocked"}, {ID: "b", State: "blocked"}}, "blocked", "b", 0},
		{"the root's work leads", []p{{State: "working"}, {ID: "a", State: "working"}}, "working", "", 0},
		{"tasks behind a root at rest", []p{{State: "idle"}, {ID: "a", State: "working"}, {ID: "b", State: "working"}, {ID: "c", State: "done"}}, "working", "b", 2},
		{"a failed task does not fail the root", []p{{State: "done"}, {ID: "a", State: "error"}}, "done", "", 0},
		{"tasks without a root", []p{{ID: "a", State: "error"}, {ID: "b", State: "done"}}, "done", "b", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r records
			for _, rep := range c.reports {
				if !r.report(rep) {
					t.Fatalf("refused %+v", rep)
				}
			}
			v := r.verdict()
			if v.state != c.state || v.lead.ID != c.lead || v.tasks != c.tasks {
				t.Errorf("%s by %q, %d tasks", v.state, v.lead.ID, v.tasks)
			}
		})
	}
}
