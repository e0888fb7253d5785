package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// acpStart measures how long a run over ACP takes from its command to the
// agent's first words, without an agent that waits for it and with one. The
// scripted agent starts at once, or takes its time as real ones do.
func acpStart(l *lab) error {
	agent := l.path("acpagent")
	build := exec.Command("go", "build", "-o", agent, "./internal/testkit/acpagent/cmd")
	build.Dir = repository()
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the scripted agent: %w: %s", err, out)
	}
	t := table{title: "termio acp run, ms from the command to the first words"}
	t.row("agent", "cold", "warm")
	for _, a := range []struct{ name, temper string }{
		{"ready at once", `{}`},
		{"1 s for initialize, 1 s for session/new", `{"Delay":{"initialize":1000000000,"session/new":1000000000}}`},
	} {
		cold, warm, err := l.acpFirstWords(agent, a.temper)
		if err != nil {
			return err
		}
		t.row(a.name, cold.String(), warm.String())
	}
	t.print()
	return nil
}

// repository is the module that is measured, from its directory or from this
// program's, which is a module of its own.
func repository() string {
	if _, err := os.Stat("internal/testkit"); err == nil {
		return "."
	}
	return ".."
}

func (l *lab) acpFirstWords(agent, temper string) (cold, warm series, err error) {
	term := l.home("a")
	defer term.close()
	manifests := filepath.Join(term.home, "config", "agents")
	if err := os.MkdirAll(manifests, 0o700); err != nil {
		return nil, nil, err
	}
	manifest := fmt.Sprintf(`{"id":"acp","name":"Scripted","command":"true","acp":{"command":%q}}`, agent)
	if err := os.WriteFile(filepath.Join(manifests, "acp.json"), []byte(manifest), 0o600); err != nil {
		return nil, nil, err
	}
	env := append(term.env(), "ACPAGENT="+temper)
	if _, err := run(env, l.termio, "sessions", "list", "--all"); err != nil { // the coordinator is there
		return nil, nil, err
	}
	for range l.rounds {
		v, err := l.firstWords(env)
		if err != nil {
			return nil, nil, err
		}
		cold = append(cold, v)
		if _, err := run(env, l.termio, "acp", "warm", "--agent", "acp", "--permissions", "restricted"); err != nil {
			return nil, nil, err
		}
		if v, err = l.firstWords(env); err != nil {
			return nil, nil, err
		}
		warm = append(warm, v)
	}
	return cold, warm, nil
}

// firstWords runs one turn.
func (l *lab) firstWords(env []string) (float64, error) {
	cmd := exec.Command(l.termio, "acp", "run", "say hello", "--agent", "acp", "--json")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	took := 0.0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if took == 0 && bytes.Contains(lines.Bytes(), []byte(`"type":"stream"`)) {
			took = ms(time.Since(start))
		}
	}
	if err := cmd.Wait(); err != nil || took == 0 {
		return 0, fmt.Errorf("the run said nothing: %v", err)
	}
	return took, nil
}
