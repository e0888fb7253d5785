//go:build unix

package term

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/atomicfile"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// An agent may keep a file that says what it does (sessionFile in its
// manifest). It is one more channel: it is looked at while the screen changes and
// for a moment after, since an agent whose state changes draws. A session at
// rest costs nothing.

// Times and bounds of the agent's own status file.
const (
	fileEvery = 100 * time.Millisecond
	fileAgain = 500 * time.Millisecond // after the screen last changed
	// fileScans bounds how often the agent's process is searched among all
	// those of the session, fileScanEvery apart.
	fileScans     = 8
	fileScanEvery = 2 * time.Second
	maxFile       = 64 << 10
)

// statusFile follows the agent's status file. Only one look goes on at a time.
type statusFile struct {
	manifest *atp.SessionFile
	path     string    // with {pid}
	launched time.Time // what is older is another process's
	busy     atomic.Bool
	asked    atomic.Int64 // Unix nanoseconds

	// Of the look that goes on.
	pid     int
	scans   int
	scanned time.Time
	stamp   time.Time
	there   bool
}

// newStatusFile gives nil for an agent that keeps no file by its process id.
func newStatusFile(m *atp.Manifest, notes hostproto.LaunchNotes) *statusFile {
	f := m.SessionFile
	if f == nil || !strings.Contains(f.Path, "{pid}") {
		return nil
	}
	path := f.Path
	if c := m.ConfigHome; c != nil && filepath.IsAbs(notes.ConfigHome) {
		if rest, ok := strings.CutPrefix(path, c.Path+"/"); ok {
			path = filepath.Join(notes.ConfigHome, rest)
		}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if notes.UserHome == "" {
			return nil
		}
		path = filepath.Join(notes.UserHome, rest)
	}
	return &statusFile{manifest: f, path: path, launched: notes.Launched}
}

// lookAtFile has the agent's status file followed for a while, not on the
// caller's goroutine: a home folder may be slow.
func (s *session) lookAtFile(now time.Time) {
	f := s.file
	if f == nil {
		return
	}
	f.asked.Store(now.UnixNano())
	if f.busy.CompareAndSwap(false, true) {
		go s.followFile(f)
	}
}

// followFile looks at the file every so often, until it has done so a while
// after it was last asked to.
func (s *session) followFile(f *statusFile) {
	now := time.Now().UnixNano()
	s.readFile(f)
	if now-f.asked.Load() < int64(fileAgain) {
		time.AfterFunc(fileEvery, func() { s.followFile(f) })
		return
	}
	f.busy.Store(false)
	if f.asked.Load() > now && f.busy.CompareAndSwap(false, true) { // meanwhile
		go s.followFile(f)
	}
}

func (s *session) readFile(f *statusFile) {
	s.mu.Lock()
	first, closed := []int{s.child.PID, s.speaks.PID}, s.record.Closed != nil
	s.mu.Unlock()
	if closed {
		return
	}
	ev, changed := f.read(time.Now(), first, func() []int {
		var all []int
		for _, p := range proc.Descendants(nil) {
			all = append(all, p.PID)
		}
		return all
	})
	if !changed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed == nil {
		s.note(ev)
	}
}

// read gives what the file says now, and whether that is news. The agent's
// process is one of first or, at some cost, of all.
func (f *statusFile) read(now time.Time, first []int, all func() []int) (status.Event, bool) {
	if f.pid == 0 && !f.find(now, first, all) {
		return status.Event{}, false
	}
	st, err := os.Stat(f.of(f.pid))
	if err != nil {
		was := f.there
		f.there, f.pid, f.scans = false, 0, 0
		return status.Event{Kind: status.KindFile}, was
	}
	if f.there && st.ModTime().Equal(f.stamp) {
		return status.Event{}, false
	}
	data, err := readAtMost(f.of(f.pid), maxFile)
	if err != nil {
		return status.Event{}, false
	}
	ev, ok := f.event(data)
	if !ok {
		return status.Event{}, false // half written; the next look tells
	}
	f.there, f.stamp = true, st.ModTime()
	return ev, true
}

func (f *statusFile) of(pid int) string {
	return strings.ReplaceAll(f.path, "{pid}", strconv.Itoa(pid))
}

func (f *statusFile) find(now time.Time, first []int, all func() []int) bool {
	has := func(pids []int) bool {
		for _, pid := range pids {
			if st, err := os.Stat(f.of(pid)); pid > 0 && err == nil && !st.ModTime().Before(f.launched) {
				f.pid = pid
				return true
			}
		}
		return false
	}
	if has(first) {
		return true
	}
	if f.scans >= fileScans || now.Sub(f.scanned) < fileScanEvery {
		return false
	}
	f.scans, f.scanned = f.scans+1, now
	return has(all())
}

// event translates the file's words. A word that the manifest does not know
// says nothing.
func (f *statusFile) event(data []byte) (status.Event, bool) {
	var whole any
	if json.NewDecoder(bytes.NewReader(data)).Decode(&whole) != nil {
		return status.Event{}, false
	}
	word := textAt(whole, f.manifest.State)
	ev := status.Event{Kind: status.KindFile, Rule: visible(cut(word, maxSignal)), Text: visible(cut(textAt(whole, f.manifest.Detail), maxSignal))}
	if state, known := f.manifest.States[word]; known {
		ev.Class = class(atp.Verdict{State: state})
	}
	return ev, true
}

// textAt is the text at a key path, "" where there is none.
func textAt(v any, path string) string {
	if path == "" {
		return ""
	}
	for key := range strings.SplitSeq(path, ".") {
		object, _ := v.(map[string]any)
		v = object[key]
	}
	text, _ := v.(string)
	return text
}

func readAtMost(path string, most int64) ([]byte, error) {
	file, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}
