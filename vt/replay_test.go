package vt

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"
)

// readTar reads the files of a packed archive in testdata.
func readTar(tb testing.TB, name string) map[string][]byte {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string][]byte{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			tb.Fatal(err)
		}
		b, err := io.ReadAll(tr)
		if err != nil {
			tb.Fatal(err)
		}
		files[h.Name] = b
	}
}

// TestReplay replays what real agents wrote: how it is split does not matter,
// the fast paths agree with the plain ones, a snapshot makes an equal terminal
// in the middle and at the end, and memory stays within its limit.
func TestReplay(t *testing.T) {
	streams := readTar(t, "testdata/recorded.tar.gz")
	for name, data := range streams {
		if testing.Short() && len(data) > 100_000 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			h := fnv.New64a()
			h.Write([]byte(name))
			rng := rand.New(rand.NewPCG(h.Sum64(), 1))
			o := Options{Cols: 110, Rows: 36, Event: func(Event) {}}
			whole, split, plain := New(o), New(o), New(o)
			plain.plain = true
			parts := 4
			for i := range parts {
				part := data[len(data)*i/parts : len(data)*(i+1)/parts]
				whole.Write(part)
				plain.Write(part)
				for len(part) > 0 {
					n := min(len(part), 1+rng.IntN(1+rng.IntN(200)))
					split.Write(part[:n])
					part = part[n:]
				}
				a := state(whole)
				if b := state(split); a != b {
					t.Fatalf("split at random it differs:\n%s", diffLines(a, b))
				}
				if b := state(plain); a != b {
					t.Fatalf("without fast paths it differs:\n%s", diffLines(a, b))
				}
				check(t, whole)
				checkMemory(t, whole)
				checkSnapshot(t, whole)
			}
		})
	}
}

// notInRecording are the recorded screens that the recording beside them does
// not show, by the reason.
var notInRecording = map[string]string{
	"claude/fresh/01-first.txt":                   "of another run",
	"claude/fresh/02-nonessential-off.txt":        "of another run",
	"claude/unused/":                              "of another run",
	"codex/fresh/":                                "of another run",
	"gemini/unused/":                              "it has no recording",
	"opencode/main/01-hung-plugin-install.txt":    "of another run",
	"pi/session-id/01.txt":                        "of another run",
	"qwen/fresh/01.txt":                           "of another version",
	"codex/daemon/":                               "paths were replaced in the text only",
	"codex/features/01-question-default-mode.txt": "paths were replaced in the text only",
	"copilot/main/08-question.txt":                "paths were replaced in the text only",
	"copilot/main/09-question-done.txt":           "paths were replaced in the text only",
	"copilot/main/10-interrupted.txt":             "paths were replaced in the text only",
	"codex/main/05-permission.txt":                "taken in the middle of a repaint",
	"gemini/main/":                                "the recording was cut",
	"qwen/main/":                                  "the recording was cut",
	"qwen/reject/":                                "the recording was cut",
}

// TestRecordedScreens replays each recording and looks for the screens that
// were recorded on the way by another emulator. The recordings do not say when
// a screen was taken, so that each may be anywhere.
func TestRecordedScreens(t *testing.T) {
	streams := readTar(t, "testdata/recorded.tar.gz")
	screens := readTar(t, "testdata/screens.tar.gz")
	byDir := map[string]map[string]bool{}
	for name, text := range screens {
		dir := path.Dir(name)
		if byDir[dir] == nil {
			byDir[dir] = map[string]bool{}
		}
		byDir[dir][trimScreen(string(text))] = false
	}
	for dir, wanted := range byDir {
		seekScreens(streams[dir+"/raw.bin"], wanted)
	}
	found := 0
	for name, text := range screens {
		dir := path.Dir(name)
		_, accepted := notInRecording[name]
		_, dirAccepted := notInRecording[dir+"/"]
		switch {
		case byDir[dir][trimScreen(string(text))]:
			found++
		case !accepted && !dirAccepted:
			t.Errorf("%s never appears", name)
		}
	}
	if found < 154 {
		t.Errorf("only %d of %d recorded screens found", found, len(screens))
	}
	t.Logf("%d of %d recorded screens found, the others are not in the recordings", found, len(screens))
}

// trimScreen drops blanks at the ends of rows and blank rows at the end.
func trimScreen(s string) string {
	rows := strings.Split(s, "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " \u00a0")
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// seekScreens marks the screens that appear while data is written.
func seekScreens(data []byte, wanted map[string]bool) {
	t := New(Options{Cols: 110, Rows: 36})
	gen := t.Generation()
	const step = 8
	for i := 0; i < len(data); i += step {
		t.Write(data[i:min(i+step, len(data))])
		if t.Generation() == gen {
			continue
		}
		gen = t.Generation()
		s := trimScreen(t.ScreenText())
		if _, ok := wanted[s]; ok {
			wanted[s] = true
		}
	}
}
