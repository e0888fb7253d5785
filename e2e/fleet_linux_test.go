package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
)

// workers are the twelve of TestFleet, by the manifests' names.
var workers = []string{
	"codex", "claudeCode", "pi", "codex", "claudeCode", "opencode",
	"codex", "copilot", "pi", "codex", "claudeCode", "opencode",
}

// TestFleet: a supervisor that is a shell script runs twelve workers on real
// agents, allows what they ask for, and has the answer of each; nothing is lost
// and nothing is allowed twice.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	var kits []string
	for _, a := range realAgents {
		if slices.Contains(workers, a.id) {
			kits = append(kits, a.kit)
		}
	}
	j := newJourney(t, kits...)
	script, err := filepath.Abs("testdata/supervisor.sh")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", append([]string{script, j.dir}, workers...)...)
	cmd.Dir, cmd.Env = j.dir, append(slices.Clone(j.env), "PATH="+bin+":"+value(j.env, "PATH"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err := j.start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the supervisor failed: %v\n%s\nrefused: %s%s", err, out.String(), j.file("refused"), j.state())
	}
	j.at("the supervisor has all answers")

	ran := strings.Fields(j.file("ran.txt"))
	slices.Sort(ran)
	for i, agent := range workers {
		n := i + 1
		name := fmt.Sprintf("worker-%d", n)
		if count := len(ran) - len(slices.DeleteFunc(slices.Clone(ran), func(s string) bool { return s == name })); count != 1 {
			t.Errorf("%s of %s ran its command %d times", name, agent, count)
		}
		first := decode[api.TranscriptReply](j.fleet, j.file(fmt.Sprintf("answer.%d", n)))
		if got := saidBy(first, "assistant"); !strings.Contains(got, "The tool finished") {
			t.Errorf("the answer of worker %d (%s) is not in its lines: %q", n, agent, got)
		}
		second := decode[api.TranscriptReply](j.fleet, j.file(fmt.Sprintf("second.%d", n)))
		want := fmt.Sprintf("%s You said: second task of worker %d", fakemodel.Greeting, n)
		if got := saidBy(second, "assistant"); strings.TrimSpace(got) != want {
			t.Errorf("the second answer of worker %d (%s) is %q, want only %q", n, agent, got, want)
		}
		if got := saidBy(second, "user"); strings.Contains(got, "TOOL") {
			t.Errorf("the second lines of worker %d (%s) hold the first prompt: %q", n, agent, got)
		}
	}
}

// file is what the supervisor left in the project.
func (j *journey) file(name string) string {
	b, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil && !os.IsNotExist(err) {
		j.t.Fatal(err)
	}
	return string(b)
}

func saidBy(r api.TranscriptReply, role string) string {
	var all []string
	for _, m := range r.Messages {
		if m.Role == role && m.Text != "" {
			all = append(all, m.Text)
		}
	}
	return strings.Join(all, "\n")
}

func value(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
