package vt

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strconv"
)

// The kitty graphics protocol, as far as an engine that draws nothing keeps
// it: pictures sent directly (t=d), their showings, and deletions. Pictures in
// files or shared memory of the machine of the program are not for a viewer on
// another and are left out, as are animations; queries (a=q) are not answered,
// so that a program that asks sends none.

// kittyKeys are the values of a command's keys, by letter: a number, or the
// letter that stands for it.
type kittyKeys ['z' + 1]int32

// parseKitty splits a command into keys and payload.
func parseKitty(b []byte) (k kittyKeys, payload []byte, only bool, ok bool) {
	control, payload, _ := bytes.Cut(b, []byte(";"))
	only = true // keys of a part that is not the first
	for len(control) > 0 {
		var one []byte
		one, control, _ = bytes.Cut(control, []byte(","))
		if len(one) < 3 || one[1] != '=' || one[0] < 'A' || one[0] > 'z' {
			return k, nil, false, false
		}
		v, err := strconv.ParseInt(string(one[2:]), 10, 64)
		switch {
		case err == nil:
			k[one[0]] = int32(v)
		case len(one) == 3:
			k[one[0]] = int32(one[2])
		default:
			return k, nil, false, false
		}
		only = only && (one[0] == 'm' || one[0] == 'q')
	}
	return k, payload, only, true
}

// kittyPart is a picture of which not all parts have come.
type kittyPart struct {
	open, tooBig bool
	keys         kittyKeys
	data         []byte
}

// kitty acts on a command of the kitty graphics protocol.
func (t *Terminal) kitty(b []byte) {
	k, payload, only, ok := parseKitty(b)
	if !ok {
		return
	}
	part := &t.images.part
	if !only {
		*part = kittyPart{} // what was begun is not ended any more
	} else if !part.open {
		return
	}
	switch {
	case part.open:
		part.tooBig = part.tooBig || len(part.data)+len(payload) > maxImage
		if !part.tooBig {
			part.data = append(part.data, payload...)
		}
		if k['m'] == 1 {
			return
		}
		done := *part
		*part = kittyPart{}
		if !done.tooBig {
			t.kittyCommand(done.keys, done.data)
		}
	case k['m'] == 1:
		*part = kittyPart{open: true, keys: k, data: bytes.Clone(payload)}
	default:
		t.kittyCommand(k, payload)
	}
}

func (t *Terminal) kittyCommand(k kittyKeys, payload []byte) {
	switch k['a'] {
	case 0, 't', 'T':
		if k['t'] != 0 && k['t'] != 'd' {
			return
		}
		if p := t.kittyData(k, payload); p != nil && k['a'] == 'T' {
			t.kittyShow(p, k)
		}
	case 'p':
		if p := t.kittyPicture(k); p != nil {
			t.kittyShow(p, k)
		}
	case 'd':
		t.kittyDelete(k)
	}
}

// kittyData keeps a picture under its name.
func (t *Terminal) kittyData(k kittyKeys, payload []byte) *picture {
	p := picture{format: ImageKitty, keys: k, id: uint32(k['i']), called: uint32(k['I']), w: int(k['s']), h: int(k['v'])}
	if k['f'] == 100 {
		p.w, p.h = pngSize(payload)
	}
	if p.w <= 0 || p.h <= 0 || p.w > 1<<16 || p.h > 1<<16 {
		return nil
	}
	if p.id != 0 {
		if old := t.kittyPicture(k); old != nil {
			t.dropPicture(old)
		}
	} else {
		p.id = uint32(0x7e00_0000 + t.images.number&0xff_ffff)
	}
	p.bytes = bytes.Clone(payload)
	return t.addPicture(p)
}

// pngSize is the size that the base64 of a PNG says.
func pngSize(b []byte) (w, h int) {
	var head [24]byte
	if n, err := base64.StdEncoding.Decode(head[:], b[:min(len(b), 32)]); err != nil || n < len(head) || string(head[12:16]) != "IHDR" {
		return 0, 0
	}
	return int(binary.BigEndian.Uint32(head[16:])), int(binary.BigEndian.Uint32(head[20:]))
}

// kittyPicture finds the picture that a command names.
func (t *Terminal) kittyPicture(k kittyKeys) *picture {
	for i := len(t.images.pics) - 1; i >= 0; i-- {
		p := t.images.pics[i]
		if p.format == ImageKitty && (k['i'] != 0 && p.id == uint32(k['i']) || k['i'] == 0 && k['I'] != 0 && p.called == uint32(k['I'])) {
			return p
		}
	}
	return nil
}

// kittyShow shows a picture at the cursor.
func (t *Terminal) kittyShow(p *picture, k kittyKeys) {
	s := showing{pic: p, keys: k, cols: int(k['c']), rows: int(k['r'])}
	w, h := p.w, p.h
	if k['w'] > 0 {
		w = min(w, int(k['w']))
	}
	if k['h'] > 0 {
		h = min(h, int(k['h']))
	}
	switch {
	case s.cols <= 0 && s.rows <= 0:
		s.cols, s.rows = ceilDiv(w, t.cellW), ceilDiv(h, t.cellH)
	case s.rows <= 0:
		s.cols = min(s.cols, MaxCols)
		s.rows = ceilDiv(s.cols*t.cellW*h, w*t.cellH)
	case s.cols <= 0:
		s.rows = min(s.rows, MaxRows)
		s.cols = ceilDiv(s.rows*t.cellH*w, h*t.cellW)
	}
	s.cols, s.rows = min(max(s.cols, 1), MaxCols), min(max(s.rows, 1), MaxRows)
	if k['p'] != 0 {
		t.dropShown(func(o *showing) bool { return o.pic == p && o.keys['p'] == k['p'] })
	}
	if s.virtual() {
		t.show(s, false)
		return
	}
	x := t.cur.x
	t.show(s, k['C'] != 1)
	if k['C'] != 1 {
		t.moveTo(x+s.cols, t.cur.y)
	}
}

// kittyDelete is a=d: which showings d says; a capital takes the pixels too.
func (t *Terminal) kittyDelete(k kittyKeys) {
	what := byte(k['d'])
	pixels := what >= 'A' && what <= 'Z'
	if what == 0 {
		what = 'a'
	}
	at := func(s *showing, x, y int) bool {
		top := s.y()
		return (x < 0 || x >= s.x && x < s.x+s.cols) && (y < 0 || y >= top && y < top+s.rows)
	}
	x, y := int(k['x'])-1, int(k['y'])-1
	var named *picture
	if what|0x20 == 'i' || what|0x20 == 'n' {
		if named = t.kittyPicture(k); named == nil {
			return
		}
	}
	hit := func(s *showing) bool {
		switch what | 0x20 {
		case 'a':
			return !s.virtual()
		case 'i', 'n':
			return s.pic == named && (k['p'] == 0 || s.keys['p'] == k['p'])
		case 'c':
			return !s.virtual() && at(s, t.cur.x, t.cur.y)
		case 'p':
			return !s.virtual() && at(s, x, y)
		case 'q':
			return !s.virtual() && at(s, x, y) && s.keys['z'] == k['z']
		case 'x':
			return !s.virtual() && at(s, x, -1)
		case 'y':
			return !s.virtual() && at(s, -1, y)
		case 'z':
			return !s.virtual() && s.keys['z'] == k['z']
		case 'r':
			return int64(s.pic.id) >= int64(k['x']) && int64(s.pic.id) <= int64(k['y'])
		}
		return false
	}
	touched := map[*picture]bool{}
	t.dropShown(func(s *showing) bool {
		gone := s.scr == t.scr && s.pic.format == ImageKitty && hit(s)
		touched[s.pic] = touched[s.pic] || gone
		return gone
	})
	if !pixels {
		return
	}
	if named != nil && k['p'] == 0 {
		touched[named] = true
	}
	for _, s := range t.images.shown {
		delete(touched, s.pic) // shown elsewhere
	}
	for p, gone := range touched {
		if gone {
			t.dropPicture(p)
		}
	}
}

// kittyChunk is how much of a picture one command may bring.
const kittyChunk = 4096

// appendKitty appends the commands that bring the picture.
func (p *picture) appendKitty(dst []byte) []byte {
	head := append([]byte(nil), ",q=2"...)
	head = appendKey(head, 'i', int64(p.id))
	for _, k := range [...]byte{'f', 's', 'v'} {
		if v := p.keys[k]; v != 0 {
			head = appendKey(head, k, int64(v))
		}
	}
	if p.keys['o'] == 'z' {
		head = append(head, ",o=z"...)
	}
	return appendKittyParts(dst, append([]byte("a=t"), head...), p.bytes, false)
}

// appendKittyParts appends a command in parts of which more may follow.
func appendKittyParts(dst, head, data []byte, more bool) []byte {
	for first := true; first || len(data) > 0; first = false {
		n := min(len(data), kittyChunk)
		dst = append(dst, "\x1b_G"...)
		if first {
			dst = append(append(dst, head...), ',')
		}
		if n < len(data) || more {
			dst = append(dst, "m=1;"...)
		} else {
			dst = append(dst, "m=0;"...)
		}
		dst = append(append(dst, data[:n]...), "\x1b\\"...)
		data = data[n:]
	}
	return dst
}

// appendKeys appends the keys of a command as they came.
func (k *kittyKeys) appendKeys(dst []byte) []byte {
	dst = append(dst, "q=2"...)
	for c := byte('A'); c <= 'z'; c++ {
		switch v := k[c]; {
		case v == 0 || c == 'm' || c == 'q':
		case c == 'a' || c == 't' || c == 'o' || c == 'd':
			dst = append(dst, ',', c, '=', byte(v))
		default:
			dst = appendKey(dst, c, int64(v))
		}
	}
	return dst
}
