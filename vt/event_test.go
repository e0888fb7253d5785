package vt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// describeEvent is an event as the cases below have it.
func describeEvent(e Event) string {
	names := map[EventKind]string{
		EventTitle: "title", EventIconName: "icon", EventBell: "bell", EventNotification: "notification", EventProgress: "progress",
		EventProgramStatus: "status", EventWorkingDirectory: "directory", EventClipboard: "clipboard", EventPromptMark: "mark",
		EventImage: "image", EventReset: "reset", EventAltScreen: "alt", EventPalette: "palette", EventTerminalAgent: "agent", EventResume: "resume",
	}
	s := names[e.Kind]
	switch e.Kind {
	case EventNotification:
		return fmt.Sprintf("%s %q %q", s, e.Title, e.Text)
	case EventProgress:
		return fmt.Sprintf("%s %d %d", s, e.Progress.State, e.Progress.Percent)
	case EventProgramStatus:
		return fmt.Sprintf("%s %s %q", s, e.Status.State, e.Status.ID)
	case EventPromptMark:
		return fmt.Sprintf("%s %c %d", s, e.Mark, e.ExitCode)
	case EventClipboard:
		return fmt.Sprintf("%s %q %q", s, e.Text, e.Data)
	case EventImage:
		return fmt.Sprintf("%s %q", s, e.Data)
	case EventBell, EventReset, EventAltScreen, EventPalette:
		return s
	}
	return fmt.Sprintf("%s %q", s, e.Text)
}

func TestEvents(t *testing.T) {
	long := strings.Repeat("x", 3*maxTitle)
	for _, c := range []struct{ in, want string }{
		{"\a", `bell`},
		{"\x1b]0;both; of them\a", `icon "both; of them" title "both; of them"`},
		{"\x1b]2;t\u00e9\x1b\\", `title "t\u00e9"`},
		{"\x1b]1;i\u009c", `icon "i"`},
		{"\x1b]2;a\xff\x01b\u0085c\a", "title \"a\ufffdbc\""},
		{"\x1b]2;" + long + "\a", ``}, // longer than any string may be
		{"\x1b]2;" + long[:5000] + "\a", `title "` + long[:maxTitle] + `"`},
		{"\x1b]2;half\x18", ``},
		{"\x1b]9;done\a", `notification "" "done"`},
		{"\x1b]9;4;1;50\a", `progress 1 50`},
		{"\x1b]9;4;0\a", `progress 0 -1`},
		{"\x1b]9;9;/tmp\a", `directory "/tmp"`},
		{"\x1b]9;2;x\a", ``},
		{"\x1b]777;notify;the title;the body\a", `notification "the title" "the body"`},
		{"\x1b]777;other;x\a", ``},
		{"\x1b]99;;hello\a", `notification "" "hello"`},
		{"\x1b]99;i=1:d=0;ti\x1b\\\x1b]99;i=1:d=0;tle\x1b\\\x1b]99;i=1:p=body;body\x1b\\", `notification "title" "body"`},
		{"\x1b]99;e=1;aGk=\a", `notification "" "hi"`},
		{"\x1b]7;file://host/a%20b/%E4%B8%AD\a", "directory \"/a b/\u4e2d\""},
		{"\x1b]7;/plain\a", `directory "/plain"`},
		{"\x1b]7;file://host/a%0ab\a", ``},
		{"\x1b]7;http://host/\a", ``},
		{"\x1b]52;c;aGVsbG8=\a", `clipboard "c" "hello"`},
		{"\x1b]52;;!!\a", `clipboard "" ""`},
		{"\x1b]133;A\a\x1b]133;B\a\x1b]133;C;cmdline=x\a\x1b]133;D;7\a\x1b]133;D\a\x1b]133;Z\a", `mark A -1 mark B -1 mark C -1 mark D 7 mark D -1`},
		{"\x1b]7501;state=working:id=a/b\x1b\\", `status working "a/b"`},
		{"\x1b]7501;state=nonsense\x1b\\", ``},
		{"\x1b]26;CodeAgent=x;Status=idle\a", `agent "CodeAgent=x;Status=idle"`},
		{"\x1b]88;x\a", `resume "x"`},
		{"\x1b]4;1;red\a\x1b]104\a", `palette palette`},
		{"\x1bc", `reset`},
		{"\x1b[?1049h\x1b[?1049h\x1b[?1049l", `alt alt`},
		{"\x1b_Ga=T,f=100;AAAA\x1b\\", `image "\x1b_Ga=T,f=100;AAAA\x1b\\"`},
		{"\x1b_Xother\x1b\\", ``},
		{"\x1bP0;1;q#0;2;0;0;0~\x1b\\", `image "\x1bP0;1;q#0;2;0;0;0~\x1b\\"`},
		{"\x1b]23;?\a\x1b]abc\a\x1b]\a\x1b];x\a", ``},
	} {
		for _, step := range []int{1 << 20, 1} {
			var got []string
			term := New(Options{Cols: 10, Rows: 5, Event: func(e Event) { got = append(got, describeEvent(e)) }})
			for rest := []byte(c.in); len(rest) > 0; {
				n := min(step, len(rest))
				term.Write(rest[:n])
				rest = rest[n:]
			}
			// %q and a raw string write the same text differently.
			if got := strings.Join(got, " "); got != c.want && got != strings.ReplaceAll(c.want, `\u00e9`, "\u00e9") {
				t.Errorf("%.60q gives %.200s, want %.200s", c.in, got, c.want)
			}
		}
	}
}

// TestStringsAreBounded sends strings of 100 MB and looks at what is kept.
func TestStringsAreBounded(t *testing.T) {
	part := bytes.Repeat([]byte("abcdefgh"), 1<<17) // 1 MiB
	for _, intro := range []string{"\x1b]0;", "\x1b]52;c;", "\x1b]8;;", "\x1b]7501;", "\x1bP$q", "\x1bPq", "\x1b_G", "\x1bX", "\x1b^", "\x1b[", "\x1b[1;", "\x1b "} {
		term := New(Options{Cols: 80, Rows: 24, Event: func(Event) {}})
		term.Write([]byte(intro))
		for range 20 {
			term.Write(part)
			if n := term.MemoryUsed(); n > 12<<20 {
				t.Fatalf("%q: %d bytes held", intro, n)
			}
		}
		term.Write([]byte("\x1b\\"))
		if n := term.MemoryUsed(); n > 1<<20 {
			t.Errorf("%q: %d bytes still held after its end", intro, n)
		}
		term.Write([]byte("\x1bcok"))
		if got := term.ScreenText(); got != "ok" {
			t.Errorf("%q: the screen is %q afterwards", intro, got)
		}
	}
}

// TestCombiningBomb puts a million marks on one character.
func TestCombiningBomb(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 2})
	term.Write([]byte("a"))
	term.Write([]byte(strings.Repeat("\u0301", 1_000_000)))
	if n := len(term.Cell(0, 0).Text); n > maxCluster || n < maxCluster-1 {
		t.Errorf("the cell holds %d bytes", n)
	}
	if n := term.MemoryUsed(); n > 100<<10 {
		t.Errorf("%d bytes held", n)
	}
}
