package vt

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// oscDispatch acts on an operating system command.
func (t *Terminal) oscDispatch(b []byte) {
	n, rest, ok := oscNumber(b)
	if !ok {
		return
	}
	switch n {
	case 0, 1, 2:
		if rest, ok = t.titleBytes(rest); ok {
			t.setTitle(n, t.titleText(rest))
		}
	case 4:
		t.oscPalette(rest, 0)
	case 5:
		t.oscPalette(rest, 256)
	case 7:
		if dir, ok := directoryOf(rest); ok {
			t.setDirectory(dir)
		}
	case 8:
		t.oscLink(rest)
	case 9:
		t.oscNine(rest)
	case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
		t.oscColor(n, rest)
	case 26:
		t.emit(Event{Kind: EventTerminalAgent, Text: cleanText(rest)})
	case 52:
		t.oscClipboard(rest)
	case 88:
		t.emit(Event{Kind: EventResume, Text: cleanText(rest)})
	case 99:
		t.oscNotify(rest)
	case 104:
		t.resetPalette(rest, 0)
	case 105:
		t.resetPalette(rest, 256)
	case 110, 111, 112:
		*t.colorSlot(n - 100) = 0
		t.paletteChanged()
	case 113, 114, 115, 116, 117, 118, 119:
		if t.others != nil {
			*t.colorSlot(n - 100) = 0
		}
	case 133:
		t.oscPrompt(rest)
	case 777:
		kind, rest, _ := bytes.Cut(rest, []byte(";"))
		if string(kind) == "notify" {
			title, body, _ := bytes.Cut(rest, []byte(";"))
			t.emit(Event{Kind: EventNotification, Title: cleanText(title), Text: cleanText(body)})
		}
	case 7501:
		t.oscProgramStatus(rest)
	}
}

// oscNumber splits the number off an OSC. A number alone has no rest.
func oscNumber(b []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(b) && b[i]-'0' < 10 {
		n = min(n*10+int(b[i]-'0'), maxParamValue)
		i++
	}
	if i == 0 || i < len(b) && b[i] != ';' {
		return 0, nil, false
	}
	return n, b[min(i+1, len(b)):], true
}

// cleanText is b as text: valid UTF-8 without control characters, bounded.
func cleanText(b []byte) string {
	if len(b) > maxTitle {
		b = b[:maxTitle]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) { // do not cut a character
			b = b[:len(b)-1]
		}
		if len(b) > 0 && b[len(b)-1] >= 0xc0 {
			b = b[:len(b)-1]
		}
	}
	clean := true
	for i := 0; i < len(b) && clean; {
		r, n := utf8.DecodeRune(b[i:])
		clean = r >= 0x20 && (r < 0x7f || r >= 0xa0) && (r != utf8.RuneError || n > 1)
		i += n
	}
	if clean {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		if b[i] < 0x80 {
			if b[i] >= 0x20 && b[i] != 0x7f {
				out = append(out, b[i])
			}
			i++
			continue
		}
		r, n, full := decodeRune(b[i:])
		if !full {
			r = utf8.RuneError
		}
		i += n
		if r >= 0xa0 {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// titleText is cleanText, without a copy if it is the title already.
func (t *Terminal) titleText(b []byte) string {
	if string(b) == t.title {
		return t.title
	}
	return cleanText(b)
}

// titlePair is what XTWINOPS 22 pushes.
type titlePair struct{ title, icon string }

// setTitle is OSC 0 (both), 1 (icon name) and 2 (title).
func (t *Terminal) setTitle(which int, s string) {
	if which != 2 && t.icon != s {
		t.icon = s
		t.emit(Event{Kind: EventIconName, Text: s})
	}
	if which != 1 {
		t.title = s
		t.emit(Event{Kind: EventTitle, Text: s})
	}
}

// pushTitle keeps both, or only one and the other as it was kept last, as in
// xterm.
func (t *Terminal) pushTitle(which int) {
	p := titlePair{t.title, t.icon}
	if n := len(t.titleStack); n > 0 {
		switch which {
		case 1:
			p.title = t.titleStack[n-1].title
		case 2:
			p.icon = t.titleStack[n-1].icon
		}
	}
	if len(t.titleStack) >= maxTitleStack {
		copy(t.titleStack, t.titleStack[1:])
		t.titleStack = t.titleStack[:maxTitleStack-1]
	}
	t.titleStack = append(t.titleStack, p)
}

// popTitle restores both (0), the icon name (1) or the title (2).
func (t *Terminal) popTitle(which int) {
	n := len(t.titleStack) - 1
	if n < 0 {
		return
	}
	p := t.titleStack[n]
	t.titleStack = t.titleStack[:n]
	if which != 2 {
		t.setTitle(1, p.icon)
	}
	if which != 1 {
		t.setTitle(2, p.title)
	}
}

// Bits of titleModes: titles come, or are answered, in hexadecimal. The two
// others that XTSMTITLE knows, UTF-8 in either direction, are always on.
const (
	titleSetHex = 1 << iota
	titleQueryHex
)

// setTitleModes is XTSMTITLE and XTRMTITLE.
func (t *Terminal) setTitleModes(on bool) {
	p := &t.parser
	if p.count() == 0 {
		t.titleModes = 0 // as they are at the start
	}
	for i := range p.count() {
		bit := uint8(0)
		switch p.arg(i, 0) {
		case 0:
			bit = titleSetHex
		case 1:
			bit = titleQueryHex
		}
		if on {
			t.titleModes |= bit
		} else {
			t.titleModes &^= bit
		}
	}
}

// titleBytes is a title as it came, decoded.
func (t *Terminal) titleBytes(b []byte) ([]byte, bool) {
	if t.titleModes&titleSetHex == 0 {
		return b, true
	}
	out, err := hex.AppendDecode(nil, b)
	return out, err == nil
}

// answerTitle answers XTWINOPS 20 and 21.
func (t *Terminal) answerTitle(kind byte, s string) {
	if t.titleModes&titleQueryHex != 0 {
		s = strings.ToUpper(hex.EncodeToString([]byte(s)))
	}
	t.answerString(']', string(kind)+s)
}

func (t *Terminal) setDirectory(dir string) {
	t.cwd = dir
	t.emit(Event{Kind: EventWorkingDirectory, Text: dir})
}

// directoryOf is the path of an OSC 7: a file URL, or a bare absolute path.
func directoryOf(b []byte) (string, bool) {
	if len(b) == 0 {
		return "", true
	}
	for _, scheme := range [...]string{"file://", "kitty-shell-cwd://"} {
		if rest, ok := bytes.CutPrefix(b, []byte(scheme)); ok {
			i := bytes.IndexByte(rest, '/')
			if i < 0 {
				return "", false
			}
			path := rest[i:]
			if scheme == "file://" {
				path = unescape(path)
			}
			s := cleanText(path)
			return s, s == string(path) // a path with controls in it is none
		}
	}
	s := cleanText(b)
	return s, b[0] == '/' && s == string(b)
}

// unescape undoes percent escapes.
func unescape(b []byte) []byte {
	if bytes.IndexByte(b, '%') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '%' && i+2 < len(b) {
			if n, err := strconv.ParseUint(string(b[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// oscLink is OSC 8: parameters, then the address; an empty one ends the link.
func (t *Terminal) oscLink(b []byte) {
	params, uri, ok := bytes.Cut(b, []byte(";"))
	if !ok {
		return
	}
	t.penStale = true
	t.link = 0
	if len(uri) == 0 || len(uri) > maxURI {
		return
	}
	l := hyperlink{uri: cleanText(uri)}
	for len(params) > 0 {
		var one []byte
		one, params, _ = bytes.Cut(params, []byte(":"))
		if id, ok := bytes.CutPrefix(one, []byte("id=")); ok && len(id) <= maxLinkID {
			l.id = cleanText(id)
		}
	}
	if !t.links.room(l) {
		if t.links.refused%256 == 0 { // looking for garbage each time is too dear
			t.collect()
		}
		t.links.refused++
	}
	t.link = t.linkID(l)
}

// oscNine is OSC 9: ConEmu's commands if it begins with a number that is one
// of theirs, else a notification.
func (t *Terminal) oscNine(b []byte) {
	if p, ok := parseProgress(b); ok {
		t.emit(Event{Kind: EventProgress, Progress: p})
		return
	}
	if n, rest, ok := oscNumber(b); ok && n >= 1 && n <= 12 {
		if n == 9 && len(rest) > 0 {
			if dir := cleanText(bytes.Trim(rest, `"`)); dir != "" {
				t.setDirectory(dir)
			}
		}
		return
	}
	if text := cleanText(b); text != "" {
		t.emit(Event{Kind: EventNotification, Text: text})
	}
}

// oscClipboard is OSC 52. Reading the clipboard is never answered.
func (t *Terminal) oscClipboard(b []byte) {
	sel, data, ok := bytes.Cut(b, []byte(";"))
	if !ok || t.event == nil || string(data) == "?" || len(sel) > 16 {
		return
	}
	text := make([]byte, base64.StdEncoding.DecodedLen(len(data)))
	n, err := base64.StdEncoding.Decode(text, data)
	if err != nil {
		n, err = base64.RawStdEncoding.Decode(text, data)
	}
	if err != nil {
		n = 0 // as xterm: what is not base64 clears the selection
	}
	t.emit(Event{Kind: EventClipboard, Text: cleanText(sel), Data: text[:n]})
}

// oscPrompt is OSC 133, the marks of a shell's prompt.
func (t *Terminal) oscPrompt(b []byte) {
	if len(b) == 0 || len(b) > 1 && b[1] != ';' {
		return
	}
	e := Event{Kind: EventPromptMark, Mark: b[0], ExitCode: -1}
	var m promptMarks
	switch b[0] {
	case 'A', 'N':
		m, e.Mark = markPrompt, 'A'
	case 'B', 'I':
		m, e.Mark = markInput, 'B'
	case 'C':
		m = markOutput
	case 'D':
		m = markEnd
		if len(b) > 2 {
			code, _, _ := bytes.Cut(b[2:], []byte(";"))
			if n, err := strconv.ParseInt(string(code), 10, 32); err == nil {
				e.ExitCode = int(n)
			}
		}
	default:
		return
	}
	t.scr.metaAt(t.cur.y).marks |= m
	t.emit(e)
}

// oscProgramStatus is OSC 7501: a query is answered with the same bytes, a
// report becomes an event.
func (t *Terminal) oscProgramStatus(b []byte) {
	s, ok := ParseProgramStatus(b)
	switch {
	case !ok:
	case s.Query:
		t.answerOSC("7501;?")
	default:
		t.emit(Event{Kind: EventProgramStatus, Status: s})
	}
}

// answerOSC answers an OSC, ending as the question ended.
func (t *Terminal) answerOSC(body string) {
	t.c1Intro(']')
	t.out = append(t.out, body...)
	t.endAnswer()
}

func (t *Terminal) endAnswer() {
	if t.parser.strBEL {
		t.out = append(t.out, 0x07)
	} else {
		t.stringEnd()
	}
	t.send()
}

// notification is an OSC 99 notification of which not all parts have come.
type notification struct {
	id          string
	title, body string
	open        bool
}

// oscNotify is OSC 99, kitty's notifications: metadata, then the payload of
// one part. The part that does not say d=0 is the last.
func (t *Terminal) oscNotify(b []byte) {
	meta, payload, ok := bytes.Cut(b, []byte(";"))
	if !ok {
		return
	}
	id, part, done := "", "title", true
	for len(meta) > 0 {
		var one []byte
		one, meta, _ = bytes.Cut(meta, []byte(":"))
		key, value, _ := bytes.Cut(one, []byte("="))
		switch string(key) {
		case "i":
			id = cleanText(value[:min(len(value), maxLinkID)])
		case "d":
			done = string(value) != "0"
		case "p":
			part = string(value)
		case "e":
			if string(value) == "1" {
				text, err := base64.StdEncoding.AppendDecode(nil, payload)
				if err != nil {
					text, _ = base64.RawStdEncoding.AppendDecode(nil, payload)
				}
				payload = text
			}
		}
	}
	if part == "?" {
		t.answerOSC("99;i=" + id + ":p=?;p=title,body")
		return
	}
	n := &t.notif
	if !n.open || n.id != id {
		*n = notification{id: id, open: true}
	}
	switch part {
	case "title":
		n.title = appendBounded(n.title, payload)
	case "body":
		n.body = appendBounded(n.body, payload)
	default:
		if n.title == "" && n.body == "" {
			*n = notification{}
			return
		}
	}
	if done {
		e := Event{Kind: EventNotification, Title: n.title, Text: n.body}
		if e.Text == "" {
			e.Title, e.Text = "", e.Title
		}
		*n = notification{}
		if e.Text != "" {
			t.emit(e)
		}
	}
}

func appendBounded(s string, b []byte) string {
	return s + cleanText(b[:max(min(len(b), maxTitle-len(s)), 0)])
}
