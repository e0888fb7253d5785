//go:build unix

package acp

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// key is one key of a viewer.
type key struct {
	kind keyKind
	r    rune
}

type keyKind uint8

const (
	keyText keyKind = iota
	keyEnter
	keyErase
	keyClear
	keyCancel
	keyUp
	keyDown
)

// keys reads what a terminal sends, across the pieces in which it comes.
type keys struct {
	rest    []byte // of a character or sequence that is not whole
	pasting bool
}

// maxSequence is the longest control sequence that is waited for, in bytes.
const maxSequence = 64

func (k *keys) read(data []byte) (out []key) {
	whole := len(k.rest) > 0 // an Esc before is part of what came now
	data = append(k.rest, data...)
	k.rest = nil
	for len(data) > 0 {
		if data[0] == 0x1b {
			n, did := k.sequence(data)
			if n == 0 {
				if len(data) > 1 || whole {
					k.rest = bytes.Clone(data)
					if len(data) > maxSequence {
						k.rest = nil
					}
					return out
				}
				return append(out, key{kind: keyCancel}) // Esc alone
			}
			out = append(out, did...)
			data = data[n:]
			continue
		}
		if !utf8.FullRune(data) {
			k.rest = bytes.Clone(data)
			return out
		}
		r, n := utf8.DecodeRune(data)
		data = data[n:]
		out = append(out, k.plain(r)...)
	}
	return out
}

func (k *keys) plain(r rune) []key {
	switch {
	case (r == '\r' || r == '\n') && k.pasting:
		return []key{{keyText, '\n'}}
	case r == '\r':
		return []key{{kind: keyEnter}}
	case r == 0x7f, r == 0x08:
		return []key{{kind: keyErase}}
	case r == 0x15:
		return []key{{kind: keyClear}}
	case r == 0x03:
		return []key{{kind: keyCancel}}
	case r == '\t', r == '\n':
		return []key{{keyText, ' '}}
	case unicode.IsControl(r) || r == utf8.RuneError:
		return nil
	}
	return []key{{keyText, r}}
}

// sequence takes the control sequence at the begin of data; 0 when it is not
// whole.
func (k *keys) sequence(data []byte) (n int, did []key) {
	if len(data) < 2 {
		return 0, nil
	}
	if data[1] != '[' && data[1] != 'O' {
		return 2, nil // with Alt
	}
	for i := 2; i < len(data); i++ {
		if c := data[i]; c >= 0x40 && c <= 0x7e {
			switch string(data[2 : i+1]) {
			case "200~":
				k.pasting = true
			case "201~":
				k.pasting = false
			case "5~":
				did = []key{{kind: keyUp}}
			case "6~":
				did = []key{{kind: keyDown}}
			case "27u":
				did = []key{{kind: keyCancel}}
			case "13u":
				did = []key{{kind: keyEnter}}
			}
			return i + 1, did
		}
	}
	return 0, nil
}
