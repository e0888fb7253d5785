package hooks

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/atp"
)

func decode(t *testing.T, text string) *atp.Manifest {
	t.Helper()
	m, problems := atp.Decode("x.json", []byte(text))
	if m == nil {
		t.Fatal(problems)
	}
	return m
}

const injected = `{"id":"x","name":"X","command":"x","hooks":{"file":"~/.x.json","tool":"tool_name",
 "events":[{"on":"Start","state":"working"},{"on":"New","state":"done","since":"2.0"}],
 "inject":{"file":"h.json","files":{"c.json":"{\"load\":\"{url}\",\"dir\":\"{dir}\"}"},
  "args":["--hooks","{file}"],"env":{"X_CONFIG":"{dir}/c.json"},
  "unless":["/etc/x.json","~/.xrc","$X_OFF"],"needs":["~/lib/x"],"since":"1.5"}}}`

func TestInject(t *testing.T) {
	m := decode(t, injected)
	good := Launch{
		Manifest: m, Dir: `/s/"1"/hooks`, Reporter: "/t/bin/termio-hook", Version: "1.6.0", Command: "x --fast",
		Env: []string{"HOME=/home/u"}, Exists: func(path string) bool { return path == "/home/u/lib/x" },
	}
	in, why, ok := Inject(good)
	if !ok {
		t.Fatal(why)
	}
	if want := []string{"--hooks", `/s/"1"/hooks/h.json`}; !cmp.Equal(in.Args, want) {
		t.Errorf("args %q", in.Args)
	}
	if want := []string{`X_CONFIG=/s/"1"/hooks/c.json`}; !cmp.Equal(in.Env, want) {
		t.Errorf("env %q", in.Env)
	}
	if len(in.Files) != 2 || in.Files[0].Name != "h.json" || in.Files[1].Name != "c.json" {
		t.Fatalf("files %+v", in.Files)
	}
	var file struct {
		Hooks map[string][]struct {
			Hooks []struct{ Type, Command string }
		}
	}
	if err := json.Unmarshal(in.Files[0].Data, &file); err != nil || len(file.Hooks) != 1 ||
		!strings.HasPrefix(file.Hooks["Start"][0].Hooks[0].Command, "'/t/bin/termio-hook' working --event Start --tool-from tool_name") {
		t.Errorf("%v %s", err, in.Files[0].Data)
	}
	var more map[string]string
	if err := json.Unmarshal(in.Files[1].Data, &more); err != nil || more["dir"] != `/s/"1"/hooks` || more["load"] != "file:///s/%221%22/hooks/h.json" {
		t.Errorf("%v %s", err, in.Files[1].Data)
	}
	for why, change := range map[string]func(*Launch){
		"needs version 1.5":       func(l *Launch) { l.Version = "1.4.9" },
		"not known":               func(l *Launch) { l.Version = "" },
		"--hooks already":         func(l *Launch) { l.Command = "x --hooks mine" },
		"has --hooks":             func(l *Launch) { l.Command = "x '--hooks'=mine" },
		"more than words":         func(l *Launch) { l.Command = "x | tee log" },
		"so that no argument":     func(l *Launch) { l.Command = "x 'open" },
		"X_CONFIG is set already": func(l *Launch) { l.Env = append(l.Env, "X_CONFIG=/mine") },
		"X_OFF is set":            func(l *Launch) { l.Env = append(l.Env, "X_OFF=1") },
		"/etc/x.json is there":    func(l *Launch) { l.Exists = func(p string) bool { return p == "/etc/x.json" || p == "/home/u/lib/x" } },
		"~/.xrc is there":         func(l *Launch) { l.Exists = func(p string) bool { return p == "/home/u/.xrc" || p == "/home/u/lib/x" } },
		"~/lib/x is not there":    func(l *Launch) { l.Exists = func(string) bool { return false } },
		"no way":                  func(l *Launch) { l.Manifest = decode(t, `{"id":"x","name":"X"}`) },
	} {
		l := good
		change(&l)
		if in, got, ok := Inject(l); ok || !strings.Contains(got, why) || len(in.Args)+len(in.Env)+len(in.Files) > 0 {
			t.Errorf("%q: %v %q %+v", why, ok, got, in)
		}
	}
	l := good
	l.Env = append(l.Env, "X_CONFIG=") // set to nothing is not set
	if _, why, ok := Inject(l); !ok {
		t.Error(why)
	}
}

// TestBundledInjections: every bundled manifest that has a way makes a plan,
// and its files are what they claim to be.
func TestBundledInjections(t *testing.T) {
	n := 0
	for _, m := range manifests(t) {
		if m.Hooks.Inject == nil {
			continue
		}
		n++
		in, why, ok := Inject(Launch{
			Manifest: m, Dir: "/s/hooks", Reporter: "/t/bin/termio-hook", Version: "99.0.0", Command: m.Command,
			Env: []string{"HOME=/home/u"}, Exists: func(p string) bool { return strings.HasPrefix(p, "/home/u") },
		})
		if !ok || len(in.Files) == 0 {
			t.Errorf("%s: %s", m.ID, why)
		}
		for _, f := range in.Files {
			if filepath.Ext(f.Name) == ".json" && !json.Valid(f.Data) {
				t.Errorf("%s: %s is no JSON:\n%s", m.ID, f.Name, f.Data)
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d agents can be injected", n)
	}
}

func TestCompareVersions(t *testing.T) {
	order := []string{"0.9", "1.0-alpha", "1.0-beta", "1.0.0", "1.0.1", "1.2", "1.10", "2"}
	for i, a := range order {
		for j, b := range order {
			if got := compareVersions(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
	if compareVersions("v1.0+build", "1") != 0 {
		t.Error("a build number counts")
	}
}

// TestCommandsNeverFail runs what is written into config files through a real
// shell, with and without the reporter.
func TestCommandsNeverFail(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("hooks run in a POSIX shell")
	}
	dir := t.TempDir()
	s := specOf(t, "cursor")
	for _, name := range []string{"/bin/false", "/not/there", dir, dir + "/it's", "/etc/passwd"} {
		s.Reporter = name
		for _, reply := range []bool{false, true} {
			for _, shell := range []string{"sh", "bash"} {
				cmd := exec.Command(shell, "-c", s.command(s.Hooks.Events[0], reply, "ehf"))
				out, err := cmd.CombinedOutput()
				want := ""
				if reply {
					want = "{}"
				}
				if err != nil || string(out) != want {
					t.Errorf("%s in %s, reply %v: %v, %q", name, shell, reply, err, out)
				}
			}
		}
	}
}

// TestMarker: only the exact marker at a command's end makes it ours.
func TestMarker(t *testing.T) {
	for command, want := range map[string]bool{
		"x 2>/dev/null || true # termio-hooks v1":      true,
		"x # termio-hooks v1 ehf":                      true,
		"x # termio-hooks v27 e":                       true,
		"termio agent report working":                  false,
		"x # termio-hooks":                             false,
		"x # termio-hooks v1 && rm -rf mine":           false,
		"echo '# termio-hooks v1' > note":              false,
		"x#termio-hooks v1":                            false,
		"grep 'termio-hooks v1' settings.json":         false,
		"/home/u/.termio/bin/termio-hook done || true": false,
	} {
		if _, got := ours(command); got != want {
			t.Errorf("%q is ours: %v", command, got)
		}
	}
}
