package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// chatter is run inside a session: it sets its title twenty times a second. Its
// process's id is a file in dir; SIGUSR1 makes it pause, and go on.
func chatter(dir string) {
	toggle := make(chan os.Signal, 1)
	signal.Notify(toggle, syscall.SIGUSR1)
	if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
		fatal(err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	for i := 0; ; i++ {
		select {
		case <-toggle:
			<-toggle
		case <-tick.C:
		}
		if _, err := fmt.Printf("\x1b]2;event %d\a", i); err != nil {
			return
		}
	}
}

// crowd are the chatters of one system.
type crowd struct {
	dir  string
	pids []int
}

// gather waits until all n have come.
func (c *crowd) gather(n int) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		found, err := os.ReadDir(c.dir)
		if err != nil {
			return err
		}
		if len(found) < n && time.Now().Before(end) {
			continue
		}
		if len(found) < n {
			return fmt.Errorf("%d of %d sessions talk after a minute", len(found), n)
		}
		for _, f := range found {
			pid, err := strconv.Atoi(f.Name())
			if err != nil {
				return err
			}
			c.pids = append(c.pids, pid)
		}
		return nil
	}
}

// toggle makes all of them pause, or go on.
func (c *crowd) toggle() {
	for _, pid := range c.pids {
		syscall.Kill(pid, syscall.SIGUSR1)
	}
}

// waits measures what `send --wait` adds to an agent's own turn: the time from
// the moment at which the agent says that its turn is over to that at which the
// command has ended. The scripted agent notes the moment in its transcript; in
// tmux a shell notes it before `wait-for`. agentapi, where it is installed, is
// asked for its status until the turn is over, as its clients do. Then the same,
// and list, with many sessions that all talk at once: those of one system while
// it is measured, and not those of the other.
func waits(l *lab) error {
	term := l.home("w")
	defer term.close()
	agent, notes, err := l.scriptAgent(term)
	if err != nil {
		return err
	}
	env := append(term.env(), "SCRIPTAGENT="+scriptFlags("0", notes))
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
	other, err := l.agentAPI(agent, notes)
	if err != nil {
		return err
	}
	defer other.stop()
	w := &waiting{l: l, term: term, tm: tm, other: other, target: r.Target, notes: notes}
	t := table{title: "What waiting adds to a turn of 200 ms, ms after its end; goal 20"}
	t.row("sessions", "termio send --wait", "tmux send-keys, wait-for", "agentapi message, status", "termio list", "tmux list-panes -a")
	if err := w.measure(&t, 1, func(bool) error { return nil }); err != nil {
		return err
	}
	ours, theirs := &crowd{dir: l.path("ours")}, &crowd{dir: l.path("theirs")}
	for _, c := range []*crowd{ours, theirs} {
		if err := os.Mkdir(c.dir, 0o700); err != nil {
			return err
		}
	}
	if _, err := term.fill(l.sessions, "exec "+l.self+" chatter "+ours.dir); err != nil {
		return err
	}
	if err := ours.gather(l.sessions); err != nil {
		return err
	}
	ours.toggle()
	for i := range l.sessions {
		if _, err := tm.do("new-session", "-d", "-s", fmt.Sprintf("c%d", i), "-x", "120", "-y", "40", l.self, "chatter", theirs.dir); err != nil {
			return err
		}
	}
	if err := theirs.gather(l.sessions); err != nil {
		return err
	}
	// From here on one of the two is always quiet.
	loud := theirs
	err = w.measure(&t, l.sessions+1, func(isOurs bool) error {
		want, titles := theirs, w.tmuxTitles
		if isOurs {
			want, titles = ours, w.termioTitles
		}
		if loud == want {
			return nil
		}
		loud.toggle()
		want.toggle()
		loud = want
		return talking(l.sessions, titles)
	})
	if err != nil {
		return err
	}
	t.print()
	if other == nil {
		fmt.Println("  agentapi is not installed, and was not measured")
	}
	return nil
}

// talking makes sure that n sessions do, by their titles.
func talking(n int, titles func() (map[string]string, error)) error {
	before, err := titles()
	if err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(500 * time.Millisecond) {
		now, err := titles()
		if err != nil {
			return err
		}
		changed := 0
		for name, title := range now {
			if before[name] != title {
				changed++
			}
		}
		switch {
		case changed >= n:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%d of %d sessions talk", changed, n)
		}
	}
}

func (w *waiting) termioTitles() (map[string]string, error) {
	out, err := w.term.do("sessions", "list", "--all", "--json")
	if err != nil {
		return nil, err
	}
	var r struct {
		Sessions []struct{ Link, Title string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, s := range r.Sessions {
		titles[s.Link] = s.Title
	}
	return titles, nil
}

func (w *waiting) tmuxTitles() (map[string]string, error) {
	out, err := w.tm.do("list-panes", "-a", "-F", "#{pane_id}\t#{pane_title}")
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for line := range strings.Lines(out) {
		id, title, _ := strings.Cut(strings.TrimSpace(line), "\t")
		titles[id] = title
	}
	return titles, nil
}

// scriptAgent builds the scripted agent and makes it known to a home.
func (l *lab) scriptAgent(term *termio) (agent, notes string, err error) {
	agent, notes = l.path("scriptagent"), l.path("notes")
	build := exec.Command("go", "build", "-o", agent, "./internal/testkit/scriptagent/cmd")
	build.Dir = repository()
	if out, err := build.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("build the scripted agent: %w: %s", err, out)
	}
	manifests := filepath.Join(term.home, "config", "agents")
	if err := os.MkdirAll(manifests, 0o700); err != nil {
		return "", "", err
	}
	manifest := fmt.Sprintf(`{"id":"script","name":"Script","command":%q}`, agent)
	if err := os.WriteFile(filepath.Join(manifests, "script.json"), []byte(manifest), 0o600); err != nil {
		return "", "", err
	}
	return agent, notes, os.MkdirAll(notes, 0o700)
}

// scriptFlags are the scripted agent's for a session with that name.
func scriptFlags(name, notes string) string {
	return "-status unasked -paste -session-id " + name + " -transcript " + notes
}

// waiting is what waits measures with.
type waiting struct {
	l      *lab
	term   *termio
	tm     *tmux
	other  *agentAPI // nil: not installed
	target string
	notes  string
	n      int // of the note in tmux
}

// measure adds a row. talk makes the sessions of one system talk.
func (w *waiting) measure(t *table, sessions int, talk func(ours bool) error) error {
	var ours, theirs, others, list, panes series
	take := func(s *series, f func() (float64, error)) error {
		v, err := f()
		if err == nil {
			*s = append(*s, v)
		}
		return err
	}
	tmuxList := func() (float64, error) { return timed(nil, "tmux", "-S", w.tm.sock, "list-panes", "-a") }
	ourList := func() (float64, error) {
		return timed(w.term.env(), w.l.termio, "sessions", "list", "--all", "--json")
	}
	for range w.l.rounds {
		if err := talk(true); err != nil {
			return err
		}
		for range 4 {
			if err := errors.Join(take(&ours, w.termio), take(&list, ourList)); err != nil {
				return err
			}
			if w.other != nil {
				if err := take(&others, w.agentAPI); err != nil {
					return err
				}
			}
		}
		if err := talk(false); err != nil {
			return err
		}
		for range 4 {
			if err := errors.Join(take(&theirs, w.tmux), take(&panes, tmuxList)); err != nil {
				return err
			}
		}
	}
	t.row(strconv.Itoa(sessions), ours.String(), theirs.String(), others.String(), list.String(), panes.String())
	return nil
}

func (w *waiting) termio() (float64, error) {
	if _, err := w.term.do("sessions", "send", w.target, "work 200", "--wait", "--json"); err != nil {
		return 0, err
	}
	return since(time.Now(), filepath.Join(w.notes, "0.jsonl"))
}

func (w *waiting) tmux() (float64, error) {
	w.n++
	note := w.l.path(fmt.Sprintf("note%d", w.n))
	if _, err := w.tm.do("send-keys", "-t", "w", fmt.Sprintf("sleep 0.2; date +%%s%%N >%s; tmux -S %s wait-for -S n%d", note, w.tm.sock, w.n), "Enter"); err != nil {
		return 0, err
	}
	if _, err := w.tm.do("wait-for", fmt.Sprintf("n%d", w.n)); err != nil {
		return 0, err
	}
	over := time.Now()
	text, err := os.ReadFile(note)
	if err != nil {
		return 0, err
	}
	ns, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return ms(over.Sub(time.Unix(0, ns))), err
}

func (w *waiting) agentAPI() (float64, error) {
	if err := w.other.turn("work 200"); err != nil {
		return 0, err
	}
	return since(time.Now(), filepath.Join(w.notes, "api.jsonl"))
}

// since is how long before over the last answer in a scripted agent's transcript
// was written, in ms.
func since(over time.Time, path string) (float64, error) {
	ended, err := lastNote(path)
	return ms(over.Sub(ended)), err
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
