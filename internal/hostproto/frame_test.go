package hostproto

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestFramesGoRoundInAnyPieces(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789"), 20_000)
	var wire []byte
	wire = AppendFrame(wire, FrameControl, []byte(`{"op":"info"}`))
	wire = AppendData(wire, FrameOutput, long)
	wire = AppendFrame(wire, FrameInput, nil)
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(wire), "bytewise": iotest.OneByteReader(bytes.NewReader(wire)), "halves": iotest.HalfReader(bytes.NewReader(wire)),
	} {
		fr := NewReader(r)
		ft, p, err := fr.Next()
		if err != nil || ft != FrameControl || string(p) != `{"op":"info"}` {
			t.Fatalf("%s: %c %q %v", name, ft, p, err)
		}
		var got []byte
		for len(got) < len(long) {
			ft, p, err := fr.Next()
			if err != nil || ft != FrameOutput || len(p) > MaxData {
				t.Fatalf("%s: %c, %d bytes, %v", name, ft, len(p), err)
			}
			got = append(got, p...)
		}
		if !bytes.Equal(got, long) {
			t.Errorf("%s: the data differs", name)
		}
		if ft, p, err = fr.Next(); err != nil || ft != FrameInput || len(p) != 0 {
			t.Errorf("%s: %c %q %v", name, ft, p, err)
		}
		if _, _, err = fr.Next(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
}

func TestBadFramesAreRefused(t *testing.T) {
	header := func(t byte, n uint32) []byte { return binary.BigEndian.AppendUint32([]byte{t}, n) }
	for name, tc := range map[string]struct {
		wire []byte
		want error
	}{
		"unknown type":       {header('Z', 0), ErrFrame},
		"control too long":   {header('C', MaxFrame+1), ErrFrame},
		"output too long":    {header('O', MaxData+1), ErrFrame},
		"header cut":         {[]byte{'C', 0}, io.ErrUnexpectedEOF},
		"payload cut":        {append(header('C', 10), "abc"...), io.ErrUnexpectedEOF},
		"payload all gone":   {header('C', 10), io.ErrUnexpectedEOF},
		"huge length, empty": {header('C', MaxFrame), io.ErrUnexpectedEOF},
	} {
		if _, _, err := NewReader(bytes.NewReader(tc.wire)).Next(); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

// TestLengthAloneAllocatesLittle: a header that promises 16 MiB must bring them
// before they are allocated.
func TestLengthAloneAllocatesLittle(t *testing.T) {
	wire := append(binary.BigEndian.AppendUint32([]byte{'C'}, MaxFrame), "few"...)
	r := NewReader(bytes.NewReader(wire))
	if _, _, err := r.Next(); err == nil {
		t.Fatal("no error")
	}
	if cap(r.buf) > 2*keepBuffer {
		t.Errorf("%d bytes were allocated", cap(r.buf))
	}
}

func TestAppendJSONKeepsTheLimit(t *testing.T) {
	before := []byte("before")
	got, err := AppendJSON(before, FrameReply, Screen{Text: string(make([]byte, MaxFrame))})
	if !errors.Is(err, ErrFrame) || string(got) != "before" {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(AppendFrame(nil, FrameControl, []byte(`{"op":"hello"}`)))
	f.Add(AppendData(nil, FrameOutput, bytes.Repeat([]byte{0}, MaxData+7)))
	f.Add([]byte("GET / HTTP/1.1\r\n"))
	f.Add([]byte{'C', 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := NewReader(bytes.NewReader(wire))
		var again []byte
		for {
			ft, p, err := r.Next()
			if err != nil {
				break
			}
			limit, known := ft.limit()
			if !known || len(p) > limit {
				t.Fatalf("frame %q of %d bytes passed", byte(ft), len(p))
			}
			again = AppendFrame(again, ft, p)
		}
		if !bytes.HasPrefix(wire, again) {
			t.Error("what was read is not what was there")
		}
	})
}
