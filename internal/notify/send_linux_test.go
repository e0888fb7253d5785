package notify

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fake puts a program into a folder that is PATH, which writes its arguments
// down and does what body says.
func fake(t *testing.T, dir, name, body string) {
	t.Helper()
	text := "#!/bin/sh\n{ printf '" + name + "'; for a; do printf ' <%s>' \"$a\"; done; echo; } >>" + dir + "/log\n" + body + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func logged(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, "log"))
	return string(data)
}

func TestDesktop(t *testing.T) {
	dir := t.TempDir()
	d := &Desktop{Env: []string{"PATH=" + dir, "DBUS_SESSION_BUS_ADDRESS=x"}}
	note := Note{Session: "s", Kind: NeedsYou, Title: "-t", Text: "a <b> & c"}
	if err := d.Do(t.Context(), Act{Note: note}); !errors.Is(err, ErrNoDesktop) {
		t.Errorf("without a program: %v", err)
	}
	fake(t, dir, "notify-send", "echo 17")
	fake(t, dir, "gdbus", "")
	if err := d.Do(t.Context(), Act{Note: note}); err != nil {
		t.Fatal(err)
	}
	if got := logged(t, dir); got != "notify-send <--print-id> <--app-name=Termio> <--urgency=normal> <--> <-t> <a &lt;b&gt; &amp; c>\n" {
		t.Errorf("shown: %s", got)
	}
	if err := d.Do(t.Context(), Act{Note: note}); err != nil {
		t.Fatal(err)
	}
	if got := logged(t, dir); !strings.Contains(got, "<--replace-id=17>") {
		t.Errorf("the second takes the first one's place: %s", got)
	}
	if err := d.Do(t.Context(), Act{Note: note, Withdraw: true}); err != nil {
		t.Fatal(err)
	}
	if got := logged(t, dir); !strings.HasPrefix(got, "gdbus <call> <--session>") || !strings.HasSuffix(got, "CloseNotification> <17>\n") {
		t.Errorf("withdrawn: %s", got)
	}
	if err := d.Do(t.Context(), Act{Note: note, Withdraw: true}); err != nil || logged(t, dir) != "" {
		t.Errorf("nothing stands: %v", err)
	}
	// An old notify-send.
	fake(t, dir, "notify-send", `case "$1" in --print-id) echo 'Unknown option --print-id' >&2; exit 1;; esac`)
	if err := d.Do(t.Context(), Act{Note: note}); err != nil {
		t.Fatal(err)
	}
	if got := logged(t, dir); !strings.HasSuffix(got, "notify-send <--app-name=Termio> <--urgency=normal> <--> <-t> <a &lt;b&gt; &amp; c>\n") {
		t.Errorf("an old one: %s", got)
	}
	// Nothing is started where there is no desktop.
	d = &Desktop{Env: []string{"PATH=" + dir}}
	if err := d.Do(t.Context(), Act{Note: note}); !errors.Is(err, ErrNoDesktop) || logged(t, dir) != "" {
		t.Errorf("without a bus: %v", err)
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	env := []string{"PATH=" + os.Getenv("PATH"), "OUT=" + out}
	note := Note{Session: "s", Link: "termio://session/s", Kind: Done, Title: "it's \"done\"", Text: "a\nb"}
	err := Command(t.Context(), "/bin/sh", `cat >"$OUT"; printf '%s|%s|%s' "$TERMIO_NOTIFY_EVENT" "$TERMIO_NOTIFY_TITLE" "$TERMIO_NOTIFY_LINK" >>"$OUT"`, env, Act{Note: note, Withdraw: true})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	line, rest, _ := strings.Cut(string(data), "\n")
	var got spoken
	if err := json.Unmarshal([]byte(line), &got); err != nil || got.Event != "withdraw" || got.Title != note.Title || got.Text != note.Text || got.Kind != Done {
		t.Errorf("%v %+v", err, got)
	}
	if rest != `withdraw|it's "done"|termio://session/s` {
		t.Errorf("%q", rest)
	}
	if err := Command(t.Context(), "/bin/sh", "echo no luck >&2; exit 3", env, Act{Note: note}); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("%v", err)
	}
}

// What a command starts in its group does not outlive its time.
func TestCommandIsBounded(t *testing.T) {
	dir := t.TempDir()
	begin := time.Now()
	_, err := runProgram(t.Context(), 100*time.Millisecond, nil, []string{"PATH=" + os.Getenv("PATH")}, "/bin/sh", "-c", "sleep 60 & echo $! >"+dir+"/pid; wait")
	if err == nil || !strings.Contains(err.Error(), "longer than") || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	pid, err := os.ReadFile(dir + "/pid")
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("what it started goes on")
		}
	}
}
