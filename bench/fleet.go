package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// fill starts n quiet sessions.
func (t *termio) fill(n int, command string) ([]string, error) {
	links := make([]string, 0, n)
	for len(links) < n {
		link, err := t.session(command)
		if err != nil {
			return links, fmt.Errorf("session %d: %w", len(links), err)
		}
		links = append(links, link)
	}
	return links, nil
}

// timed runs a command and returns its wall time in ms.
func timed(env []string, name string, args ...string) (float64, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	start := time.Now()
	err := cmd.Run()
	return ms(time.Since(start)), err
}

func verbs(l *lab) error {
	term := l.home("v")
	defer term.close()
	tm, err := l.tmux()
	if err != nil {
		return err
	}
	defer tm.kill()
	links, err := term.fill(l.sessions, "exec cat")
	if err != nil {
		return err
	}
	for i := range l.sessions {
		if _, err := tm.do("new-session", "-d", "-s", fmt.Sprintf("s%d", i), "-x", "200", "-y", "50", "cat"); err != nil {
			return err
		}
	}
	settle()
	// Another session each time: one that was just sent to takes its time for
	// the next.
	rows := []struct {
		name       string
		ours, them func(i int) []string
	}{
		{
			"list",
			func(int) []string { return []string{"sessions", "list", "--json"} },
			func(int) []string { return []string{"list-panes", "-a"} },
		},
		{
			"send",
			func(i int) []string { return []string{"sessions", "send", links[i], "--no-enter", "--key", "x"} },
			func(i int) []string { return []string{"send-keys", "-t", fmt.Sprintf("s%d", i), "x"} },
		},
		{
			"read",
			func(i int) []string { return []string{"sessions", "read", links[i]} },
			func(i int) []string { return []string{"capture-pane", "-p", "-t", fmt.Sprintf("s%d", i)} },
		},
	}
	t := table{title: fmt.Sprintf("From the shell with %d sessions, ms beyond a bare process start", l.sessions)}
	t.row("verb", "termio", "tmux", "bare start", "÷ tmux")
	for _, r := range rows {
		var a, b, bare series
		for i := range l.rounds * 10 {
			i %= l.sessions
			for _, m := range []struct {
				s    *series
				env  []string
				name string
				args []string
			}{
				{&bare, nil, "/bin/true", nil},
				{&a, term.env(), l.termio, r.ours(i)},
				{&b, nil, "tmux", append([]string{"-S", tm.sock}, r.them(i)...)},
			} {
				v, err := timed(m.env, m.name, m.args...)
				if err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				*m.s = append(*m.s, v)
			}
		}
		base := bare.median()
		t.row(r.name, a.String(), b.String(), bare.String(),
			ratio{(a.median() - base) / (b.median() - base), 0.7, true}.String())
	}
	t.print()
	return nil
}

// hosts are the host processes of the home's open sessions, by their records.
func (t *termio) hosts() ([]int, error) {
	paths, err := filepath.Glob(filepath.Join(t.home, "state", "sessions", "*", "record.json"))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var r hostproto.Record
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if r.Closed == nil {
			pids = append(pids, r.HostPID)
		}
	}
	return pids, nil
}

// reads waits until a session's screen holds text.
func (t *termio) reads(link, text string) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := t.do("sessions", "read", "--all", link)
		switch {
		case err != nil:
			return err
		case strings.Contains(out, text):
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%s does not come to %q within a minute", link, text)
		}
	}
}

// pss is a process's proportional share of memory in KiB.
func pss(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	return 0
}

// share is what each of n hosts holds, in MiB, once all are quiet.
func (t *termio) share(n int) (float64, error) {
	time.Sleep(5 * time.Second) // hosts give memory back when they have been quiet
	pids, err := t.hosts()
	if err != nil {
		return 0, err
	}
	if len(pids) != n {
		return 0, fmt.Errorf("%d hosts run, want %d", len(pids), n)
	}
	kib := 0
	for _, p := range pids {
		v := pss(p)
		if v == 0 {
			return 0, fmt.Errorf("the host %d is gone", p)
		}
		kib += v
	}
	return float64(kib) / float64(n) / 1024, nil
}

func memory(l *lab) error {
	t := table{title: fmt.Sprintf("Memory, %d sessions together, proportional share per host process, MiB", l.sessions)}
	idle := func() (float64, error) {
		term := l.home("m")
		defer term.close()
		if _, err := term.fill(l.sessions, "exec cat"); err != nil {
			return 0, err
		}
		return term.share(l.sessions)
	}
	full := func() (float64, error) {
		term := l.home("m2")
		defer term.close()
		script := l.path("lines.sh")
		lines := "i=0; while [ $i -lt 10000 ]; do printf '\\033[32mline %d\\033[0m of the \\033[1mscrollback\\033[0m, some seventy characters of ordinary text\\n' $i; i=$((i+1)); done; exec cat\n"
		if err := os.WriteFile(script, []byte(lines), 0o600); err != nil {
			return 0, err
		}
		links, err := term.fill(l.sessions, "exec sh "+quote(script))
		if err != nil {
			return 0, err
		}
		for _, link := range links {
			if err := term.reads(link, "line 9999 of"); err != nil {
				return 0, err
			}
		}
		return term.share(l.sessions)
	}
	for _, m := range []struct {
		name string
		want float64
		f    func() (float64, error)
	}{{"idle", 2, idle}, {"10,000 lines each", 4, full}} {
		v, err := m.f()
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		t.row(m.name, num(v), ratio{v, m.want, true}.String())
	}
	t.print()
	return nil
}

// cpu is a process's user and system time in clock ticks.
func cpu(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	u, _ := strconv.Atoi(f[11])
	s, _ := strconv.Atoi(f[12])
	return u + s
}

func (t *termio) daemonPID() (int, error) {
	out, err := t.do("daemon", "status", "--json")
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(strings.ReplaceAll(out, " ", ""), `"pid":`)
	if !ok {
		return 0, fmt.Errorf("daemon status says %q", out)
	}
	return strconv.Atoi(strings.TrimSpace(rest[:strings.IndexAny(rest, ",}")]))
}

func idle(l *lab) error {
	term := l.home("i")
	defer term.close()
	if _, err := term.fill(50, "exec cat"); err != nil {
		return err
	}
	time.Sleep(3 * time.Second)
	pid, err := term.daemonPID()
	if err != nil {
		return err
	}
	pids, err := term.hosts()
	if err != nil {
		return err
	}
	if len(pids) != 50 {
		return fmt.Errorf("%d hosts run, want 50", len(pids))
	}
	pids = append(pids, pid)
	before := 0
	for _, p := range pids {
		before += cpu(p)
	}
	const span = 20
	time.Sleep(span * time.Second)
	after := 0
	for _, p := range pids {
		after += cpu(p)
	}
	share := float64(after-before) / (span * 100) * 100
	t := table{title: "Idle, 50 sessions and the coordinator, % of a core"}
	t.row(num(share), ratio{share + 1e-9, 0.1, true}.String())
	t.print()
	return nil
}

func adopt(l *lab) error {
	term := l.home("a")
	defer term.close()
	if _, err := term.fill(l.sessions, "exec cat"); err != nil {
		return err
	}
	var took series
	for range l.rounds {
		pid, err := term.daemonPID()
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
		start := time.Now()
		links, err := term.links()
		if err != nil {
			return err
		}
		took = append(took, ms(time.Since(start)))
		if len(links) != l.sessions {
			return fmt.Errorf("%d sessions after the kill, want %d", len(links), l.sessions)
		}
	}
	t := table{title: fmt.Sprintf("Coordinator killed with %d sessions: ms until list shows all of them", l.sessions)}
	t.row(took.String(), ratio{took.median(), 1000, true}.String())
	t.print()
	return nil
}
