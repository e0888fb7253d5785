package hostproto

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// headerLen is type u8 and length u32, big-endian.
const headerLen = 5

// ErrFrame is a frame that breaks the protocol: unknown type or too long.
var ErrFrame = errors.New("host protocol: bad frame")

func (t FrameType) limit() (int, bool) {
	switch t {
	case FrameControl, FrameReply, FrameEvent:
		return MaxFrame, true
	case FrameOutput, FrameInput, FrameSnapshot:
		return MaxData, true
	}
	return 0, false
}

// AppendFrame appends one frame to dst. The payload must respect the limit of
// its type; callers split data with MaxData.
func AppendFrame(dst []byte, t FrameType, payload []byte) []byte {
	return append(AppendHeader(dst, t, len(payload)), payload...)
}

// AppendHeader appends the header of a frame whose payload of n bytes the
// caller writes itself.
func AppendHeader(dst []byte, t FrameType, n int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(t)), uint32(n))
}

// AppendData appends data as as many frames of type t as its size needs.
func AppendData(dst []byte, t FrameType, data []byte) []byte {
	for len(data) > MaxData {
		dst = AppendFrame(dst, t, data[:MaxData])
		data = data[MaxData:]
	}
	if len(data) > 0 {
		dst = AppendFrame(dst, t, data)
	}
	return dst
}

// AppendJSON appends v as a frame of type t.
func AppendJSON(dst []byte, t FrameType, v any) ([]byte, error) {
	p, err := json.Marshal(v)
	if err != nil {
		return dst, fmt.Errorf("encode %c frame: %w", t, err)
	}
	if len(p) > MaxFrame {
		return dst, fmt.Errorf("encode %c frame of %d bytes: %w", t, len(p), ErrFrame)
	}
	return AppendFrame(dst, t, p), nil
}

// Reader reads frames. The payload returned by Next is valid until the next call.
type Reader struct {
	r   io.Reader
	hdr [headerLen]byte
	buf []byte
}

// NewReader returns a Reader on r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// keepBuffer is the largest buffer a Reader keeps between frames.
const keepBuffer = 64 << 10

// Next reads one frame. io.EOF means the peer closed between frames.
func (r *Reader) Next() (FrameType, []byte, error) {
	if _, err := io.ReadFull(r.r, r.hdr[:]); err != nil {
		return 0, nil, err
	}
	t := FrameType(r.hdr[0])
	n := int(binary.BigEndian.Uint32(r.hdr[1:]))
	limit, known := t.limit()
	if !known {
		return 0, nil, fmt.Errorf("frame type 0x%02x: %w", byte(t), ErrFrame)
	}
	if n > limit {
		return 0, nil, fmt.Errorf("frame %c of %d bytes, limit %d: %w", t, n, limit, ErrFrame)
	}
	buf, err := r.payload(n)
	return t, buf, err
}

// payload reads n bytes. It grows with what arrives, so that a length alone
// cannot make it allocate.
func (r *Reader) payload(n int) ([]byte, error) {
	if cap(r.buf) > keepBuffer && n <= keepBuffer {
		r.buf = nil
	}
	buf := r.buf[:0]
	for len(buf) < n {
		step := min(n-len(buf), keepBuffer)
		start := len(buf)
		buf = append(buf, make([]byte, step)...)
		if _, err := io.ReadFull(r.r, buf[start:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	r.buf = buf
	return buf, nil
}
