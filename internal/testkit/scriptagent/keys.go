package scriptagent

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type keyKind int

const (
	keyText      keyKind = iota // text typed or pasted
	keyEnter                    // submits
	keyNewline                  // a line end inside the prompt
	keyEscape                   //
	keyBackspace                //
	keyControl                  // text is the letter
	keyUp
	keyDown
	keyStatus // the terminal answered the OSC 7501 query
)

type key struct {
	kind keyKind
	text string
}

// A decoder makes keys of bytes. It keeps what is cut short for the next call.
type decoder struct {
	buf   []byte
	paste bool
	// burst takes an Enter that comes in one read with text for text.
	burst bool
}

const pasteEnd = "\x1b[201~"

// decode returns the keys of p.
func (d *decoder) decode(p []byte) []key {
	together := d.burst && len(p) > 1
	d.buf = append(d.buf, p...)
	var out []key
	for len(d.buf) > 0 {
		k, n := d.next()
		if n == 0 {
			break
		}
		d.buf = d.buf[n:]
		if k == nil {
			continue
		}
		if together && k.kind == keyEnter {
			k.kind = keyNewline
		}
		out = append(out, *k)
	}
	return out
}

// pending says whether a lone Esc waits for more that may not come.
func (d *decoder) pending() bool { return string(d.buf) == "\x1b" && !d.paste }

// flush takes the lone Esc for the key.
func (d *decoder) flush() []key {
	d.buf = nil
	return []key{{kind: keyEscape}}
}

// next reads one key from the front: nil for what is no key, 0 for too little.
func (d *decoder) next() (*key, int) {
	s := string(d.buf)
	if d.paste {
		return d.pasted(s)
	}
	switch b := s[0]; {
	case b == 0x1b:
		return d.escape(s)
	case b == '\r':
		return &key{kind: keyEnter}, 1
	case b == '\n':
		return &key{kind: keyNewline}, 1
	case b == 0x7f || b == '\b':
		return &key{kind: keyBackspace}, 1
	case b == '\t':
		return &key{kind: keyText, text: "\t"}, 1
	case b < 0x20:
		return &key{kind: keyControl, text: string(rune(b + 0x60))}, 1
	}
	if !utf8.FullRuneInString(s) {
		return nil, 0
	}
	_, n := utf8.DecodeRuneInString(s)
	return &key{kind: keyText, text: s[:n]}, n
}

func (d *decoder) pasted(s string) (*key, int) {
	if i := strings.Index(s, pasteEnd); i >= 0 {
		d.paste = false
		return &key{kind: keyText, text: s[:i]}, i + len(pasteEnd)
	}
	return nil, 0
}

func (d *decoder) escape(s string) (*key, int) {
	if len(s) < 2 {
		return nil, 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return d.control(s[2:i], s[i]), i + 1
			}
		}
		return nil, 0
	case ']':
		for _, end := range []string{"\x1b\\", "\a"} {
			if i := strings.Index(s, end); i > 0 {
				if s[2:i] == "7501;?" {
					return &key{kind: keyStatus}, i + len(end)
				}
				return nil, i + len(end)
			}
		}
		return nil, 0
	case '\r', '\n':
		return &key{kind: keyNewline}, 2
	case 'O':
		if len(s) < 3 {
			return nil, 0
		}
		return nil, 3
	}
	return &key{kind: keyEscape}, 1
}

func (d *decoder) control(params string, final byte) *key {
	switch {
	case final == '~' && params == "200":
		d.paste = true
	case final == 'A':
		return &key{kind: keyUp}
	case final == 'B':
		return &key{kind: keyDown}
	case final == 'u':
		return kittyKey(params)
	}
	return nil
}

// kittyKey reads "code;modifiers:event"; releases are no keys.
func kittyKey(params string) *key {
	codeText, mods, _ := strings.Cut(params, ";")
	mods, event, _ := strings.Cut(mods, ":")
	codeText, _, _ = strings.Cut(codeText, ":")
	code, err := strconv.Atoi(codeText)
	if err != nil || strings.HasPrefix(event, "3") {
		return nil
	}
	plain := mods == "" || mods == "1"
	switch {
	case code == 13 && plain:
		return &key{kind: keyEnter}
	case code == 13:
		return &key{kind: keyNewline}
	case code == 27:
		return &key{kind: keyEscape}
	case code == 127:
		return &key{kind: keyBackspace}
	case mods == "5":
		return &key{kind: keyControl, text: string(rune(code))}
	case code >= 0x20:
		return &key{kind: keyText, text: string(rune(code))}
	}
	return nil
}
