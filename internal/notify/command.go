package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

// Bounds of the programs that are run.
const (
	commandTime = 30 * time.Second // of the user's own command
	desktopTime = 5 * time.Second  // of the desktop's
	maxSaid     = 400              // bytes of an error's output that are kept
)

// spoken is a note as a command gets it, on standard input and as one line.
type spoken struct {
	Event   string `json:"event"` // notify, or withdraw
	Kind    string `json:"kind"`
	Title   string `json:"title"`
	Text    string `json:"text,omitempty"`
	Session string `json:"session"`
	Link    string `json:"link"`
	Version int    `json:"schema_version"`
}

// Command runs the user's own shell command for an act: the note is JSON on its
// standard input, and in TERMIO_NOTIFY_EVENT, _KIND, _TITLE, _TEXT and _LINK.
func Command(ctx context.Context, shell, command string, env []string, a Act) error {
	say := spoken{Event: "notify", Kind: a.Note.Kind, Title: a.Note.Title, Text: a.Note.Text, Session: a.Note.Session, Link: a.Note.Link, Version: 1}
	if a.Withdraw {
		say.Event = "withdraw"
	}
	in, err := json.Marshal(say)
	if err != nil {
		return fmt.Errorf("run the notification command: %w", err)
	}
	more := []string{
		"TERMIO_NOTIFY_EVENT=" + say.Event, "TERMIO_NOTIFY_KIND=" + say.Kind, "TERMIO_NOTIFY_TITLE=" + say.Title,
		"TERMIO_NOTIFY_TEXT=" + say.Text, "TERMIO_NOTIFY_LINK=" + say.Link,
	}
	if _, err := runProgram(ctx, commandTime, append(in, '\n'), append(env[:len(env):len(env)], more...), shell, "-c", command); err != nil {
		return fmt.Errorf("run the notification command: %w", err)
	}
	return nil
}

// runProgram runs a program with everything that it starts, at most within, and
// gives what it printed.
func runProgram(ctx context.Context, within time.Duration, in []byte, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = env, "/", 200*time.Millisecond
	cmd.Stdin = bytes.NewReader(in)
	out, said := &capped{max: 4096}, &capped{max: maxSaid}
	cmd.Stdout, cmd.Stderr = out, said
	together(cmd)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s took longer than %v", name, within)
	case err != nil && said.Len() > 0:
		return "", fmt.Errorf("%s: %w: %s", name, err, Line(said.String(), maxSaid))
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}

// capped keeps the first max bytes.
type capped struct {
	bytes.Buffer
	max int
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.max - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
