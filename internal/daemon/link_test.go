//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/termio-sh/termio/internal/commandlink"
	"github.com/termio-sh/termio/internal/config"
)

// An upgrade that moved the program is put right at the coordinator's next
// start, where the user wants the link; where not, nothing is touched.
func TestLinkHealsAtStart(t *testing.T) {
	h := newHome(t)
	path := commandlink.Path(h.user)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	const gone = "/gone/with/an/upgrade/termio"
	if err := os.Symlink(gone, path); err != nil {
		t.Fatal(err)
	}
	h.daemonPID()
	h.run("true") // it is at work
	if to, _ := os.Readlink(path); to != gone {
		t.Errorf("a link that nobody asked for leads to %s now", to)
	}
	h.kill9()
	on := true
	h.settings(func(s *config.Settings) { s.Link = &on })
	h.daemonPID()
	self, err := filepath.EvalSymlinks(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	h.eventually("it leads to the program", func() bool { to, _ := os.Readlink(path); return to == self })
}
