//go:build unix

package acp

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// paintEvery is the least time between two pictures of a conversation.
const paintEvery = 40 * time.Millisecond

// view is the conversation as viewers see it: its last lines, what it is doing,
// and a line to type a prompt or an answer into. Viewers get whole pictures;
// each paints only what differs.
type view struct {
	tee *host.Tee
	cur *host.Cursor // nothing here has to be waited for

	mu      sync.Mutex
	viewers int
	size    hostproto.Size
	typed   []rune
	said    string // why the last line was not taken
	scroll  int    // lines above the end
	keys    keys
	due     bool // a picture is to be painted
}

func newView(size hostproto.Size) *view {
	tee, cur := host.NewTee()
	return &view{tee: tee, cur: cur, size: size}
}

// dirty has a picture painted soon, if anybody looks.
func (s *session) dirty() {
	v := s.view
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.viewers == 0 || v.due {
		return
	}
	v.due = true
	time.AfterFunc(paintEvery, s.paint)
}

// paint gives the viewers the picture of now.
func (s *session) paint() {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.view
	v.mu.Lock()
	defer v.mu.Unlock()
	v.due = false
	for data := s.picture(); len(data) > 0; {
		n := copy(v.tee.Space(), data)
		v.tee.Publish(n)
		data = data[n:]
		for {
			read, size, _ := v.cur.Next()
			if len(read) == 0 && size == nil {
				break
			}
			v.cur.Advance(len(read))
		}
	}
}

// picture draws the conversation; s.mu and v.mu are held.
func (s *session) picture() []byte {
	v := s.view
	rows, cols := max(v.size.Rows, 4), max(v.size.Cols, 20)
	room := rows - 2
	lines := wrapped(s.talk.Lines(room+v.scroll), cols)
	end := max(len(lines)-v.scroll, min(len(lines), room))
	lines = lines[max(0, end-room):end]
	var b strings.Builder
	b.WriteString("\x1b[0m\x1b[?2004h\x1b[?7l\x1b[2J\x1b[H")
	for _, l := range lines {
		b.WriteString(l + "\r\n")
	}
	bar := v.said
	if bar == "" {
		bar = s.doing()
	}
	fmt.Fprintf(&b, "\x1b[%d;1H\x1b[7m%s\x1b[0m", rows-1, vt.Truncate(" "+bar+" ", cols, "…"))
	line := strings.ReplaceAll(string(v.typed), "\n", "⏎")
	for vt.StringWidth(line) > cols-3 {
		_, n := utf8.DecodeRuneInString(line)
		line = line[n:]
	}
	fmt.Fprintf(&b, "\x1b[%d;1H\x1b[K> %s", rows, line)
	return []byte(b.String())
}

// doing says what the session does and what can be typed.
func (s *session) doing() string {
	st := s.wire()
	switch st.State {
	case "working":
		return s.record.AgentName + " works – Esc cancels, what you type waits"
	case "needs-you":
		return s.record.AgentName + " asks – answer by number or name, Esc cancels the turn"
	}
	if st.Error != "" {
		return s.record.AgentName + " failed – type a prompt to go on"
	}
	return s.record.AgentName + " – type a prompt, PgUp scrolls"
}

// wrapped cuts text into lines that fit.
func wrapped(text string, cols int) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.ReplaceAll(line, "\t", "    ")
		for vt.StringWidth(line) > cols {
			head := vt.Truncate(line, cols, "")
			if head == "" {
				break
			}
			out = append(out, head)
			line = line[len(head):]
		}
		out = append(out, line)
	}
	return out
}

// Attached takes over a new viewer's size, and its coming as being looked at.
func (s *session) Attached(p *host.Peer) {
	s.view.mu.Lock()
	s.view.viewers++
	s.view.mu.Unlock()
	if p.Role() != hostproto.RoleInteract {
		return
	}
	s.mu.Lock()
	s.seen()
	s.mu.Unlock()
	s.Owns(p)
}

// Left forgets a peer.
func (s *session) Left(p *host.Peer) {
	if p.Role() == hostproto.RoleControl {
		return
	}
	s.view.mu.Lock()
	s.view.viewers--
	s.view.mu.Unlock()
}

// Owns takes the size of the viewer that owns the session now.
func (s *session) Owns(p *host.Peer) {
	if h := p.Hello(); h.Size != nil && h.Size.Cols > 0 && h.Size.Rows > 0 && s.hub.Owner() == p {
		s.resize(*h.Size)
	}
}

func (s *session) resize(size hostproto.Size) {
	size = hostproto.Size{Cols: min(size.Cols, vt.MaxCols), Rows: min(size.Rows, vt.MaxRows)}
	s.mu.Lock()
	same := s.record.Size == size
	s.record.Size = size
	s.view.mu.Lock()
	if s.view.size != size {
		s.view.size = size
		s.view.tee.Mark(size)
	}
	s.view.mu.Unlock()
	if !same {
		s.records.Save(s.record, false)
	}
	s.mu.Unlock()
	s.dirty()
}

// Snapshot is what a viewer starts from.
func (s *session) Snapshot(p *host.Peer) (host.Snapshot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		return host.Snapshot{}, false
	}
	v := s.view
	v.mu.Lock()
	defer v.mu.Unlock()
	return host.Snapshot{Data: s.picture(), Size: v.size, Owner: s.hub.Owner() == p, Cursor: v.tee.Join()}, true
}

// Input is what the owning viewer typed.
func (s *session) Input(_ *host.Peer, data []byte) {
	v := s.view
	v.mu.Lock()
	var lines []string
	cancel := false
	for _, k := range v.keys.read(data) {
		v.said = ""
		switch k.kind {
		case keyText:
			v.typed = append(v.typed, k.r)
		case keyErase:
			v.typed = v.typed[:max(0, len(v.typed)-1)]
		case keyClear:
			v.typed = nil
		case keyUp:
			v.scroll += max(v.size.Rows-3, 1)
		case keyDown:
			v.scroll = max(0, v.scroll-max(v.size.Rows-3, 1))
		case keyCancel:
			cancel = true
		case keyEnter:
			if text := strings.TrimSpace(string(v.typed)); text != "" {
				lines = append(lines, text)
			}
			v.typed, v.scroll = nil, 0
		}
	}
	v.mu.Unlock()
	if cancel {
		s.agent.Cancel()
	}
	for _, text := range lines {
		s.send(hostproto.SendRequest{Text: text, Enter: true}, func(_ any, failure *hostproto.Error) {
			if failure != nil {
				v.mu.Lock()
				v.said = failure.Message
				v.mu.Unlock()
			}
		})
	}
	s.dirty()
}
