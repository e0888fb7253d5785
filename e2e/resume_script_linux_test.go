package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/testkit/scriptagent"
)

// family is how the scripted agent keeps its conversations and tells of them.
type family struct {
	name   string
	resume string // of its manifest
	args   string
	hooks  bool
	// guess marks the one of which nothing but the store tells: there a fresh
	// start is right where another session was in the same directory.
	guess bool
}

var families = []family{
	{name: "pinned", resume: pinnedResume, args: "-store ~/store", hooks: true},
	{name: "pinned without hooks", resume: pinnedResume, args: "-store ~/store"},
	{name: "discovered", resume: discoveredResume, args: "-store ~/store -family discovered", hooks: true},
	{name: "discovered without hooks", resume: discoveredResume, args: "-store ~/store -family discovered", guess: true},
	{name: "discovered at launch", resume: discoveredResume, args: "-store ~/store -family discovered -eager", guess: true},
}

const (
	pinnedResume     = `{"create":"-session-id {id}","resume":"-resume {id}","storeRoot":"~/store","storeMatch":"file:{id}.jsonl","rotates":["/new","/fork"]}`
	discoveredResume = `{"resume":"-resume {id}","discover":{"root":"~/store","format":"jsonl","id":"id","cwd":"cwd"},"rotates":["/new","/fork"]}`
)

// hookScript reports what the agent's hook says, as an installed hook does.
const hookScript = `#!/bin/sh
read -r payload
case "$payload" in
*SessionStart*) state=idle ;;
*UserPromptSubmit*) state=working ;;
*'"Stop"'*) state=done ;;
*) exit 0 ;;
esac
printf '%%s\n' "$payload" | exec %s agent report "$state" --conversation-from session_id
`

// cell is one session of the matrix.
type cell struct {
	state, place string
	dir          string
	link         string
	words        []string // that its conversation must hold
	others       []string // that belong to others, or were left
}

// TestResumeMatrix runs the scripted agent through every way of keeping
// conversations, every state, every end and every place.
func TestResumeMatrix(t *testing.T) {
	agent := scriptagent.Build(t)
	for _, fam := range families {
		for _, end := range []string{"clean exit", "agent killed", "host killed", "coordinator killed", "everything killed"} {
			if testing.Short() && end != "everything killed" {
				continue
			}
			t.Run(fam.name+"/"+end, func(t *testing.T) {
				m := newMatrix(t, agent, fam)
				cells := m.open()
				m.end(end, cells)
				m.check(cells)
			})
		}
	}
}

type matrix struct {
	*fleet
	fam family
}

func newMatrix(t *testing.T, agent string, fam family) *matrix {
	m := &matrix{fleet: newFleet(t), fam: fam}
	must[api.OpenReply](m.fleet, "open", m.dir, "--json") // one project for all the directories below
	args := fam.args
	if fam.hooks {
		hook := filepath.Join(filepath.Dir(m.home), "hook.sh")
		text := fmt.Sprintf(hookScript, filepath.Join(bin, "termio"))
		if err := os.WriteFile(hook, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		args += " -hook " + hook
	}
	dir := filepath.Join(m.home, "config/agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// A copy, so that it may be replaced.
	own := filepath.Join(filepath.Dir(m.home), "scripted")
	raw, err := os.ReadFile(agent)
	if err == nil {
		err = os.WriteFile(own, raw, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "scripted.json"), fmt.Appendf(nil,
			`{"id":"scripted","name":"Scripted","command":%q,"env":{"SCRIPTAGENT":%q},"ready":{"screen":["is ready"]},"resume":%s}`, own, args, fam.resume), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *matrix) spawn(dir string) string {
	m.t.Helper()
	link := must[api.SpawnReply](m.fleet, "sessions", "spawn", "--agent", "scripted", "--dir", dir, "--json").Target
	m.shows(link, "is ready")
	return link
}

// say gives a prompt and waits for its answer.
func (m *matrix) say(link, prompt, answer string) {
	m.t.Helper()
	must[api.SendReply](m.fleet, "sessions", "send", link, prompt, "--json")
	m.shows(link, answer)
}

// open makes the sessions of every state and place.
func (m *matrix) open() (cells []*cell) {
	m.t.Helper()
	for i, state := range []string{"never prompted", "prompted", "rotated", "forked"} {
		for _, place := range []string{"alone", "second", "twins", "symlink"} {
			dir := filepath.Join(m.dir, fmt.Sprintf("%s-%d", place, i))
			if err := os.MkdirAll(dir, 0o700); err != nil {
				m.t.Fatal(err)
			}
			switch place {
			case "alone":
				cells = append(cells, &cell{state: state, place: place, dir: dir, link: m.spawn(dir)})
			case "symlink":
				link := dir + "-link"
				if err := os.Symlink(dir, link); err != nil {
					m.t.Fatal(err)
				}
				cells = append(cells, &cell{state: state, place: place, dir: dir, link: m.spawn(link)})
			case "second":
				for range 2 {
					c := &cell{state: state, place: place, dir: dir, link: m.spawn(dir)}
					m.enter(c)
					cells = append(cells, c)
				}
			case "twins":
				cells = append(cells, m.twins(state, dir)...)
			}
		}
	}
	for _, c := range cells {
		if c.words == nil {
			m.enter(c)
		}
	}
	for _, c := range cells {
		for _, o := range cells {
			if o != c {
				c.others = append(c.others, o.words...)
			}
		}
	}
	return cells
}

// twins opens two sessions in one directory at the same time.
func (m *matrix) twins(state, dir string) []*cell {
	m.t.Helper()
	out := []*cell{{state: state, place: "twins", dir: dir}, {state: state, place: "twins", dir: dir}}
	var both sync.WaitGroup
	for _, c := range out {
		both.Go(func() {
			r := m.termio("sessions", "spawn", "--agent", "scripted", "--dir", dir, "--json")
			c.link = decode[api.SpawnReply](m.fleet, r.out).Target
		})
	}
	both.Wait()
	for _, c := range out {
		m.shows(c.link, "is ready")
	}
	return out
}

var wordCount int

func newWord() string {
	wordCount++
	return fmt.Sprintf("word%03d", wordCount)
}

// enter brings a session into the state of its cell.
func (m *matrix) enter(c *cell) {
	m.t.Helper()
	c.words = []string{}
	if c.state == "never prompted" {
		return
	}
	first := newWord()
	m.say(c.link, first, "You said: "+first)
	c.words = append(c.words, first)
	switch c.state {
	case "rotated":
		m.say(c.link, "/new", "session")
		c.others = append(c.others, first)
		c.words = nil
	case "forked":
		m.say(c.link, "/fork", "session")
	default:
		return
	}
	second := newWord()
	m.say(c.link, second, "You said: "+second)
	c.words = append(c.words, second)
}

// end ends all the sessions.
func (m *matrix) end(how string, cells []*cell) {
	m.t.Helper()
	// What was found out is in the records, which are written a moment later.
	if m.fam.guess {
		time.Sleep(1200 * time.Millisecond)
	}
	records := make([]hostproto.Record, len(cells))
	for i, c := range cells {
		records[i] = m.record(c.link)
	}
	if how == "coordinator killed" || how == "everything killed" {
		m.killDaemon()
	}
	for i, c := range cells {
		switch how {
		case "clean exit":
			m.termio("sessions", "send", c.link, "exit 0", "--json")
		case "agent killed":
			syscall.Kill(records[i].ChildPID, syscall.SIGKILL)
		case "host killed", "everything killed":
			syscall.Kill(records[i].HostPID, syscall.SIGKILL)
		case "coordinator killed":
			must[api.CloseReply](m.fleet, "sessions", "close", c.link, "--json")
		}
	}
	until(m.t, time.Minute, "all have ended", func() (string, bool) {
		live := m.list()
		return fmt.Sprint(live), len(live) == 0
	})
}

// check reopens the sessions and asks each what was said before.
func (m *matrix) check(cells []*cell) {
	m.t.Helper()
	exact, fresh := 0, 0
	for _, c := range cells {
		reply := must[api.ReopenReply](m.fleet, "sessions", "reopen", c.link, "--json")
		if reply.Reopened == nil {
			m.t.Fatalf("%s/%s: no reply", c.state, c.place)
		}
		m.shows(c.link, "is ready")
		m.say(c.link, "recall", "recalled:")
		answer := recalled(m.screen(c.link))
		name := c.state + "/" + c.place
		for _, w := range c.others {
			if slices.Contains(answer, w) {
				m.t.Errorf("%s: a WRONG conversation came back: it holds %s\n%s", name, w, m.termio("sessions", "trace", c.link).out)
			}
		}
		said := len(c.words) > 0
		switch {
		case reply.Resumed && said && !slices.Equal(answer, c.words):
			m.t.Errorf("%s: resumed, with %v instead of %v", name, answer, c.words)
		case !reply.Resumed && len(answer) > 0:
			m.t.Errorf("%s: a fresh start that holds %v", name, answer)
		case !reply.Resumed && said && reply.Fresh == "":
			m.t.Errorf("%s: the conversation is lost, and nobody says why", name)
		case !said && reply.Fresh != "" && !m.fam.guess:
			m.t.Errorf("%s: nothing was said, and a loss is told: %s", name, reply.Fresh)
		case !reply.Resumed && said && !m.mayLose(c):
			m.t.Errorf("%s: not resumed: %s\n%s", name, reply.Fresh, m.termio("sessions", "trace", c.link).out)
		}
		if said && reply.Resumed {
			exact++
		} else if said {
			fresh++
		}
	}
	m.t.Logf("%d came back exactly, %d began anew and said why", exact, fresh)
}

// mayLose tells the cells in which nothing can tell the conversation.
func (m *matrix) mayLose(c *cell) bool {
	switch {
	case m.fam.guess:
		return c.place == "twins" || c.place == "second" || c.state == "rotated" || c.state == "forked"
	case !m.fam.hooks: // nobody tells the id of the new one
		return c.state == "rotated" || c.state == "forked"
	}
	return false
}

// recalled are the words of the agent's last answer to recall.
func recalled(screen string) []string {
	_, after, _ := strings.Cut(screen[max(0, strings.LastIndex(screen, "recalled:")):], "recalled:")
	list, _, _ := strings.Cut(after, ".")
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' })
}
