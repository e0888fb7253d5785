//go:build unix

package scriptagent

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// begin takes up a prompt: the first word may be a command.
func (a *agent) begin(prompt string) {
	a.state = working
	a.turn = turn{prompt: prompt, answer: "You said: " + brief(prompt)}
	a.hook("UserPromptSubmit", map[string]any{"prompt": prompt})
	a.transcript("user", prompt)
	if !strings.HasPrefix(prompt, "/") && prompt != "recall" {
		a.keep(entry{Type: "user", Text: prompt})
	}
	a.signs("working", "")
	if a.o.DieMidTurn >= 0 {
		a.print("working on it…")
		a.exit, a.over = a.o.DieMidTurn, true
		return
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(prompt), " ")
	switch word {
	case "work":
		a.work(rest)
	case "hold":
		a.hold(rest)
	case "hang":
		a.print("working…")
	case "ask":
		a.question(rest, "question", "Red", "Blue")
	case "allow":
		a.question("approve: "+rest, "permission", "Yes", "No")
	default:
		if !a.quick(word, rest) || a.over {
			return
		}
		a.endTurn()
	}
}

// brief cuts a long prompt and says how many bytes it has.
func brief(prompt string) string {
	const most = 200
	if len(prompt) <= most {
		return prompt
	}
	return strings.ToValidUTF8(prompt[:most], "") + fmt.Sprintf("… (%d bytes)", len(prompt))
}

// work ends the turn after a number of milliseconds.
func (a *agent) work(ms string) {
	n, err := strconv.Atoi(ms)
	if err != nil {
		a.turn.answer = "work wants milliseconds"
		a.endTurn()
		return
	}
	a.print("working…")
	a.turn.answer = "worked " + ms + " ms"
	a.turn.timer = time.NewTimer(time.Duration(n) * time.Millisecond)
}

// hold ends the turn once the FIFO has been opened for writing.
func (a *agent) hold(path string) {
	done := make(chan struct{})
	a.turn.answer, a.turn.done = "released", done
	a.print("working…")
	go func() {
		if f, err := os.Open(path); err == nil {
			f.Close()
		}
		close(done)
	}()
}

func (a *agent) question(text, kind string, options ...string) {
	a.state = asking
	a.ask = question{text: text, options: options}
	if !a.o.frames() {
		a.print(text)
		for i, o := range options {
			mark := "  "
			if i == 0 {
				mark = "❯ "
			}
			a.print(fmt.Sprintf("%s%d. %s", mark, i+1, o))
		}
	}
	event := map[string]any{"message": text}
	if kind == "permission" {
		a.hook("PermissionRequest", event)
	} else {
		a.hook("Notification", event)
	}
	a.signs("blocked:kind="+kind, text)
	a.draw()
}

// quick does what needs no time. It says whether the turn is to end.
func (a *agent) quick(word, rest string) bool {
	switch word {
	case "say":
		a.turn.answer = rest
	case "flood":
		a.flood(rest)
	case "title":
		a.tty.write("\x1b]2;" + rest + "\a")
	case "progress":
		st, n, _ := strings.Cut(rest, " ")
		a.tty.write("\x1b]9;4;" + st + ";" + n + "\a")
	case "osc":
		a.tty.write("\x1b]" + rest + "\x1b\\")
	case "report":
		a.hook(rest, nil)
	case "rotate", "/new":
		a.said = nil
		a.rotate()
	case "/fork":
		a.rotate()
		a.keep(entry{})
	case "recall":
		a.turn.answer = "recalled: " + strings.Join(a.said, ", ") + "."
	case "spawn":
		a.spawn(rest)
	case "size":
		rows, cols := a.tty.size()
		a.turn.answer = fmt.Sprintf("size %d %d", rows, cols)
	case "die":
		a.exit, _ = strconv.Atoi(rest)
		a.over = true
	case "exec":
		a.replace(strings.Fields(rest))
	case "update":
		if err := replaceFile(); err != nil {
			a.turn.answer = err.Error()
			return true
		}
		a.leave(0)
	case "exit":
		code, _ := strconv.Atoi(rest)
		a.leave(code)
	}
	return true
}

// flood writes numbered lines, n bytes in all, as fast as the terminal takes
// them.
func (a *agent) flood(count string) {
	n, _ := strconv.Atoi(count)
	var b strings.Builder
	for i := 0; n > 0; i++ {
		line := fmt.Sprintf("flood %08d the quick brown fox jumps over the lazy dog\r\n", i)
		line = line[:min(n, len(line))]
		n -= len(line)
		b.WriteString(line)
		if b.Len() > 32<<10 || n == 0 {
			a.tty.write(b.String())
			b.Reset()
		}
	}
	a.turn.answer = "flooded " + count
}

// replace becomes a new program in the same process.
func (a *agent) replace(args []string) {
	self, err := os.Executable()
	if err == nil {
		a.tty.restore()
		err = syscall.Exec(self, append([]string{os.Args[0]}, args...), os.Environ())
	}
	a.turn.answer = "exec: " + err.Error()
}

// replaceFile puts a copy of the executable in its own place, under another
// inode, as an agent does that updates itself.
func replaceFile() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	if err := os.WriteFile(self+".new", raw, 0o755); err != nil {
		return err
	}
	return os.Rename(self+".new", self)
}

// interrupt ends the turn without an answer; as with some real agents, no
// hook tells of it.
func (a *agent) interrupt() {
	a.stopTurn()
	a.state = idle
	a.print("interrupted")
	a.signs("idle", "")
	a.next()
}

func (a *agent) endTurn() {
	answer := a.turn.answer
	a.stopTurn()
	a.state = idle
	a.print(answer)
	a.transcript("assistant", answer)
	a.hook("Stop", nil)
	a.signs("done", "")
	a.next()
}

func (a *agent) stopTurn() {
	if a.turn.timer != nil {
		a.turn.timer.Stop()
	}
	a.turn = turn{}
}

// next takes up what was queued, or waits for a prompt.
func (a *agent) next() {
	if len(a.queue) > 0 {
		prompt := a.queue[0]
		a.queue = a.queue[1:]
		a.begin(prompt)
		return
	}
	a.prompt()
}
