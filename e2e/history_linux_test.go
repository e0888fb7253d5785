package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
)

// TestHistory has a conversation with a real agent outside of termio, finds it
// by a word that was said in it, and goes on with it in a session: the agent
// itself shows that it is that one, by what it sends to the model.
func TestHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, agent := range realAgents {
		t.Run(agent.kit, func(t *testing.T) {
			t.Parallel() // an agent mostly waits
			j := newJourney(t, agent.kit)
			word := fmt.Sprintf("zebra%d", time.Now().UnixNano()%1e9)
			j.outside(agent.kit, "remember "+word)
			j.at("said outside of termio")

			past := j.past(agent.id, word)
			if past.Dir != j.dir || past.Conversation == "" || past.Link != "" || !strings.Contains(past.Excerpt, word) || past.Prompts != 1 {
				t.Errorf("found %+v", past)
			}
			if other := must[api.HistoryReply](j.fleet, "history", "search", word+"x", "--json"); len(other.Conversations) != 0 {
				t.Errorf("found what was never said: %+v", other)
			}
			j.at("found")

			if agent.kit == "gemini" {
				// Resumed in the minute in which it began, its file is spoiled.
				j.nextMinute(past.Created)
			}
			link := must[api.SpawnReply](j.fleet, "history", "resume", past.Row[:6], "--prompt", "what was the word?", "--json").Target
			req := j.heardIn(link, "what was the word?")
			if !strings.Contains(string(req.Body), word) {
				t.Errorf("another conversation came back: %s was not sent with the prompt", word)
			}
			j.at("resumed")
			j.is(link, "done", "idle")

			// One conversation has one session.
			until(t, 20*time.Second, "the session's conversation is known", func() (string, bool) {
				p := j.past(agent.id, word)
				return p.Link, p.Link == link
			})
			if e := j.refused(api.CodeSessionClosed, "history", "resume", past.Row); !strings.Contains(e.Message, link) {
				t.Errorf("the refusal does not name the session: %s", e.Message)
			}
			j.spoken(link, word)
			must[api.CloseReply](j.fleet, "sessions", "close", link, "--json")
			j.spoken(link, word) // a closed one's, too
			j.at("read")
		})
	}
}

// heardIn waits until the model hears a prompt. On a machine that is very busy
// Gemini CLI does not take the Enter that came while it loaded a conversation.
func (j *journey) heardIn(link, prompt string) fakemodel.Request {
	j.t.Helper()
	for {
		ctx, cancel := context.WithTimeout(j.ctx, 30*time.Second)
		req, err := j.model.Wait(ctx, func(r fakemodel.Request) bool { return !r.Side() && strings.Contains(r.Prompt, prompt) })
		cancel()
		if err == nil {
			return req
		}
		if j.ctx.Err() != nil {
			j.t.Fatalf("the model never heard the prompt: %v%s", err, j.state())
		}
		j.at("presses Enter once more")
		j.termio("sessions", "send", link, "--all", "--key", "enter")
	}
}

// outside runs an agent by itself, says one prompt and hangs up.
func (j *journey) outside(name, prompt string) {
	j.t.Helper()
	cmd := exec.Command("/bin/bash", "-ilc", "exec "+name)
	cmd.Dir, cmd.Env = j.dir, j.env
	c, err := console.Start(cmd, console.Options{Start: j.start})
	if err != nil {
		j.t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		if c.Close(ctx) != nil {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	}()
	if _, err := c.Wait(j.ctx, "the prompt of "+name, func(v console.View) bool {
		return v.Contains(j.signs.Ready) && (j.signs.Busy == "" || !v.Contains(j.signs.Busy))
	}); err != nil {
		j.t.Fatal(err)
	}
	c.Type(prompt)
	if _, err := c.WaitText(j.ctx, prompt); err != nil {
		j.t.Fatal(err)
	}
	heard := func(r fakemodel.Request) bool { return !r.Side() && strings.TrimSpace(r.Prompt) == prompt }
	for wait := 400 * time.Millisecond; ; wait *= 2 {
		c.Type("\r")
		ctx, cancel := context.WithTimeout(j.ctx, wait)
		_, err := j.model.Wait(ctx, heard)
		cancel()
		if err == nil {
			break
		}
		if j.ctx.Err() != nil {
			j.t.Fatalf("%s does not take its prompt; the screen:\n%s", name, c.View().Text)
		}
	}
	if _, err := c.WaitText(j.ctx, "You said: "+prompt); err != nil {
		j.t.Fatal(err)
	}
	// Some write what was said a moment after they show it.
	j.past(j.agentOf(name), prompt)
}

func (j *journey) agentOf(kit string) string {
	for _, a := range realAgents {
		if a.kit == kit {
			return a.id
		}
	}
	j.t.Fatalf("no agent is called %q", kit)
	return ""
}

// past waits until one past conversation has these words, and an answer.
func (j *journey) past(agent, words string) (found api.PastConversation) {
	j.t.Helper()
	until(j.t, 30*time.Second, "a conversation with "+words, func() (string, bool) {
		reply := must[api.HistoryReply](j.fleet, "history", "search", words, "--agent", agent, "--json")
		if len(reply.Conversations) == 1 && reply.Conversations[0].Messages >= 2 && reply.Conversations[0].Excerpt != "" {
			found = reply.Conversations[0]
		}
		return fmt.Sprintf("%+v", reply), found.Row != ""
	})
	return found
}

// nextMinute waits for another minute of the clock than began's.
func (j *journey) nextMinute(began *time.Time) {
	if began != nil {
		if wait := time.Until(began.Truncate(time.Minute).Add(61 * time.Second)); wait > 0 {
			j.at(fmt.Sprintf("waits %v for the next minute", wait.Round(time.Second)))
			time.Sleep(wait) // the agent's own clock is what is waited for
		}
	}
}

// spoken reads the session's transcript: both prompts and their answers.
func (j *journey) spoken(link, word string) {
	j.t.Helper()
	var users, answers []string
	var reply api.TranscriptReply
	until(j.t, 20*time.Second, "both answers are in the transcript", func() (string, bool) {
		reply = must[api.TranscriptReply](j.fleet, "sessions", "transcript", link, "--all", "--json")
		users, answers = nil, nil
		for _, m := range reply.Messages {
			switch m.Role {
			case "user":
				users = append(users, m.Text)
			case "assistant":
				answers = append(answers, m.Text)
			}
		}
		return fmt.Sprintf("%q %q", users, answers), len(users) == 2 && len(answers) == 2
	})
	if !strings.Contains(users[0], word) || !strings.Contains(users[1], "what was the word?") || !strings.Contains(answers[0], fakemodel.Greeting) {
		j.t.Errorf("the transcript says %q and %q", users, answers)
	}
	last := reply.Messages[len(reply.Messages)-1]
	part := must[api.TranscriptReply](j.fleet, "sessions", "transcript", link, "--all", "--json", "--from", fmt.Sprint(last.Line), "--to", fmt.Sprint(last.Line+1))
	if n := len(part.Messages); n == 0 || part.Messages[n-1].Text != last.Text || part.CursorEnd != last.Line+1 {
		j.t.Errorf("one line of it is %+v, want %+v", part, last)
	}
	if r := j.termio("sessions", "transcript", link, "--all"); r.code != 0 || !strings.Contains(r.out, word) {
		j.t.Errorf("as text it is %d: %s%s", r.code, r.out, r.err)
	}
}
