//go:build unix

package nowait

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// pair gives two ends of a socket.
func pair(t *testing.T) (a, b net.Conn, raw syscall.RawConn) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nw") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	if raw, err = a.(syscall.Conn).SyscallConn(); err != nil {
		t.Fatal(err)
	}
	return a, b, raw
}

// TestWriteNeverWaits fills a socket that nobody reads, with little and with
// much: what Write says was written is what arrives, and a full socket takes
// nothing, at once.
func TestWriteNeverWaits(t *testing.T) {
	for _, size := range []int{1, 60_000} {
		from, to, raw := pair(t)
		var sent []byte
		for i := byte(0); ; i++ {
			n, err := Write(raw, bytes.Repeat([]byte{i}, size))
			if err != nil {
				t.Fatal(err)
			}
			for range n {
				sent = append(sent, i)
			}
			if n == 0 {
				break
			}
		}
		from.Close()
		got, err := io.ReadAll(to)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, sent) {
			t.Errorf("pieces of %d: %d bytes arrived, %d were written", size, len(got), len(sent))
		}
		if _, err := Write(raw, []byte("x")); err == nil {
			t.Error("no error on a closed connection")
		}
	}
}

func TestReadWaitsAndEnds(t *testing.T) {
	_, to, raw := pair(t)
	r := NewReader(raw)
	want := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	go func() {
		for p := want; len(p) > 0; {
			n := min(len(p), 1+len(p)%5000)
			to.Write(p[:n])
			p = p[n:]
		}
		to.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("read %d bytes, want %d", len(got), len(want))
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

func TestBlockingDescriptorIsLeftAlone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if RawOf(w) == nil {
		t.Error("a non-blocking pipe is taken for a blocking one")
	}
	if _, ok := ReaderOf(r).(*Reader); !ok {
		t.Error("a non-blocking pipe has no Reader")
	}
	w.Fd() // makes it blocking
	r.Fd()
	if RawOf(w) != nil {
		t.Error("a blocking pipe is taken for a non-blocking one")
	}
	if ReaderOf(r) != io.Reader(r) {
		t.Error("a blocking pipe has a Reader")
	}
}
