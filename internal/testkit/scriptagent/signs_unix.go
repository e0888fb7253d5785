//go:build unix

package scriptagent

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// print adds a line to the screen.
func (a *agent) print(line string) {
	a.lines = append(a.lines, strings.Split(line, "\n")...)
	if a.o.frames() {
		a.draw()
		return
	}
	a.tty.write("\r" + strings.ReplaceAll(line, "\n", "\r\n") + "\x1b[K\r\n")
}

// prompt shows where one types, with what was typed already.
func (a *agent) prompt() {
	if a.o.frames() {
		a.draw()
		return
	}
	a.tty.write("> ")
	a.echo(a.draft)
}

// echo shows what is typed, in line mode; whole screens show it by themselves.
func (a *agent) echo(text string) {
	if a.o.Echo && !a.o.frames() && !a.o.Canonical {
		a.tty.write(strings.ReplaceAll(text, "\n", "\r\n"))
	}
}

// draw draws the whole screen, with a clock that changes each time.
func (a *agent) draw() {
	if !a.o.frames() || a.state == booting || a.over {
		return
	}
	a.frame++
	rows, cols := a.tty.size()
	below := []string{fmt.Sprintf("%s frame %d", `|/-\`[a.frame%4:a.frame%4+1], a.frame)}
	if a.state == asking {
		below = append(below, a.ask.text)
		for i, o := range a.ask.options {
			mark := "  "
			if i == a.ask.at {
				mark = "❯ "
			}
			below = append(below, fmt.Sprintf("%s%d. %s", mark, i+1, o))
		}
	} else {
		draft := a.draft
		if !a.o.Echo {
			draft = ""
		}
		below = append(below, "> "+strings.ReplaceAll(draft, "\n", "⏎"))
	}
	space := max(0, rows-len(below))
	above := a.lines[max(0, len(a.lines)-space):]
	var b strings.Builder
	b.WriteString("\x1b[?2026h\x1b[H")
	for i, l := range append(append([]string(nil), above...), below...) {
		if r := []rune(l); len(r) > cols {
			l = string(r[len(r)-cols:])
		}
		fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[K", i+1, l)
	}
	b.WriteString("\x1b[J\x1b[?2026l")
	a.tty.write(b.String())
}

func (a *agent) reports() bool {
	return a.o.Status == "unasked" || a.o.Status == "asked" && a.answers
}

// signs tells the state in every way that is turned on. The state may carry
// more keys of the report ("blocked:kind=question").
func (a *agent) signs(state, msg string) {
	if a.o.Titles {
		mark := map[bool]string{true: "◐", false: "✳"}[state == "working"]
		a.tty.write("\x1b]0;" + mark + " " + a.o.Name + "\a")
	}
	if a.o.Progress {
		a.tty.write(map[bool]string{true: "\x1b]9;4;3;0\a", false: "\x1b]9;4;0;0\a"}[state == "working"])
	}
	if a.reports() {
		s := "\x1b]7501;state=" + state + ":app=" + a.o.Name
		if msg != "" {
			s += ":msg=" + base64.StdEncoding.EncodeToString([]byte(msg))
		}
		a.tty.write(s + "\x1b\\")
	}
}

// hook calls the hook command with an event, in the form that Claude Code
// gives it, and waits for its end.
func (a *agent) hook(event string, more map[string]any) {
	if a.o.Hook == "" {
		return
	}
	wd, _ := os.Getwd() // an event without it is still one
	payload := map[string]any{"hook_event_name": event, "session_id": a.session, "cwd": wd}
	if a.o.Transcript != "" {
		payload["transcript_path"] = a.transcriptPath()
	}
	for k, v := range more {
		payload[k] = v
	}
	raw, _ := json.Marshal(payload) // made of plain values only
	cmd := exec.Command("sh", "-c", a.o.Hook)
	cmd.Stdin = strings.NewReader(string(raw))
	if out, err := cmd.CombinedOutput(); err != nil {
		a.print(fmt.Sprintf("hook %s: %v: %s", event, err, out))
	}
}

func (a *agent) transcriptPath() string { return filepath.Join(a.o.Transcript, a.session+".jsonl") }

// transcript adds a line; the file appears with the first one.
func (a *agent) transcript(role, text string) {
	if a.o.Transcript == "" {
		return
	}
	line, _ := json.Marshal(map[string]any{ // made of plain values only
		"type": role, "sessionId": a.session, "uuid": uuid.NewString(),
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano),
		"message":   map[string]any{"role": role, "content": text},
	})
	f, err := os.OpenFile(a.transcriptPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		a.print("transcript: " + err.Error())
		return
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		a.print("transcript: " + err.Error())
	}
}

// rotate begins a new conversation.
func (a *agent) rotate() {
	a.hook("SessionEnd", map[string]any{"reason": "clear"})
	a.session = uuid.NewString()
	a.hook("SessionStart", map[string]any{"source": "clear"})
	a.turn.answer = "session " + a.session
}
