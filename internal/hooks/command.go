package hooks

import (
	"regexp"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// Spec is what one agent's hooks are to be.
type Spec struct {
	Hooks *atp.Hooks
	// Reporter is the path of the program that hooks run.
	Reporter string
	// Version is that of the installed agent; empty when it is not known.
	Version string
}

// events are those of the manifest that the installed version knows. An agent
// may stop at an event name that is new to it, so that an unknown version gets
// only those that every version has.
func (s Spec) events() []atp.HookEvent {
	var out []atp.HookEvent
	for _, e := range s.Hooks.Events {
		if e.Since == "" || s.Version != "" && compareVersions(s.Version, e.Since) >= 0 {
			out = append(out, e)
		}
	}
	return out
}

// report are the reporter's arguments for an event.
func (s Spec) report(e atp.HookEvent) []string {
	args := []string{string(e.State), "--event", e.On}
	h := s.Hooks
	if h.CapturesTranscript {
		args = append(args, "--transcript")
	}
	for _, f := range []struct{ flag, field string }{
		{"--conversation-from", h.Conversation},
		{"--tool-from", h.Tool},
		{"--prompt-title-from", h.PromptTitle},
		{"--subagent-from", h.Subagent},
	} {
		if f.field != "" {
			args = append(args, f.flag, f.field)
		}
	}
	if h.Pending != "" && e.State == atp.StateDone {
		args = append(args, "--pending-from", h.Pending)
	}
	return args
}

// The marker is the end of every command of ours, a comment for the shell. It
// is what makes a command ours, and its letters say what we made around it:
// the event's list, the hooks object, the version key, the file, or the text
// of a file that was there and empty. Taking a command out undoes just that.
const (
	markWord    = "# termio-hooks v1"
	madeEvent   = "e"
	madeHooks   = "h"
	madeVersion = "v"
	madeFile    = "f"
	madeNewline = "n"
	wasEmpty    = "z"
)

var marker = regexp.MustCompile(`\s# termio-hooks v\d+( [a-z]+)?\s*$`)

// ours tells whether a command was written by us, and what was made for it.
func ours(command string) (made string, ok bool) {
	m := marker.FindStringSubmatch(command)
	if m == nil {
		return "", false
	}
	return strings.TrimSpace(m[1]), true
}

// unmarked is a command of ours without its marker.
func unmarked(command string) string {
	return marker.ReplaceAllString(command, "")
}

// command is a shell command that reports an event and can never fail: not
// when the reporter is gone, and not outside of Termio. An agent that reads a
// reply gets an empty JSON object in every case.
func (s Spec) command(e atp.HookEvent, reply bool, made string) string {
	var b strings.Builder
	b.WriteString(shellQuote(s.Reporter))
	for _, a := range s.report(e) {
		b.WriteByte(' ')
		b.WriteString(atp.Quote(a))
	}
	if reply {
		b.WriteString(` --reply 2>/dev/null || printf '{}' `)
	} else {
		b.WriteString(` 2>/dev/null || true `)
	}
	b.WriteString(markWord)
	if made != "" {
		b.WriteByte(' ')
		b.WriteString(made)
	}
	return b.String()
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
