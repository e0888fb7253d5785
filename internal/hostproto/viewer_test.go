package hostproto

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestViewer says hello, types, and hears what a host says; a host that does
// not read keeps nobody waiting.
func TestViewer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	typed := make(chan []byte, 1)
	read := make(chan struct{})
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r := NewReader(conn)
		_, p, err := r.Next()
		var q Request
		if err != nil || json.Unmarshal(p, &q) != nil || q.Op != OpHello {
			return
		}
		reply, _ := AppendJSON(nil, FrameReply, Reply{ID: q.ID})
		conn.Write(AppendData(reply, FrameOutput, []byte("hi")))
		<-read
		var all []byte
		for len(all) < 4<<20 {
			kind, p, err := r.Next()
			if err != nil || kind != FrameInput {
				break
			}
			all = append(all, p...)
		}
		typed <- all
	}()
	v, err := DialViewer(t.Context(), socket, Hello{Role: RoleInteract})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if kind, p, _, err := v.Next(); err != nil || kind != FrameOutput || string(p) != "hi" {
		t.Fatalf("%c %q %v", kind, p, err)
	}
	part := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	begin := time.Now()
	for range 64 {
		if taken, err := v.Input(part); err != nil || !taken {
			t.Fatal(taken, err)
		}
	}
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("a host that does not read kept the typist waiting for %v", d)
	}
	close(read)
	if got := <-typed; !bytes.Equal(got, bytes.Repeat(part, 64)) {
		t.Errorf("%d bytes came, or not in order", len(got))
	}
	if _, _, _, err := v.Next(); !errors.Is(err, ErrClosed) {
		t.Errorf("the end is %v", err)
	}
}

// TestViewerRefused gives a host's refusal as it is.
func TestViewerRefused(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		NewReader(conn).Next()
		reply, _ := AppendJSON(nil, FrameReply, Reply{ID: 1, Error: &Error{Code: "nope", Message: "not you"}})
		conn.Write(reply)
	}()
	_, err = DialViewer(t.Context(), socket, Hello{Role: RoleObserve})
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Code != "nope" {
		t.Errorf("%v", err)
	}
}
