//go:build unix

package console

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func run(t *testing.T, o Options, script string) (*Console, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	c, err := Start(exec.Command("sh", "-c", script), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close(ctx)
		cancel()
	})
	return c, ctx
}

func TestTypeAndAnswer(t *testing.T) {
	t.Parallel()
	c, ctx := run(t, Options{}, `stty -echo raw; printf '\033[6n\033]7501;?\033\\'; head -c 16 | od -An -c | tr -d ' \n'; exit 3`)
	if _, err := c.WaitText(ctx, `033[1;1R033]7501;?`); err != nil {
		t.Error(err)
	}
	if code, err := c.WaitExit(ctx); err != nil || code != 3 {
		t.Errorf("exit: %d, %v", code, err)
	}
}

func TestEchoesAndSize(t *testing.T) {
	t.Parallel()
	c, ctx := run(t, Options{Rows: 10, Cols: 40}, `trap 'stty size' WINCH; stty size; read a; echo "got $a"; stty -echo -icanon; echo off; read b`)
	if _, err := c.WaitText(ctx, "10 40"); err != nil {
		t.Fatal(err)
	}
	if e, canon, err := c.Echoes(); err != nil || !e || !canon {
		t.Errorf("at first: echo %v, canonical %v, %v", e, canon, err)
	}
	c.Type("word\r")
	if _, err := c.WaitText(ctx, "got word off"); err != nil {
		t.Fatal(err)
	}
	if e, canon, err := c.Echoes(); err != nil || e || canon {
		t.Errorf("then: echo %v, canonical %v, %v", e, canon, err)
	}
}

func TestWaitTellsTheScreenWhenTheProgramEnds(t *testing.T) {
	t.Parallel()
	c, ctx := run(t, Options{}, `echo last words; exit 7`)
	_, err := c.WaitText(ctx, "never")
	if err == nil || !strings.Contains(err.Error(), "last words") || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("error: %v", err)
	}
}

// newReader is a terminal of 5 lines by 10 columns.
func newReader() *reader {
	return &reader{screen: newScreen(5, 10), modes: map[int]bool{}, support7501: true}
}

func TestScreen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"wraps":               {"0123456789ab", "0123456789\nab"},
		"no wrap before more": {"0123456789\rx", "x123456789"},
		"scrolls":             {"1\r\n2\r\n3\r\n4\r\n5\r\n6", "2\n3\n4\n5\n6"},
		"addresses":           {"\x1b[2;3Hab\x1b[1;1Hc", "c\n  ab"},
		"erases":              {"abcdef\x1b[3D\x1b[K", "abc"},
		"erases all":          {"abc\r\ndef\x1b[2J\x1b[Hx", "x"},
		"region":              {"1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx", "1\n3\nx\n4"},
		"inserts lines":       {"1\r\n2\r\n3\x1b[2;1H\x1b[L", "1\n\n2\n3"},
		"deletes characters":  {"abcdef\x1b[1;2H\x1b[2P", "adef"},
		"wide":                {"日本\x1b[1;5Hx", "日本x"},
		"alternate":           {"main\x1b[?1049hother\x1b[?1049l!", "main!"},
		"utf-8 cut short":     {"a\xe2\x82b", "a\uFFFDb"},
		"strings are eaten":   {"a\x1bPqstuff\x1b\\b\x1b_Gx\x1b\\c", "abc"},
		"charset":             {"a\x1b(Bb", "ab"},
		"repeats":             {"-\x1b[3b", "----"},
		"colours":             {"\x1b[38:2::1:2:3mred\x1b[m", "red"},
	} {
		for _, chunked := range []bool{false, true} {
			r := newReader()
			if chunked {
				for i := range len(c.in) {
					r.write([]byte{c.in[i]})
				}
			} else {
				r.write([]byte(c.in))
			}
			if got := r.screen.text(); got != c.want {
				t.Errorf("%s: %q gives %q, want %q", name, c.in, got, c.want)
			}
		}
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	r := newReader()
	r.write([]byte("\x1b]0;one\x07\x1b]2;two\x1b\\\x1b[?2004h\x1b[?25l\x1b[>1u\x1b[>7u\x1b[?u\x1b[<u\x1b[?u\a\x1b[?2004$p\x1b[c"))
	if got := strings.Join(r.titles, ","); got != "one,two" {
		t.Errorf("titles %q", got)
	}
	if !r.modes[2004] || r.modes[25] || r.bells != 1 {
		t.Errorf("modes %v, bells %d", r.modes, r.bells)
	}
	if got, want := string(r.answers), "\x1b[?7u\x1b[?1u\x1b[?2004;1$y\x1b[?62;22c"; got != want {
		t.Errorf("answers %q, want %q", got, want)
	}
}
