package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// payload is run inside a session: it writes a file to its terminal as fast
// as the terminal takes it and notes the time that took.
func payload(args []string) {
	data, err := os.ReadFile(args[0])
	if err != nil {
		fatal(err)
	}
	start := time.Now()
	for p := data; len(p) > 0; {
		n, err := os.Stdout.Write(p[:min(len(p), 64<<10)])
		if err != nil {
			fatal(err)
		}
		p = p[n:]
	}
	took := time.Since(start)
	part := args[1] + ".part"
	if err := os.WriteFile(part, []byte(strconv.FormatInt(int64(took), 10)), 0o600); err != nil {
		fatal(err)
	}
	if err := os.Rename(part, args[1]); err != nil {
		fatal(err)
	}
}

// await polls for the note of a payload and returns MB/s.
func await(note string, size int) (float64, error) {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		b, err := os.ReadFile(note)
		if err != nil {
			continue
		}
		os.Remove(note)
		ns, err := strconv.ParseInt(string(b), 10, 64)
		if err != nil {
			return 0, err
		}
		return float64(size) / 1e6 / (float64(ns) / 1e9), nil
	}
	return 0, errors.New("the payload did not finish in two minutes")
}

func run(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errb bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errb
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, errb.String())
	}
	return out.String(), nil
}

// tmux is one server of its own.
type tmux struct{ sock string }

func (l *lab) tmux() (*tmux, error) {
	if !have("tmux") {
		return nil, errors.New("tmux is not installed")
	}
	// A socket of its own for each: the server before may still be ending.
	l.servers++
	t := &tmux{sock: l.path(fmt.Sprintf("tmux%d.sock", l.servers))}
	conf := l.path("tmux.conf")
	if err := os.WriteFile(conf, []byte("set -g history-limit 10000\nset -g default-terminal tmux-256color\nset -g status off\nset -sg escape-time 0\n"), 0o600); err != nil {
		return nil, err
	}
	if _, err := run(nil, "tmux", "-f", conf, "-S", t.sock, "new-session", "-d", "-s", "keep", "-x", "200", "-y", "50", "cat"); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *tmux) do(args ...string) (string, error) {
	return run(nil, "tmux", append([]string{"-S", t.sock}, args...)...)
}

func (t *tmux) kill() { t.do("kill-server") }

func (t *tmux) pid() (int, error) {
	out, err := t.do("display-message", "-p", "#{pid}")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(out))
}

func (l *lab) tmuxDrain(name string, data []byte) (float64, error) {
	t, err := l.tmux()
	if err != nil {
		return 0, err
	}
	defer t.kill()
	in, note := l.path(name+".bin"), l.path("note")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		return 0, err
	}
	if _, err := t.do("new-session", "-d", "-x", "200", "-y", "50", l.self, "payload", in, note); err != nil {
		return 0, err
	}
	return await(note, len(data))
}

// termio is one home with its own coordinator.
type termio struct {
	l    *lab
	home string
}

func (l *lab) home(name string) *termio {
	t := &termio{l: l, home: l.path(name)}
	os.MkdirAll(t.home, 0o700)
	return t
}

func (t *termio) env() []string {
	// A home of its own: start-up files of the user's would be measured too.
	return []string{"HOME=" + t.home, "TERMIO_HOME=" + t.home, "TERMIO_SESSION=", "TERMIO_TOKEN=", "SHELL=/bin/sh"}
}

func (t *termio) do(args ...string) (string, error) {
	return run(t.env(), t.l.termio, args...)
}

// session starts a plain terminal that runs command and returns its link.
func (t *termio) session(command string) (string, error) {
	out, err := t.do("sessions", "run", "--all", "--json", command)
	if err != nil {
		if out, err = t.do("sessions", "run", "--json", command); err != nil {
			return "", err
		}
	}
	var r struct {
		Target string `json:"target"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return "", fmt.Errorf("run replied %q: %w", out, err)
	}
	return r.Target, nil
}

func (t *termio) links() ([]string, error) {
	out, err := t.do("sessions", "list", "--all", "--json")
	if err != nil {
		return nil, err
	}
	var r struct {
		Sessions []struct {
			Link string `json:"link"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return nil, err
	}
	links := make([]string, 0, len(r.Sessions))
	for _, s := range r.Sessions {
		links = append(links, s.Link)
	}
	return links, nil
}

func (t *termio) close() {
	if links, err := t.links(); err == nil {
		for len(links) > 0 {
			n := min(len(links), 50)
			t.do(append([]string{"sessions", "close", "--all"}, links[:n]...)...)
			links = links[n:]
		}
	}
	t.do("daemon", "stop")
}
