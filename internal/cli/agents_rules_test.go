package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAgentsTest(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine := file("mine.json", `{"id":"mine","name":"Mine","command":"mine","status":{"attention":["Sure\\?"],"idle":["(?m)^> ?"],"rows":2}}`)
	asks := file("asks.txt", "old\nSure?\n")
	above := file("above.txt", "Sure?\nno\n> \n")
	drawn := file("drawn.txt", "\x1b[2J\x1b[H\x1b[31mold\x1b[m\n\x1b[5;1HSu\x1b[1mre?")
	for _, c := range []struct {
		args []string
		want string // of the JSON, without its head
	}{
		{[]string{"codex", "--title", "⠋ fix it | proj"}, `{"agent":"codex","title":{"matched":"⠋ ","rule":"titleStatus.working[0]","status":"working"}}`},
		{[]string{"codex", "--title", "x"}, `{"agent":"codex","title":{"status":"idle"}}`},
		{[]string{"opencode", "--title", ""}, `{"agent":"opencode","title":{"status":"none"}}`},
		{[]string{mine, "--screen", asks}, `{"agent":"mine","ready":true,"screen":{"matched":"Sure?","rule":"status.attention[0]","status":"needs-you"}}`},
		{[]string{mine, "--screen", above}, `{"agent":"mine","ready":true,"screen":{"matched":"\u003e","rule":"status.idle[0]","status":"idle"}}`},
		{[]string{mine, "--screen", drawn}, `{"agent":"mine","ready":true,"screen":{"matched":"Sure?","rule":"status.attention[0]","status":"needs-you"}}`},
	} {
		r := run(t, &coordinator{}, nil, append([]string{"agents", "test", "--json"}, c.args...)...)
		out, errs, code := r.out, r.err, r.code
		var got map[string]any
		if code != 0 || json.Unmarshal([]byte(out), &got) != nil {
			t.Errorf("%q: exit %d\n%s%s", c.args, code, out, errs)
			continue
		}
		delete(got, "ok")
		delete(got, "schema_version")
		if b, _ := json.Marshal(got); string(b) != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.args, b, c.want)
		}
	}
	out := run(t, &coordinator{}, nil, "agents", "test", mine, "--title", "x", "--screen", asks).out
	for _, want := range []string{"title", "no rules for it", "needs-you", "status.attention[0]", "ready"} {
		if !strings.Contains(out, want) {
			t.Errorf("the text lacks %q:\n%s", want, out)
		}
	}
	for _, bad := range [][]string{{"nobody", "--title", "x"}, {"codex"}, {"codex", "--screen", filepath.Join(dir, "none")}} {
		if r := run(t, &coordinator{}, nil, append([]string{"agents", "test"}, bad...)...); r.code == 0 || r.err == "" {
			t.Errorf("%q: exit %d, %q", bad, r.code, r.err)
		}
	}
}
