//go:build unix

package tui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/termio-sh/termio/internal/testkit/picture"
)

// TestPicture makes the README's picture of the face anew: the real program,
// with scripted agents.
//
//	TERMIO_PICTURE=docs/tui.svg go test ./internal/tui -run TestPicture
func TestPicture(t *testing.T) {
	path := os.Getenv("TERMIO_PICTURE")
	if path == "" {
		t.Skip("skipped: TERMIO_PICTURE names no file to draw")
	}
	w := newWorld(t)
	for _, s := range [][3]string{
		{"alpha", "say 14 files changed, all tests pass", "Refactor the parser"},
		{"beta", "work 600000", "Port the release script"},
		{"beta", "allow pnpm install --frozen-lockfile", "Update dependencies"},
	} {
		w.termio("sessions", "spawn", s[1], "--agent", s[0], "--title", s[2])
	}
	w.termio("sessions", "run", "clear; printf 'VITE ready in 412 ms\\n\\n  \\033[32m>\\033[m Local: http://localhost:5173/\\n'; exec cat", "--title", "dev server")
	w.face(104, 28)
	w.take(
		step{"the fleet", nil, shows("NEEDS YOU (1)", "dev server", "✓1")},
		step{"the one that asks", keys("/update\r"), shows("Ctrl-\\ sidebar", "frozen-lockfile")},
		step{"beside the dev server", keys(prefix + "m"), shows("Show beside Update dependencies")},
		step{"a group", keys("dev server\r"), shows("localhost:5173", "allow pnpm", "◫")},
		step{"one that is done pinned", keys("/parser\r"), shows("Ctrl-\\ sidebar", "tests pass")},
		step{"at the top", keys(prefix + "P"), shows("pinned")},
		step{"the strip", keys("\t"), shows("localhost:5173", "answer")},
		step{"the question", keys("a"), shows("1  Yes", "2  No", "Esc later")},
	)
	w.mu.Lock()
	defer w.mu.Unlock()
	svg := picture.SVG(picture.Panel{Title: "$ termio", Screen: w.vt})
	if err := os.WriteFile(filepath.Join("..", "..", path), []byte(svg), 0o644); err != nil {
		t.Fatal(err)
	}
}
