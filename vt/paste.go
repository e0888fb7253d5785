package vt

import "unicode/utf8"

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// EncodePaste appends text as the program is to read it when it is pasted.
//
// If the program has bracketed paste on, the text stands between the paste
// markers with its line breaks as they are; otherwise every line break is the
// Enter key's carriage return and there are no markers. Either way nothing in
// the text can act as a key or end the paste: C0 and C1 controls other than
// tab and line breaks are left out, and bytes that are not UTF-8 become
// U+FFFD, so that no two of them can come together as a control.
func EncodePaste(dst []byte, text []byte, m InputModes) []byte {
	if m.BracketedPaste {
		dst = append(dst, pasteStart...)
	}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(text[i:])
			if r >= 0xa0 { // not a C1 control
				dst = utf8.AppendRune(dst, r)
			}
			i += n
			continue
		case c >= 0x20 && c != 0x7f || c == '\t':
			dst = append(dst, c)
		case c != '\r' && c != '\n':
		case m.BracketedPaste:
			dst = append(dst, c)
		default:
			dst = append(dst, '\r')
			if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
		}
		i++
	}
	if m.BracketedPaste {
		dst = append(dst, pasteEnd...)
	}
	return dst
}
