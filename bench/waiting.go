package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// chatter is run inside a session: it sets its title twenty times a second.
func chatter() {
	for i := 0; ; i++ {
		if _, err := fmt.Printf("\x1b]2;event %d\a", i); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// waits measures what `send --wait` adds to an agent's own turn: the time from
// the moment at which the agent says that its turn is over to that at which the
// command has ended. The scripted agent notes the moment in its transcript; in
// tmux a shell notes it before `wait-for`. Then the same, and list, with many
// sessions that all talk at once.
func waits(l *lab) error {
	term := l.home("w")
	defer term.close()
	agent := l.path("scriptagent")
	build := exec.Command("go", "build", "-o", agent, "./internal/testkit/scriptagent/cmd")
	build.Dir = repository()
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the scripted agent: %w: %s", err, out)
	}
	manifests := filepath.Join(term.home, "config", "agents")
	if err := os.MkdirAll(manifests, 0o700); err != nil {
		return err
	}
	manifest := fmt.Sprintf(`{"id":"script","name":"Script","command":%q}`, agent)
	if err := os.WriteFile(filepath.Join(manifests, "script.json"), []byte(manifest), 0o600); err != nil {
		return err
	}
	notes := l.path("notes")
	if err := os.MkdirAll(notes, 0o700); err != nil {
		return err
	}
	env := append(term.env(), "SCRIPTAGENT=-status unasked -paste -session-id 0 -transcript "+notes)
	out, err := run(env, l.termio, "sessions", "spawn", "say ready", "--agent", "script", "--wait", "--json")
	if err != nil {
		return err
	}
	var r struct{ Target string }
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return fmt.Errorf("spawn replied %q: %w", out, err)
	}
	tm, err := l.tmux()
	if err != nil {
		return err
	}
	defer tm.kill()
	if _, err := tm.do("new-session", "-d", "-s", "w", "-x", "200", "-y", "50", "sh"); err != nil {
		return err
	}
	t := table{title: "What waiting adds to a turn of 200 ms, ms after its end; goal 20"}
	t.row("sessions", "termio send --wait", "tmux send-keys, wait-for", "list p50")
	measure := func(sessions int) error {
		var ours, theirs, list series
		for i := range l.rounds * 4 {
			if _, err := term.do("sessions", "send", r.Target, "work 200", "--wait", "--json"); err != nil {
				return err
			}
			over := time.Now()
			ended, err := lastNote(filepath.Join(notes, "0.jsonl"))
			if err != nil {
				return err
			}
			ours = append(ours, ms(over.Sub(ended)))
			note := l.path(fmt.Sprintf("note%d", i))
			if _, err := tm.do("send-keys", "-t", "w", fmt.Sprintf("sleep 0.2; date +%%s%%N >%s; tmux -S %s wait-for -S n%d", note, tm.sock, i), "Enter"); err != nil {
				return err
			}
			if _, err := tm.do("wait-for", fmt.Sprintf("n%d", i)); err != nil {
				return err
			}
			over = time.Now()
			text, err := os.ReadFile(note)
			if err != nil {
				return err
			}
			ns, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
			if err != nil {
				return err
			}
			theirs = append(theirs, ms(over.Sub(time.Unix(0, ns))))
			v, err := timed(term.env(), l.termio, "sessions", "list", "--all", "--json")
			if err != nil {
				return err
			}
			list = append(list, v)
		}
		t.row(strconv.Itoa(sessions), ours.String(), theirs.String(), list.String())
		return nil
	}
	if err := measure(1); err != nil {
		return err
	}
	if _, err := term.fill(l.sessions, "exec "+l.self+" chatter"); err != nil {
		return err
	}
	settle()
	if err := measure(l.sessions + 1); err != nil {
		return err
	}
	t.print()
	return nil
}

// lastNote is when the last line of a scripted agent's transcript was written.
func lastNote(path string) (time.Time, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}, err
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var line struct {
		Type      string
		Timestamp time.Time
	}
	if err := json.Unmarshal(lines[len(lines)-1], &line); err != nil || line.Type != "assistant" {
		return time.Time{}, fmt.Errorf("no answer at the end of %s: %w", path, err)
	}
	return line.Timestamp, nil
}
