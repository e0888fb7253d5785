//go:build unix

package acp

import (
	"bufio"
	"bytes"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/hostproto"
)

// Bounds of the journal.
const (
	indexEvery = 256 << 10 // bytes between two entries that are kept in mind
	maxReply   = 2 << 20   // bytes of entries in one reply
	maxEntry   = 8 << 20   // of one entry in a reply
	writeBuf   = 64 << 10
)

// journal is every message of a session, a line each, in order. What is read
// of it is on disk before it is given.
type journal struct {
	path string
	file *os.File
	log  func(string, ...any)

	mu      sync.Mutex
	w       *bufio.Writer
	line    []byte
	seq     uint64
	lines   int   // of the file
	size    int64 // of the file, with what is not written yet
	index   []mark
	grown   chan struct{} // closed at the next entry, nil when nobody waits
	failing bool
}

// mark is where an entry begins.
type mark struct {
	seq    uint64
	offset int64
}

// openJournal opens a session's journal, and gives f every entry that is in it
// already.
func openJournal(dir string, log func(string, ...any), f func(acphost.Entry)) (*journal, error) {
	path := filepath.Join(dir, hostproto.JournalName)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the session's journal: %w", err)
	}
	j := &journal{path: path, file: file, log: log}
	if err := j.recall(f); err != nil {
		file.Close()
		return nil, err
	}
	j.w = bufio.NewWriterSize(file, writeBuf)
	return j, nil
}

// moved tells that the journal's folder is another one now.
func (j *journal) moved(dir string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.path = filepath.Join(dir, hostproto.JournalName)
}

// where is the journal's path.
func (j *journal) where() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.path
}

// recall reads what is there. A last line that was cut off is dropped.
func (j *journal) recall(f func(acphost.Entry)) error {
	r := bufio.NewReaderSize(j.file, writeBuf)
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("read the session's journal: %w", err)
		}
		var e acphost.Entry
		if json.Unmarshal(line, &e) == nil {
			j.note(e.Seq, j.size)
			j.seq = max(j.seq, e.Seq)
			f(e)
		}
		j.size += int64(len(line))
		j.lines++
	}
	if err := j.file.Truncate(j.size); err != nil {
		return fmt.Errorf("mend the session's journal: %w", err)
	}
	if _, err := j.file.Seek(j.size, io.SeekStart); err != nil {
		return fmt.Errorf("mend the session's journal: %w", err)
	}
	return nil
}

func (j *journal) note(seq uint64, offset int64) {
	if n := len(j.index); n == 0 || offset-j.index[n-1].offset >= indexEvery {
		j.index = append(j.index, mark{seq, offset})
	}
}

// message adds a message of the wire and gives its entry; Msg is raw itself.
func (j *journal) message(from string, raw []byte) acphost.Entry {
	return j.add(acphost.Entry{From: from, Msg: raw})
}

// add numbers an entry and writes it.
func (j *journal) add(e acphost.Entry) acphost.Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq++
	j.lines++
	e.Seq, e.At = j.seq, time.Now()
	b := append(j.line[:0], `{"seq":`...)
	b = strconv.AppendUint(b, e.Seq, 10)
	b = append(b, `,"at":"`...)
	b = e.At.AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","from":"`...)
	b = append(b, e.From...)
	b = append(b, '"')
	if e.Note != nil {
		note, err := json.Marshal(e.Note)
		if err != nil {
			note = []byte(`{}`)
		}
		b = append(append(b, `,"note":`...), note...)
	} else {
		b = append(append(b, `,"msg":`...), e.Msg...)
	}
	b = append(b, '}', '\n')
	j.line = b
	if cap(j.line) > writeBuf {
		j.line = nil
	}
	j.note(e.Seq, j.size)
	j.size += int64(len(b))
	_, err := j.w.Write(b)
	j.failed(err)
	if e.Note != nil {
		j.flush()
	}
	if j.grown != nil {
		close(j.grown)
		j.grown = nil
	}
	return e
}

// failed says once that the journal cannot be written; the session goes on.
func (j *journal) failed(err error) {
	if err != nil && !j.failing {
		j.failing = true
		j.log("write the session's journal: %v; the session goes on without", err)
	}
}

func (j *journal) flush() { j.failed(j.w.Flush()) }

// settle puts on disk what was added.
func (j *journal) settle() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
}

func (j *journal) close() {
	j.settle()
	j.file.Close()
}

// length is how many entries there are: a cursor.
func (j *journal) length() *int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.lines
	return &n
}

// after waits for an entry later than seq, or until stop.
func (j *journal) after(seq uint64, stop <-chan struct{}) {
	j.mu.Lock()
	if j.seq > seq {
		j.mu.Unlock()
		return
	}
	if j.grown == nil {
		j.grown = make(chan struct{})
	}
	grown := j.grown
	j.mu.Unlock()
	select {
	case <-grown:
	case <-stop:
	}
}

// read gives the entries after seq, as many as fit.
func (j *journal) read(seq uint64) (out hostproto.JournalReply, err error) {
	j.mu.Lock()
	j.flush()
	out.Last = j.seq
	end := j.size
	at := int64(0)
	if i := sort.Search(len(j.index), func(i int) bool { return j.index[i].seq > seq+1 }); i > 0 {
		at = j.index[i-1].offset
	}
	failing := j.failing
	j.mu.Unlock()
	if failing {
		return out, errors.New("the session's journal cannot be written")
	}
	if out.Last <= seq {
		return out, nil
	}
	r := bufio.NewReaderSize(io.NewSectionReader(j.file, at, end-at), writeBuf)
	for size := 0; size < maxReply; {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("read the session's journal: %w", err)
		}
		n := seqOf(line)
		if n > seq {
			if len(line) > maxEntry {
				if len(out.Entries) == 0 {
					out.Large = &hostproto.LargeEntry{Seq: n, Path: j.where(), Offset: at, Size: int64(len(line) - 1)}
				}
				return out, nil
			}
			out.Entries = append(out.Entries, bytes.TrimSuffix(line, []byte("\n")))
			size += len(line)
		}
		at += int64(len(line))
	}
	return out, nil
}

// seqOf is the number of an entry's line.
func seqOf(line []byte) uint64 {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	if !ok {
		return 0
	}
	i := bytes.IndexByte(rest, ',')
	n, _ := strconv.ParseUint(string(rest[:max(i, 0)]), 10, 64)
	return n
}
