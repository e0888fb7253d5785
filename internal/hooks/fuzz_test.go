package hooks

import (
	"bytes"
	"testing"
)

// FuzzInstall: whatever bytes a file holds, it is refused, or the hooks go in
// and come out again exactly, once however often.
func FuzzInstall(f *testing.F) {
	for _, s := range []string{
		"{}", "{\"hooks\":{}}", "{\"hooks\":{\"Stop\":[]},}", "// c\n{\n\t\"a\": 1, // x\n}\n", "\xef\xbb\xbf{}", "{\"version\":1}",
		"{\"hooks\":{\"stop\":[{\"command\":\"x # termio-hooks v1 he\"}]}}", "a = 1\n[[hooks]]\nevent = \"x\"", "# termio-hooks v1 begin n\n# termio-hooks v1 end",
		"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"x # termio-hooks v1 fvhez\"},]}]}}", "{/**/}", "{\r\n}", "[[hooks]]\r\ncommand='''\n# termio-hooks v1 end\n'''",
	} {
		f.Add([]byte(s))
	}
	editors := map[string]editor{}
	for _, id := range []string{"claudeCode", "cursor", "kimi", "pi", "cline"} {
		editors[id] = editorOf(f, id)
	}
	f.Fuzz(func(t *testing.T, old []byte) {
		for id, e := range editors {
			bare, err := e.remove(old)
			if err != nil {
				continue
			}
			in, err := e.install(old, e.s)
			if err != nil {
				continue
			}
			if again, err := e.install(in, e.s); err != nil || !bytes.Equal(again, in) {
				t.Fatalf("%s: install twice is not once: %v\n%q\n%q", id, err, in, again)
			}
			if bytes.Equal(in, old) {
				continue // it was right already
			}
			out, err := e.remove(in)
			if err != nil || !bytes.Equal(out, bare) {
				t.Fatalf("%s: %v\nwas  %q\nis   %q\nwith %q", id, err, bare, out, in)
			}
			if twice, err := e.remove(out); err != nil || !bytes.Equal(twice, out) {
				t.Fatalf("%s: removing twice: %v\n%q\n%q", id, err, out, twice)
			}
		}
	})
}
