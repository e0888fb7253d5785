package atp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Lint reads a manifest file and says everything that is wrong or doubtful
// about it: the decoder's errors and warnings, and what the decoder has no
// reason to refuse. It never fails; a file that cannot be read is a problem.
func Lint(path string) Problems {
	data, err := readFile(path)
	if err != nil {
		return Problems{unreadable(path, err)}
	}
	return LintData(path, data)
}

// LintData is Lint on a file's content; path is its name.
func LintData(path string, data []byte) Problems {
	m, root, problems := decode(path, data)
	if m == nil {
		return problems
	}
	l := &linter{decoder: decoder{file: path, data: trimBOM(data), problems: problems}, root: root}
	l.names(m)
	l.expressions(m)
	l.resume(m)
	l.icon(m, path)
	l.override(m)
	return l.problems
}

type linter struct {
	decoder
	root *node
}

// warn reports at the value that the keys lead to, as far as they are present.
func (l *linter) warn(path, rule, message, fix string, keys ...string) {
	n := l.root
	for _, k := range keys {
		if next := n.get(k); next != nil {
			n = next
		}
	}
	l.add(SeverityWarning, n.at, path, rule, message, fix)
}

func (l *linter) names(m *Manifest) {
	if stem := strings.TrimSuffix(filepath.Base(l.file), ".json"); stem != m.ID {
		l.warn("id", "file-name", fmt.Sprintf("the file is named %s but the id is %s", quoted(stem), quoted(m.ID)), "name the file "+m.ID+".json, so that it is found again", "id")
	}
	if m.Command == "" && !m.IsTerminal() {
		l.warn("command", "no-command", "without a command this opens the login shell", `add "command"`)
	}
}

// expressions warns about rules that match anything: they would hold a session
// in one state for ever.
func (l *linter) expressions(m *Manifest) {
	check := func(object, list string, patterns []string) {
		for i, p := range patterns {
			re, err := regexp.Compile(p)
			if err == nil && re.MatchString("") {
				l.warn(fmt.Sprintf("%s.%s[%d]", object, list, i), "matches-all", "the expression matches any text, also none", "make it match something particular", object, list)
			}
		}
	}
	if t := m.TitleStatus; t != nil {
		check("titleStatus", "working", t.Working)
		check("titleStatus", "attention", t.Attention)
		check("titleStatus", "idle", t.Idle)
	}
	if s := m.Status; s != nil {
		check("status", "working", s.Working)
		check("status", "attention", s.Attention)
		check("status", "idle", s.Idle)
	}
}

func (l *linter) resume(m *Manifest) {
	r := m.Resume
	if r == nil {
		return
	}
	if r.Create != "" && r.StoreRoot == "" {
		l.warn("resume", "no-store", "without storeRoot and storeMatch it cannot be known whether to create or to resume", "say where the agent keeps its conversations", "resume")
	}
	if (r.Create != "" || r.Discover != nil) && r.Resume == "" {
		l.warn("resume.resume", "no-resume", "a conversation is known but nothing says how to continue it", `add "resume"`, "resume")
	}
	if r.Resume != "" && r.Create == "" && r.Discover == nil && (m.Hooks == nil || m.Hooks.Conversation == "") {
		l.warn("resume", "no-identity", "nothing tells the conversation's id", `add "create", "discover" or "hooks.conversation"`, "resume")
	}
}

func (l *linter) icon(m *Manifest, path string) {
	if m.Icon == nil || m.Icon.Path == "" {
		return
	}
	p := m.Icon.Path
	if rest, home := strings.CutPrefix(p, "~/"); home {
		dir, err := os.UserHomeDir()
		if err != nil {
			return
		}
		p = filepath.Join(dir, rest)
	} else if !filepath.IsAbs(p) {
		p = filepath.Join(filepath.Dir(path), p)
	}
	if _, err := os.Stat(p); err != nil {
		l.warn("icon.path", "no-icon", "there is no image at "+quoted(p), "give the path of a PNG or SVG file", "icon", "path")
	}
}

// override warns about what a user's manifest drops from the bundled one whose
// id it has: it replaces it whole.
func (l *linter) override(m *Manifest) {
	bundled, _ := LoadBundled()
	b, ok := bundled.ByID(m.ID)
	if !ok || string(b.raw) == string(m.raw) {
		return
	}
	_, old, _ := decode(b.source, b.raw)
	var lost []string
	for _, mem := range old.members {
		if l.root.get(mem.key) == nil && !isComment(mem.key, "") {
			lost = append(lost, mem.key)
		}
	}
	if len(lost) > 0 {
		l.warn("", "override", "this replaces the bundled "+m.ID+" whole and drops its "+strings.Join(lost, ", "), "copy the keys that you want to keep")
	}
}

func trimBOM(data []byte) []byte { return []byte(strings.TrimPrefix(string(data), string(bomUTF8))) }

// readFile reads a regular file of at most MaxFile bytes, and a byte more of a
// longer one, which the decoder then refuses. A pipe or device is refused
// before it is opened.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", filepath.Base(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

func unreadable(path string, err error) Problem {
	return Problem{File: path, Rule: "read", Severity: SeverityError, Message: "cannot be read: " + err.Error(), Fix: "check that it exists and that you may read it"}
}

// suggest says what an unknown key may have been meant to be.
func (s *spec) suggest(name, path string) string {
	if path == "" && name == "tint" {
		return `move it into "icon"`
	}
	var names []string
	for _, k := range s.keys {
		names = append(names, k.name)
	}
	if fix := closest(name, names); fix != "" {
		return fix
	}
	return `remove it, or start it with "//" if it is a note`
}

// closest names the word that differs from w in a letter or two.
func closest(w string, words []string) string {
	best, at := "", 3
	for _, x := range words {
		if d := distance(strings.ToLower(clip(w, 40)), strings.ToLower(x)); d < at && d < len(x) {
			best, at = x, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + quoted(best) + "?"
}

// distance is the number of letters to add, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
