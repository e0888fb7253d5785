//go:build unix

package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/testkit/acpagent"
	"github.com/termio-sh/termio/internal/testkit/console"
)

// talker is an agent's temper for conversations.
func talker() acpagent.Config {
	return acpagent.Config{
		Caps: []string{"load", "image"},
		AfterNew: []string{
			`update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init","description":"make a file"},{"name":"say","description":"say it back","input":{"hint":"what"}}]}`,
		},
		Options: []byte(`[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big 5"},{"value":"small","name":"Small 5"}]},` +
			`{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first"},{"value":"code","name":"Just code"}]}]`),
	}
}

// talk opens a session over ACP in the face.
func talk(t *testing.T, cols, rows int, env ...string) *world {
	w := newWorld(t, append(env, talker().Env())...)
	w.face(cols, rows)
	w.take(
		step{"the form", keys("n"), shows("New session", "Gamma")},
		step{"the agent", pick("G Gamma"), shows("G Gamma")},
		step{"over ACP", keys("\t\t\t\t "), shows("[x] speak ACP")},
		step{"it is there", keys("\r"), shows("a prompt", "Enter sends")},
	)
	return w
}

// line types a prompt of the scripted agent's steps.
func lines(steps ...string) func(*world) { return keys(strings.Join(steps, "\n") + "\r") }

// TestConversation is a session over the Agent Client Protocol, from its first
// prompt to what is withdrawn and cancelled.
func TestConversation(t *testing.T) {
	w := talk(t, 100, 30, "LANG=C.UTF-8")
	edit := `update {"sessionUpdate":"tool_call","toolCallId":"t1","kind":"edit","title":"Edit notes.txt","status":"in_progress","content":[{"type":"diff","path":"notes.txt","oldText":"old line\u000a","newText":"new line\u000aand more\u000a"}]}`
	plan := `update {"sessionUpdate":"plan","entries":[{"content":"look","priority":"high","status":"completed"},{"content":"leap","priority":"low","status":"pending"}]}`
	w.take(
		step{"what can be set, before anything was said", keys("\x0f"), shows("Set", "Model  Big 5", "Mode  Ask first")},
		step{"the models", keys("\r"), shows("Small 5")},
		step{"one is set", keys("small\r"), func(w *world) bool { return shows("Small 5", "Ask first")(w) && hides("Big 5")(w) }},
		step{"the next mode", keys("\x1b[Z"), shows("Just code")},
	)
	w.take(
		step{"streamed, with emphasis", lines("say good **morn", "say ing** and `code`"), shows("good morning and code", "Enter sends")},
		step{"what it is set to", nil, shows("Small 5", "Just code")},
		step{
			"thought, plan and tool", lines("think let me see", plan, edit, "permit edit y:Allow:allow_once n:Reject:reject_once", "toolend t1"),
			shows("▸ thought: let me see", "Plan 1/2", "☑ look", "use edit +2 −1", "- old line", "+ and more", "1 Allow", "2 Reject", "NEEDS YOU (1)"),
		},
	)
	w.take(
		step{"allowed by a key", until("1", hides("NEEDS YOU")), shows("Allow", `"optionId":"y"`, "Enter sends")},
		step{"the diff is folded again", nil, hides("- old line")},
		step{"tool calls opened", keys("\x12"), shows("- old line", "✓ use edit")},
		step{"and closed", keys("\x12"), hides("- old line")},
	)
	w.take(
		step{"commands", keys("/s"), shows("/say", "<what> say it back")},
		step{"one is taken", keys("\t"), func(w *world) bool { return hides("<what>")(w) && shows("❯ /say")(w) }},
		step{"sent", keys("it\r"), shows("❯ /say it", "Enter sends")},
		step{"a long turn", lines("say begun", "hang"), shows("begun", "working", "Esc stops")},
		step{"a prompt waits", lines("say later"), shows("waits: say later", "Up takes it back")},
		step{"and one more", lines("say last of all"), shows("waits: say last of all")},
		step{"the newest comes back", keys("\x1b[A"), func(w *world) bool { return hides("waits: say last")(w) && shows("❯ say last of all")(w) }},
		step{"the line is emptied", keys("\x15"), shows("waits: say later")},
		step{"cancelled", keys("\x1b"), func(w *world) bool {
			return shows("the turn was cancelled", "withdrawn: say later")(w) && hides("waits:")(w)
		}},
	)
	w.take(
		step{"an older prompt", keys("\x1b[A"), shows("❯ say later")},
		step{"emptied", keys("\x15"), nil},
		step{
			"a form", lines(`form {"type":"object","properties":{"n":{"type":"integer","title":"How many"},"color":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"b","title":"Blue"}]},"sure":{"type":"boolean","title":"Sure"}},"required":["n","color","sure"]}`),
			shows("How many (1 of 3)", "type a whole number"),
		},
		step{"no number", keys("many\r"), shows("a whole number is asked for")},
		step{"a number", keys("\x157\r"), shows("(2 of 3)", "1 Red", "2 Blue")},
		step{"one of a list", until("2", shows("(3 of 3)")), shows("Sure", "1 Yes")},
		step{"yes", until("1", hides("(3 of 3)")), shows(`"n":7`, `"color":"b"`, `"sure":true`)},
	)
	w.take(
		step{"reading", keys("\t"), shows("reading", "q back")},
		step{"search", keys("/"), shows("Enter search")},
		step{"found", keys("notes.txt\r"), shows("use edit")},
		step{"opened", keys("\r"), shows("+ and more")},
		step{"copied as it is", keys("Y"), func(w *world) bool { return strings.Contains(w.copied(), "+ and more") }},
		step{"back", keys("q"), hides("reading")},
		step{"closed", keys(prefix + "x"), func(w *world) bool { return len(w.list(false)) == 0 }},
		step{"those that are closed", keys("c"), shows("closed (1)")},
		step{"one is read as before", keys("G"), shows("How many: 7", `"sure":true`, "is closed", "o reopen")},
		step{"and goes on", keys("o"), shows("Enter sends")},
		step{"with another turn", keys("say welcome back\r"), shows("How many: 7", "❯ say welcome back", "│welcome back")},
		step{"leave", keys("\x1cq"), func(w *world) bool { return w.View().Exited }},
	)
	w.face(100, 30)
	w.take(step{"the conversation is there as before", nil, shows("How many: 7", `"sure":true`)})
}

// until presses a key until it was taken: a question that just came up takes
// none for a moment.
func until(key string, see func(*world) bool) func(*world) {
	return func(w *world) {
		for range 40 {
			w.Type(key)
			ctx, cancel := context.WithTimeout(w.t.Context(), grace/2)
			_, err := w.Wait(ctx, "the key is taken", func(console.View) bool { return see(w) })
			cancel()
			if err == nil {
				return
			}
		}
	}
}

// TestAttachments names a file and a picture in a prompt.
func TestAttachments(t *testing.T) {
	log := filepath.Join(t.TempDir(), "heard")
	w := newWorld(t, "LANG=C", func() string { c := talker(); c.Log = log; return c.Env() }())
	w.write(filepath.Join(w.dir, "read_me.txt"), "x")
	w.write(filepath.Join(w.dir, "shot.png"), "\x89PNG")
	w.termio("sessions", "spawn", "--acp", "--agent", "gamma", "say hello there")
	w.face(80, 24)
	w.take(
		step{"the session", nil, shows("> say hello there", "hello there", "G say hello there")},
		step{"into it", keys("\r"), shows("Enter sends")},
		step{"files", keys("say @rea"), shows("files", "> read_me.txt")},
		step{"one is taken", keys("\t"), shows("> say @read_me.txt")},
		step{"a picture that is dropped", keys("\x1b[200~" + filepath.Join(w.dir, "shot.png") + "\x1b[201~"), shows("shot.png")},
		step{"sent", keys("\r"), func(w *world) bool {
			heard := strings.Join(acpagent.Heard(log), "\n")
			return strings.Contains(heard, `"mimeType":"image/png"`) && strings.Contains(heard, `"data":"iVBORw=="`) && strings.Contains(heard, `"name":"read_me.txt"`)
		}},
	)
	for _, r := range w.screen() {
		if r >= 0x80 {
			t.Errorf("%q of ours in a locale of ASCII:\n%s", r, w.screen())
			break
		}
	}
	for _, size := range [][2]int{{40, 24}, {200, 60}, {80, 24}} {
		w.mu.Lock()
		w.vt.Resize(size[0], size[1])
		w.mu.Unlock()
		if err := w.Resize(size[1], size[0]); err != nil {
			t.Fatal(err)
		}
		w.take(step{fmt.Sprint(size), nil, shows("hello there", "Ctrl-\\")})
	}
	// The strip answers what such a session asks, fields that want text too.
	w.take(
		step{"a question", lines("permit edit y:Allow:allow_once n:Reject:reject_once"), shows("asks", "1 Allow")},
		step{"the sidebar", keys(prefix), shows("NEEDS YOU (1)", "go in")},
		step{"the strip", until("\t", shows("1-2 answer")), nil},
		step{"answered by a key", keys("1"), func(w *world) bool { return shows(`"optionId":"y"`)(w) && hides("NEEDS YOU")(w) }},
		step{"a form", func(w *world) {
			w.Type("\r")
			lines(`form {"type":"object","properties":{"who":{"type":"string","title":"Who"}},"required":["who"]}`)(w)
		}, shows("type the answer", "NEEDS YOU (1)")},
		step{"the sidebar again", keys(prefix), shows("go in")},
		step{"the strip again", until("\t", shows("a question")), nil},
		step{"its view", keys("a"), shows("Who", "Enter send")},
		step{"typed", keys("somebody\r"), shows(`"who":"somebody"`)},
	)
}

// TestAttachToConversation is `termio sessions attach` to a session over ACP:
// the conversation alone, which leaves the panes of the face as they were.
func TestAttachToConversation(t *testing.T) {
	w := newWorld(t, "LANG=C.UTF-8", talker().Env())
	w.termio("sessions", "spawn", "--acp", "--agent", "gamma", "say hello **there**")
	link := w.list(false)[0].Link
	before, _ := os.ReadFile(filepath.Join(w.home, "state/tui.json"))
	w.open(80, 24, filepath.Join(w.bin, "termio"), "sessions", "attach", link)
	w.take(
		step{"the conversation", nil, shows("❯ say hello **there**", "hello there", "Ctrl-\\ leaves")},
		step{"no sidebar", nil, hides("▾ shop")},
		step{"a prompt", keys("say and more\r"), shows("and more", "Enter sends")},
		step{"a flood", keys("burst 100000\r"), shows("99998 99999", "Enter sends")},
		step{"typed behind it", keys("still here"), shows("❯ still here")},
		step{"read from its begin", keys("\x15\tg"), shows("❯ say hello **there**")},
		step{"left", keys(prefix), shows("detached from ")},
	)
	if code, err := w.WaitExit(w.context()); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	w.restored()
	if after, _ := os.ReadFile(filepath.Join(w.home, "state/tui.json")); string(after) != string(before) {
		t.Errorf("state/tui.json is now\n%s", after)
	}
	if s := w.list(false); len(s) != 1 {
		t.Errorf("%d sessions", len(s))
	}
	// One that ends says so.
	w.open(80, 24, filepath.Join(w.bin, "termio"), "sessions", "attach", link)
	w.take(step{"again", nil, shows("99998 99999", "Enter sends")})
	w.termio("sessions", "close", link)
	w.take(step{"it is over", nil, func(w *world) bool { return strings.Contains(w.screen(), ") closed") }})
}
