package history

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func cutAll(text string) []string {
	var c cutter
	out := []string{}
	c.each(text, func(w []byte) { out = append(out, string(w)) })
	return out
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"Fix the failing test!":        "fix the failing test",
		"parseHTTPRequest(x)":          "parsehttprequest parse http request x",
		"snake_case_2 __init__":        "snake_case_2 snake case __init__ init",
		"internal/history.go v1.62.0":  "internal history go v1 62 0",
		"MAX_VALUE utf8 OAuth2Token":   "max_value max value utf8 oauth2token auth2 token",
		"don't":                        "don t",
		"Café naïve ŁÓDŹ":              "cafe naive lodz",
		"cafe\u0301":                   "cafe",
		"漢字変換":                         "漢字 字変 変換 換",
		"字":                            "字",
		"foo漢字bar":                     "foo 漢字 字 bar",
		"한국어 문서":                       "한국 국어 어 문서 서",
		"カタカナ、ひらがな":                    "カタ タカ カナ ナ ひら らが がな な",
		"\x00\xff a":                   "a",
		strings.Repeat("x", 3*maxWord): strings.Repeat("x", maxWord),
	} {
		if diff := cmp.Diff(strings.Fields(want), cutAll(text)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}

func TestTerms(t *testing.T) {
	for typed, want := range map[string][]term{
		"Fix  THE test":     {{"fix", false}, {"the", false}, {"test", false}},
		"parseHTTP req* a*": {{"parsehttp", false}, {"req", true}, {"a", true}},
		"snake_case":        {{"snake_case", false}},
		"字":                 {{"字", true}},
		"漢字変":               {{"漢字", false}, {"字変", false}},
		"go go":             {{"go", false}},
		`"; DROP -- *`:      {{"drop", false}},
		"…!*":               nil,
	} {
		if diff := cmp.Diff(want, terms(typed), cmp.AllowUnexported(term{})); diff != "" {
			t.Errorf("%q: -want +got:\n%s", typed, diff)
		}
	}
}

// Every whole word, and every run of a script without spaces, is found again
// by itself.
func TestWhatWasSaidIsFound(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-z0-9_]{1,20}|[漢字変換日本語한국ไทย]{1,6}|[éÀñŁ]{1,4}`)
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(word, 1, 8).Draw(t, "said")
		text := strings.Join(said, rapid.SampledFrom([]string{" ", ", ", "\n", "/"}).Draw(t, "between"))
		words := cutAll(text)
		for _, w := range words {
			if len(w) > maxWord || !utf8.ValidString(w) || strings.ContainsFunc(w, func(r rune) bool { return !inWord(r) }) {
				t.Fatalf("%q is no word", w)
			}
		}
		for _, s := range said {
			for _, term := range terms(s) {
				if !slices.ContainsFunc(words, func(w string) bool { return w == term.word || term.prefix && strings.HasPrefix(w, term.word) }) {
					t.Fatalf("%q is not found by %+v; the words are %q", s, term, words)
				}
				if !term.has(text) {
					t.Fatalf("has(%q) disagrees", s)
				}
			}
		}
	})
}
