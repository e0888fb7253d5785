package hooks

import (
	"bytes"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// The TOML dialect (Kimi): a list of tables named hooks. Ours stand in one
// block at the end of the file, between two comments:
//
//	# termio-hooks v1 begin
//	[[hooks]]
//	event = "Stop"
//	command = "…"
//	timeout = 5
//	# termio-hooks v1 end
//
// An agent that writes its file anew drops the comments; then the commands'
// own marker tells which tables are ours.
const (
	blockBegin = "# termio-hooks v1 begin"
	blockEnd   = "# termio-hooks v1 end"
)

var (
	beginLine = regexp.MustCompile(`(?m)^# termio-hooks v\d+ begin( [a-z]+)?\r?$`)
	endLine   = regexp.MustCompile(`(?m)^# termio-hooks v\d+ end\r?(\n|$)`)
	tableLine = regexp.MustCompile(`(?m)^[ \t]*\[`)
	hooksLine = regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*hooks[ \t]*\]\]`)
)

func installTOML(old []byte, s Spec) ([]byte, error) {
	if currentTOML(old, s) {
		return old, nil
	}
	bare, err := removeTOML(old)
	if err != nil {
		return nil, err
	}
	events := s.events()
	if len(events) == 0 {
		return old, nil
	}
	before, err := readTOML(bare)
	if err != nil {
		return nil, err
	}
	nl, made := "\n", ""
	if i := bytes.IndexByte(bare, '\n'); i > 0 && bare[i-1] == '\r' {
		nl = "\r\n"
	}
	out := append([]byte{}, bare...)
	if bare == nil {
		made = madeFile
	} else if len(bare) > 0 && bare[len(bare)-1] != '\n' {
		out, made = append(out, nl...), madeNewline
	}
	var b strings.Builder
	b.WriteString(strings.TrimSpace(blockBegin + " " + made))
	for _, e := range events {
		b.WriteString(nl + "[[hooks]]" + nl + "event = " + quoteJSON(e.On) + nl)
		if e.Matcher != "" {
			b.WriteString("matcher = " + quoteJSON(e.Matcher) + nl)
		}
		b.WriteString("command = " + quoteJSON(s.command(e, false, "")) + nl + "timeout = 5")
	}
	b.WriteString(nl + blockEnd + nl)
	out = append(out, b.String()...)
	after, err := readTOML(out)
	if err != nil {
		return nil, refuse("hooks cannot be added to it: its own hooks are no list of tables")
	}
	if got, _ := after["hooks"].([]any); len(got) != len(events)+countHooks(before) {
		return nil, refuse("hooks cannot be added to it: its own hooks are no list of tables")
	}
	back, err := removeTOML(out)
	if err != nil || !bytes.Equal(back, bare) || (back == nil) != (bare == nil) {
		return nil, refuse("its layout is one that the hooks could not be taken out of again")
	}
	return out, nil
}

// currentTOML tells whether a file has just the tables that it should have, in
// whatever layout and order.
func currentTOML(src []byte, s Spec) bool {
	doc, err := readTOML(src)
	if err != nil || len(src) == 0 {
		return false
	}
	want := map[wish]int{}
	for _, e := range s.events() {
		want[wish{e.On, e.Matcher, unmarked(s.command(e, false, ""))}]++
	}
	for _, v := range tables(doc) {
		if !isOurTable(v) {
			continue
		}
		t := v.(map[string]any)
		event, _ := t["event"].(string)
		matcher, _ := t["matcher"].(string)
		w := wish{event, matcher, unmarked(t["command"].(string))}
		if want[w]--; want[w] < 0 {
			return false
		}
	}
	for _, missing := range want {
		if missing > 0 {
			return false
		}
	}
	return true
}

func countHooks(doc map[string]any) int {
	list, _ := doc["hooks"].([]any)
	return len(list)
}

func readTOML(src []byte) (map[string]any, error) {
	doc := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(src, bom), &doc); err != nil {
		return nil, refuse("it is no TOML (%v)", err)
	}
	return doc, nil
}

// removeTOML takes the block out, and tables of ours outside of one.
func removeTOML(old []byte) ([]byte, error) {
	if len(old) == 0 {
		return old, nil
	}
	before, err := readTOML(old)
	if err != nil {
		return nil, err
	}
	src, all := old, ""
	for {
		at := beginLine.FindSubmatchIndex(src)
		if at == nil {
			break
		}
		end := endLine.FindIndex(src[at[1]:])
		if end == nil {
			break // somebody cut the block; its tables are found one by one
		}
		made := ""
		if at[2] >= 0 {
			made = strings.TrimSpace(string(src[at[2]:at[3]]))
		}
		from := at[0]
		if has(made, madeNewline) && from > 0 {
			from--
			if from > 0 && src[from-1] == '\r' {
				from--
			}
		}
		src = apply(src, splice{from: from, to: at[1] + end[1]})
		all += made
	}
	src = removeTables(src)
	after, err := readTOML(src)
	if err != nil || !reflect.DeepEqual(withoutOurs(before), withoutOurs(after)) {
		return nil, refuse("the hooks cannot be told from what stands around them; remove them by hand, they end in %q", markWord)
	}
	if len(src) == 0 && has(all, madeFile) {
		return nil, nil
	}
	return src, nil
}

// removeTables removes the tables of the list hooks that run our command, and
// what is left of a block.
func removeTables(src []byte) []byte {
	for from := 0; ; {
		at := hooksLine.FindIndex(src[from:])
		if at == nil {
			break
		}
		begin, end := from+at[0], len(src)
		if next := tableLine.FindIndex(src[from+at[1]:]); next != nil {
			end = from + at[1] + next[0]
		}
		var table map[string]any
		if toml.Unmarshal(src[begin:end], &table) == nil && len(tables(table)) == 1 && isOurTable(tables(table)[0]) {
			src = apply(src, splice{from: begin, to: end})
			from = begin
			continue
		}
		from = end
	}
	src = beginLine.ReplaceAll(src, nil)
	return append([]byte{}, endLine.ReplaceAll(src, nil)...)
}

func tables(doc map[string]any) []any {
	list, _ := doc["hooks"].([]any)
	return list
}

func isOurTable(v any) bool {
	t, _ := v.(map[string]any)
	command, _ := t["command"].(string)
	_, mine := ours(command)
	return mine
}

// withoutOurs is a document without our hooks, to compare.
func withoutOurs(doc map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range doc {
		if k != "hooks" {
			out[k] = v
			continue
		}
		list, isList := v.([]any)
		if !isList {
			out[k] = v
			continue
		}
		var rest []any
		for _, t := range list {
			if !isOurTable(t) {
				rest = append(rest, t)
			}
		}
		if len(rest) > 0 {
			out[k] = rest
		}
	}
	return out
}
