package e2e

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
)

// TestAgentsStartedByHand starts real agents in plain terminals, as a person
// types their names: each makes the session that agent, with its states and
// the hooks that are installed, and its end makes it a terminal again.
func TestAgentsStartedByHand(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, agent := range realAgents {
		t.Run(agent.kit, func(t *testing.T) {
			t.Parallel() // an agent mostly waits
			j := newJourney(t, agent.kit)
			if r := j.termio("hooks", "install", agent.id); r.code != 0 {
				t.Fatalf("install hooks: %+v", r)
			}
			link := j.run(agent.kit)
			until(t, time.Minute, "the session is the agent", func() (string, bool) {
				s := j.session(link)
				return s.AgentID + "\n" + j.screen(link), s.AgentID == agent.id
			})
			if agent.kit == "codex" {
				// It asks once whether hooks that are new to it are to be trusted.
				j.shows(link, "Trust all and continue")
				must[api.SendReply](j.fleet, "sessions", "send", link, "--key", "down", "--key", "enter", "--json")
			}
			j.shows(link, j.signs.Ready)
			j.at("recognised and ready")
			must[api.SendReply](j.fleet, "sessions", "send", link, "say hello", "--json")
			j.shows(link, fakemodel.Greeting+" You said: say hello")
			j.is(link, "done")
			trace := j.termio("sessions", "trace", link).out
			if !strings.Contains(trace, "foreground") || !strings.Contains(trace, "→ working") {
				t.Errorf("the trace:\n%s", trace)
			}
			j.at("answered")
			j.endForeground(link)
			until(t, time.Minute, "the session is a terminal again", func() (string, bool) {
				s := j.session(link)
				return s.AgentID + " " + s.Status + "\n" + j.screen(link), s.AgentID == "terminal" && s.Agent == "Terminal"
			})
			j.at("ended")
		})
	}
}

// endForeground ends whatever is in the foreground of a session's terminal.
func (j *journey) endForeground(link string) {
	j.t.Helper()
	group := func() int {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(j.recordOf(link).ChildPID) + "/stat")
		if err != nil {
			j.t.Fatal(err)
		}
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		n, err := strconv.Atoi(string(fields[5]))
		if err != nil {
			j.t.Fatal(err)
		}
		return n
	}
	first := group()
	if first == j.recordOf(link).ChildPID {
		j.t.Fatal("the shell is in the foreground")
	}
	syscall.Kill(-first, syscall.SIGTERM)
	deadline := time.Now().Add(5 * time.Second)
	until(j.t, 30*time.Second, "the agent ends", func() (string, bool) {
		if time.Now().After(deadline) {
			syscall.Kill(-first, syscall.SIGKILL)
		}
		return j.screen(link), group() != first
	})
}
