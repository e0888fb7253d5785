package atp

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestClassifyPrecedence(t *testing.T) {
	r := NewRules(&Manifest{
		TitleStatus: &TitleStatus{Working: []string{"^w", "x"}, Attention: []string{"a$"}, Idle: []string{"^w.*idle"}},
		Status:      &ScreenStatus{Working: []string{"busy"}, Attention: []string{"allow\\?"}},
	})
	for title, want := range map[string]Verdict{
		"w":      {StateWorking, "titleStatus.working[0]", "^w", "w"},
		"ox":     {StateWorking, "titleStatus.working[1]", "x", "x"},
		"w a":    {StateAttention, "titleStatus.attention[0]", "a$", "a"},
		"W":      {StateIdle, "", "", ""}, // titles are case-sensitive
		"w idle": {StateWorking, "titleStatus.working[0]", "^w", "w"},
		"":       {StateIdle, "", "", ""},
	} {
		if got := r.ClassifyTitle(title); got != want {
			t.Errorf("title %q: got %+v, want %+v", title, got, want)
		}
	}
	for screen, want := range map[string]State{
		"BUSY": StateWorking, "busy\nAllow?": StateAttention, "Allow?\nbusy": StateAttention, "else": StateIdle, "": StateIdle,
	} {
		if got := r.ClassifyScreen(screen).State; got != want {
			t.Errorf("screen %q: got %s, want %s", screen, got, want)
		}
	}
}

func TestNoRulesSayNothing(t *testing.T) {
	r := NewRules(&Manifest{})
	if r.ClassifyTitle("x") != (Verdict{}) || r.ClassifyScreen("x") != (Verdict{}) || r.HasTitle() || r.HasScreen() || r.Progress() {
		t.Error("an agent without rules has a state")
	}
	if !r.ScreenReady("") {
		t.Error("an agent without ready signs is never ready")
	}
}

func TestScreenRows(t *testing.T) {
	r := NewRules(&Manifest{Status: &ScreenStatus{Working: []string{"w"}, Rows: 2}})
	for screen, want := range map[string]State{
		"w\na\nb":             StateIdle,
		"w\n\n \nb":           StateWorking,
		"a\nw\n\n\n":          StateWorking,
		"w":                   StateWorking,
		"\n\n":                StateIdle,
		"w\na\nb\n \n\t\r\n":  StateIdle,
		"a\r\nw\r\nb\r\n\r\n": StateWorking,
	} {
		if got := r.ClassifyScreen(screen).State; got != want {
			t.Errorf("%q: got %s, want %s", screen, got, want)
		}
	}
}

func TestRulesAreBounded(t *testing.T) {
	r := NewRules(&Manifest{
		TitleStatus: &TitleStatus{Working: []string{"z+"}},
		Status:      &ScreenStatus{Working: []string{"z"}},
	})
	v := r.ClassifyTitle(strings.Repeat("z", 1<<20))
	if v.State != StateWorking || len(v.Matched) != maxMatched {
		t.Errorf("matched %d bytes", len(v.Matched))
	}
	if v := r.ClassifyTitle(strings.Repeat("a", maxTitle) + "z"); v.State != StateIdle {
		t.Error("the end of an endless title was read")
	}
	if v := r.ClassifyScreen("z" + strings.Repeat("a", maxScreen)); v.State != StateIdle {
		t.Error("more than a screen was read")
	}
}

// TestBadPatternByHand: a manifest that did not come from the decoder.
func TestBadPatternByHand(t *testing.T) {
	r := NewRules(&Manifest{TitleStatus: &TitleStatus{Working: []string{"(", "w"}}})
	if v := r.ClassifyTitle("w"); v.Rule != "titleStatus.working[1]" {
		t.Errorf("got %+v", v)
	}
}

func TestRulesTogether(t *testing.T) {
	c, _ := LoadBundled()
	m, _ := c.ByID("claudeCode")
	r := NewRules(m)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if r.ClassifyTitle("◐ x").State != StateWorking || r.ClassifyScreen("· esc to interrupt").State != StateWorking {
				t.Error("not working")
			}
		})
	}
	wg.Wait()
}

// TestEveryRuleWasSeen holds that no rule of a recorded agent is there
// without a recording that needs it.
func TestEveryRuleWasSeen(t *testing.T) {
	c, _ := LoadBundled()
	unseen := map[string]bool{}
	for _, r := range recordings(t) {
		m, _ := c.ByID(r.agent)
		rules := NewRules(m)
		for _, rule := range append(rules.title, rules.screen...) {
			text := r.titleText
			if strings.HasPrefix(rule.key, "status.") {
				text = bottom(r.text, rules.rows)
			}
			key := r.agent + " " + rule.key
			if _, known := unseen[key]; !known {
				unseen[key] = true
			}
			if rule.re().MatchString(text) {
				unseen[key] = false
			}
		}
	}
	for key, u := range unseen {
		if u {
			t.Errorf("%s matches no recording", key)
		}
	}
}

// TestRecordedTitleStreams replays every title of a whole session; the changes
// of state are those of its turns.
func TestRecordedTitleStreams(t *testing.T) {
	c, _ := LoadBundled()
	for agent, want := range map[string]string{
		"claudeCode": "i" + strings.Repeat(" w i", 15),
		"codex":      "i w i w i w i w a w i w i w i w i w a w i w a w i w i",
		"gemini":     "i w i w i w a w i w a w i w a w i w i w a i w i",
		"qwen":       "i w i w i w a w i w i w a w i w a w i w i w i w i w",
	} {
		m, _ := c.ByID(agent)
		got := titleStates(t, NewRules(m), filepath.Join("testdata", "agents", agent, "titles.txt"))
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s:\n got %s\nwant %s", agent, s, want)
		}
	}
}

// titleStates are the first letters of the states that a stream of titles goes
// through.
func titleStates(t *testing.T, r *Rules, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		_, osc, _ := strings.Cut(line, " ")
		title, ok := strings.CutPrefix(osc, "0;")
		if !ok {
			continue
		}
		if s := string(r.ClassifyTitle(title).State[:1]); len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return out
}

func TestReadySigns(t *testing.T) {
	c, _ := LoadBundled()
	ready := map[string]bool{}
	for _, r := range recordings(t) {
		m, _ := c.ByID(r.agent)
		if NewRules(m).ScreenReady(r.text) {
			ready[r.agent+"/"+r.name] = true
		}
	}
	for name, want := range map[string]bool{
		"claudeCode/01-idle": true, "claudeCode/fresh-03-seed-onboarding": false, "claudeCode/fresh-04-after-trust": false, "claudeCode/v2.1.197-01-settings-error": false,
		"codex/02-idle": true, "codex/01-start": false, "codex/fresh-03-provider-nodaemon": false, "codex/fresh-01-no-config-nodaemon": false,
		"opencode/01-idle": true, "copilot/01-idle": true, "copilot/fresh-01": false,
		"gemini/01-idle": true, "gemini/fresh-01": false, "gemini/fresh-02-after-trust": false, "qwen/01-idle": true, "pi/01-idle": true,
	} {
		if ready[name] != want {
			t.Errorf("%s: ready is %v", name, ready[name])
		}
	}
}

func TestLegacySpinners(t *testing.T) {
	c, _ := LoadBundled()
	m, _ := c.ByID("claudeCode")
	r := NewRules(m)
	got := map[string]State{}
	for _, title := range []string{"⠂ name", "⠐ name", "◐ name", "◓ name", "✳ name", "name", "◐name"} {
		got[title] = r.ClassifyTitle(title).State
	}
	want := map[string]State{
		"⠂ name": StateWorking, "⠐ name": StateWorking, "◐ name": StateWorking, "◓ name": StateWorking,
		"✳ name": StateIdle, "name": StateIdle, "◐name": StateIdle,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func BenchmarkClassify(b *testing.B) {
	c, _ := LoadBundled()
	m, _ := c.ByID("claudeCode")
	screen, err := os.ReadFile(filepath.Join("testdata", "agents", "claudeCode", "03-working.txt"))
	if err != nil {
		b.Fatal(err)
	}
	text := string(screen)
	b.Run("title", func(b *testing.B) {
		r := NewRules(m)
		b.ReportAllocs()
		for b.Loop() {
			r.ClassifyTitle("✳ Fake session title")
		}
	})
	b.Run("screen", func(b *testing.B) {
		r := NewRules(m)
		b.ReportAllocs()
		for b.Loop() {
			r.ClassifyScreen(text)
		}
	})
}
