//go:build unix

package daemon

import (
	"os"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
)

func TestLinesOf(t *testing.T) {
	for files, want := range map[int]int{1 << 20: 1<<20 - 48, 1024: 976, 256: 208, 64: 16, 60: 15, 8: 2, 2: 1} {
		if got := linesOf(files); got != want {
			t.Errorf("with %d files: %d, want %d", files, got, want)
		}
	}
}

// TestFewFiles: with more sessions than files that may be open, the coordinator
// still answers, says what is wrong, and ends when it is told to.
func TestFewFiles(t *testing.T) {
	const sessions = 24
	h := newHome(t)
	var targets []string
	for range sessions {
		targets = append(targets, h.run("true"))
	}
	h.kill9()
	few, err := api.NewClient(api.ClientOptions{Layout: h.layout, Start: []string{"/bin/sh", "-c", `ulimit -n 32 && exec "$0" "$1"`, os.Args[0], asDaemon}})
	if err != nil {
		t.Fatal(err)
	}
	defer few.Close()
	list, err := few.List(t.Context(), api.ListRequest{Caller: h.caller()})
	if err != nil || len(list.Sessions) != sessions {
		t.Fatalf("%d sessions, %v", len(list.Sessions), err)
	}
	reached, refused := 0, 0
	for _, target := range targets {
		_, err := few.Focus(t.Context(), api.TargetRequest{Caller: h.caller(), Target: target})
		switch {
		case err == nil:
			reached++
		case strings.Contains(err.Error(), "raise the limit"):
			refused++
		default:
			t.Fatalf("%s: %v", target, err)
		}
		if reached > 0 && refused > 0 {
			break
		}
	}
	if reached == 0 || refused == 0 {
		t.Errorf("%d were reached, %d refused", reached, refused)
	}
	if _, err := few.Stop(t.Context()); err != nil {
		t.Errorf("it does not end: %v", err)
	}
}
