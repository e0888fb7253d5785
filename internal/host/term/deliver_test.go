//go:build unix

package term

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// rawReader is a program that turns bracketed paste on and copies what it
// reads, byte for byte, into a file, until it has read n bytes. It echoes when
// told so.
func rawReader(n int, echo bool) string {
	out := "> got"
	if echo {
		out = "| tee got"
	}
	return `stty raw -echo; printf '\033[?2004hREADY'; head -c ` + strconv.Itoa(n) + ` ` + out + `; stty sane; printf '\r\nDONE\r\n'; read x`
}

func TestPayloadArrivesWhole(t *testing.T) {
	text := strings.Repeat("0123456789 äöü 日本\n", maxPayload/30)
	text = "begin " + text[:len(text)-1] + " \x1b[201~rm -rf /\r end"
	clean := strings.NewReplacer("\x1b", "").Replace(text)
	want := pasteStart + clean + pasteEnd + "\r"
	h := startHost(t, testSpec(t, rawReader(len(want), false)))
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	begin := time.Now()
	r := call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: text, Enter: true})
	t.Logf("%d bytes in %v", len(text), time.Since(begin))
	if r.Bytes != len(text) || r.Verified || r.Retried {
		t.Errorf("reply %+v", r)
	}
	waitScreen(t, c, "DONE", contains("DONE"))
	got, err := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("%d bytes came, want %d; they differ at %d: %.60q, want %.60q", len(got), len(want), i, got[i:], want[i:])
	}
}

func TestPayloadsAreNotInterleaved(t *testing.T) {
	h := startHost(t, testSpec(t, `stty raw -echo; printf '\033[?2004hREADY'; cat >got`))
	c := h.control()
	v := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}})
	waitScreen(t, c, "READY", contains("READY"))
	parts := []string{strings.Repeat("a", 5000), strings.Repeat("b", 5000), strings.Repeat("c", 5000)}
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(func() {
			if err := c.Call(testContext(t), hostproto.OpSend, hostproto.SendRequest{Text: p, Enter: true}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	for range 50 {
		v.typeIn("\x1b[B")                // no text, for which a delivery would wait
		time.Sleep(50 * time.Millisecond) // it goes on during the deliveries
	}
	wg.Wait()
	var got string
	waitFor(t, func() string { return "all that was typed" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
		got = string(data)
		return strings.Count(got, "\x1b[B") == 50
	})
	for _, p := range parts {
		if strings.Count(got, pasteStart+p+pasteEnd+"\r") != 1 {
			t.Errorf("the payload of %q did not come in one piece, once", p[:1])
		}
	}
}

// TestSilentProgram: nothing is typed twice into a program that does not echo.
func TestSilentProgram(t *testing.T) {
	h := startHost(t, testSpec(t, `stty raw -echo; printf 'READY'; cat >got`))
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	r := call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "secret", Enter: true})
	if r.Verified || r.Retried || r.Bytes != 6 {
		t.Errorf("reply %+v", r)
	}
	waitFor(t, func() string { return "the text" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
		return string(data) == "secret\r"
	})
}

func TestLineMode(t *testing.T) {
	h := startHost(t, testSpec(t, `cat >got`))
	c := h.control()
	long := strings.Repeat("x", 5000)
	var failure *hostproto.Error
	err := c.Call(testContext(t), hostproto.OpSend, hostproto.SendRequest{Text: "short\n" + long, Enter: true}, nil)
	if !errors.As(err, &failure) || failure.Code != hostproto.CodeNotDelivered || failure.Delivered != 0 || !strings.Contains(failure.Message, "4095") {
		t.Errorf("a line of 5000 bytes: %v", err)
	}
	line := strings.Repeat("y", maxLine-1)
	text := strings.Repeat(line+"\n", 20) + line
	r := call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: text, Enter: true})
	if r.Bytes != len(text) {
		t.Errorf("reply %+v", r)
	}
	waitFor(t, func() string { return "all lines" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
		return string(data) == text+"\n"
	})
}

func TestProgramThatDoesNotRead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 25 seconds")
	}
	h := startHost(t, testSpec(t, `stty raw -echo; printf '\033[?2004hREADY'; head -c 2000 >got; while [ ! -e go ]; do sleep 0.1; done; cat >rest`))
	c := h.control()
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, c, "READY", contains("READY"))
	begin := time.Now()
	err := c.Call(testContext(t), hostproto.OpSend, hostproto.SendRequest{Text: strings.Repeat("z", 100_000), Enter: true}, nil)
	took := time.Since(begin)
	var failure *hostproto.Error
	if !errors.As(err, &failure) || failure.Code != hostproto.CodeNotDelivered || failure.Delivered != 2000-len(pasteStart) {
		t.Errorf("%v: %+v", err, failure)
	}
	if took > deliveryTime+time.Second {
		t.Errorf("it took %v to say so", took)
	}
	for ev := (hostproto.Event{}); ev.Type != hostproto.EventDelivery; {
		m, err := c.Next(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		if ev = *m.Event; ev.Type == hostproto.EventDelivery && ev.Delivery.Error == nil {
			t.Errorf("event %+v", ev.Delivery)
		}
	}
	// What it had not read is gone, and it is not left inside a paste.
	if err := os.WriteFile(filepath.Join(h.spec.Record.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() string { return "the end of the paste" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(h.spec.Record.Dir, "rest"))
		return string(data) == pasteEnd
	})
}

func TestPromptIsDeliveredAfterBoot(t *testing.T) {
	// It takes its time, throws away what is typed too early, and echoes.
	spec := testSpec(t, `stty -echo; sleep 0.2; echo booting; sleep 0.2; stty raw; printf '\033[?2004h\r\n> '; tee got`)
	spec.Prompt = &hostproto.SendRequest{Text: "do the thing", Enter: true}
	h := startHost(t, spec)
	c := h.control()
	waitScreen(t, c, "the prompt", contains("do the thing"))
	waitFor(t, func() string { return "Enter" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(spec.Record.Dir, "got"))
		return string(data) == pasteStart+"do the thing"+pasteEnd+"\r"
	})
	waitFor(t, func() string { return "nothing pending" }, func() bool {
		return call[hostproto.Info](t, c, hostproto.OpInfo, nil).Pending == 0
	})
}

func TestKeysAreEncodedAsAsked(t *testing.T) {
	h := startHost(t, testSpec(t, `stty raw -echo; printf '\033[?1hREADY'; cat >got`))
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"up", "ctrl-c", "tab"}})
	waitFor(t, func() string { return "the keys" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
		return string(data) == "\x1bOA\x03\t"
	})
}

func TestTooMuchText(t *testing.T) {
	h := startHost(t, testSpec(t, ""))
	var failure *hostproto.Error
	err := h.control().Call(testContext(t), hostproto.OpSend, hostproto.SendRequest{Text: strings.Repeat("x", maxPayload+1)}, nil)
	if !errors.As(err, &failure) || failure.Code != hostproto.CodeBadRequest {
		t.Errorf("%v", err)
	}
}

func TestSendAfterTheEnd(t *testing.T) {
	h := startHost(t, testSpec(t, `printf READY; read x; sleep 0.3; exit 0`))
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	var failure *hostproto.Error
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"enter"}})
	err := c.Call(testContext(t), hostproto.OpSend, hostproto.SendRequest{Text: strings.Repeat("never read\n", 3000), Enter: true}, nil)
	if !errors.As(err, &failure) || failure.Code != hostproto.CodeNotLive && failure.Code != hostproto.CodeNotDelivered {
		t.Errorf("%v", err)
	}
}

// TestRealShellsRunWhatIsSent: from the first moment, and several lines as one
// command where the shell knows pastes.
func TestRealShellsRunWhatIsSent(t *testing.T) {
	for _, shell := range []string{"/bin/bash", "/bin/zsh", "/usr/bin/fish", "/bin/dash"} {
		if _, err := os.Stat(shell); err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		t.Run(filepath.Base(shell), func(t *testing.T) {
			spec := testSpec(t, "")
			spec.Record.Shell = shell
			spec.Prompt = &hostproto.SendRequest{Text: "echo fi''rst", Enter: true}
			h := startHost(t, spec)
			c := h.control()
			waitScreen(t, c, "the first command's output", contains("\nfirst"))
			loop := "for i in 1 2\ndo echo n''$i\ndone"
			if filepath.Base(shell) == "fish" {
				loop = "for i in 1 2\necho n''$i\nend"
			}
			r := call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: loop, Enter: true})
			if !r.Verified {
				t.Errorf("reply %+v", r)
			}
			waitScreen(t, c, "the loop's output", func(s string) bool { return strings.Contains(s, "n1\nn2") })
			call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "cat", Enter: true})
			call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "ping", Enter: true})
			waitScreen(t, c, "cat", contains("ping\nping"))
			call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"ctrl-c"}})
			call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "exit 4", Enter: true})
			select {
			case <-h.gone:
			case <-time.After(patience):
				t.Fatalf("the shell does not exit; the screen is:\n%s", call[hostproto.Screen](t, c, hostproto.OpScreen, nil).Text)
			}
			if cl := readRecord(t, spec).Closed; cl == nil || cl.ExitCode == nil || *cl.ExitCode != 4 || cl.Reason != hostproto.ReasonExited {
				t.Errorf("closed: %+v", cl)
			}
		})
	}
}
