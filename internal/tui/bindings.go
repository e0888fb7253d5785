package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/termio-sh/termio/vt"
)

// Action is something that a key does while the sidebar has the focus.
type Action string

// The actions.
const (
	ActDown       Action = "down"
	ActUp         Action = "up"
	ActTop        Action = "top"
	ActBottom     Action = "bottom"
	ActNextNeeds  Action = "next-needs-you"
	ActEnter      Action = "enter"
	ActBack       Action = "back"
	ActAnswer     Action = "answer"
	ActNew        Action = "new"
	ActTerminal   Action = "new-terminal"
	ActClose      Action = "close"
	ActRename     Action = "rename"
	ActReopen     Action = "reopen"
	ActClosed     Action = "show-closed"
	ActFold       Action = "fold"
	ActPalette    Action = "palette"
	ActOpen       Action = "quick-open"
	ActHelp       Action = "help"
	ActScroll     Action = "scroll-mode"
	ActSearch     Action = "search"
	ActSplitRight Action = "split-right"
	ActSplitDown  Action = "split-down"
	ActUnsplit    Action = "close-pane"
	ActZoom       Action = "zoom"
	ActLeft       Action = "pane-left"
	ActRight      Action = "pane-right"
	ActAbove      Action = "pane-up"
	ActBelow      Action = "pane-down"
	ActWiden      Action = "widen"
	ActNarrow     Action = "narrow"
	ActPrefix     Action = "send-prefix"
	ActGroup      Action = "group"
	ActUngroup    Action = "ungroup"
	ActPin        Action = "pin"
	ActMoveUp     Action = "move-up"
	ActMoveDown   Action = "move-down"
	ActReopenLost Action = "reopen-lost"
	ActEdit       Action = "edit-file"
	ActReview     Action = "review"
	ActSettings   Action = "settings"
	ActSuspend    Action = "suspend"
	ActQuit       Action = "quit"
)

// binding is an action with its keys and what it says of itself.
type binding struct {
	action Action
	keys   []string // bubbletea's names: "j", "ctrl+p", "enter"
	help   string
}

// defaults are the shortcuts as they come, in the order of the help page.
func defaults() []binding {
	return []binding{
		{ActDown, []string{"j", "down"}, "next row"},
		{ActUp, []string{"k", "up"}, "row above"},
		{ActTop, []string{"g", "home"}, "first row"},
		{ActBottom, []string{"G", "end"}, "last row"},
		{ActNextNeeds, []string{"tab"}, "next session that needs you"},
		{ActEnter, []string{"enter", "l", "right"}, "go into the session"},
		{ActBack, []string{"esc"}, "back into the session"},
		{ActAnswer, []string{"a"}, "see its question, and answer"},
		{ActOpen, []string{"/"}, "find a session, a project, a folder, a past conversation"},
		{ActPalette, []string{":", "p", "ctrl+p"}, "every command"},
		{ActNew, []string{"n"}, "new session with an agent"},
		{ActTerminal, []string{"t"}, "new plain terminal"},
		{ActRename, []string{"r"}, "rename the session"},
		{ActClose, []string{"x"}, "close the session"},
		{ActReopen, []string{"o"}, "reopen a closed session"},
		{ActReopenLost, []string{"O"}, "reopen all that was lost"},
		{ActClosed, []string{"c"}, "show or hide closed sessions"},
		{ActPin, []string{"P"}, "pin the session to the top, or not any more"},
		{ActMoveUp, []string{"{", "alt+up"}, "move the row up"},
		{ActMoveDown, []string{"}", "alt+down"}, "move the row down"},
		{ActFold, []string{"space"}, "fold the project"},
		{ActScroll, []string{"[", "pgup"}, "scroll back, select, copy"},
		{ActSearch, []string{"f"}, "search the session's text"},
		{ActSplitRight, []string{"v"}, "split to the right"},
		{ActSplitDown, []string{"s"}, "split downwards"},
		{ActGroup, []string{"m"}, "show another session beside it, as a group"},
		{ActUnsplit, []string{"w"}, "take the pane out of its group (its session goes on)"},
		{ActUngroup, []string{"u"}, "ungroup: each session alone again"},
		{ActZoom, []string{"z"}, "this pane alone, and back"},
		{ActLeft, []string{"H", "shift+left"}, "pane to the left"},
		{ActRight, []string{"L", "shift+right"}, "pane to the right"},
		{ActAbove, []string{"K", "shift+up"}, "pane above"},
		{ActBelow, []string{"J", "shift+down"}, "pane below"},
		{ActWiden, []string{">"}, "wider sidebar"},
		{ActNarrow, []string{"<"}, "narrower sidebar"},
		{ActReview, []string{"d"}, "what changed in the session's worktree"},
		{ActEdit, []string{"e"}, "open a file in your editor, in a pane"},
		{ActPrefix, []string{"\\"}, "type the prefix key itself into the session"},
		{ActSettings, []string{","}, "settings"},
		{ActSuspend, []string{"ctrl+z"}, "suspend to the shell"},
		{ActHelp, []string{"?"}, "this list"},
		{ActQuit, []string{"q"}, "leave; the sessions go on"},
	}
}

// Bindings are the shortcuts in force.
type Bindings struct {
	list []binding
	of   map[string]Action
}

// newBindings puts what the user changed over the defaults. changed has an
// action's keys, all of them; none takes its keys away. A key that is given to
// two actions belongs to the one that was changed; between two changed ones it
// belongs to the first, and the conflict is told, as is a name that is none.
func newBindings(changed map[string][]string) (Bindings, []string) {
	b := Bindings{list: defaults(), of: map[string]Action{}}
	var problems []string
	names := make([]string, 0, len(changed))
	for name := range changed {
		names = append(names, name)
	}
	slices.Sort(names)
	own := map[string]Action{}
	for _, name := range names {
		i := slices.IndexFunc(b.list, func(d binding) bool { return string(d.action) == name })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("there is no action %q", name))
			continue
		}
		var keys []string
		for _, key := range changed[name] {
			if key = normal(key); key == "" {
				continue
			}
			if other, taken := own[key]; taken {
				problems = append(problems, fmt.Sprintf("%s is given to %s and to %s; %s has it", key, other, name, other))
				continue
			}
			own[key] = Action(name)
			keys = append(keys, key)
		}
		b.list[i].keys = keys
	}
	for i := range b.list {
		d := &b.list[i]
		had := len(d.keys)
		d.keys = slices.DeleteFunc(slices.Clone(d.keys), func(key string) bool {
			a, taken := own[key]
			return taken && a != d.action
		})
		for _, key := range d.keys {
			b.of[key] = d.action
		}
		_, wanted := changed[string(d.action)]
		if len(d.keys) == 0 && (d.action == ActQuit || d.action == ActPalette || had > 0 && !wanted) {
			problems = append(problems, fmt.Sprintf("%s has no key any more", d.action))
		}
	}
	return b, problems
}

// normal is a key's name as bubbletea spells it: "ctrl-p" is "ctrl+p".
func normal(key string) string {
	key = strings.TrimSpace(key)
	if len(key) > 1 {
		for _, m := range []string{"ctrl", "alt", "shift"} {
			key = strings.ReplaceAll(key, m+"-", m+"+")
		}
	}
	return key
}

// hidden are the keys that the prefix takes before any action has them.
func (b *Bindings) hidden(prefix vt.Key, name string) (problems []string) {
	for _, d := range b.list {
		for _, key := range d.keys {
			if k, err := vt.ParseKey(strings.ReplaceAll(key, "+", "-")); err == nil && sameKey(k, prefix) {
				problems = append(problems, fmt.Sprintf("%s is the prefix; %s is not reached by it", name, d.action))
			}
		}
	}
	return problems
}

// key is an action's first key, "" if it has none.
func (b *Bindings) key(a Action) string {
	for _, d := range b.list {
		if d.action == a && len(d.keys) > 0 {
			return d.keys[0]
		}
	}
	return ""
}

// loadBindings reads the user's shortcuts, an object with a key or a list of
// keys for each action. A file that cannot be used is told of, and left alone.
func loadBindings(path string) (Bindings, []string) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newBindings(nil)
	}
	var raw map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &raw)
	}
	if err != nil {
		b, _ := newBindings(nil)
		return b, []string{fmt.Sprintf("%s cannot be used (%v); the shortcuts are the usual ones", path, err)}
	}
	changed := map[string][]string{}
	var problems []string
	for name, value := range raw {
		var one string
		var keys []string
		switch {
		case json.Unmarshal(value, &one) == nil:
			keys = []string{one}
		case json.Unmarshal(value, &keys) == nil:
		default:
			problems = append(problems, fmt.Sprintf("%s: it must be a key or a list of keys", name))
			continue
		}
		changed[name] = keys
	}
	b, more := newBindings(changed)
	return b, append(problems, more...)
}
