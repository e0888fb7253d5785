package status

import "testing"

func TestTitleAndProgress(t *testing.T) {
	check(t, []rule{
		{"they begin and end a turn", titled, "1 title I\n2 title W\n3 title I\n9 tick", "2.0 working, 3.6 done", nil},
		{"progress does too", barred, "2 progress 3\n3 progress 1\n4 progress 0\n9 tick", "2.0 working, 4.6 done", nil},
		{"a progress bar's error and pause say nothing", barred, "1 progress 2\n2 progress 1\n3 progress 4\n4 progress 2", "2.0 working", nil},
		{"a rest that a rule tells for certain is believed sooner", titled, "1 title W\n3 title I rule=titleStatus.idle[0]\n9 tick", "1.0 working, 3.1 done", nil},
		{"a certain rest hurries one that was doubted", titled, "1 title W\n3 title I\n3.1 title I rule=r\n9 tick", "1.0 working, 3.2 done", nil},
		{
			"a spinner that pauses is one span", titled, "1 title W\n2 title I\n2.5 title W\n3 title I\n3.5 title W\n5 title I\n9 tick", "1.0 working, 5.6 done",
			func(t *testing.T, s Status) {
				if s.Turn != 1 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
		{"without rules a title says nothing", bare, "1 title W\n2 title A", "", nil},
		{"progress counts only for agents that mean it", titled, "1 progress 1", "", nil},
		{"they correct a hook that missed the end", hooked, "1 hook working\n1.1 title W\n3 title I\n9 tick", "1.0 working, 3.6 done", nil},
		{"they correct a hook that missed the start", hooked, "1 hook idle\n2 title W", "2.0 working", nil},
		{
			"a spinner that outlives the hook's done lights nothing", hooked, "1 hook working\n1.1 title W\n2 hook done\n2.2 title W\n2.4 title I\n9 tick",
			"1.0 working, 2.0 done", nil,
		},
		{
			"a hook's question arrives within the calm it causes", hooked, "1 hook working\n1 title W\n2 title I\n2.4 hook attention\n9 tick",
			"1.0 working, 2.4 needs-you", nil,
		},
		{"a first title at rest ends nothing", hooked, "1 hook working\n2 title I\n9 tick", "1.0 working", nil},
		{"a title that never moves ends nothing", hooked, "1 title I\n2 hook working\n3 title I\n60 tick", "2.0 working", nil},
	})
}

func TestScreen(t *testing.T) {
	check(t, []rule{
		{"its rules tell every state", screened, `
			1 screen I changed
			2 screen W changed
			3 screen A changed q=Allow?
			4 screen W changed
			5 screen I changed
			9 tick`, "2.0 working, 3.0 needs-you, 4.0 working, 5.6 done", nil},
		{"its rules count only while no exact channel has spoken", screened, `
			1 7501 idle
			2 screen W changed
			3 screen A changed
			9 tick`, "", nil},
		{"an exact channel's first word forgets what the screen said", screened, "1 screen A changed\n2 7501 idle\n3 screen A changed", "1.0 needs-you, 2.0 idle", nil},
		{"its question does not overrule a title that works", both, "1 title W\n2 screen A changed\n3 title W", "1.0 working", nil},
		{
			"its question counts once the title does not work", both, "1 title W\n2 screen A changed q=Sure? rule=r\n3 title I\n5 tick", "1.0 working, 3.3 needs-you",
			func(t *testing.T, s Status) {
				if s.Question != "Sure?" || s.Cause != (Cause{Channel: ChannelScreen, Rule: "r"}) {
					t.Errorf("%+v", s)
				}
			},
		},
		{"its question beats the calm of a title", both, "1 title W\n2 title I\n2.3 screen A changed\n9 tick", "1.0 working, 2.3 needs-you", nil},
		{"once titles tell work, they and not the screen end it", both, "1 title W\n1 screen W changed\n2 title I\n9 tick", "1.0 working, 2.6 done", nil},
		{"a half drawn frame is no end", screened, "1 screen W changed\n2 screen I changed\n2.3 screen W changed\n5 tick", "1.0 working", nil},
		{
			"a question after a submit is a turn, even if no work was seen", screened, "1 submit\n2 screen A changed\n3 submit\n4 screen I changed\n9 tick",
			"2.0 working, 2.0 needs-you, 4.6 done", func(t *testing.T, s Status) {
				if s.Turn != 1 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
		{
			"a dialog at the start is none, however it is answered", screened, "1 screen A changed\n3 submit\n4 screen I changed\n5 screen A changed\n6 screen I changed\n9 tick",
			"1.0 needs-you, 4.6 idle, 5.0 needs-you, 6.6 idle", nil,
		},
		{"a look from before the title's rest is taken again", both, "1 title W\n2 screen A changed\n2.1 title I\n2.3 screen I changed\n5 tick", "1.0 working, 2.7 done", nil},
		{"a look from before the title's work is no question", both, "1 title I\n2 screen A changed\n3 title W\n3.2 title I\n5 tick", "2.0 needs-you, 3.0 working, 3.8 done", nil},
		{"the same question drawn again is no rest", screened, "1 screen W changed\n2 screen A changed\n3 screen I changed\n3.3 screen A changed\n9 tick", "1.0 working, 2.0 needs-you", nil},
		{
			"a rejected question ends the turn", screened, "1 screen W changed\n2 screen A changed\n3 input esc\n3.2 screen I changed\n9 tick",
			"1.0 working, 2.0 needs-you, 3.8 done", nil,
		},
		{"without rules its class says nothing", titled, "1 screen W changed\n2 screen A changed", "", nil},
	})
}

func TestLiveness(t *testing.T) {
	check(t, []rule{
		{"silence ends a title's work, unconfirmed", titled, "1 title W\n30 tick", "1.0 working, 13.0 done", func(t *testing.T, s Status) {
			if !s.Unconfirmed || s.Cause.Channel != ChannelStale {
				t.Errorf("%+v", s)
			}
		}},
		{"every title frame is a sign of life before it is a repeat", titled, "1 title W\n11 title W\n21 title W\n31 title W\n60 tick", "1.0 working, 43.0 done", nil},
		{"every progress frame is a sign of life", barred, "1 progress 3\n11 progress 3\n22 progress 3\n60 tick", "1.0 working, 34.0 done", nil},
		{"a changing screen is a sign of life", titled, "1 title W\n11 screen - changed\n22 screen - changed\n60 tick", "1.0 working, 34.0 done", nil},
		{"a redrawn screen that is the same is none", titled, "1 title W\n5 screen -\n9 screen -\n60 tick", "1.0 working, 13.0 done", nil},
		{"an exact channel confirms the end", titled, "1 title W\n20 7501 done", "1.0 working, 13.0 done", func(t *testing.T, s Status) {
			if s.Unconfirmed {
				t.Error("still unconfirmed")
			}
		}},
		{
			"a fresh frame takes the end back and is the same turn", titled, "1 title W\n20 title W", "1.0 working, 13.0 done, 20.0 working",
			func(t *testing.T, s Status) {
				if s.Turn != 1 {
					t.Errorf("turn %d", s.Turn)
				}
			},
		},
		{"a screen that moves takes the end back while a title still stands", titled, "1 title W\n20 screen - changed", "1.0 working, 13.0 done, 20.0 working", nil},
		{"the echo of typing does not", titled, "1 title W\n20 input\n20.1 screen - changed", "1.0 working, 13.0 done", nil},
		{"text that only stands there does not light it again", screened, "1 screen W changed\n20 screen W\n30 screen W", "1.0 working, 13.0 done", nil},
		{"a needs-you is never stale", titled, "1 title W\n2 title A\n90 tick", "1.0 working, 2.0 needs-you", nil},
		{"a hook's work stands through silence", hooked, "1 hook working tool=Bash\n600 tick", "1.0 working", func(t *testing.T, s Status) {
			if s.Description != "Bash" {
				t.Errorf("description %q", s.Description)
			}
		}},
		{
			"a hook's work that was interrupted does not",
			Config{Hooks: true},
			"1 hook working\n5 input esc\n60 tick", "1.0 working, 17.0 done",
			func(t *testing.T, s Status) {
				if !s.Unconfirmed {
					t.Error("not unconfirmed")
				}
			},
		},
		{"an interrupt decides nothing alone", titled, "1 title W\n2 input esc\n3 title W", "1.0 working", nil},
	})
}

func TestPromotion(t *testing.T) {
	check(t, []rule{
		{"two changed ticks in a row are work", bare, "20 screen - changed\n20.3 screen - changed\n21 screen - changed", "21.0 working", nil},
		{"one tick is not, however often it changes", bare, "20 screen - changed\n20.3 screen - changed\n20.9 screen - changed", "", nil},
		{"ticks far apart are not in a row", bare, "20 screen - changed\n25 screen - changed\n30 screen - changed", "", nil},
		{"the launch is no work", bare, "1 screen - changed\n2 screen - changed\n9 screen - changed", "", nil},
		{"the echo of typing is no work", bare, "20 input\n20 screen - changed\n21 input\n21 screen - changed\n22 input\n22 screen - changed\n23.9 screen - changed", "", nil},
		{"it ends by silence", bare, "20 screen - changed\n21 screen - changed\n60 tick", "21.0 working, 33.0 done", nil},
		{"a finished turn is not lit again", bare, "20 notify x\n21 screen - changed\n22 screen - changed\n23 screen - changed", "20.0 needs-you", nil},
		{"a submit lets the next turn be seen", bare, `
			20 screen - changed
			21 screen - changed
			40 submit
			44 screen - changed
			45 screen - changed`, "21.0 working, 33.0 done, 45.0 working", func(t *testing.T, s Status) {
			if s.Turn != 2 {
				t.Errorf("turn %d", s.Turn)
			}
		}},
		{"an agent with rules is never promoted", titled, "20 screen - changed\n21 screen - changed\n22 screen - changed", "", nil},
		{"nor one whose exact channel has spoken", bare, "1 7501 idle\n20 screen - changed\n21 screen - changed", "", nil},
		{"nor a plain terminal", plain, "20 screen - changed\n21 screen - changed\n22 screen - changed", "", nil},
	})
}

func TestPlainTerminal(t *testing.T) {
	check(t, []rule{
		{
			"marks tell a command's span and its exit code", plain, "1 mark A\n2 mark B\n3 mark C\n4 mark D 3", "3.0 working, 4.0 done",
			func(t *testing.T, s Status) {
				if s.Error != "exit status 3" {
					t.Errorf("error %q", s.Error)
				}
			},
		},
		{"success is no error", plain, "3 mark C\n4 mark D 0", "3.0 working, 4.0 done", func(t *testing.T, s Status) {
			if s.Error != "" {
				t.Errorf("error %q", s.Error)
			}
		}},
		{"a prompt without D ends the command", plain, "3 mark C\n4 mark A", "3.0 working, 4.0 done", nil},
		{"a long silent command works", plain, "3 mark C\n900 tick", "3.0 working", nil},
		{"without marks it stays idle", plain, "1 submit\n2 screen - changed\n3 screen - changed\n9 title W", "", nil},
		{"marks of an agent's terminal tell nothing", bare, "3 mark C\n4 mark D 0", "", nil},
		{"a program that waits is no finished command", plain, `
			1 mark C
			2 7501 idle
			3 7501 working
			4 7501 done
			5 7501 clear
			5 mark D 0
			5 mark A`, "1.0 working, 2.0 idle, 3.0 working, 4.0 done", nil},
		{"a program that dies at work ends with its command", plain, "1 mark C\n2 7501 working\n3 mark D 137\n3 mark A\n4 mark C", "1.0 working, 3.0 done, 4.0 working", nil},
	})
}

func TestHooks(t *testing.T) {
	check(t, []rule{
		{"they act at once", hooked, "1 hook working\n1.1 hook attention\n1.2 hook working\n1.3 hook done", "1.0 working, 1.1 needs-you, 1.2 working, 1.3 done", nil},
		{"a duplicate changes nothing", hooked, "1 hook working\n2 hook working\n3 hook done\n4 hook done", "1.0 working, 3.0 done", nil},
		{"a late done does not undo a look", hooked, "1 hook working\n2 hook done\n3 seen\n4 hook done", "1.0 working, 2.0 done, 3.0 idle", nil},
		{"a done nobody saw begin is a turn", hooked, "30 hook done", "30.0 working, 30.0 done", nil},
		{"a late report of the session's start ends nothing", hooked, "1 hook working\n1.5 hook idle event=SessionStart\n5 hook done", "1.0 working, 5.0 done", nil},
		{"a tool's trailing report lights nothing", hooked, "1 hook working\n2 hook done\n2.2 hook working tool=Bash", "1.0 working, 2.0 done", nil},
		{"the next prompt does", hooked, "1 hook working\n2 hook done\n2.2 hook working event=UserPromptSubmit", "1.0 working, 2.0 done, 2.2 working", nil},
		{"a report of another generation is dropped", Config{Hooks: true, Generation: 2}, "1 hook working gen=1\n2 hook working gen=2\n3 hook done gen=1", "2.0 working", nil},
		{
			"a launch brings a new generation",
			Config{Hooks: true, Generation: 2},
			"1 hook working gen=2\n2 launch gen=3\n3 hook working gen=2\n4 hook working gen=3",
			"1.0 working, 2.0 idle, 4.0 working", nil,
		},
		{"reports out of order are dropped", hooked, "1 hook working seq=1\n2 hook done seq=3\n3 hook working seq=2", "1.0 working, 2.0 done", nil},
		{"a sub-agent keeps the turn open until it ends", hooked, `
			1 hook working
			2 hook working sub=a
			3 hook working sub=b
			4 hook done
			5 hook done sub=a
			6 hook done sub=b`, "1.0 working, 6.0 done", nil},
		{"what still runs is told", hooked, "1 hook working\n2 hook working sub=a\n4 hook done", "1.0 working", func(t *testing.T, s Status) {
			if s.Description != "1 background task" {
				t.Errorf("description %q", s.Description)
			}
		}},
		{"a sub-agent lights no finished turn", hooked, "1 hook working\n2 hook done\n30 hook working sub=a\n31 hook done sub=a", "1.0 working, 2.0 done", nil},
		{"a calm title does not end work that is declared", hooked, "1 hook working\n1 title W\n2 hook working sub=a\n3 title I\n9 tick", "1.0 working", nil},
		{"program status decides beside them", both, `
			1 7501 working
			1.1 hook working tool=Bash
			2 7501 idle
			2.1 hook working tool=Bash
			2.2 hook done`, "1.0 working, 2.0 done", nil},
		{
			"a question that only they know counts beside program status", both, "1 7501 working\n2 hook attention q=Sure?\n3 hook working\n4 7501 done",
			"1.0 working, 2.0 needs-you, 3.0 working, 4.0 done", nil,
		},
		{"an unknown state is ignored", hooked, "1 hook resting", "", nil},
	})
}
