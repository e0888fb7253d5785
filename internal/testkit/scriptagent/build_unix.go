//go:build unix

package scriptagent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Build compiles the agent into a folder of the test's own and returns its
// path. The build cache makes every time but the first quick; the "update"
// prompt may replace the file without harm to other tests.
func Build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scriptagent")
	if err := BuildTo(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// BuildTo compiles the agent to path, for a TestMain.
func BuildTo(path string) error {
	cmd := exec.Command("go", "build", "-o", path, "github.com/termio-sh/termio/internal/testkit/scriptagent/cmd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the scripted agent: %w\n%s", err, out)
	}
	return nil
}
