package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
)

// talkOf is a chat with so many messages, each a line that says its number.
func talkOf(t *testing.T, n int) *Chat {
	j := newJournal(t)
	for i := range n {
		j.turn(i+1, fmt.Sprintf("prompt %d", i)).say(fmt.Sprintf("answer %d", i)).done(i+1, "end_turn")
	}
	return j.chat(true)
}

func seen(c *Chat, w, h int) string { return frameText(c.Frame(w, h, 0, noon)) }

func stream(c *Chat, text string) {
	c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventStream, Kind: "message", Text: text}}}, noon)
}

// TestScrolling: the end is followed until somebody scrolls; then the same text
// stays in sight whatever comes, until the end is gone to.
func TestScrolling(t *testing.T) {
	c := talkOf(t, 50)
	if s := seen(c, 60, 20); !strings.Contains(s, "answer 49") {
		t.Fatalf("the end is not shown:\n%s", s)
	}
	stream(c, "and more")
	if s := seen(c, 60, 20); !strings.Contains(s, "answer 49and more") {
		t.Errorf("the end is not followed:\n%s", s)
	}
	c.Wheel(40)
	before := seen(c, 60, 20)
	if strings.Contains(before, "answer 49") || !strings.Contains(before, "further up") {
		t.Errorf("scrolled back:\n%s", before)
	}
	stream(c, strings.Repeat("\n\nanother paragraph", 30))
	if after := seen(c, 60, 20); after != before {
		t.Errorf("what comes moves what is read:\n%s\nbefore:\n%s", after, before)
	}
	keys(c, "esc")
	if s := seen(c, 60, 20); !strings.Contains(s, "another paragraph") {
		t.Errorf("Esc does not go to the end:\n%s", s)
	}
	c.Wheel(10)
	c.Wheel(-10)
	if c.Back() {
		t.Error("back at the end, and not following it")
	}
	c.Wheel(1 << 20)
	if s := seen(c, 60, 20); !strings.HasPrefix(s, "❯ prompt 0") {
		t.Errorf("the begin:\n%s", s)
	}
}

// TestResizeKeepsThePlace has the text at the top stay there.
func TestResizeKeepsThePlace(t *testing.T) {
	j := newJournal(t)
	for i := range 40 {
		j.turn(i+1, fmt.Sprint("prompt ", i)).say(fmt.Sprintf("mark%d ", i)+strings.Repeat("lorem ipsum dolor ", 20)).done(i+1, "end_turn")
	}
	c := j.chat(true)
	seen(c, 100, 20)
	c.Wheel(100)
	top := strings.Fields(seen(c, 100, 20))
	var mark string
	for _, w := range top {
		if strings.HasPrefix(w, "mark") {
			mark = w
			break
		}
	}
	for _, w := range []int{40, 200, 13, 100} {
		if s := seen(c, w, 20); w > 20 && !strings.Contains(s, mark) {
			t.Errorf("%s is out of sight at %d columns:\n%s", mark, w, s)
		}
	}
}

// TestEveryFrameFits draws after any keys at any size.
func TestEveryFrameFits(t *testing.T) {
	names := []string{
		"enter", "esc", "tab", "shift+tab", "up", "down", "left", "pgup", "pgdown", "ctrl+o", "ctrl+t", "ctrl+r", "ctrl+c", "ctrl+j", "backspace", "ctrl+u", "/", "@", "1", "2", "a", "词", " ", "j", "k", "g", "G", "v", "V", "y", "Y", "n", "N", "q", "w", "]", "home", "end", "ctrl+w", "f",
	}
	rapid.Check(t, func(rt *rapid.T) {
		j := sample(t)
		if rapid.Bool().Draw(rt, "asks") {
			j.note(permission(1, "e1", "Edit it?\nReally?"))
		}
		c := j.chat(rapid.Bool().Draw(rt, "unicode"))
		c.Files([]string{"a.go", "b/c.txt", "with space.md"})
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			keys(c, rapid.SampledFrom(names).Draw(rt, "key"))
			w, h := rapid.IntRange(4, 90).Draw(rt, "w"), rapid.IntRange(1, 30).Draw(rt, "h")
			check(t, c.Frame(w, h, 0, noon), w, h)
			if x, y := rapid.IntRange(0, 90).Draw(rt, "x"), rapid.IntRange(0, 30).Draw(rt, "y"); rapid.Bool().Draw(rt, "click") {
				c.Press(x, y, 1, noon.Add(time.Hour))
				c.Drag(x/2, y/2)
				c.Release(x/2, y/2)
			}
			if t.Failed() {
				rt.Fatal("a frame does not fit")
			}
		}
	})
}

func TestReadingAndCopying(t *testing.T) {
	j := newJournal(t)
	j.turn(1, "first prompt").say("A paragraph that is long enough to be broken into several lines, and `code`.\n\n- one\n- two")
	j.update(`{"sessionUpdate":"tool_call","toolCallId":"x","kind":"read","title":"Read it","status":"completed","content":[{"type":"content","content":{"type":"text","text":"hidden needle"}}]}`)
	j.think("a needle in a thought")
	c := j.done(1, "end_turn").chat(true)
	seen(c, 40, 24)
	keys(c, "tab")
	if !c.Reading() {
		t.Fatal("Tab does not read")
	}
	keys(c, "g", "j", "j", "V", "j")
	out := keys(c, "y")
	if want := []Action{Copy{"A paragraph that is long enough to be broken into several lines, and code."}}; !slices.Equal(out, want) {
		t.Errorf("%q, want %q", out, want)
	}
	if out := keys(c, "Y"); !slices.Equal(out, []Action{Copy{"A paragraph that is long enough to be broken into several lines, and `code`.\n\n- one\n- two"}}) {
		t.Errorf("the message: %q", out)
	}
	// An item of a list that is broken is one line, without what stands before it.
	long := newJournal(t).turn(1, "x").say("- an item that is long enough to be broken into two lines").chat(true)
	seen(long, 40, 24)
	keys(long, "tab", "g", "j", "j", "V", "j")
	if out := keys(long, "y"); !slices.Equal(out, []Action{Copy{"• an item that is long enough to be broken into two lines"}}) {
		t.Errorf("%q", out)
	}
	// Who reads is not taken along by what comes.
	keys(long, "g")
	seen(long, 40, 24)
	stream(long, strings.Repeat("\n\nmore", 40))
	if s := seen(long, 40, 24); !strings.HasPrefix(s, "❯ x") {
		t.Errorf("%s", s)
	}
	// A word, and part of two lines.
	keys(c, "g", "j", "j", "l", "l", "w")
	if out := keys(c, "y"); !slices.Equal(out, []Action{Copy{"paragraph"}}) {
		t.Errorf("the word: %q", out)
	}
	// What is folded is found and opened, the newest first.
	keys(c, "G", "/")
	typed(c, "NEEDLE")
	keys(c, "enter")
	if s := seen(c, 40, 24); !strings.Contains(s, "▾ thought") || strings.Contains(s, "hidden needle") {
		t.Errorf("the first match:\n%s", s)
	}
	keys(c, "n")
	if s := seen(c, 40, 24); !strings.Contains(s, "hidden needle") {
		t.Errorf("the second match:\n%s", s)
	}
	f := c.Frame(40, 24, 0, noon)
	if text := f.Lines[f.Y].Text(); !strings.Contains(text, "hidden needle") || f.X != strings.Index(text, "needle") {
		t.Errorf("the cursor is at %d of %q", f.X, text)
	}
	if !slices.ContainsFunc(f.Lines[f.Y].Spans, func(s Span) bool { return s.Text == "needle" && s.Style&Under != 0 }) {
		t.Errorf("the match is not marked: %+v", f.Lines[f.Y].Spans)
	}
	keys(c, "/")
	typed(c, "nowhere")
	if out := keys(c, "enter"); !slices.Equal(out, []Action{Say{"not found: nowhere"}}) {
		t.Errorf("%q", out)
	}
	keys(c, "q")
	if c.Reading() {
		t.Error("q goes on reading")
	}
}

// TestMouse opens with a click, copies by dragging, and answers.
func TestMouse(t *testing.T) {
	c := sample(t).note(permission(4, "", "Go on?")).chat(true)
	find := func(text string) (int, int) {
		for y, l := range c.Frame(80, 40, 0, noon).Lines {
			if i := strings.Index(l.Text(), text); i >= 0 {
				return columnAt(l.Text(), i), y
			}
		}
		t.Fatalf("%q is not on the frame", text)
		return 0, 0
	}
	later := noon.Add(time.Hour)
	x, y := find("go test ./...")
	c.Press(x, y, 1, later)
	c.Release(x, y)
	if _, y2 := find("FAIL parser"); y2 != y+2 {
		t.Errorf("the output is at %d", y2)
	}
	x, y = find("parser.go and")
	c.Press(x, y, 1, later)
	c.Drag(x+8, y)
	if out := c.Release(x+8, y); !slices.Equal(out, []Action{Copy{"parser.go"}}) {
		t.Errorf("%q", out)
	}
	x, y = find("Always allow")
	if out := c.Press(x, y, 1, later); !slices.Equal(out, []Action{Answer{4, 0, "2"}}) {
		t.Errorf("%q", out)
	}
	if out := c.Press(x, y, 1, later); len(out) != 0 {
		t.Errorf("a second click answers again: %q", out)
	}
}

// TestQuestions: digits answer while nothing is typed, and not in the moment in
// which the question comes up.
func TestQuestions(t *testing.T) {
	j := sample(t)
	c := j.chat(true)
	seen(c, 80, 24)
	ask := func(ev acphost.Event) {
		c.Apply([]Event{{Event: ev}}, noon)
		seen(c, 80, 24)
	}
	ask(permission(1, "", "Go on?"))
	if out := c.Key("1", "1", noon.Add(grace/2)); len(out) != 0 || c.Draft() != "" {
		t.Errorf("a key that was meant for what was there before: %q", out)
	}
	typed(c, "1x")
	if c.Draft() == "1x" {
		t.Error("the digit was typed")
	}
	c = j.chat(true)
	c.SetDraft("half a prompt 1")
	ask(permission(1, "", "Go on?"))
	typed(c, "2")
	if out := keys(c, "enter"); len(out) != 1 || c.Draft() != "half a prompt 12" {
		t.Errorf("a prompt that is being typed answers: %q, and %q is left", out, c.Draft())
	} else if _, ok := out[0].(Say); !ok {
		t.Errorf("%q", out)
	}
	c.SetDraft("")
	if out := typed(c, "3"); !slices.Equal(out, []Action{Answer{1, 0, "3"}}) {
		t.Errorf("%q", out)
	}
	// What is typed before the agent has the answer is no second answer.
	typed(c, "next")
	if out := keys(c, "enter"); len(out) != 1 || fmt.Sprintf("%T", out[0]) != "chat.SendPrompt" || c.Draft() != "" {
		t.Errorf("a prompt right behind an answer: %q, and %q is left", out, c.Draft())
	}
	ask(acphost.Event{Type: acphost.EventAnswered, ID: 1, Answer: "Reject"})
	if s := seen(c, 80, 24); !strings.Contains(s, "– Go on?: Reject") || strings.Contains(s, "asks") {
		t.Errorf("%s", s)
	}
	pages := []acphost.Page{
		{Field: "n", Text: "How many", Type: "integer", Free: true},
		{Field: "tags", Text: "Tags", Type: "array", Multi: true, Optional: true, Choices: []acphost.Choice{{ID: "a", Name: "Alpha"}, {ID: "b", Name: "Beta"}, {ID: "c", Name: "Gamma"}}},
		{Field: "note", Text: "Note", Type: "string", Free: true, Optional: true},
	}
	form := func(page int) acphost.Event {
		return acphost.Event{Type: acphost.EventQuestion, ID: 2, Page: page, Kind: "form", Question: &acphost.Question{ID: 2, Pages: pages}}
	}
	ask(form(0))
	for _, bad := range []string{"many", ""} {
		typed(c, bad)
		if out := keys(c, "enter"); len(out) != 1 || fmt.Sprintf("%T", out[0]) != "chat.Say" {
			t.Errorf("%q: %q", bad, out)
		}
		keys(c, "ctrl+u")
	}
	typed(c, "12")
	if out := keys(c, "enter"); !slices.Equal(out, []Action{Answer{2, 0, "12"}}) {
		t.Errorf("%q", out)
	}
	typed(c, "early")
	if out := keys(c, "enter"); len(out) != 1 || fmt.Sprintf("%T", out[0]) != "chat.Say" || c.Draft() != "early" {
		t.Errorf("an answer ahead of its page: %q, and %q is left", out, c.Draft())
	}
	c.SetDraft("")
	ask(acphost.Event{Type: acphost.EventAnswered, ID: 2, Answer: "12"})
	ask(form(1))
	// Its second page takes keys at once: they follow the answer to the first.
	c.Key("1", "1", noon)
	typed(c, "3")
	if s := seen(c, 80, 24); !strings.Contains(s, "☑ Alpha") || !strings.Contains(s, "☐ Beta") || !strings.Contains(s, "(2 of 3)") {
		t.Errorf("%s", s)
	}
	if out := keys(c, "enter"); !slices.Equal(out, []Action{Answer{2, 1, "1,3"}}) {
		t.Errorf("%q", out)
	}
	ask(acphost.Event{Type: acphost.EventAnswered, ID: 2, Answer: "1,3"})
	ask(form(2))
	if out := keys(c, "enter"); !slices.Equal(out, []Action{Answer{2, 2, ""}}) {
		t.Errorf("%q", out)
	}
	ask(acphost.Event{Type: acphost.EventAnswered, ID: 2})
	if out := keys(c, "esc"); !slices.Equal(out, []Action{Cancel{}}) {
		t.Errorf("Esc: %q", out)
	}
}

// TestPrompt types, sends, recalls and completes.
func TestPrompt(t *testing.T) {
	c := sample(t).done(1, "end_turn").chat(true)
	seen(c, 80, 24)
	typed(c, "look at ")
	keys(c, "ctrl+j")
	out := typed(c, "@")
	if !slices.Contains(out, Action(WantFiles{})) {
		t.Errorf("files are not asked for: %q", out)
	}
	c.Files([]string{"README.md", "internal/parse/parser.go", "with space.txt"})
	typed(c, "pars")
	if s := seen(c, 80, 24); !strings.Contains(s, "▸ internal/parse/parser.go") {
		t.Errorf("%s", s)
	}
	keys(c, "enter")
	c.Paste("'/tmp/my shot.PNG'\n")
	if got := c.Draft(); got != "look at \n@internal/parse/parser.go @\"/tmp/my shot.PNG\" " {
		t.Errorf("%q", got)
	}
	out = keys(c, "enter")
	if len(out) != 1 {
		t.Fatalf("%q", out)
	}
	sent, _ := out[0].(SendPrompt)
	if sent.Text != "look at \n@internal/parse/parser.go @\"/tmp/my shot.PNG\"" || !slices.Equal(sent.Attach, []string{"internal/parse/parser.go", "/tmp/my shot.PNG"}) {
		t.Errorf("%+v", sent)
	}
	if out := keys(c, "enter"); len(out) != 0 {
		t.Errorf("an empty prompt: %q", out)
	}
	keys(c, "up")
	if c.Draft() != "refactor the parser\nand keep the tests green" {
		t.Errorf("recalled %q", c.Draft())
	}
	keys(c, "up", "down", "down")
	if c.Draft() != "" {
		t.Errorf("back at what was typed: %q", c.Draft())
	}
	typed(c, "/rev")
	keys(c, "tab")
	if c.Draft() != "/review " {
		t.Errorf("%q", c.Draft())
	}
	keys(c, "ctrl+u")
	typed(c, "not /rev")
	if strings.Contains(seen(c, 80, 24), "commands") {
		t.Error("commands are offered in the middle of a prompt")
	}
	keys(c, "ctrl+u")
	typed(c, "/init")
	if out := keys(c, "enter"); len(out) != 1 || out[0].(SendPrompt).Text != "/init" {
		t.Errorf("a whole command is not sent: %q", out)
	}
}

// TestMentions: which words name files.
func TestMentions(t *testing.T) {
	for text, want := range map[string][]string{
		"see @a.go, and (@b/c.go)": {"a.go", "b/c.go"},
		`@"a b.txt" x@y.z @`:       {"a b.txt"},
		"mail me@example.com":      nil,
		"@a\n@b":                   {"a", "b"},
	} {
		if got := mentions(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestQueue shows what waits, takes the newest back, and forgets a queue whose
// host has gone.
func TestQueue(t *testing.T) {
	c := sample(t).chat(true)
	seen(c, 80, 24)
	waits := func(id int, text string) {
		c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventQueued, ID: id, Text: text}}}, noon)
	}
	for i := range 5 {
		waits(i+2, fmt.Sprint("waiting ", i))
	}
	if s := seen(c, 80, 24); strings.Count(s, "waits: ") != 3 || !strings.Contains(s, "and 2 more") {
		t.Errorf("%s", s)
	}
	if out := keys(c, "up"); !slices.Equal(out, []Action{Withdraw{6}}) || c.Draft() != "waiting 4" {
		t.Errorf("%q, %q", out, c.Draft())
	}
	c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventWithdrawn, ID: 6, Text: "waiting 4"}}}, noon)
	c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventPrompt, ID: 2, Text: "waiting 0"}}}, noon)
	if q := c.Waiting(); len(q) != 3 || q[0].ID != 3 {
		t.Errorf("%+v", q)
	}
	// A prompt that never waited: another host, with an empty queue.
	c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventPrompt, ID: 1, Text: "anew"}}}, noon)
	if q := c.Waiting(); len(q) != 0 {
		t.Errorf("%+v", q)
	}
}

// TestOptions chooses a model, and goes through the modes.
func TestOptions(t *testing.T) {
	// Before the agent was started it has to be, to be asked.
	c := New(Options{Unicode: true})
	seen(c, 80, 24)
	if out := keys(c, "ctrl+o"); !slices.Contains(out, Action(Start{})) {
		t.Errorf("%q", out)
	}
	sample(t).done(1, "end_turn").read(c)
	if s := seen(c, 80, 24); !strings.Contains(s, "▸ Model  Big 5") {
		t.Errorf("the menu does not open:\n%s", s)
	}
	c = New(Options{Unicode: true})
	if out := typed(c, "/"); !slices.Contains(out, Action(Start{})) {
		t.Errorf("%q", out)
	}
	sample(t).done(1, "end_turn").read(c)
	if s := seen(c, 80, 24); !strings.Contains(s, "▸ /init") {
		t.Errorf("the commands are not offered:\n%s", s)
	}
	c = sample(t).done(1, "end_turn").chat(true)
	seen(c, 80, 24)
	keys(c, "ctrl+o")
	if s := seen(c, 80, 24); !strings.Contains(s, "▸ Model  Big 5") || !strings.Contains(s, "Effort  High") {
		t.Fatalf("%s", s)
	}
	keys(c, "enter")
	typed(c, "small")
	if out := keys(c, "enter"); !slices.Equal(out, []Action{SetOption{"model", "small"}}) {
		t.Errorf("%q", out)
	}
	if out := keys(c, "shift+tab"); !slices.Equal(out, []Action{SetOption{"mode", "code"}}) {
		t.Errorf("%q", out)
	}
	keys(c, "ctrl+o", "esc")
	if c.menu != nil {
		t.Error("Esc leaves the menu open")
	}
	// What somebody else sets is seen.
	j := newJournal(t)
	j.raw(acphost.FromClient, `{"jsonrpc":"2.0","id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"model","value":"small"}}`)
	j.raw(acphost.FromAgent, `{"jsonrpc":"2.0","id":3,"result":{"configOptions":[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"small","options":[{"value":"small","name":"Small 5"}]}]}}`)
	j.read(c)
	if s := seen(c, 80, 24); !strings.Contains(s, "Small 5") {
		t.Errorf("%s", s)
	}
}

// TestReplayIsToldOnce leaves out what an agent replays where the journal has
// it, and shows it where it has not.
func TestReplayIsToldOnce(t *testing.T) {
	replay := func(j *journal) *journal {
		return j.note(acphost.Event{Type: acphost.EventReplay, ProviderSessionID: "s"}).chunk(acp.UpdateUser, "old prompt").say("old answer").
			note(acphost.Event{Type: acphost.EventReady, ProviderSessionID: "s"})
	}
	c := replay(newJournal(t)).turn(1, "new prompt").say("new answer").chat(true)
	if s := seen(c, 80, 24); !strings.Contains(s, "❯ old prompt\n\nold answer\n\n❯ new prompt\n\nnew answer") {
		t.Errorf("%s", s)
	}
	c = replay(newJournal(t).turn(1, "first").say("one").done(1, "end_turn")).turn(2, "second").chat(true)
	if s := seen(c, 80, 24); strings.Contains(s, "old answer") {
		t.Errorf("%s", s)
	}
}

// TestBounds: the oldest blocks go where there is too much, and what is read
// stays in sight.
func TestBounds(t *testing.T) {
	c := talkOf(t, 60)
	seen(c, 60, 20)
	c.Wheel(30)
	before := seen(c, 60, 20)
	c.Log.size += maxLog
	c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventContent, Block: []byte(`{"type":"image","mimeType":"image/png","data":"AAAA"}`)}}}, noon)
	if c.Log.gone == 0 {
		t.Fatal("nothing was dropped")
	}
	if after := seen(c, 60, 20); after != before {
		t.Errorf("%s\nbefore\n%s", after, before)
	}
	c.Wheel(1 << 20)
	if s := seen(c, 60, 20); strings.Contains(s, "prompt 0\n") {
		t.Errorf("%s", s)
	}
}

// TestCutOff: a turn whose host died has no end in the journal. Who connects to
// the next host knows that it is over; one that began since goes on.
func TestCutOff(t *testing.T) {
	rest := func(c *Chat, at time.Time) { c.Apply([]Event{{Event: acphost.Event{Type: EventAtRest}, At: at}}, at) }
	c := sample(t).note(permission(1, "", "Go on?")).chat(true)
	rest(c, noon.Add(-time.Minute))
	if s := seen(c, 80, 24); !strings.Contains(s, "? asks") {
		t.Errorf("a turn that began later:\n%s", s)
	}
	rest(c, noon.Add(time.Hour))
	if s := seen(c, 80, 24); strings.Contains(s, "asks") || strings.Contains(s, "working") || !strings.Contains(s, "the turn was cut off") {
		t.Errorf("%s", s)
	}
}

// TestLayoutsAreForgotten where there are many.
func TestLayoutsAreForgotten(t *testing.T) {
	c := talkOf(t, 3)
	for range 2 * maxLaid {
		c.Log.Apply(Event{Event: acphost.Event{Type: acphost.EventContent, Block: []byte(`{"type":"image"}`)}})
	}
	seen(c, 60, 20)
	for range len(c.Log.Blocks) {
		c.Wheel(10)
		seen(c, 60, 20)
	}
	made := 0
	for _, b := range c.Log.Blocks {
		if b.cache.made {
			made++
		}
	}
	if made > maxLaid+100 {
		t.Errorf("%d layouts are kept", made)
	}
	if s := seen(c, 60, 20); !strings.HasPrefix(s, "❯ prompt 0") {
		t.Errorf("%s", s)
	}
}

// TestTerminals of both kinds: those that the agent asks us for, and those that
// it tells of beside a tool call.
func TestTerminals(t *testing.T) {
	j := newJournal(t).turn(1, "run it")
	j.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"make","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"own"}],"_meta":{"terminal_info":{"terminal_id":"own"}}}`)
	for _, data := range []string{`one\n`, `two\n`} {
		j.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"own","data":"` + data + `"}}}`)
	}
	c := j.chat(true)
	keys(c, "ctrl+r")
	if s := seen(c, 60, 24); !strings.Contains(s, "▾ ◐ make\n    one\n    two\n") {
		t.Errorf("while it runs:\n%s", s)
	}
	j.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","_meta":{"terminal_exit":{"terminal_id":"own","exit_code":2,"signal":null}}}`)
	c = j.chat(true)
	if s := seen(c, 60, 24); !strings.Contains(s, "▸ × make exit 2") {
		t.Errorf("at its end:\n%s", s)
	}
}
