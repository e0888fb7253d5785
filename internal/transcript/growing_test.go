package transcript_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/termio-sh/termio/internal/transcript"
)

// TestCapturedWhileItGrows: each captured log, cut within every line as it is
// while an agent writes it. What is counted and read is what the whole lines
// say, and a counter that follows the file counts no line twice.
func TestCapturedWhileItGrows(t *testing.T) {
	for _, format := range captured() {
		raw, err := os.ReadFile(filepath.Join("testdata", format, "transcript.jsonl"))
		if os.IsNotExist(err) {
			continue // a database; its transactions are tested elsewhere
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Run(format, func(t *testing.T) {
			whole := place(t, format)
			path := filepath.Join(filepath.Dir(whole), "growing-"+strings.TrimSuffix(filepath.Base(whole), ".jsonl")+".jsonl")
			write := func(text []byte) {
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			read := func() []transcript.Message {
				said, err := transcript.Read(format, path, 0, transcript.ToEnd)
				if err != nil {
					t.Fatal(err)
				}
				return said
			}
			follows := transcript.NewCounter(format)
			count := func() int {
				n, err := follows.Lines(path)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			lines := bytes.SplitAfter(raw, []byte("\n"))
			var done []byte
			for _, line := range lines {
				if len(line) == 0 {
					continue
				}
				write(done)
				said, n := read(), count()
				for _, cut := range []int{1, len(line) / 2, len(line) - 1} {
					write(append(bytes.Clone(done), line[:cut]...))
					if diff := cmp.Diff(said, read(), cmpopts.IgnoreUnexported(transcript.Message{})); diff != "" {
						t.Fatalf("after %d bytes, %d of the next line change what is read:\n%s", len(done), cut, diff)
					}
					if got := count(); got != n {
						t.Fatalf("after %d bytes, %d of the next line count: %d, not %d", len(done), cut, got, n)
					}
				}
				done = append(done, line...)
				write(done)
				fresh, err := transcript.NewCounter(format).Lines(path)
				if err != nil || count() != fresh {
					t.Fatalf("it counts %d lines, and %d anew (%v)", count(), fresh, err)
				}
			}
		})
	}
}
