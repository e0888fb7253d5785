package chat

import (
	"path"
	"strings"
)

// completion are the words that could stand where the cursor is.
type completion struct {
	mark  byte // '/' or '@'; 0 for none
	from  int  // where the word begins, with its mark
	word  string
	items []menuItem
	at    int
	off   string // a word that the person did not want completed
}

// maxFound is how many completions are offered.
const maxFound = 50

// complete finds what the word before the cursor could become: a command of the
// agent's where the prompt begins with /, a file behind @.
func (c *Chat) complete() {
	k := &c.completion
	was := *k
	*k = completion{off: was.off}
	text := c.editor.text[:c.editor.at]
	from := strings.LastIndexAny(text, " \n") + 1
	word := text[from:]
	switch {
	case word == "" || word == k.off:
		return
	case word == "/" && from == 0 && !c.Log.Started && !c.Log.Working && c.lost == "":
		c.wantsStart = true
		return
	case word[0] == '/' && from == 0:
		k.items = c.commands(word[1:])
	case word[0] == '@':
		if word == "@" || !c.askedFiles { // anew for each: there may be new ones
			c.wantsFiles, c.askedFiles = true, true
		}
		k.items = c.filesLike(word[1:])
	default:
		return
	}
	k.off = ""
	if len(k.items) == 0 {
		return
	}
	k.mark, k.from, k.word = word[0], from, word
	if was.mark == k.mark && was.word == word {
		k.at = min(was.at, len(k.items)-1)
	}
}

func (c *Chat) commands(query string) []menuItem {
	var all []menuItem
	for _, cmd := range c.Log.Commands {
		note := oneLine(cmd.Description)
		if cmd.Input != nil && cmd.Input.Hint != "" {
			hint := oneLine(cmd.Input.Hint)
			if !strings.ContainsAny(hint[:min(len(hint), 1)], "<[") {
				hint = "<" + hint + ">"
			}
			note = hint + " " + note
		}
		name := strings.TrimLeft(oneLine(cmd.Name), "/$")
		all = append(all, menuItem{text: "/" + name, note: note, value: name})
	}
	return c.ranked(query, all)
}

func (c *Chat) filesLike(query string) []menuItem {
	var all []menuItem
	for _, f := range c.files {
		all = append(all, menuItem{text: f, value: f})
	}
	return c.ranked(strings.Trim(query, `"`), all)
}

// ranked is what fits a query, the best first.
func (c *Chat) ranked(query string, all []menuItem) []menuItem {
	if query == "" {
		return all[:min(len(all), maxFound)]
	}
	type scored struct{ at, score int }
	var best []scored
	for i, it := range all {
		score, ok := c.o.Match(query, it.text)
		if !ok {
			continue
		}
		if strings.HasPrefix(path.Base(it.text), query) || strings.HasPrefix(it.value, query) {
			score += 20
		}
		best = append(best, scored{i, score})
	}
	out := make([]menuItem, 0, min(len(best), maxFound))
	for range min(len(best), maxFound) { // few are taken of many
		top := 0
		for i := range best {
			if best[i].score > best[top].score {
				top = i
			}
		}
		out = append(out, all[best[top].at])
		best[top].score = -1 << 30
	}
	return out
}

// completeKey takes a key while words are offered.
func (c *Chat) completeKey(name string) (taken bool) {
	k := &c.completion
	if k.mark == 0 {
		return false
	}
	switch name {
	case "up", "ctrl+p":
		k.at = (k.at + len(k.items) - 1) % len(k.items)
	case "down", "ctrl+n":
		k.at = (k.at + 1) % len(k.items)
	case "esc":
		*k = completion{off: k.word}
	case "tab":
		c.accept()
	case "enter":
		if k.mark == '/' && k.word == k.items[k.at].text {
			*k = completion{off: k.word} // it is there: the prompt is sent
			return false
		}
		c.accept()
	default:
		return false
	}
	return true
}

// accept puts the chosen word in place.
func (c *Chat) accept() {
	k := &c.completion
	word := k.items[k.at].text
	if k.mark == '@' {
		word = "@" + word
		if strings.ContainsAny(word, " ") {
			word = `@"` + word[1:] + `"`
		}
	}
	c.editor.replace(k.from, word+" ")
	*k = completion{}
}

// mentions are the files that a prompt names with @: those are attached.
func mentions(text string) []string {
	var out []string
	for i := 0; i < len(text); i++ {
		if text[i] != '@' || i > 0 && text[i-1] != ' ' && text[i-1] != '\n' && text[i-1] != '(' {
			continue
		}
		rest := text[i+1:]
		name := ""
		if inner, ok := strings.CutPrefix(rest, `"`); ok {
			name, _, _ = strings.Cut(inner, `"`)
		} else if end := strings.IndexAny(rest, " \n"); end >= 0 {
			name = rest[:end]
		} else {
			name = rest
		}
		if name = strings.TrimRight(name, ",;:)"); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// pictureNames are the ends of names of pictures.
var pictureNames = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// dropped makes a mention of the path of a picture that was pasted alone, as
// terminals do with a file that is dropped on them.
func dropped(text string) string {
	name := strings.Trim(strings.TrimSpace(text), `'"`)
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\ `, " "), "file://")
	if !strings.HasPrefix(name, "/") || strings.Contains(name, "\n") {
		return text
	}
	for _, end := range pictureNames {
		if strings.HasSuffix(strings.ToLower(name), end) {
			if strings.Contains(name, " ") {
				return `@"` + name + `" `
			}
			return "@" + name + " "
		}
	}
	return text
}
