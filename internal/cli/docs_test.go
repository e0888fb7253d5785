package cli

import (
	"os"
	"strings"
	"testing"
)

//go:generate env TERMIO_WRITE_DOCS=1 go test -run TestDocs .

const docsFile = "../../docs/cli.md"

func TestDocs(t *testing.T) {
	want := Markdown()
	if os.Getenv("TERMIO_WRITE_DOCS") != "" {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/cli.md is not what the commands say of themselves: run `go generate ./internal/cli`")
	}
}

func TestManPages(t *testing.T) {
	dir := t.TempDir()
	if r := run(t, nil, nil, "man", dir); r.code != 0 {
		t.Fatalf("man = %+v", r)
	}
	page, err := os.ReadFile(dir + "/termio-sessions-send.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH TERMIO\\-SESSIONS\\-SEND 1", ".SH OPTIONS", "\\-\\-no\\-enter", ".BR termio\\-sessions (1)"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "'") {
			t.Errorf("roff would take this for a request: %q", line)
		}
	}
}

func TestConfigHelpNamesEverySetting(t *testing.T) {
	out := run(t, nil, nil, "config", "--help").out
	for _, line := range strings.Split(strings.TrimSpace(run(t, nil, nil, "config", "list").out), "\n") {
		if key, _, _ := strings.Cut(strings.TrimSpace(line), " "); !strings.Contains(out, "\n  "+key+" ") {
			t.Errorf("config --help does not name %q", key)
		}
	}
}
