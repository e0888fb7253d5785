package host

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/hostproto"
)

// recordInterval is the least time between two writes of a record that are not
// urgent: titles change with every frame of a spinner.
const recordInterval = 5 * time.Second

// Times between two tries of a write that fails.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 15 * time.Second
)

// RecordName is the record's file in the session's folder.
const RecordName = "record.json"

// RecordWriter keeps a session's record on disk up to date without ever making
// its caller wait for the disk. It writes only what differs. What cannot be
// written, as on a full disk, is tried again until it can.
type RecordWriter struct {
	path  string
	fail  func(error) // the first failure of a row of them
	after func(time.Duration, func()) *time.Timer

	mu      sync.Mutex
	cond    sync.Cond
	next    *hostproto.Record // to be written; a copy by value, encoded then
	due     bool              // next, or what it took the place of, was urgent
	last    []byte            // as it is on disk
	written time.Time
	timer   *time.Timer
	writing bool
	failing bool
	cause   error         // of the newest failure, while failing
	pause   time.Duration // before the next try
}

// NewRecordWriter writes into dir. fail is told when writing stops working,
// once until it works again.
func NewRecordWriter(dir string, fail func(error)) *RecordWriter {
	w := &RecordWriter{path: filepath.Join(dir, RecordName), fail: fail, after: time.AfterFunc}
	w.cond.L = &w.mu
	return w
}

// Move goes on in another folder, in which the record's file is already.
func (w *RecordWriter) Move(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.writing {
		w.cond.Wait()
	}
	w.path = filepath.Join(dir, RecordName)
}

// Save writes r soon: at once when urgent, else not sooner than recordInterval
// after the write before. Only the newest record counts.
func (w *RecordWriter) Save(r hostproto.Record, urgent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next, w.due = &r, w.due || urgent
	if w.timer != nil {
		if !urgent || !w.timer.Stop() {
			return
		}
		w.timer = nil
	}
	wait := recordInterval - time.Since(w.written)
	if urgent {
		wait = 0
	}
	w.timer = w.after(max(wait, 0), w.write)
}

// SaveNow writes r and returns when it is on disk.
func (w *RecordWriter) SaveNow(r hostproto.Record) error {
	w.mu.Lock()
	for w.writing {
		w.cond.Wait()
	}
	w.next, w.due = nil, false // older, also where a write that just failed has kept it for another try
	w.writing = true
	w.mu.Unlock()
	data := encodeRecord(r)
	err := atomicfile.Write(w.path, data, 0o600)
	w.done(&r, data, err)
	return err
}

func (w *RecordWriter) write() {
	w.mu.Lock()
	w.timer = nil
	for w.writing {
		w.cond.Wait()
	}
	next := w.next
	w.next, w.due = nil, false
	if next == nil {
		w.mu.Unlock()
		return
	}
	data := encodeRecord(*next)
	if string(data) == string(w.last) {
		w.cond.Broadcast()
		w.mu.Unlock()
		return
	}
	w.writing = true
	w.mu.Unlock()
	w.done(next, data, atomicfile.Write(w.path, data, 0o600))
}

func (w *RecordWriter) done(r *hostproto.Record, data []byte, err error) {
	w.mu.Lock()
	w.writing = false
	w.written = time.Now()
	report := false
	if err == nil {
		w.last, w.failing, w.cause, w.pause = data, false, nil, 0
	} else {
		report, w.failing, w.cause = !w.failing, true, err
		w.retry(r)
	}
	w.cond.Broadcast()
	w.mu.Unlock()
	if report && w.fail != nil {
		w.fail(err)
	}
}

// retry keeps what could not be written, unless there is newer, for another
// try. w.mu must be held.
func (w *RecordWriter) retry(r *hostproto.Record) {
	if w.next == nil {
		w.next = r
	}
	w.pause = min(max(2*w.pause, firstRetry), lastRetry)
	if w.timer == nil {
		w.timer = w.after(w.pause, w.write)
	}
}

// Flush waits until the newest record is on disk, at most d, and reports
// whether it is.
func (w *RecordWriter) Flush(d time.Duration) bool {
	end := time.Now().Add(d)
	t := time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cond.Broadcast()
	})
	defer t.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.next != nil || w.writing {
		if !time.Now().Before(end) {
			return false
		}
		w.cond.Wait()
	}
	return true
}

// savedWithin is how long Settled waits for a disk that is slow.
const savedWithin = 2 * time.Second

// Settled waits until the newest urgent record is on disk, or cannot be written
// for now: then it says why. It goes on being tried.
func (w *RecordWriter) Settled() string {
	end := time.Now().Add(savedWithin)
	t := time.AfterFunc(savedWithin, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cond.Broadcast()
	})
	defer t.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.failing && (w.due || w.writing) && time.Now().Before(end) {
		w.cond.Wait()
	}
	switch {
	case w.failing:
		return w.cause.Error()
	case w.due || w.writing:
		return "the disk takes very long"
	}
	return ""
}

// Possible reports whether the folder that the record belongs into is there.
func (w *RecordWriter) Possible() bool {
	_, err := os.Stat(filepath.Dir(w.path))
	return !errors.Is(err, fs.ErrNotExist)
}

func encodeRecord(r hostproto.Record) []byte {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil { // nothing in it can fail
		panic("host: encode record: " + err.Error())
	}
	return append(data, '\n')
}
