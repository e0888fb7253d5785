package host

import (
	"bytes"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/hostproto"
)

// TestFrameCutInTwo fills a pipe but for half a frame: what does not go at once
// is kept, nothing overtakes it, and stream writes it first.
func TestFrameCutInTwo(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	raw, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	free := 4096
	raw.Write(func(fd uintptr) bool {
		for n := 4096; n > 0; { // a whole page at a time
			k, err := syscall.Write(int(fd), make([]byte, n))
			if n = k; err != nil {
				break
			}
		}
		return true
	})
	if _, err := r.Read(make([]byte, free)); err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	p := newPeer(here, hostproto.Hello{Role: hostproto.RoleObserve})
	p.raw = raw
	tee, cur := NewTee()
	v := tee.Join()
	v.Idle(p.writeNow)
	data := bytes.Repeat([]byte("0123456789abcdef"), 3*free/16)
	for sent := 0; sent < len(data); {
		n := copy(tee.Space(), data[sent:])
		tee.Publish(n)
		sent += n
	}
	v.Busy()
	if len(p.rest) == 0 || p.writeNow([]byte("x")) {
		t.Fatalf("%d bytes are kept of a frame that did not go whole; others may overtake it", len(p.rest))
	}
	tee.Close()
	for e := (&reader{c: cur}); e.step(1 << 20); {
	}
	kept := len(p.rest)
	go func() { p.finish(); p.stream(v); here.Close() }()
	var head, tail bytes.Buffer
	tail.ReadFrom(there)
	w.Close()
	head.ReadFrom(r)
	all := head.Bytes()[head.Len()-free:] // after what filled the pipe
	if n := hostproto.FrameOutput; all[0] != byte(n) {
		t.Fatalf("begins with %q", all[:5])
	}
	frames := hostproto.NewReader(bytes.NewReader(append(bytes.Clone(all), tail.Bytes()...)))
	var got []byte
	for len(got) < len(data) {
		_, payload, err := frames.Next()
		if err != nil {
			t.Fatalf("after %d of %d bytes (%d kept): %v", len(got), len(data), kept, err)
		}
		got = append(got, payload...)
	}
	if !bytes.Equal(got, data) {
		t.Error("the bytes are not those published")
	}
}
