package vt

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"testing"
)

// The recordings are what seven agents wrote on terminals of this size.
const (
	recordedCols = 110
	recordedRows = 36
)

// recordings returns the recorded streams by name, in order.
func recordings(t testing.TB) (names []string, streams map[string][]byte) {
	t.Helper()
	f, err := os.Open("testdata/recorded.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	streams = map[string][]byte{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return names, streams
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		names, streams[h.Name] = append(names, h.Name), b
	}
}

// TestXtermRecorded compares the engine with xterm.js over what real agents
// wrote, at some twenty points of each recording.
func TestXtermRecorded(t *testing.T) {
	ref := newReference(t)
	names, streams := recordings(t)
	if len(names) < 80 {
		t.Fatalf("only %d recordings", len(names))
	}
	a := newAgreement()
	for _, name := range names {
		stream := streams[name]
		req := refRequest{Cols: recordedCols, Rows: recordedRows, Scrollback: 1000, Every: true}
		for size := max(len(stream)/20, 1); len(stream) > 0; {
			n := min(size, len(stream))
			req.Steps = append(req.Steps, refStep{Data: stream[:n]})
			stream = stream[n:]
		}
		if err := ref.send(req); err != nil {
			t.Fatal(err)
		}
		screens, err := ref.receive()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		term := New(Options{Cols: req.Cols, Rows: req.Rows, Scrollback: req.Scrollback})
		a.streams++
		for i, s := range req.Steps {
			term.Write(s.Data)
			if list := a.compare(term, screens[i], false); len(list) > 0 {
				t.Errorf("%s, part %d of %d: %d differences, first %v", name, i+1, len(req.Steps), len(list), list[:min(3, len(list))])
				break
			}
		}
	}
	t.Log(a.String())
	if a.share() < 0.999 {
		t.Errorf("only %.4f %% of the cells agree", 100*a.share())
	}
}
