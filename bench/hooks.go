package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// hookReport measures what an agent's hook costs: from the start of the
// reporter's process to its end, when the host has recorded the status.
func hookReport(l *lab) error {
	hook := filepath.Join(filepath.Dir(l.termio), "termio-hook")
	if _, err := os.Stat(hook); err != nil {
		return fmt.Errorf("no reporter beside termio: %w", err)
	}
	home := l.home("h")
	defer home.close()
	note := l.path("hook-env")
	if _, err := home.session(`env | grep '^TERMIO_' > ` + note + `.part; mv ` + note + `.part ` + note + `; exec cat`); err != nil {
		return err
	}
	var env []string
	for end := time.Now().Add(10 * time.Second); env == nil; time.Sleep(10 * time.Millisecond) {
		if data, err := os.ReadFile(note); err == nil {
			env = strings.Fields(string(data))
		} else if time.Now().After(end) {
			return fmt.Errorf("the session did not start: %w", err)
		}
	}
	var report, full, bare series
	for i := range 300 {
		state := [2]string{"working", "attention"}[i%2]
		for _, m := range []struct {
			s    *series
			name string
			args []string
			some int // of how many rounds it takes part
		}{
			{&bare, "/bin/true", nil, 1},
			{&report, hook, []string{state, "--event", "PreToolUse"}, 1},
			{&full, l.termio, []string{"agent", "report", state}, 10},
		} {
			if i%m.some != 0 {
				continue
			}
			v, err := timed(env, m.name, m.args...)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(m.name), err)
			}
			*m.s = append(*m.s, v)
		}
	}
	t := table{title: "A hook's report, process start to recorded status, ms"}
	t.row("reporter", "p50 (min–max)", "p90", "goal")
	t.row("termio-hook", report.String(), num(report.quantile(0.9)), ratio{report.median(), 3, true}.String())
	t.row("termio agent report", full.String(), num(full.quantile(0.9)), "")
	t.row("a program that does nothing", bare.String(), num(bare.quantile(0.9)), "")
	t.print()
	return nil
}
