package report

import "unicode/utf8"

// The host protocol's frames, by hand: package hostproto would bring
// encoding/json. A test holds the two together.
const (
	frameHeader  = 5
	frameControl = 'C'
	frameReply   = 'R'
	maxFrame     = 16 << 20
)

const hello = `{"op":"hello","id":1,"body":{"min":1,"max":1,"role":"control","client":"termio-hook"}}`

// frames are the whole conversation that a reporter begins: hello, and the
// report as request 2.
func frames(o *Options, f found, token, cwd string) []byte {
	b := appendFrame(nil, []byte(hello))
	p := append(make([]byte, 0, 512), `{"op":"report","id":2,"body":{"state":`...)
	p = appendString(p, o.State, maxText)
	field := func(name, value string, most int) {
		if value != "" {
			p = append(append(append(p, ',', '"'), name...), '"', ':')
			p = appendString(p, value, most)
		}
	}
	field("token", token, maxText)
	field("event", o.Event, maxText)
	id := o.Conversation
	if id == "" {
		id = f.conversation
	}
	if validID(id) {
		field("conversation", id, maxID)
	}
	if len(f.transcript) <= maxPath {
		field("transcript", f.transcript, maxPath)
	}
	field("tool", f.tool, maxText)
	field("prompt_title", f.prompt, 2*maxText)
	field("subagent", f.subagent, maxID)
	if f.pending > 0 {
		p = append(p, `,"pending":`...)
		p = appendInt(p, min(f.pending, maxPending))
	}
	if len(cwd) <= maxPath {
		field("cwd", cwd, maxPath)
	}
	return appendFrame(b, append(p, "}}"...))
}

func appendFrame(b, payload []byte) []byte {
	n := len(payload)
	b = append(b, frameControl, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	return append(b, payload...)
}

// appendInt appends n, which is not negative.
func appendInt(b []byte, n int) []byte {
	if n >= 10 {
		b = appendInt(b, n/10)
	}
	return append(b, byte('0'+n%10))
}

// appendString appends s as a JSON string, at most so many bytes of it.
func appendString(b []byte, s string, most int) []byte {
	const hex = "0123456789abcdef"
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	b = append(b, '"')
	for _, r := range s { // what is no UTF-8 comes as U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// answered tells whether what a host sent so far holds its second reply, the
// one to the report, or says that there will be none.
func answered(b []byte) bool {
	for replies := 0; len(b) >= frameHeader; {
		n := int(b[1])<<24 | int(b[2])<<16 | int(b[3])<<8 | int(b[4])
		if n > maxFrame {
			return true
		}
		if len(b) < frameHeader+n {
			return false
		}
		if b[0] == frameReply {
			if replies++; replies == 2 {
				return true
			}
		}
		b = b[frameHeader+n:]
	}
	return false
}
