package acphost

import (
	"bufio"
	"encoding/json/v2"
	"io"
	"strings"
	"unicode/utf8"
)

// maxRetold is how much of a conversation another session of the agent's is
// told, from its end, in bytes.
const maxRetold = 64 << 10

// The words around what is retold.
const (
	retoldFirst = "What follows was said in an earlier session, which cannot be continued.\n\n"
	retoldCut   = "(The beginning is left out.)\n\n"
	retoldLast  = "\n\nThe user goes on:\n\n"
)

// Retell is what was said so far, for an agent that does not know it; empty when
// nothing was. A prompt at the end that has no answer yet is not among it.
func (c *Conversation) Retell() string {
	items := c.items
	for i := len(items) - 1; i >= 0 && items[i].kind != "message"; i-- {
		if items[i].kind == "user" {
			items = items[:i]
			break
		}
	}
	var parts []string
	for _, it := range items {
		text := strings.TrimSpace(it.text)
		switch {
		case text == "":
		case it.kind == "user":
			parts = append(parts, "User: "+text)
		case it.kind == "message":
			parts = append(parts, "Assistant: "+text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text, cut := strings.Join(parts, "\n\n"), ""
	if len(text) > maxRetold {
		text, cut = text[len(text)-maxRetold:], retoldCut
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return retoldFirst + cut + text + retoldLast
}

// Recall reads what was said in a session from its journal, behind what is known
// already. What cannot be read of it is left out.
func (c *Conversation) Recall(r io.Reader) {
	var t Translator
	known := !c.Empty()
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var e Entry
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		for _, ev := range t.Add(e) {
			if ev.Type == EventReady {
				known = true
			}
			if !ev.Replay || !known {
				c.Apply(ev)
			}
		}
	}
}
