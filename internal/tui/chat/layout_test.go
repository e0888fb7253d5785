package chat

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/vt"
)

var plainDraw = &draw{NewSigns(true), &painter{}}

// TestNothingMovesTheTerminal lays out whatever agents write: no line is wider
// than its room, and none has a control character.
func TestNothingMovesTheTerminal(t *testing.T) {
	pieces := []string{
		"word", "longerthananylinecouldbeinanarrowpane", "**", "*", "`", "```", "\n```go\n", "\n", "\n\n", "- ", "1. ", "> ", "# ", "| a | b |\n|---|---|\n", "|", " ",
		"\t", "\x1b[2J", "\x1b]0;x\x07", "\r", "\x00", "\u0085", "\u202e", "中文", "👩‍👩‍👧‍👦", "e\u0301", "\xff", "[x](y)", "<b>", "&amp;", "\\*", "https://example.com/a_b", "- [x] ", "~~", "---\n", "&#27;", "&#x1b;[31m",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "text"), "")
		w := rapid.IntRange(4, 60).Draw(t, "width")
		b := &Block{Kind: rapid.SampledFrom([]Kind{User, Message, Thought, Note}).Draw(t, "kind"), Text: text, open: unfolded}
		if b.Kind == Note || b.Kind == User {
			b.Text = clean(text) // as the log does
		}
		for _, l := range b.lay(w, b, plainDraw) {
			s := l.Text()
			if n := vt.StringWidth(s); n > w {
				t.Fatalf("%d columns in %d: %q", n, w, s)
			}
			if i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) }); i >= 0 {
				t.Fatalf("a control character in %q", s)
			}
		}
	})
}

// TestWrapKeepsTheText: what is broken into lines can be put together again.
func TestWrapKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}|[一-三]{1,4}`), 1, 20).Draw(t, "words")
		w := rapid.IntRange(6, 30).Draw(t, "width")
		text := strings.Join(words, " ")
		lines := wrapText(text, Plain, w, margins{[]Span{{"> ", Dim}}, []Span{{"  ", Dim}}})
		got := ""
		for i := range lines {
			l := &lines[i]
			if l.width() > w {
				t.Fatalf("%q is wider than %d", l.Text(), w)
			}
			if i > 0 && l.joint == afterWord {
				got += " "
			}
			got += l.Text()[l.pad:]
		}
		if got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// TestHostileFields has every text that an agent gives be one that would do
// harm.
func TestHostileFields(t *testing.T) {
	const bad = `\u001b[2J\u0007x\r\u0000\u009b31m\u202e`
	j := newJournal(t)
	j.turn(1, "prompt \x1b[2J\x07")
	for _, u := range []string{
		`{"sessionUpdate":"tool_call","toolCallId":"a","kind":"BAD","title":"","status":"BAD","locations":[{"path":"BAD"}],"rawInput":{"command":["BAD","BAD"]},"content":[{"type":"diff","path":"BAD","oldText":"BAD\nBAD","newText":"BAD"},{"type":"content","content":{"type":"resource_link","name":"BAD","uri":"BAD"}},{"type":"terminal","terminalId":"t"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"b","title":"BAD","rawInput":{"x":"BAD"},"rawOutput":"BAD"}`,
		`{"sessionUpdate":"plan","entries":[{"content":"BAD","status":"in_progress","priority":"BAD"}]}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"BAD","data":"BAD"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"BAD","uri":"BAD"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"BAD"}}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"BAD","description":"BAD","input":{"hint":"BAD"}}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"id":"BAD","name":"BAD","category":"model","type":"select","currentValue":"BAD","options":[{"value":"BAD","name":"BAD","description":"BAD"}]}]}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":"BAD"}}`,
		`{"sessionUpdate":"current_mode_update","currentModeId":"BAD"}`,
		`{"sessionUpdate":"session_info_update","title":"BAD"}`,
	} {
		j.update(strings.ReplaceAll(u, "BAD", bad))
	}
	j.raw(acphost.FromAgent, `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"command":"`+bad+`"}}`)
	j.raw(acphost.FromClient, `{"jsonrpc":"2.0","id":1,"result":{"terminalId":"t"}}`)
	j.raw(acphost.FromAgent, `{"jsonrpc":"2.0","id":2,"method":"terminal/output","params":{"terminalId":"t"}}`)
	j.raw(acphost.FromClient, `{"jsonrpc":"2.0","id":2,"result":{"output":"`+bad+`","exitStatus":{"signal":"`+bad+`"}}}`)
	evil := "\x1b[2J\x07\r\x00"
	j.note(acphost.Event{Type: acphost.EventDecided, Title: evil, Answer: evil})
	j.note(acphost.Event{Type: acphost.EventExited, Message: evil})
	j.note(acphost.Event{Type: acphost.EventQueued, ID: 7, Text: evil})
	j.note(acphost.Event{Type: acphost.EventQuestion, ID: 1, Question: &acphost.Question{ID: 1, Pages: []acphost.Page{{
		Text: evil + "?", Choices: []acphost.Choice{{ID: evil, Name: evil, Kind: evil, Description: evil}},
	}, {Text: evil}}}})
	c := j.chat(true)
	c.Files([]string{evil + "file"})
	look := func(when string) {
		t.Helper()
		f := c.Frame(70, 60, 0, noon)
		check(t, f, 70, 60)
		for i := range f.Lines {
			if s := f.Lines[i].Text(); strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == 0x202e }) >= 0 {
				t.Errorf("%s: %q", when, s)
			}
		}
	}
	look("at first")
	keys(c, "ctrl+r", "ctrl+t")
	look("open")
	c.Paste(evil)
	look("pasted")
	keys(c, "ctrl+u", "@")
	look("files")
	keys(c, "tab")
	look("a file was taken")
	keys(c, "ctrl+u", "/")
	look("commands")
	keys(c, "esc", "ctrl+u", "ctrl+o")
	look("options")
	keys(c, "enter")
	look("choices")
	c.Lose(evil)
	look("lost")
}

func textOf(lines []Line) string {
	var out []string
	for i := range lines {
		out = append(out, strings.TrimRight(lines[i].Text(), " "))
	}
	return strings.Join(out, "\n")
}

// TestStyles looks at what is emphasized.
func TestStyles(t *testing.T) {
	for _, tt := range []struct {
		source, text string
		style        Style
	}{
		{"a **bold** word", "bold", Bold},
		{"an *italic* word", "italic", Italic},
		{"***both***", "both", Bold | Italic},
		{"some `code` here", "code", Code},
		{"~~gone~~", "gone", Strike},
		{"## Head", "Head", Accent | Bold},
		{"#### Low", "Low", Bold},
		{"[text](http://x.y)", "text", Accent | Under},
		{"[text](http://x.y)", " (http://x.y)", Dim},
		{"see https://x.y/z.", "https://x.y/z", Accent | Under},
		{"snake_case_name", "snake_case_name", Plain},
		{"5 * 3 * 2", "5 * 3 * 2", Plain},
		{"```\nx  y\n```", "x  y", Code},
		{"```diff\n+new\n-old\n```", "+new", Good},
		{"```diff\n+new\n-old\n```", "-old", Bad},
		{`\*stars\* &lt;b&gt; &#42;`, "*stars* <b> *", Plain},
		{"| **a** |\n|---|\n| b |", "a", Bold},
	} {
		found := false
		for _, l := range markdown(tt.source, 60, plainDraw) {
			found = found || slices.Contains(l.Spans, Span{tt.text, tt.style})
		}
		if !found {
			t.Errorf("%q has no %q in style %x: %+v", tt.source, tt.text, tt.style, markdown(tt.source, 60, plainDraw))
		}
	}
}

// TestHighlight asks for a program's styles once, when it is whole.
func TestHighlight(t *testing.T) {
	asked := 0
	d := &draw{NewSigns(true), &painter{highlight: func(language string, lines []string) [][]Span {
		asked++
		return [][]Span{{{"x", Keyword}, {" = 1", Number}}}
	}}}
	markdown("```py\nx = 1\n", 40, d)
	if asked != 0 {
		t.Error("a program that still comes in was looked at")
	}
	for range 3 {
		lines := markdown("```py\nx = 1\n```\n", 40, d)
		if len(lines) != 1 || !slices.Contains(lines[0].Spans, Span{"x", Keyword}) {
			t.Fatalf("%+v", lines)
		}
	}
	if asked != 1 {
		t.Errorf("it was asked for %d times", asked)
	}
}

// TestLongMessageIsCut makes several blocks of a message; together they look as
// one, and a program in it stays one.
func TestLongMessageIsCut(t *testing.T) {
	var l Log
	var want strings.Builder
	piece := "Some words of a paragraph that goes on for a while.\n\n"
	for want.Len() < 3*maxSegment {
		want.WriteString(piece)
	}
	want.WriteString("```go\n")
	for range 1500 {
		want.WriteString("line of code\n")
	}
	want.WriteString("```\nthe end")
	for rest := want.String(); rest != ""; { // in pieces that end anywhere
		n := min(37, len(rest))
		l.text(Message, rest[:n])
		rest = rest[n:]
	}
	if len(l.Blocks) < 5 {
		t.Fatalf("%d blocks", len(l.Blocks))
	}
	v := View{log: &l, draw: plainDraw, width: 80, height: 20}
	if got := v.source(len(l.Blocks) - 1); got != strings.Trim(want.String(), "\n") {
		t.Error("the source is not the text that came")
	}
	code, blanks := 0, 0
	for n := range l.Blocks {
		for _, line := range v.lines(n) {
			switch text := line.Text(); {
			case text == "  line of code":
				code++
				if line.Spans[len(line.Spans)-1].Style != Code {
					t.Fatalf("a line of code in style %x", line.Spans[len(line.Spans)-1].Style)
				}
			case text == "":
				blanks++
			case strings.Contains(text, "```"):
				t.Fatalf("a fence is seen in block %d: %q", n, text)
			}
		}
	}
	if code != 1500 {
		t.Errorf("%d lines of code", code)
	}
	if paragraphs := strings.Count(want.String(), piece); blanks < paragraphs-1 || blanks > paragraphs+1 {
		t.Errorf("%d blank lines between %d paragraphs", blanks, paragraphs)
	}
}

func TestDiff(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{"a\nb\nc\n", "a\nB\nc\n", " a|-b|+B| c"},
		{"", "x\ny\n", "+x|+y"},
		{"x\n", "", "-x"},
		{"a\n", "a\n", " a"},
		{"a\nb\nc\nd", "a\nc\nd\ne", " a|-b| c| d|+e"},
		{"1\n2\n3", "0\n1\n3\n4", "+0| 1|-2| 3|+4"},
	} {
		var got []string
		for _, e := range diffLines(tt.before, tt.after) {
			got = append(got, string(rune(e.op))+e.text)
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%q to %q: %s, want %s", tt.before, tt.after, s, tt.want)
		}
	}
	// Whatever the texts: the old one is what is kept and taken away, the new
	// one what is kept and added, with their numbers.
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 12)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		var before, after []string
		for _, e := range diffLines(strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n") {
			if e.op != '+' {
				before = append(before, e.text)
				if e.a != len(before) {
					t.Fatalf("line %d of the old text is numbered %d", len(before), e.a)
				}
			}
			if e.op != '-' {
				after = append(after, e.text)
				if e.b != len(after) {
					t.Fatalf("line %d of the new text is numbered %d", len(after), e.b)
				}
			}
		}
		if strings.Join(before, "\n") != strings.Join(a, "\n") || strings.Join(after, "\n") != strings.Join(b, "\n") {
			t.Fatalf("%q and %q became %q and %q", a, b, before, after)
		}
	})
}

func TestPlainOutput(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"\x1b[1;31mred\x1b[0m\r\nx", "red\nx"},
		{"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"},
		{"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b(Bc", "abc"},
		{"a\x1b", "a"},
		{"a\x1b[", "a"},
		{"\tx", "    x"},
	} {
		if got := plainOutput(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestTableInNoRoom becomes a list.
func TestTableInNoRoom(t *testing.T) {
	got := textOf(markdown("| name | value | more |\n|---|---|---|\n| alpha | first one | a |\n| beta | second one | b |", 14, plainDraw))
	if !strings.Contains(got, "name: alpha\nvalue: first\none\nmore: a\n\nname: beta") {
		t.Errorf("%s", got)
	}
}
