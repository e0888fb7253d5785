package status

import "testing"

// TestEdgesNeverDowngradeDone: bells and notifications ask for a look, and a
// turn that ended has asked for one already.
func TestEdgesNeverDowngradeDone(t *testing.T) {
	check(t, []rule{
		{"a bell", bare, "1 7501 working\n2 7501 done\n2.1 7501 clear\n3 bell\n9 tick", "1.0 working, 2.0 done", nil},
		{"a bell without an exact channel", titled, "1 title W\n3 title I\n4 bell\n9 tick", "1.0 working, 3.6 done", nil},
		{"a notification", titled, "1 title W\n3 title I\n4 notify look\n9 tick", "1.0 working, 3.6 done", nil},
	})
}

// TestQuestionSurvivesBeingLookedAt: only the agent going on ends it.
func TestQuestionSurvivesBeingLookedAt(t *testing.T) {
	check(t, []rule{
		{"OSC 7501", bare, "1 7501 working\n2 7501 blocked msg=a\n3 seen\n4 input\n5 seen\n6 7501 working", "1.0 working, 2.0 needs-you, 6.0 working", nil},
		{"a hook", hooked, "1 hook working\n2 hook attention\n3 seen\n4 input\n5 seen\n6 hook working", "1.0 working, 2.0 needs-you, 6.0 working", nil},
		{"the screen", screened, "1 screen W\n2 screen A\n3 seen\n4 input\n5 seen\n6 screen W", "1.0 working, 2.0 needs-you, 6.0 working", nil},
		{"a file", Config{}, "1 file W\n2 file A\n3 seen\n4 input\n5 seen\n6 file W", "1.0 working, 2.0 needs-you, 6.0 working", nil},
	})
}

// TestMissedHooksAreCorrected, in both directions.
func TestMissedHooksAreCorrected(t *testing.T) {
	check(t, []rule{
		{"a title that works starts what no hook told", hooked, "1 hook working\n2 hook done\n7.5 submit\n8 title W", "1.0 working, 2.0 done, 8.0 working", nil},
		{"a title at rest ends it", hooked, "1 hook working\n1.1 title W\n5 title I\n9 tick", "1.0 working, 5.6 done", nil},
		{"at once, when a rule says rest", hooked, "1 hook working\n1.1 title W\n5 title I rule=r\n9 tick", "1.0 working, 5.1 done", nil},
		{"progress too", Config{Hooks: true, ProgressRules: true}, "1 hook working\n1.1 progress 3\n5 progress 0\n9 tick", "1.0 working, 5.6 done", nil},
		{"the file too", hooked, "1 hook working\n1.1 file W rule=busy\n5 file I rule=idle\n9 tick", "1.0 working, 5.1 done", nil},
		{"the file beats a title that still works", hooked, "1 hook working\n1.1 title W\n1.2 file W rule=busy\n5 file I rule=idle\n5.05 title W\n9 tick", "1.0 working, 5.1 done", nil},
		{"a question that no hook told", hooked, "1 hook working\n2 title A\n3 title W", "1.0 working, 2.0 needs-you, 3.0 working", nil},
	})
}

// TestHowRealAgentsEndATurn: what each of the seven really sends when it is
// interrupted, when its question is rejected and when its model fails, by the
// channels that it has (recorded; see docs/status.md). Hooks alone would leave
// four of the seven working.
func TestHowRealAgentsEndATurn(t *testing.T) {
	titles := Config{Hooks: true, TitleRules: true, ScreenRules: true}
	screens := Config{Hooks: true, ScreenRules: true}
	codex := titles
	codex.WorkAfter = 100e6
	check(t, []rule{
		{"Claude Code, interrupted: OSC 7501", titles, "1 7501 working\n1.1 hook working event=UserPromptSubmit\n3 input esc\n3.1 7501 idle", "1.0 working, 3.1 done", nil},
		{"Claude Code, rejected: OSC 7501", titles, "1 7501 working\n2 hook attention event=PermissionRequest\n2.1 7501 blocked msg=a\n3 input esc\n3.1 7501 idle", "1.0 working, 2.0 needs-you, 3.1 done", nil},
		{"Claude Code, failed: OSC 7501", titles, "1 7501 working\n3 7501 error\n3.1 hook done event=StopFailure", "1.0 working, 3.0 done", nil},
		{"an old Claude Code, interrupted: title", titles, "1 hook working event=UserPromptSubmit\n1.1 title W\n3 input esc\n3.1 title I\n9 tick", "1.0 working, 3.7 done", nil},
		{"an old Claude Code, rejected: its file", titles, "1 hook working\n1.1 title W\n1.2 file W rule=busy\n2 hook attention\n2.1 title I\n2.2 file A rule=waiting\n4 input esc\n4.1 file I rule=idle\n9 tick", "1.0 working, 2.0 needs-you, 4.2 done", nil},
		{"Codex, interrupted", codex, "1 7501 working\n3 input esc\n3.1 7501 idle", "1.1 working, 3.1 done", nil},
		{"Codex, rejected: it works for 18 ms more", codex, "1 7501 working\n2 7501 blocked\n3 input esc\n3.1 7501 working\n3.118 7501 idle", "1.1 working, 2.0 needs-you, 3.1 done", nil},
		{"Codex, failed", codex, "1 7501 working\n3 7501 error", "1.1 working, 3.0 done", nil},
		{"Codex, a new conversation: it works for 20 ms", codex, "1 submit\n1.1 7501 working\n1.12 7501 idle\n9 tick", "", nil},
		{"OpenCode with hooks, interrupted", screens, "1 hook working event=session.status\n3 input esc\n3.3 input esc\n3.4 hook done event=session.idle", "1.0 working, 3.4 done", nil},
		{"OpenCode with hooks, rejected: replied, then idle", screens, "1 hook working\n2 hook attention\n3 input esc\n3.1 hook working event=permission.replied\n3.24 hook done event=session.idle", "1.0 working, 2.0 needs-you, 3.2 done", nil},
		{"OpenCode without, rejected", screens, "1 screen W\n2 screen A\n3 input esc\n3.1 screen I rule=r\n9 tick", "1.0 working, 2.0 needs-you, 3.2 done", nil},
		{"Pi, interrupted", screens, "1 7501 working\n3 input esc\n3.1 7501 idle\n3.2 hook done event=agent_settled", "1.0 working, 3.1 done", nil},
		{"Gemini CLI, rejected, whose title rests before its question leaves the screen", both, "1 title W\n2 title A\n2.1 screen A changed\n3 input esc\n3.02 title I rule=r\n3.1 screen - changed\n9 tick", "1.0 working, 2.0 needs-you, 3.2 done", nil},
		{"the title's rest is doubted where no rule tells it", both, "1 title W\n2 title A\n2.1 screen A changed\n3 input esc\n3.02 title I\n3.1 screen - changed\n9 tick", "1.0 working, 2.0 needs-you, 3.7 done", nil},
		{"Gemini CLI, rejected: no hook, the title", titles, "1 hook working event=BeforeAgent\n1.1 title W\n2 title A\n2.1 hook attention\n3 input esc\n3.1 title I rule=r\n9 tick", "1.0 working, 2.0 needs-you, 3.2 done", nil},
		{"Qwen Code, interrupted: idle_prompt", titles, "1 hook working\n1.1 title W\n3 input esc\n3.1 hook done event=Notification\n3.2 title I rule=r\n9 tick", "1.0 working, 3.1 done", nil},
		{"Qwen Code, rejected: the title", titles, "1 hook working\n1.1 title W\n2 title A\n2.1 hook attention\n3 input esc\n3.1 title I rule=r\n9 tick", "1.0 working, 2.0 needs-you, 3.2 done", nil},
		{"Copilot with hooks, interrupted: no hook, the screen", screens, "1 hook working\n1.1 screen W changed\n3 input esc\n3.3 input esc\n3.4 screen I rule=r changed\n9 tick", "1.0 working, 3.5 done", nil},
		{"Copilot with hooks, failed: no hook, the screen", screens, "1 hook working\n1.1 screen W changed\n3 screen I rule=r changed\n9 tick", "1.0 working, 3.1 done", nil},
		{"Copilot's screen before it is drawn anew", screens, "0.5 screen I rule=r changed\n1 hook working\n1.1 screen I rule=r changed\n9 tick", "1.0 working", nil},
		{"Copilot's screen in between", screens, "1 hook working\n1.1 screen W changed\n3 screen I rule=r changed\n3.1 screen W changed\n9 tick", "1.0 working", nil},
		{"Copilot with hooks, rejected: no hook, the screen", screens, "1 hook working\n2 hook attention\n2.1 screen A\n3 input esc\n3.1 screen W changed\n3.2 screen I rule=r\n9 tick", "1.0 working, 2.0 needs-you, 3.3 done", nil},
	})
}

// TestNestedAgents: an agent that the session's own starts inherits its
// environment. The host tells them apart by their processes (speaker); a
// report with another launch's number falls here.
func TestNestedAgents(t *testing.T) {
	check(t, []rule{
		{"a dead generation's report", hooked, "0.1 launch gen=2\n0.2 input\n1 hook working gen=1\n2 hook working gen=2\n3 hook done gen=1\n4 hook done gen=2", "2.0 working, 4.0 done", nil},
	})
}

// TestSubagents: what they do is no turn of their own.
func TestSubagents(t *testing.T) {
	check(t, []rule{
		{"one that trails behind lights nothing", hooked, "1 hook working\n2 hook done\n3 hook working sub=a tool=Bash\n4 hook done sub=a", "1.0 working, 2.0 done", nil},
		{"its tools keep no turn open", hooked, "1 hook working\n2 hook working sub=a tool=Bash\n3 hook done", "1.0 working, 3.0 done", nil},
		{"one that began keeps it open until it ends", hooked, "1 hook working\n2 hook working sub=a\n3 hook done\n5 hook done sub=a", "1.0 working, 5.0 done", nil},
		{"its end ends nothing else", hooked, "1 hook working\n2 hook done sub=a\n3 hook done", "1.0 working, 3.0 done", nil},
		{"its question is the session's, and its going on ends it", hooked, "1 hook working\n2 hook attention sub=a\n3 hook working sub=b tool=Bash\n4 hook working sub=a tool=Bash\n5 hook done", "1.0 working, 2.0 needs-you, 4.0 working, 5.0 done", nil},
		{"beside OSC 7501, its question counts", hooked, "1 7501 working\n2 hook attention sub=a\n3 input\n3.1 7501 working\n4 7501 done", "1.0 working, 2.0 needs-you, 3.1 working, 4.0 done", nil},
	})
}

// TestBackgroundTasks: a session is not done while its agent declares work
// that is still to end.
func TestBackgroundTasks(t *testing.T) {
	check(t, []rule{
		{
			"declared with the end of the main turn", hooked, "1 hook working\n3 hook done pending=2", "1.0 working",
			func(t *testing.T, s Status) {
				if s.Description != "2 background tasks" {
					t.Errorf("description %q", s.Description)
				}
			},
		},
		{"until a later end declares none", hooked, "1 hook working\n3 hook done pending=1\n20 hook working event=UserPromptSubmit\n21 hook done", "1.0 working, 21.0 done", nil},
		{"a title at rest does not end it", hooked, "1 hook working\n1.1 title W\n3 hook done pending=1\n3.1 title I\n9 tick", "1.0 working", nil},
		{"but with Esc it does", hooked, "1 hook working\n1.1 title W\n3 hook done pending=1\n4 input esc\n4.1 title W\n4.2 title I\n9 tick", "1.0 working, 4.8 done", nil},
		{"one that never ends is believed for an hour without a sign", hooked, "1 hook working\n3 hook done pending=1\n3602.9 tick", "1.0 working", nil},
		{
			"and then no more", hooked, "1 hook working\n3 hook done pending=1\n3603 tick", "1.0 working, 3603.0 done",
			func(t *testing.T, s Status) {
				if !s.Unconfirmed || s.Cause.Channel != ChannelStale || s.Cause.Text != "1h0m0s" {
					t.Errorf("%+v", s)
				}
			},
		},
		{"a report of it is a sign", hooked, "1 hook working\n2 hook working sub=a\n3 hook done\n2000 hook working sub=a tool=Bash\n5599 tick\n5600 tick", "1.0 working, 5600.0 done", nil},
		{"a sub-agent whose end was lost", hooked, "1 hook working\n2 hook working sub=a\n3 hook done\n4000 tick", "1.0 working, 3603.0 done", nil},
		{"a tool of the main turn may take longer", hooked, "1 hook working\n2 hook working tool=Bash\n9000 tick", "1.0 working", nil},
		{"what goes on after all is the same turn", hooked, "1 hook working\n3 hook done pending=1\n3603 tick\n4000 hook working\n4001 hook done", "1.0 working, 3603.0 done, 4000.0 working, 4001.0 done", func(t *testing.T, s Status) {
			if s.Turn != 1 {
				t.Errorf("turn %d", s.Turn)
			}
		}},
		{"child records of OSC 7501 that never end are the program's to withdraw", bare, "1 7501 working\n2 7501 working id=t1\n3 7501 done\n90000 tick", "1.0 working", nil},
		{"child records of OSC 7501", bare, "1 7501 working\n2 7501 working id=t1\n3 7501 done\n7 7501 done id=t1", "1.0 working, 7.0 done", nil},
	})
}

// TestLateAndDuplicateEvents: reports cross each other on their way.
func TestLateAndDuplicateEvents(t *testing.T) {
	check(t, []rule{
		{"a second end", hooked, "1 hook working\n2 hook done event=Stop\n2.5 hook done event=Notification", "1.0 working, 2.0 done", nil},
		{"a tool's report behind the end", hooked, "1 hook working\n2 hook done\n2.2 hook working tool=Bash event=PostToolUse", "1.0 working, 2.0 done", nil},
		{"an end that comes very late, before the next prompt", hooked, "1 hook working\n2 hook done\n8 input\n9 hook done event=Notification\n10 submit\n10.1 hook working\n11 hook done", "1.0 working, 2.0 done, 10.1 working, 11.0 done", nil},
		{"and behind it", hooked, "1 hook working\n2 hook done\n8 submit\n9 hook done event=Notification\n10 hook working\n11 hook done", "1.0 working, 2.0 done, 10.0 working, 11.0 done", nil},
		{"hooks that only tell ends tell turns", hooked, "1 submit\n2 hook done", "2.0 working, 2.0 done", nil},
		{"an end that was seen already", hooked, "1 hook working\n2 hook done\n2.1 seen\n2.5 hook done event=Notification", "1.0 working, 2.0 done, 2.1 idle", nil},
		{"one that comes out of order", hooked, "1 hook working seq=1\n2 hook done seq=3\n2.1 hook working seq=2", "1.0 working, 2.0 done", nil},
		{"the session's start behind the prompt", hooked, "1 hook working\n1.5 hook idle event=SessionStart\n3 hook done", "1.0 working, 3.0 done", nil},
	})
}

// TestStale: work that only soft channels declare ends by silence, and says so.
func TestStale(t *testing.T) {
	unconfirmed := func(t *testing.T, s Status) {
		if !s.Unconfirmed {
			t.Error("it is not marked unconfirmed")
		}
	}
	check(t, []rule{
		{"a title", titled, "1 title W\n60 tick", "1.0 working, 13.0 done", unconfirmed},
		{"a hook, after Esc", hooked, "1 hook working\n2 input esc\n60 tick", "1.0 working, 14.0 done", unconfirmed},
		{"a hook without Esc never", hooked, "1 hook working\n3600 tick", "1.0 working", nil},
		{"OSC 7501 never", bare, "1 7501 working\n3600 tick", "1.0 working", nil},
		{"a file never", Config{}, "1 file W rule=busy\n3600 tick", "1.0 working", nil},
	})
}

// TestDoubtfulWork: what is over in a moment was none.
func TestDoubtfulWork(t *testing.T) {
	check(t, []rule{
		{"a spinner that turns while the agent starts", titled, "untouched\n1 title W\n1.04 title I\n9 tick", "", nil},
		{"OSC 7501 says so for a moment", bare, "untouched\n1 7501 working\n1.03 7501 idle\n9 tick", "", nil},
		{"work that a launch brings with it is told in time", titled, "untouched\n1 title W\n9 tick", "1.2 working", nil},
		{"a hook names what begins", hooked, "untouched\n1 hook working", "1.0 working", nil},
		{"after the first key nothing is doubted", titled, "untouched\n0.5 input\n1 title W", "1.0 working", nil},
		{"nor after the grace of a launch", titled, "untouched\n11 title W", "11.0 working", nil},
		{"a rejection that looks like work for a moment", bare, "1 7501 working\n2 7501 blocked\n3 input esc\n3.1 7501 working\n3.2 7501 idle", "1.0 working, 2.0 needs-you, 3.2 done", nil},
		{"an agent that goes on after Esc", bare, "1 7501 working\n2 7501 blocked\n3 input esc\n3.1 7501 working\n9 tick", "1.0 working, 2.0 needs-you, 3.4 working", nil},
		{
			"a screen between two states is no rest, where a rule tells rest", screened, "1 screen W\n2 screen I rule=r\n3 submit\n3.1 screen W\n4 screen A\n5 input esc\n5.1 screen I changed\n6 screen W changed\n6.4 screen I rule=r changed\n9 tick",
			"1.0 working, 2.1 done, 3.1 working, 4.0 needs-you, 6.2 working, 6.5 done", nil,
		},
		{"a spinner behind a dialog of the start", both, "untouched\n1 screen A\n2 input\n2 submit\n3 title W\n3.007 7501 idle\n9 tick", "1.0 needs-you, 3.0 idle", nil},
		{"an answer is not doubted", bare, "1 7501 working\n2 7501 blocked\n3 input\n3.1 7501 working", "1.0 working, 2.0 needs-you, 3.1 working", nil},
	})
}
