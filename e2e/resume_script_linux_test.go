package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	home         string // the user's directory; "" is the fleet's
	link         string
	words        []string // that its conversation must hold
	others       []string // that belong to others, or were left
}

var (
	states = []string{"never prompted", "prompted", "rotated", "forked"}
	places = []string{"alone", "second", "twins", "symlink", "moved home"}
	ways   = []string{"clean exit", "agent killed", "host killed", "coordinator killed", "everything killed"}
)

// everyCell asks for the whole matrix: 500 cells instead of the 100 in which
// every family meets every end, and both meet every state and every place.
const everyCell = "TERMIO_TEST_RESUME_ALL"

// atOnce is how many sessions of a matrix are worked on at once: they wait
// more than they work.
const atOnce = 6

// TestResumeMatrix runs the scripted agent through every way of keeping
// conversations, every state, every end and every place.
func TestResumeMatrix(t *testing.T) {
	agent := scriptagent.Build(t)
	for f, fam := range families {
		for e, end := range ways {
			if testing.Short() && (f+e)%len(ways) != 0 {
				continue
			}
			t.Run(fam.name+"/"+end, func(t *testing.T) {
				t.Parallel()
				m := newMatrix(t, agent, fam)
				cells := m.open(func(state, place int) bool {
					return os.Getenv(everyCell) != "" || (place-state+len(places))%len(places) == (f+2*e)%len(places)
				})
				m.end(end, cells)
				m.check(cells)
			})
		}
	}
}

type matrix struct {
	*fleet
	fam   family
	words atomic.Int64
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

// at is the fleet for a user whose home is there.
func (m *matrix) at(home string) *fleet {
	if home == "" {
		return m.fleet
	}
	f := *m.fleet
	f.env = append(slices.Clone(m.env), "HOME="+home)
	return &f
}

func (m *matrix) spawn(dir, home string) string {
	m.t.Helper()
	link := must[api.SpawnReply](m.at(home), "sessions", "spawn", "--agent", "scripted", "--dir", dir, "--json").Target
	m.shows(link, "is ready")
	return link
}

// say gives a prompt and waits for its answer.
func (m *matrix) say(link, prompt, answer string) {
	m.t.Helper()
	must[api.SendReply](m.fleet, "sessions", "send", link, prompt, "--json")
	m.shows(link, answer)
}

// each works on all of them, some at once.
func each[T any](all []T, work func(T)) {
	slots := make(chan struct{}, atOnce)
	var every sync.WaitGroup
	for _, one := range all {
		every.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			work(one)
		})
	}
	every.Wait()
}

// open makes the sessions of the states and places that are wanted.
func (m *matrix) open(wanted func(state, place int) bool) (cells []*cell) {
	m.t.Helper()
	base := filepath.Dir(m.dir)
	var groups [][]*cell
	for i, state := range states {
		for j, place := range places {
			if !wanted(i, j) {
				continue
			}
			c := cell{state: state, place: place, dir: filepath.Join(m.dir, fmt.Sprintf("%d-%d", i, j))}
			if err := os.MkdirAll(c.dir, 0o700); err != nil {
				m.t.Fatal(err)
			}
			group := []*cell{&c}
			switch place {
			case "symlink":
				c.dir += "-link"
				if err := os.Symlink(strings.TrimSuffix(c.dir, "-link"), c.dir); err != nil {
					m.t.Fatal(err)
				}
			case "moved home":
				c.home = filepath.Join(base, "user-"+strconv.Itoa(i))
				if err := os.Mkdir(c.home, 0o700); err != nil {
					m.t.Fatal(err)
				}
			case "second", "twins":
				other := c
				group = append(group, &other)
			}
			groups = append(groups, group)
			cells = append(cells, group...)
		}
	}
	each(groups, func(group []*cell) {
		if group[0].place == "twins" { // within a second, and prompted when both are there
			each(group, func(c *cell) { c.link = m.spawn(c.dir, c.home) })
			each(group, m.enter)
			return
		}
		for _, c := range group {
			c.link = m.spawn(c.dir, c.home)
			m.enter(c)
		}
	})
	if m.t.Failed() {
		m.t.FailNow()
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

func (m *matrix) newWord() string { return fmt.Sprintf("word%03d", m.words.Add(1)) }

// enter brings a session into the state of its cell.
func (m *matrix) enter(c *cell) {
	m.t.Helper()
	if c.state == "never prompted" {
		return
	}
	first := m.newWord()
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
	second := m.newWord()
	m.say(c.link, second, "You said: "+second)
	c.words = append(c.words, second)
}

// end ends all the sessions, and moves the homes that are to be moved.
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
			must[api.SendReply](m.fleet, "sessions", "send", c.link, "--key", "ctrl-d", "--json")
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
	for _, c := range cells {
		if c.home != "" {
			if err := os.Rename(c.home, c.home+"-moved"); err != nil {
				m.t.Fatal(err)
			}
			c.home += "-moved"
		}
	}
}

// check reopens the sessions and asks each what was said before.
func (m *matrix) check(cells []*cell) {
	m.t.Helper()
	var exact, fresh atomic.Int64
	each(cells, func(c *cell) {
		reply := must[api.ReopenReply](m.at(c.home), "sessions", "reopen", c.link, "--json")
		if reply.Reopened == nil {
			m.t.Errorf("%s/%s: no reply", c.state, c.place)
			return
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
			exact.Add(1)
		} else if said {
			fresh.Add(1)
		}
	})
	m.t.Logf("%d came back exactly, %d began anew and said why", exact.Load(), fresh.Load())
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
