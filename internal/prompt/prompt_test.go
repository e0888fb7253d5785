package prompt

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		" \n\t\n":                         "",
		"---\n\n# Fix the build\nnow":     "Fix the build",
		"- `one`\ntwo":                    "one`",
		"one\ntwo":                        "one",
		"a\t b\x00\x07c":                  "a bc",
		"bad \xff utf8":                   "bad utf8",
		"rtl \u202e trick":                "rtl trick",
		"👩\u200d👩\u200d👧 stays":           "👩\u200d👩\u200d👧 stays",
		strings.Repeat("漢", 70):           strings.Repeat("漢", 63) + "…",
		strings.Repeat("x", MaxTitle):     strings.Repeat("x", MaxTitle),
		strings.Repeat("seven77 ", 10):    strings.TrimSpace(strings.Repeat("seven77 ", 7)) + "…",
		Envelope(link, "fix it"):          "fix it",
		Envelope(link, "# fix\nit"):       "fix",
		Envelope(link, "x")[:60]:          "",
		"[other: y] is no envelope of us": "[other: y] is no envelope of us",
	} {
		if got := Title(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := Clean(" - my\n\x1b[31mtitle "); got != "- my [31mtitle" {
		t.Errorf("a person's own title: %q", got)
	}
}

const link = "termio://session/ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44"

func TestEnvelope(t *testing.T) {
	one := Envelope(link, "fix it")
	if strings.Contains(one, "\n") || !strings.HasSuffix(one, "] fix it") {
		t.Errorf("a task of one line does not stay one: %q", one)
	}
	if several := Envelope(link, "a\nb"); !strings.HasSuffix(several, "]\n\na\nb") {
		t.Errorf("a task of several lines: %q", several)
	}
	for _, says := range []string{"`termio sessions send " + link + " ", "transcript", "QUESTION:", "DONE:"} {
		if !strings.Contains(one, says) {
			t.Errorf("it does not say %q", says)
		}
	}
	if len(one) > 600 {
		t.Errorf("the envelope has %d bytes, it must be short", len(one))
	}
	rapid.Check(t, func(t *rapid.T) {
		task := rapid.StringMatching(`[a-z\]\[][ a-z\n\]\[]*`).Draw(t, "task")
		if got := Task(Envelope(link, task)); got != task {
			t.Fatalf("the task %q comes out as %q", task, got)
		}
	})
	for text, want := range map[string]bool{one: true, "✳ Termio: the session": true, "OC | [termio: the ses…": true, "termio sessions": false, "": false} {
		if HasEnvelope(text) != want {
			t.Errorf("HasEnvelope(%q) is %v", text, !want)
		}
	}
}
