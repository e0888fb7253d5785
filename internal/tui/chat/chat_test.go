package chat

import (
	"encoding/json/v2"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/vt"
)

var update = flag.Bool("update", false, "write the golden frames anew")

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// journal writes a session's journal, a second an entry.
type journal struct {
	t     testing.TB
	lines [][]byte
	at    time.Time
}

func newJournal(t testing.TB) *journal { return &journal{t: t, at: noon} }

func (j *journal) add(e acphost.Entry) *journal {
	j.t.Helper()
	e.Seq, e.At = uint64(len(j.lines)+1), j.at
	line, err := json.Marshal(e)
	if err != nil {
		j.t.Fatal(err)
	}
	j.lines = append(j.lines, line)
	j.at = j.at.Add(time.Second)
	return j
}

func (j *journal) note(ev acphost.Event) *journal {
	return j.add(acphost.Entry{From: acphost.FromHost, Note: &ev})
}

func (j *journal) raw(from, msg string) *journal {
	return j.add(acphost.Entry{From: from, Msg: []byte(msg)})
}

func (j *journal) update(u string) *journal {
	return j.raw(acphost.FromAgent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+u+`}}`)
}

func (j *journal) chunk(kind, text string) *journal {
	q, _ := json.Marshal(text)
	return j.update(fmt.Sprintf(`{"sessionUpdate":%q,"content":{"type":"text","text":%s}}`, kind, q))
}

func (j *journal) say(text string) *journal   { return j.chunk(acp.UpdateMessage, text) }
func (j *journal) think(text string) *journal { return j.chunk(acp.UpdateThought, text) }

// turn begins one.
func (j *journal) turn(id int, text string) *journal {
	return j.note(acphost.Event{Type: acphost.EventPrompt, ID: id, Text: text, Turn: id}).
		note(acphost.Event{Type: acphost.EventReady, ProviderSessionID: "s"}).
		note(acphost.Event{Type: acphost.EventTurn, Turn: id, ProviderSessionID: "s"})
}

func (j *journal) done(id int, reason string) *journal {
	return j.note(acphost.Event{Type: acphost.EventCompleted, ID: id, StopReason: reason})
}

// read gives everything to a chat, as one that follows does.
func (j *journal) read(c *Chat) *Chat {
	j.t.Helper()
	r := &Reader{}
	for _, line := range j.lines {
		events, err := r.Line(line)
		if err != nil {
			j.t.Fatal(err)
		}
		c.Apply(events, j.at)
	}
	c.Apply(r.Flush(), j.at)
	return c
}

func (j *journal) chat(unicode bool) *Chat {
	return j.read(New(Options{Unicode: unicode, Agent: "Gamma"}))
}

const sampleMessage = "# Plan\n\nI read **parser.go** and `lexer.go`; see [the docs](https://example.com/docs).\n\n" +
	"1. First the *lexer*,\n2. then the parser:\n   - tokens ✓\n   - ~~states~~ gone\n\n> A quote that is long enough to be broken in a narrow pane, I think.\n\n" +
	"```go\n// add adds\nfunc add(a, b int) int {\n\treturn a + b // \"sum\"\n}\n```\n\n" +
	"| file | lines | what |\n|:---|---:|---|\n| parser.go | 120 | the parser, with its states |\n| 词法.go | 7 | 词法分析器 |\n\n- [x] done\n- [ ] open\n\n---\nEnd.\n"

// sample is a conversation with everything in it.
func sample(t testing.TB) *journal {
	j := newJournal(t)
	j.turn(1, "refactor the parser\nand keep the tests green")
	j.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init","description":"make a file"},{"name":"review","description":"look at changes","input":{"hint":"what"}}]}`)
	j.update(`{"sessionUpdate":"config_option_update","configOptions":[` +
		`{"id":"model","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big 5","description":"the largest"},{"value":"small","name":"Small 5"}]},` +
		`{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},` +
		`{"id":"effort","name":"Effort","category":"thought_level","type":"select","currentValue":"high","options":[{"value":"low","name":"Low"},{"value":"high","name":"High"}]}]}`)
	j.think("The parser has **two** passes. ").think("I should look at both.\n\nThen decide.")
	j.update(`{"sessionUpdate":"plan","entries":[{"content":"Read the code","priority":"high","status":"completed"},{"content":"Change the lexer","priority":"high","status":"in_progress"},{"content":"Run the tests","priority":"low","status":"pending"}]}`)
	j.update(`{"sessionUpdate":"tool_call","toolCallId":"r1","kind":"read","title":"Read parser.go","status":"completed","locations":[{"path":"/w/parser.go","line":3}],"content":[{"type":"content","content":{"type":"text","text":"package parser"}}]}`)
	j.update(`{"sessionUpdate":"tool_call","toolCallId":"e1","kind":"edit","title":"Edit ` + "`/w/parser.go`" + `","status":"completed","content":[{"type":"diff","path":"/w/parser.go","oldText":"package parser\n\nfunc old() {}\n\nvar x = 1\n","newText":"package parser\n\nfunc parse() {}\nfunc lex() {}\n\nvar x = 1\n"}]}`)
	j.update(`{"sessionUpdate":"tool_call","toolCallId":"x1","kind":"execute","title":"go test ./...","status":"in_progress","content":[{"type":"terminal","terminalId":"t1"}]}`)
	j.raw(acphost.FromAgent, `{"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"sessionId":"s","command":"go","args":["test","./..."]}}`)
	j.raw(acphost.FromClient, `{"jsonrpc":"2.0","id":7,"result":{"terminalId":"t1"}}`)
	j.raw(acphost.FromAgent, `{"jsonrpc":"2.0","id":8,"method":"terminal/output","params":{"sessionId":"s","terminalId":"t1"}}`)
	j.raw(acphost.FromClient, `{"jsonrpc":"2.0","id":8,"result":{"output":"\u001b[31mFAIL\u001b[m parser 0.1s\r\nexit status 1\r\n","truncated":false,"exitStatus":{"exitCode":1}}}`)
	j.update(`{"sessionUpdate":"tool_call_update","toolCallId":"x1","status":"failed"}`)
	j.say(sampleMessage)
	j.update(`{"sessionUpdate":"usage_update","used":34000,"size":200000,"cost":{"amount":0.42,"currency":"USD"}}`)
	return j
}

func frameText(f Frame) string {
	var b strings.Builder
	for i := range f.Lines {
		b.WriteString(strings.TrimRight(f.Lines[i].Text(), " ") + "\n")
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got; go test ./internal/tui/chat -update writes it anew):\n%s", name, diff)
	}
}

// check fails where a line is wider than the frame, or the cursor outside.
func check(t *testing.T, f Frame, w, h int) {
	t.Helper()
	if len(f.Lines) != h {
		t.Errorf("%d lines in %d rows", len(f.Lines), h)
	}
	for i := range f.Lines {
		if n := vt.StringWidth(f.Lines[i].Text()); n > w {
			t.Errorf("%d columns in %d: %q", n, w, f.Lines[i].Text())
		}
	}
	if f.Cursor && (f.X < 0 || f.X >= w || f.Y < 0 || f.Y >= h) {
		t.Errorf("the cursor is at %d,%d of %d×%d", f.X, f.Y, w, h)
	}
}

func TestGoldenFrames(t *testing.T) {
	for _, w := range []int{40, 80, 120, 200} {
		for _, unicode := range []bool{true, false} {
			locale := map[bool]string{true: "utf8", false: "c"}[unicode]
			name := func(what string) string { return fmt.Sprintf("%s-%d-%s", what, w, locale) }
			show := func(what string, h int, c *Chat) {
				f := c.Frame(w, h, 0, noon.Add(40*time.Second))
				check(t, f, w, h)
				golden(t, name(what), frameText(f))
			}
			show("working", 70, sample(t).chat(unicode))
			c := sample(t).chat(unicode)
			c.Frame(w, 24, 0, noon)
			keys(c, "ctrl+t", "ctrl+r")
			show("open", 110, c)
			c = sample(t).raw(acphost.FromAgent, `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"e2","kind":"edit","title":"Edit main.go","content":[{"type":"diff","path":"main.go","oldText":"a\n","newText":"b\n"}]},"options":[]}}`).
				note(permission(1, "e2", "Edit main.go")).chat(unicode)
			show("permission", 30, c)
			c = sample(t).note(acphost.Event{Type: acphost.EventQueued, ID: 2, Text: "then write the changelog, please, with a line for each change that a user can see"}).chat(unicode)
			show("queue", 24, c)
			c = sample(t).done(1, "end_turn").chat(unicode)
			c.Frame(w, 24, 0, noon)
			keys(c, "/")
			show("slash", 24, c)
			c.Key("esc", "", noon)
			keys(c, "ctrl+u", "ctrl+o")
			show("options", 24, c)
		}
	}
}

// keys presses keys: names, or text a character at a time.
func keys(c *Chat, names ...string) (out []Action) {
	for _, n := range names {
		if len(n) > 1 {
			out = append(out, c.Key(n, "", noon.Add(time.Hour))...)
			continue
		}
		out = append(out, c.Key(n, n, noon.Add(time.Hour))...)
	}
	return out
}

func typed(c *Chat, text string) (out []Action) {
	for _, r := range text {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		out = append(out, c.Key(name, string(r), noon.Add(time.Hour))...)
	}
	return out
}

func permission(id int, tool, title string) acphost.Event {
	return acphost.Event{Type: acphost.EventQuestion, ID: id, Kind: "permission", Text: title, Question: &acphost.Question{
		ID: id, Kind: "permission", Tool: tool, Pages: []acphost.Page{{Text: title, Choices: []acphost.Choice{
			{ID: "y", Name: "Allow", Kind: "allow_once"}, {ID: "a", Name: "Always allow", Kind: "allow_always"}, {ID: "n", Name: "Reject", Kind: "reject_once"},
		}}},
	}}
}
