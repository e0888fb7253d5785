package cli

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/daemon"
)

// A coordinator runs commands for months: nothing of one stays when it is done.
// (A tree that cobra kept cost 10 kB for each list.)
func TestNothingOfACommandStaysInTheCoordinator(t *testing.T) {
	run := func() (weak.Pointer[App], int) {
		p := prepare(newQuickRoot)
		var out bytes.Buffer
		p.place(daemon.Local{}, api.Command{Args: []string{"sessions", "send", "--help"}}, &out, &out)
		return weak.Make(p.app), p.app.execute(context.Background(), p.root, []string{"sessions", "send", "--help"})
	}
	app, code := run()
	if code != api.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	for end := time.Now().Add(10 * time.Second); ; {
		runtime.GC()
		if app.Value() == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the command's tree is still there")
		}
		runtime.Gosched()
	}
}
