package house

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/termio-sh/termio/"

// layers is the house from the roof down. A package may import those below
// its own line, never its own line or one above. Companions on one line do
// not know each other.
var layers = [][]string{
	{"cmd/termio", "cmd/termio-host", "cmd/termio-hook", "cmd/termio-mcp", "cmd/termio-quick", "cmd/termio-tui"},
	{"internal/cli"},
	{"internal/tui", "internal/web"},
	{"internal/paint"},
	{"internal/acpserver", "internal/mcpserver"},
	{"internal/daemon"},
	{"internal/api"},
	{"internal/orchestrate"},
	{"internal/project"},
	{"internal/host/term", "internal/host/acp"},
	{"internal/host"},
	{"internal/hostproto"},
	{"internal/status"},
	{"internal/hooks", "internal/notify"},
	{"internal/history"},
	{"internal/resume", "internal/transcript"},
	{"internal/dsh"},
	{"internal/acphost"},
	{"internal/acp"},
	{"internal/catalog", "internal/prompt", "internal/remote"},
	{"internal/shellenv"},
	{"internal/config"},
	{"internal/paths"},
	{"internal/atomicfile", "internal/commandlink", "internal/filelock", "internal/loginshell", "internal/nowait", "internal/peercred", "internal/quick", "internal/shellmarks", "internal/version"},
	{"atp"},
	{"vt", "skills"},
}

// outside are packages that serve tests or generators and may import anything.
var outside = []string{"internal/testkit", "internal/house", "tools", "bench", "e2e", "scripts"}

type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// floor finds the layer of a package: its own entry, or the nearest one above
// it in the tree (vt/internal/x belongs to vt).
func floor(name string) (int, bool) {
	for ; name != "." && name != ""; name = path.Dir(name) {
		for i, names := range layers {
			if slices.Contains(names, name) {
				return i, true
			}
		}
	}
	return 0, false
}

func isOutside(name string) bool {
	return slices.ContainsFunc(outside, func(o string) bool {
		return name == o || strings.HasPrefix(name, o+"/")
	})
}

func TestArrowsPointDown(t *testing.T) {
	pkgs := packages(t)
	if len(pkgs) < 5 {
		t.Fatalf("go list found only %d packages", len(pkgs))
	}
	for _, p := range pkgs {
		name := strings.TrimPrefix(p.ImportPath, module)
		if isOutside(name) {
			continue
		}
		from, ok := floor(name)
		if !ok {
			t.Errorf("%s stands on no layer: give it a line in layers and in docs/architecture.md", name)
			continue
		}
		for _, imp := range p.Imports {
			dep, ours := strings.CutPrefix(imp, module)
			if !ours || isOutside(dep) && strings.HasPrefix(name, "internal/testkit") {
				continue
			}
			if isOutside(dep) {
				t.Errorf("%s imports %s, which serves tests only", name, dep)
				continue
			}
			to, ok := floor(dep)
			if ok && to <= from && !sameRoom(name, dep) {
				t.Errorf("%s imports %s: the arrow points up", name, dep)
			}
		}
	}
}

// sameRoom tells a package from its own sub-packages.
func sameRoom(a, b string) bool {
	return strings.HasPrefix(b, a+"/") || strings.HasPrefix(a, b+"/")
}

func TestPackagesAreNouns(t *testing.T) {
	banned := []string{"util", "utils", "common", "types", "models", "helpers", "misc"}
	for _, p := range packages(t) {
		if slices.Contains(banned, p.Name) {
			t.Errorf("%s: a package named %s says nothing", p.ImportPath, p.Name)
		}
	}
}

func TestLean(t *testing.T) {
	// A process costs what its packages' initialisers cost.
	heavy := map[string][]string{
		"cmd/termio-host": {"net/http", "github.com/spf13/cobra", "github.com/fsnotify/fsnotify", "text/template", "crypto/tls", "modernc.org/sqlite"},
		"cmd/termio":      {"github.com/modelcontextprotocol/go-sdk/mcp", "charm.land/bubbletea/v2", "github.com/yuin/goldmark/parser"},
		"vt":              {"encoding/json", "net"},
	}
	for name, banned := range heavy {
		out, err := exec.Command("go", "list", "-deps", module+name).Output()
		if err != nil {
			t.Errorf("go list -deps %s: %v", name, err)
			continue
		}
		deps := strings.Fields(string(out))
		for _, b := range banned {
			if slices.Contains(deps, b) {
				t.Errorf("%s links %s", name, b)
			}
		}
	}
}
