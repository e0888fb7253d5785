package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
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
	rows := []struct {
		name       string
		ours, them []string
	}{
		{"list", []string{"sessions", "list", "--json"}, []string{"list-panes", "-a"}},
		{"send", []string{"sessions", "send", links[0], "--no-enter", "--key", "x"}, []string{"send-keys", "-t", "s0", "x"}},
		{"read", []string{"sessions", "read", links[1]}, []string{"capture-pane", "-p", "-t", "s1"}},
	}
	t := table{title: fmt.Sprintf("From the shell with %d sessions, ms beyond a bare process start", l.sessions)}
	t.row("verb", "termio", "tmux", "bare start", "÷ tmux")
	for _, r := range rows {
		var a, b, bare series
		for range l.rounds * 10 {
			for _, m := range []struct {
				s    *series
				env  []string
				name string
				args []string
			}{
				{&bare, nil, "/bin/true", nil},
				{&a, term.env(), l.termio, r.ours},
				{&b, nil, "tmux", append([]string{"-S", tm.sock}, r.them...)},
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

// hosts finds the host processes of a home by what they execute.
func (t *termio) hosts() []int {
	var pids []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		exe, err := os.Readlink(filepath.Join(d, "exe"))
		if err != nil || filepath.Base(exe) != "termio-host" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(d)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
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

func totalPss(pids []int) (kib int) {
	for _, p := range pids {
		kib += pss(p)
	}
	return kib
}

func memory(l *lab) error {
	term := l.home("m")
	defer term.close()
	if _, err := term.fill(l.sessions, "exec cat"); err != nil {
		return err
	}
	settle()
	time.Sleep(3 * time.Second) // hosts give memory back once they are quiet
	pids := term.hosts()
	idleShare := float64(totalPss(pids)) / float64(len(pids)) / 1024
	t := table{title: fmt.Sprintf("Memory, %d sessions together, proportional share per host process", len(pids))}
	t.row("state", "MiB", "")
	t.row("idle", num(idleShare), ratio{idleShare, 2, true}.String())
	term.close()

	full := l.home("m2")
	defer full.close()
	script := l.path("lines.sh")
	lines := "i=0; while [ $i -lt 10000 ]; do printf '\\033[32mline %d\\033[0m of the \\033[1mscrollback\\033[0m, some seventy characters of ordinary text\\n' $i; i=$((i+1)); done; exec cat\n"
	if err := os.WriteFile(script, []byte(lines), 0o600); err != nil {
		return err
	}
	if _, err := full.fill(l.sessions, "exec sh "+quote(script)); err != nil {
		return err
	}
	time.Sleep(10 * time.Second)
	pids = full.hosts()
	share := float64(totalPss(pids)) / float64(len(pids)) / 1024
	t.row("10,000 lines each", num(share), ratio{share, 4, true}.String())
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
	pids := append(term.hosts(), pid)
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
