package acphost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/acp"
)

func at(n int64) *int64 { return &n }

func TestFilesStayBelowTheirRoots(t *testing.T) {
	base := t.TempDir()
	root, other := filepath.Join(base, "w"), filepath.Join(base, "w2")
	for _, d := range []string{root, other} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	secret := write(t, filepath.Join(other, "secret"), "s")
	write(t, filepath.Join(root, "a"), "1\n2\n3")
	for link, to := range map[string]string{"out": secret, "dir": other, "dangling": filepath.Join(other, "new"), "in": "a"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	f := newFiles(true, root)
	for path, ok := range map[string]bool{
		"a": true, filepath.Join(root, "a"): true, filepath.Join(root, "in"): true,
		filepath.Join(root, "..", "w2", "secret"): false, secret: false,
		filepath.Join(root, "out"): false, filepath.Join(root, "dir", "secret"): false, root: false,
	} {
		if _, err := f.read(acp.ReadTextFileRequest{Path: path}); (err == nil) != ok {
			t.Errorf("read %s: %v", path, err)
		}
	}
	for _, path := range []string{"out", "dangling", "dir/x", "../w2/y"} {
		if err := f.save(acp.WriteTextFileRequest{Path: filepath.Join(root, path), Content: "bad"}); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if _, err := os.Stat(filepath.Join(other, "new")); err == nil {
		t.Error("a dangling link led out")
	}
	if data, _ := os.ReadFile(secret); string(data) != "s" {
		t.Errorf("the secret is %q", data)
	}
	_, err := f.read(acp.ReadTextFileRequest{Path: filepath.Join(root, "missing")})
	if err == nil || err.Code != acp.CodeNotFound || !strings.Contains(err.Message, "ENOENT") {
		t.Errorf("missing: %v", err)
	}
}

func TestFileLines(t *testing.T) {
	for _, c := range []struct {
		line, limit *int64
		want        string
	}{
		{nil, nil, "1\n2\n3"},
		{at(2), nil, "2\n3"},
		{at(2), at(1), "2\n"},
		{nil, at(2), "1\n2\n"},
		{at(3), at(9), "3"},
		{at(4), nil, ""},
		{at(0), at(0), ""},
	} {
		if got := lines("1\n2\n3", c.line, c.limit); got != c.want {
			t.Errorf("%v %v: %q, want %q", c.line, c.limit, got, c.want)
		}
	}
}

// A file that changed, appeared or vanished since the agent read it is not
// overwritten.
func TestFileConflicts(t *testing.T) {
	root := t.TempDir()
	path := write(t, filepath.Join(root, "a"), "one")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	f := newFiles(true, root)
	save := func(text string) *acp.Error { return f.save(acp.WriteTextFileRequest{Path: path, Content: text}) }
	read := func() {
		t.Helper()
		if _, err := f.read(acp.ReadTextFileRequest{Path: path}); err != nil {
			t.Fatal(err)
		}
	}
	if err := save("unread"); err != nil {
		t.Errorf("a file that was not read: %v", err)
	}
	if err := save("again"); err != nil {
		t.Errorf("after its own write: %v", err)
	}
	write(t, path, "theirs")
	if err := save("mine"); err == nil || !strings.Contains(err.Message, "changed since it was read") {
		t.Errorf("%v", err)
	}
	read()
	if err := save("mine"); err != nil {
		t.Error(err)
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o755 {
		t.Errorf("mode %v", st.Mode())
	}
	os.Remove(path)
	if err := save("back"); err == nil {
		t.Error("a removed file was made again")
	}
	if err := newFiles(false, root).save(acp.WriteTextFileRequest{Path: path}); err == nil {
		t.Error("written without leave")
	}
}
