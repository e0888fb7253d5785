package status

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The configurations that the rules are told for.
var (
	titled   = Config{TitleRules: true}
	screened = Config{ScreenRules: true}
	both     = Config{TitleRules: true, ScreenRules: true, ProgressRules: true, Hooks: true}
	hooked   = Config{Hooks: true, TitleRules: true}
	barred   = Config{ProgressRules: true}
	bare     = Config{}
	plain    = Config{Plain: true}
)

func TestTurn(t *testing.T) {
	check(t, []rule{
		{"every turn's end is done, and seeing it makes it idle", bare, `
			1 7501 working
			2 7501 done
			3 seen`, "1.0 working, 2.0 done, 3.0 idle", func(t *testing.T, s Status) {
			if s.Turn != 1 {
				t.Errorf("turn %d", s.Turn)
			}
		}},
		{"looking does not end work", bare, "1 7501 working\n2 seen", "1.0 working", nil},
		{
			"the counter rises at each turn's start and not at an answer", bare, `
			1 7501 working
			2 7501 blocked
			3 7501 working
			4 7501 done
			5 7501 working
			6 7501 done`, "1.0 working, 2.0 needs-you, 3.0 working, 4.0 done, 5.0 working, 6.0 done",
			func(t *testing.T, s Status) {
				if s.Turn != 2 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
		{
			"a whole turn in one report makes two changes", bare, "1 7501 idle\n9 7501 done",
			"9.0 working, 9.0 done", func(t *testing.T, s Status) {
				if s.Turn != 1 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
		{"a whole turn inside one chunk", titled, "1 title W\n1 title I\n2 tick", "1.0 working, 1.6 done", nil},
		{"a whole turn inside one chunk of an exact channel", bare, "1 7501 working\n1 7501 done", "1.0 working, 1.0 done", nil},
		{"a new turn clears done", bare, "1 7501 working\n2 7501 done\n3 7501 working", "1.0 working, 2.0 done, 3.0 working", nil},
		{"an event from before counts as now", bare, "5 7501 working\n3 7501 done", "5.0 working, 5.0 done", nil},
	})
}

func TestBlockingQuestion(t *testing.T) {
	check(t, []rule{
		{"it survives being looked at and typed into", bare, `
			1 7501 working
			2 7501 blocked kind=permission msg=approve_it
			3 seen
			4 input
			5 submit
			6 bell
			60 tick`, "1.0 working, 2.0 needs-you", func(t *testing.T, s Status) {
			if !s.Blocking || s.Question != "approve it" || s.Description != "permission" {
				t.Errorf("%+v", s)
			}
		}},
		{
			"the agent going on ends it", bare, "1 7501 working\n2 7501 blocked msg=x\n3 7501 working",
			"1.0 working, 2.0 needs-you, 3.0 working", func(t *testing.T, s Status) {
				if s.Blocking || s.Question != "" {
					t.Errorf("%+v", s)
				}
			},
		},
		{
			"a rejection ends the turn", bare, "1 7501 working\n2 7501 blocked\n3 7501 idle",
			"1.0 working, 2.0 needs-you, 3.0 done", nil,
		},
		{
			"a dialog before any turn ends as idle", bare, "1 7501 blocked\n3 7501 idle", "1.0 needs-you, 3.0 idle",
			func(t *testing.T, s Status) {
				if s.Turn != 0 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
		{"titles never overrule the question of program status", both, `
			1 7501 working
			2 7501 blocked
			3 submit
			4 title W
			5 title I
			9 tick`, "1.0 working, 2.0 needs-you", nil},
		{"titles never overrule a hook's question before an answer", hooked, `
			1 hook working
			1.1 title W
			2 hook attention
			2.1 title I
			3 title W
			4 title I
			9 tick`, "1.0 working, 2.0 needs-you", nil},
		{"a title that works after the answer ends a hook's question", hooked, `
			1 hook working
			2 hook attention q=Which?
			2.1 title I
			5 submit
			5.2 title W`, "1.0 working, 2.0 needs-you, 5.2 working", nil},
		{"a title that calms after the answer ends a hook's question", hooked, `
			1 hook working
			1 title W
			2 hook attention
			5 input esc
			5.1 title I
			9 tick`, "1.0 working, 2.0 needs-you, 5.7 done", nil},
		{"the screen sees a hook's question leave after the answer", both, `
			1 hook working
			2 hook attention
			2.2 screen A changed
			5 input esc
			5.2 screen I changed
			9 tick`, "1.0 working, 2.0 needs-you, 5.8 done", nil},
		{"a screen that never showed a hook's question does not end it", both, `
			1 hook working
			2 hook attention
			5 input esc
			5.2 screen I changed
			9 tick`, "1.0 working, 2.0 needs-you", nil},
		{"a title's question ends when the title goes on", titled, `
			1 title W
			2 title A
			2.5 seen
			4 title W
			5 title I
			9 tick`, "1.0 working, 2.0 needs-you, 4.0 working, 5.6 done", nil},
		{
			"a title's question may override done", titled, "1 title W\n2 title I\n4 title A", "1.0 working, 2.6 done, 4.0 needs-you",
			func(t *testing.T, s Status) {
				if !s.Blocking {
					t.Error("not blocking")
				}
			},
		},
		{"a blinking attention title is one question", titled, "1 title A\n2 title A\n3 title A", "1.0 needs-you", nil},
		{"the question comes from the screen when the report has none", both, `
			0.5 screen I changed q=old
			1 7501 blocked kind=permission
			1.2 screen I changed q=Allow_touch?_1._Yes`, "1.0 needs-you", func(t *testing.T, s Status) {
			if s.Question != "Allow touch? 1. Yes" {
				t.Errorf("question %q", s.Question)
			}
		}},
		{
			"a declared question is not replaced by the screen", both, "1 7501 blocked msg=Why?\n2 screen I changed q=no", "1.0 needs-you",
			func(t *testing.T, s Status) {
				if s.Question != "Why?" {
					t.Errorf("question %q", s.Question)
				}
			},
		},
		{
			"the next question replaces the first", bare, "1 7501 blocked msg=a\n2 7501 blocked msg=b", "1.0 needs-you",
			func(t *testing.T, s Status) {
				if s.Question != "b" {
					t.Errorf("question %q", s.Question)
				}
			},
		},
	})
}

func TestBell(t *testing.T) {
	check(t, []rule{
		{"it never downgrades done", bare, "1 7501 working\n2 7501 done\n3 7501 clear\n3 bell\n4 notify Turn complete", "1.0 working, 2.0 done", nil},
		{"it never downgrades done of titles", titled, "1 title W\n2 title I\n4 bell\n5 notify x", "1.0 working, 2.6 done", nil},
		{"it asks to be looked at and looking ends it", plain, "1 bell\n2 seen", "1.0 needs-you, 2.0 idle", nil},
		{"it does not block", plain, "1 notify build broke", "1.0 needs-you", func(t *testing.T, s Status) {
			if s.Blocking || s.Question != "build broke" || s.Cause != (Cause{ChannelBell, "notification", "build broke"}) {
				t.Errorf("%+v", s)
			}
		}},
		{"an answer counts as a look", plain, "1 bell\n2 submit", "1.0 needs-you, 2.0 idle", nil},
		{"the answer to a key is no call", plain, "1 input\n1.2 bell\n3 bell", "3.0 needs-you", nil},
		{"a bell after a submitted command counts", plain, "1 submit\n1.2 bell", "1.2 needs-you", nil},
		{"one that rings for the turn's end is swallowed by it", titled, "1 title W\n2 bell\n2.1 title I\n9 tick", "1.0 working, 2.7 done", nil},
		{"one in a turn that plainly goes on says nothing", titled, "1 title W\n2 bell\n2.5 title W\n4 tick", "1.0 working", nil},
		{"one in a turn that stands still is heard", titled, "1 title W\n2 bell\n4 tick", "1.0 working, 2.6 needs-you", nil},
		{
			"looking then gives the turn back", titled, "1 title W\n2 bell\n4 tick\n5 seen\n6 title I\n8 tick",
			"1.0 working, 2.6 needs-you, 5.0 working, 6.6 done", func(t *testing.T, s Status) {
				if s.Turn != 1 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
		{"a ticking spinner does not wipe the call away", titled, "1 title W\n2 bell\n3 title W\n4 title W", "1.0 working, 2.6 needs-you", nil},
		{"beside an exact channel it says nothing", both, "1 7501 working\n2 bell\n3 notify x\n9 tick", "1.0 working", nil},
		{"a question that blocks is not weakened by it", titled, "1 title A\n2 bell\n3 seen", "1.0 needs-you", nil},
		{"a question that blocks takes its place", titled, "1 bell\n2 title A\n3 seen", "1.0 needs-you", func(t *testing.T, s Status) {
			if !s.Blocking {
				t.Error("not blocking")
			}
		}},
	})
}

func TestProgramStatus(t *testing.T) {
	check(t, []rule{
		{"idle ends an open turn", bare, "1 7501 working\n2 7501 idle", "1.0 working, 2.0 done", nil},
		{"idle without a turn is idle", bare, "1 7501 idle", "", nil},
		{"idle after done means the user typed", bare, "1 7501 working\n2 7501 done\n3 7501 idle", "1.0 working, 2.0 done, 3.0 idle", nil},
		{"a repeated idle leaves the turn's end", bare, "1 7501 working\n2 7501 idle\n3 7501 idle", "1.0 working, 2.0 done", nil},
		{"a repeated done does not undo a look", bare, "1 7501 working\n2 7501 done\n3 seen\n4 7501 done", "1.0 working, 2.0 done, 3.0 idle", nil},
		{"error ends the turn and is kept", bare, "1 7501 working\n2 7501 error msg=500", "1.0 working, 2.0 done", func(t *testing.T, s Status) {
			if s.Error != "500" {
				t.Errorf("error %q", s.Error)
			}
		}},
		{
			"the next turn forgets the error", bare, "1 7501 working\n2 7501 error msg=500\n3 7501 working", "1.0 working, 2.0 done, 3.0 working",
			func(t *testing.T, s Status) {
				if s.Error != "" {
					t.Errorf("error %q", s.Error)
				}
			},
		},
		{"a task that works keeps a finished root from done", bare, `
			1 7501 working
			2 7501 working id=build title=npm_test
			3 7501 done`, "1.0 working", func(t *testing.T, s Status) {
			if s.Description != "1 background task: npm test" {
				t.Errorf("description %q", s.Description)
			}
		}},
		{"done comes when the last task is finished", bare, `
			1 7501 working
			2 7501 working id=a
			2 7501 working id=b/c
			3 7501 done
			4 7501 done id=a
			5 7501 clear id=b`, "1.0 working, 5.0 done", nil},
		{
			"a task's question is the session's", bare, "1 7501 working\n2 7501 blocked id=a msg=Sure?\n3 7501 working id=a",
			"1.0 working, 2.0 needs-you, 3.0 working", nil,
		},
		{
			"clear with an id takes what is below it", bare, "1 7501 working id=a\n1 7501 working id=a/b\n2 7501 working id=ab\n3 7501 clear id=a\n4 7501 clear id=ab",
			"1.0 working, 4.0 done", nil,
		},
		{"clear without an id ends the turn", bare, "1 7501 working\n1 7501 working id=a\n2 7501 clear", "1.0 working, 2.0 done", nil},
		{"clear at rest changes nothing", bare, "1 7501 working\n2 7501 done\n3 7501 clear", "1.0 working, 2.0 done", nil},
		{"a shell's prompt drops what worked", bare, "1 7501 working\n2 mark A", "1.0 working, 2.0 done", nil},
		{"a shell's prompt keeps done", bare, "1 7501 working\n2 7501 done\n3 mark A", "1.0 working, 2.0 done", nil},
		{"RIS clears all", bare, "1 7501 blocked\n2 reset", "1.0 needs-you, 2.0 idle", nil},
		{"after RIS titles have their say again", titled, "1 7501 working\n1 title W\n2 reset\n3 title W", "1.0 working, 2.0 done, 3.0 working", nil},
		{"an unknown state voids the report", bare, "1 7501 working\n2 7501 resting", "1.0 working", nil},
		{"a malformed id is never taken for the root", bare, `
			1 7501 working id=a//b
			1 7501 working id=/a
			1 7501 working id=1/2/3/4/5/6/7/8/9
			1 7501 working id=` + strings.Repeat("x", 33), "", nil},
		{"eight segments are a good id", bare, "1 7501 working id=1/2/3/4/5/6/7/8", "1.0 working", nil},
		{
			"exact channels act at once", titled, "1 7501 working\n1.1 7501 done\n1.2 7501 working\n1.3 7501 done",
			"1.0 working, 1.1 done, 1.2 working, 1.3 done", nil,
		},
		{"a blind or calm title does not end its work", titled, "1 7501 working\n1.1 title W\n2 title I\n9 tick", "1.0 working", nil},
		{"a title spinner beside its idle begins nothing", titled, "1 7501 idle\n2 title W\n3 title I\n9 tick", "", nil},
		{"a silent tool is work for as long as it takes", both, "1 7501 working\n700 tick", "1.0 working", nil},
		{"progress and title are the description", bare, "1 7501 working title=index progress=42", "1.0 working", func(t *testing.T, s Status) {
			if s.Description != "index 42%" {
				t.Errorf("description %q", s.Description)
			}
		}},
	})
}

func TestLaunchAndExit(t *testing.T) {
	check(t, []rule{
		{"exit ends an open turn", titled, "1 title W\n2 exit 0", "1.0 working, 2.0 done", nil},
		{"a failing exit is told", bare, "1 7501 working\n2 exit 3", "1.0 working, 2.0 done", func(t *testing.T, s Status) {
			if s.Error != "exit status 3" {
				t.Errorf("error %q", s.Error)
			}
		}},
		{"exit keeps done", bare, "1 7501 working\n2 7501 done\n3 exit 0", "1.0 working, 2.0 done", nil},
		{"a question dies with its program", bare, "1 7501 blocked\n3 exit 1", "1.0 needs-you, 3.0 idle", func(t *testing.T, s Status) {
			if s.Error != "" {
				t.Errorf("error %q", s.Error)
			}
		}},
		{"a question seen just before the exit asks nothing", both, "1 title W\n2 screen A changed\n2.1 title I\n2.2 exit 0\n9 tick", "1.0 working, 2.2 done", nil},
		{"exit at rest is idle", bare, "3 exit 0", "", nil},
		{"a dead program's last words mark nothing", both, "1 exit 0\n2 7501 working\n3 title W\n4 bell\n5 hook working\n6 screen W changed", "", nil},
		{"what it left can still be seen", bare, "1 7501 working\n2 exit 0\n3 seen", "1.0 working, 2.0 done, 3.0 idle", nil},
		{"a launch inherits no spinner", titled, "1 title W\n2 launch\n30 tick", "1.0 working, 2.0 idle", nil},
		{"a launch inherits no question", bare, "1 7501 blocked msg=x\n2 launch", "1.0 needs-you, 2.0 idle", func(t *testing.T, s Status) {
			if s.Question != "" || s.Blocking {
				t.Errorf("%+v", s)
			}
		}},
		{
			"a launch keeps the count of turns", bare, "1 7501 working\n2 exit 0\n3 launch\n3.5 input\n4 7501 working", "1.0 working, 2.0 done, 3.0 idle, 4.0 working",
			func(t *testing.T, s Status) {
				if s.Turn != 2 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
	})
}

// TestCells walks the cells of the table that the rules above pass by.
func TestCells(t *testing.T) {
	check(t, []rule{
		{"idle, seen", bare, "1 seen", "", nil},
		{"idle, rest", bare, "1 7501 error msg=auth", "", func(t *testing.T, s Status) {
			if s.Error != "auth" || s.Turn != 0 {
				t.Errorf("%+v", s)
			}
		}},
		{"asked, work", titled, "1 bell\n2 title W", "1.0 needs-you, 2.0 working", nil},
		{"asked, ring", titled, "1 bell\n2 bell", "1.0 needs-you", nil},
		{"asked, done", bare, "1 bell\n2 7501 done", "1.0 needs-you, 2.0 done", nil},
		{"asked, rest", titled, "1 title W\n2 bell\n4 title I\n9 tick", "1.0 working, 2.6 needs-you, 4.6 done", nil},
		{"asked, idle", bare, "1 bell\n2 7501 idle", "1.0 needs-you, 2.0 idle", nil},
		{"asked, gone", plain, "1 bell\n2 exit 0", "1.0 needs-you, 2.0 idle", nil},
		{"blocked, done", bare, "1 7501 working\n2 7501 blocked\n3 7501 done", "1.0 working, 2.0 needs-you, 3.0 done", nil},
	})
}

func TestDetails(t *testing.T) {
	describes := func(want string) func(*testing.T, Status) {
		return func(t *testing.T, s Status) {
			if s.Description != want {
				t.Errorf("description %q, want %q", s.Description, want)
			}
		}
	}
	check(t, []rule{
		{"a command's end without its start is nothing", plain, "1 mark D 0\n2 mark A", "", nil},
		{"what calls after a command's end is something else", plain, "1 mark C\n2 mark D 0\n2.1 mark A\n3 notify x", "1.0 working, 2.0 done, 3.0 needs-you", nil},
		{"and so is a bell", plain, "1 mark C\n2 mark D 0\n9 bell\n10 seen", "1.0 working, 2.0 done, 9.0 needs-you, 10.0 idle", nil},
		{"but for one right behind it", plain, "1 mark C\n2 mark D 0\n2.1 bell", "1.0 working, 2.0 done", nil},
		{"a hook's work takes back the calm of a title", hooked, "1 hook working\n1 title W\n2 title I\n2.3 hook working tool=Bash\n9 tick", "1.0 working", nil},
		{"a title that works beside a hook does not weaken it", hooked, "1 hook working\n2 title W\n600 tick", "1.0 working", nil},
		{"a hook's word bars the screen rules", Config{Hooks: true, ScreenRules: true}, "1 hook idle\n2 screen W changed", "", nil},
		{"a hook's idle after done is a look", hooked, "1 hook working\n2 hook done\n3 hook idle", "1.0 working, 2.0 done, 3.0 idle", nil},
		{"a hook's idle ends an open turn", hooked, "1 hook working\n5 hook idle", "1.0 working, 5.0 done", nil},
		{"a sub-agent's question is the session's", hooked, "1 hook working\n2 hook attention sub=a q=Sure?", "1.0 working, 2.0 needs-you", nil},
		{"a hook confirms the end that silence told", hooked, "1 title W\n20 hook done", "1.0 working, 13.0 done", func(t *testing.T, s Status) {
			if s.Unconfirmed {
				t.Error("still unconfirmed")
			}
		}},
		{"the cause names the hook's event, or its word", hooked, "1 hook working event=UserPromptSubmit", "1.0 working", func(t *testing.T, s Status) {
			if s.Cause != (Cause{Channel: ChannelHook, Rule: "UserPromptSubmit"}) {
				t.Errorf("%+v", s.Cause)
			}
		}},
		{"a hook without an event is named by its word", hooked, "1 hook working", "1.0 working", func(t *testing.T, s Status) {
			if s.Cause.Rule != "working" {
				t.Errorf("%+v", s.Cause)
			}
		}},
		{"an interrupt that the hooks outlived is none", Config{Hooks: true}, "1 hook working\n2 input esc\n3 hook working\n90 tick", "1.0 working", nil},
		{"a title that never tells leaves the work to the screen", both, "1 title I\n2 screen W changed\n3 screen I changed\n9 tick", "2.0 working, 3.6 done", nil},
		{"a spinner's frames do not hide the question behind them", both, "1 title W\n2 screen A changed\n2.5 title W\n3 title I\n9 tick", "1.0 working, 3.3 needs-you", nil},
		{"a title that came to rest revives nothing", titled, "1 title W\n20 title I\n21 screen - changed", "1.0 working, 13.0 done", nil},
		{"text that tells work is alive while output flows", screened, "1 screen W changed\n10 screen W\n19 screen W\n60 tick", "1.0 working, 31.0 done", nil},
		{"a bell in a turn whose screen goes on says nothing", screened, "1 screen W changed\n2 bell\n2.3 screen W changed\n5 tick", "1.0 working", nil},
		{
			"a hook's question on the screen, answered, gives way to work", both, "1 hook working\n2 hook attention\n2.2 screen A changed\n5 input\n5.2 screen W changed",
			"1.0 working, 2.0 needs-you, 5.2 working", nil,
		},
		{
			"one that comes back was never gone", both, "1 hook working\n2 hook attention\n2.2 screen A changed\n5 input\n5.2 screen I changed\n5.5 screen A changed\n9 tick",
			"1.0 working, 2.0 needs-you", nil,
		},
		{"one that was seen does not stand for the next", both, `
			1 hook working
			2 hook attention
			2.2 screen A changed
			4 hook working
			4.2 screen W changed
			5 hook attention
			6 input
			6.2 screen I changed
			9 tick`, "1.0 working, 2.0 needs-you, 4.0 working, 5.0 needs-you", nil},
		{"bells in a row do not put the call off", titled, "1 title W\n2 bell\n2.4 bell\n5 tick", "1.0 working, 2.6 needs-you", nil},
		{"a bell's question is the screen", plain, "1 screen - changed q=continue?\n2 bell", "2.0 needs-you", func(t *testing.T, s Status) {
			if s.Question != "continue?" {
				t.Errorf("question %q", s.Question)
			}
		}},
		{"several tasks are counted", bare, "1 7501 working id=a\n1 7501 working id=b msg=lint\n1 7501 done", "1.0 working", describes("2 background tasks: lint")},
		{"a message describes the work", bare, "1 7501 working msg=reading", "1.0 working", describes("reading")},
		{"the cause names the task", bare, "1 7501 working id=a", "1.0 working", func(t *testing.T, s Status) {
			if s.Cause.Rule != "working a" {
				t.Errorf("cause %+v", s.Cause)
			}
		}},
		{"an error that says more is kept", bare, "1 7501 working\n2 7501 error\n3 7501 error msg=quota", "1.0 working, 2.0 done", func(t *testing.T, s Status) {
			if s.Error != "quota" {
				t.Errorf("error %q", s.Error)
			}
		}},
		{"an error confirms the end that silence told", titled, "1 title W\n20 7501 error msg=x", "1.0 working, 13.0 done", func(t *testing.T, s Status) {
			if s.Unconfirmed || s.Error != "x" {
				t.Errorf("%+v", s)
			}
		}},
		{"what a program left decides nothing for the next", bare, "1 7501 working\n2 7501 done\n3 seen\n20 mark A\n21 7501 idle id=a", "1.0 working, 2.0 done, 3.0 idle", nil},
		{"sub-agents are forgotten with their turn", hooked, `
			1 hook working
			1 title W
			2 hook working sub=a
			3 input esc
			3.1 title I
			8 hook working
			9 hook done`, "1.0 working, 3.7 done, 8.0 working, 9.0 done", nil},
		{"a second question of a hook is none the first one's answer ends", hooked, `
			1 hook working
			1 title W
			2 hook attention
			3 input
			3.1 title I
			3.3 hook attention
			9 tick`, "1.0 working, 2.0 needs-you", nil},
	})
}

// TestNothingPends: what one channel still waited for is moot once another
// has ended the turn.
func TestNothingPends(t *testing.T) {
	for _, script := range []string{
		"1 title W\n2 title I\n2.1 7501 done",
		"1 title W\n2 bell\n2.1 hook done",
		"1 title W\n2 title I\n2.1 exit 0",
		"1 title W\n2 screen A changed\n2.1 title I\n2.2 exit 0",
	} {
		m, _ := play(t, both, script)
		if d, ok := m.Deadline(); ok {
			t.Errorf("%q: deadline %v", script, d)
		}
	}
}

// TestTextIsBounded: a program can say what it likes at any length.
func TestTextIsBounded(t *testing.T) {
	long := strings.Repeat("é", 5000)
	m := New(both, epoch)
	changes := m.Apply(Event{At: at(1), Kind: KindTitle, Class: ClassAttention, Text: long})
	changes = append(changes, m.Apply(Event{At: at(2), Kind: KindHook, Hook: Hook{State: HookWorking, Event: long, Tool: long}})...)
	changes = append(changes, m.Apply(Event{At: at(3), Kind: KindProgramStatus, Program: Program{State: "blocked", Msg: long}})...)
	if len(changes) == 0 {
		t.Fatal("no change")
	}
	for _, c := range changes {
		if len(c.Cause.Text) > maxCauseText || len(c.Cause.Rule) > maxCauseText || !utf8.ValidString(c.Cause.Text) {
			t.Errorf("cause of %s: %d bytes", c.To, len(c.Cause.Text))
		}
	}
	if q := m.Status().Question; len(q) > maxQuestion || !utf8.ValidString(q) {
		t.Errorf("question of %d bytes", len(q))
	}
}
