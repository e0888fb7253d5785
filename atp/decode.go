package atp

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxFile is the largest manifest file, in bytes.
const MaxFile = 1 << 20

// maxProblems bounds what one hostile file can say.
const maxProblems = 100

// Decode reads one manifest, bundled or a user's: there is one decoder for
// both. It is strict about types and rules and ignores unknown keys. The
// manifest is nil when any problem is an error; warnings (an unknown key) may
// come with a manifest. file is used in messages only.
func Decode(file string, data []byte) (*Manifest, Problems) {
	m, _, problems := decode(file, data)
	return m, problems
}

func decode(file string, data []byte) (*Manifest, *node, Problems) {
	d := &decoder{file: file, data: data}
	root := d.read()
	if root != nil {
		d.check(root, table(), "")
	}
	if len(d.problems.Errors()) > 0 {
		return nil, root, d.problems
	}
	m := build(root)
	m.source, m.raw = file, bytes.Clone(data)
	return m, root, d.problems
}

type decoder struct {
	file     string
	data     []byte // without a byte order mark
	problems Problems
	full     bool
	compiled map[string]*regexp.Regexp
}

func (d *decoder) add(s Severity, at int, path, rule, message, fix string) {
	if len(d.problems) >= maxProblems {
		if !d.full {
			d.full = true
			d.problems = append(d.problems, Problem{
				File: d.file, Rule: "too-many", Severity: SeverityError,
				Message: "there are more problems than are shown", Fix: "correct these first",
			})
		}
		return
	}
	p := Problem{File: d.file, Path: path, Rule: rule, Severity: s, Message: message, Fix: fix}
	if at >= 0 {
		p.Line, p.Column = position(d.data, at)
	}
	d.problems = append(d.problems, p)
}

func (d *decoder) fail(at int, path, rule, message, fix string) {
	d.add(SeverityError, at, path, rule, message, fix)
}

var (
	bomUTF8 = []byte("\xef\xbb\xbf")
	bomLE   = []byte("\xff\xfe")
	bomBE   = []byte("\xfe\xff")
)

const saveFix = "save the file as UTF-8"

// read turns the file into a tree; nil when it is no JSON object.
func (d *decoder) read() *node {
	if len(d.data) > MaxFile {
		d.fail(-1, "", "size", fmt.Sprintf("the file has %d bytes, more than %d", len(d.data), MaxFile), "a manifest is a few kilobytes; is this the right file?")
		return nil
	}
	if bytes.HasPrefix(d.data, bomLE) || bytes.HasPrefix(d.data, bomBE) {
		d.fail(-1, "", "encoding", "the file is UTF-16", saveFix)
		return nil
	}
	if bytes.HasPrefix(d.data, bomUTF8) {
		d.data = d.data[len(bomUTF8):]
		d.add(SeverityWarning, -1, "", "bom", "the file starts with a byte order mark", "save it as UTF-8 without one")
	}
	if at := invalidUTF8(d.data); at >= 0 {
		d.fail(at, "", "encoding", "the file is not valid UTF-8 here", saveFix)
		return nil
	}
	root, err := readJSON(d.data, func(path string, at int) {
		d.fail(at, path, "duplicate-key", "the key is there twice in one object", "keep one of the two")
	})
	if err != nil {
		d.fail(err.at, "", err.rule, err.text, "")
		return nil
	}
	if root.kind != kindObject {
		d.fail(root.at, "", "type", "a manifest is an object, this is "+root.kind.String(), `write { "id": …, "name": …, "command": … }`)
		return nil
	}
	return root
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// check holds a value against its shape and reports every fault.
func (d *decoder) check(n *node, s *spec, path string) {
	if s.presets != nil && n.kind == kindString {
		d.checkString(n, s.presets, path)
		return
	}
	if n.kind != s.kind {
		fix := "write " + s.kind.String()
		if s.presets != nil {
			fix += ", or one of the words " + s.presets.want
		}
		d.fail(n.at, path, "type", "expected "+s.kind.String()+", found "+n.kind.String(), fix)
		return
	}
	switch s.kind {
	case kindString:
		d.checkString(n, s, path)
	case kindNumber:
		if n.num != math.Trunc(n.num) || n.num < float64(s.min) || n.num > float64(s.max) {
			d.fail(n.at, path, "range", "expected a whole number from "+strconv.Itoa(s.min)+" to "+strconv.Itoa(s.max), "choose a number in this range")
		}
	case kindArray:
		if len(n.items) < s.min || len(n.items) > s.max {
			d.fail(n.at, path, "length", fmt.Sprintf("%d items; %d to %d are allowed", len(n.items), s.min, s.max), "shorten the list")
		}
		for i, item := range n.items {
			d.check(item, s.item, path+"["+strconv.Itoa(i)+"]")
		}
	case kindObject:
		d.checkObject(n, s, path)
	}
}

func (d *decoder) checkObject(n *node, s *spec, path string) {
	if s.item != nil {
		for _, m := range n.members {
			p := join(path, m.key)
			d.checkString(&node{kind: kindString, at: m.at, str: m.key}, s.names, p)
			d.check(m.val, s.item, p)
		}
		return
	}
	known := map[string]bool{}
	for _, k := range s.keys {
		known[k.name], known[k.alias] = true, k.alias != ""
		found := false
		for _, name := range []string{k.name, k.alias} {
			if v := n.get(name); name != "" && v != nil {
				found = true
				d.check(v, k.spec, join(path, name))
			}
		}
		if k.required && !found {
			d.fail(n.at, join(path, k.name), "required", "the key is missing", "add "+quoted(k.name)+": "+k.spec.ask())
		}
	}
	for _, r := range s.rules {
		if at, message, fix, bad := r.broken(n); bad {
			pos, p := n.at, path
			if at != "" {
				p = join(path, at)
				if v := n.get(at); v != nil {
					pos = v.at
				}
			}
			d.fail(pos, p, r.name, message, fix)
		}
	}
	for _, m := range n.members {
		if !known[m.key] && !isComment(m.key, path) {
			d.add(SeverityWarning, m.at, join(path, m.key), "unknown-key", "the key is unknown and ignored", s.suggest(m.key, path))
		}
	}
}

// isComment tells the keys that are never read on purpose.
func isComment(key, path string) bool {
	return strings.HasPrefix(key, "//") || path == "" && key == "$schema"
}

func (d *decoder) checkString(n *node, s *spec, path string) {
	switch length := utf8.RuneCountInString(n.str); {
	case len(s.enum) > 0:
		if !contains(s.enum, n.str) {
			d.fail(n.at, path, "enum", quoted(n.str)+" is not one of "+strings.Join(s.enum, ", "), oneOfFix(n.str, s.enum))
		}
	case length < s.min:
		d.fail(n.at, path, "empty", "the text is empty", "write "+s.ask()+", or remove the key")
	case s.max > 0 && length > s.max:
		d.fail(n.at, path, "length", fmt.Sprintf("%d characters, more than %d", length, s.max), "shorten it")
	case s.regexp:
		if message, fix := checkRegexp(n.str); message != "" {
			d.fail(n.at, path, "regexp", message, fix)
		}
	case s.pattern != "" && !d.matches(s.pattern, n.str), s.forbid != "" && d.matches(s.forbid, n.str):
		d.fail(n.at, path, "pattern", quoted(n.str)+" is not "+s.want, "write "+s.want)
	}
}

// oneOfFix says which of the words was probably meant.
func oneOfFix(got string, words []string) string {
	if got == "needs-you" && contains(words, string(StateAttention)) {
		return `manifests call it "attention"`
	}
	if fix := closest(got, words); fix != "" {
		return fix
	}
	return "write one of these"
}

// checkRegexp parses an expression without compiling it, which is all that can
// fail, and says what is wrong with it.
func checkRegexp(expr string) (message, fix string) {
	_, err := syntax.Parse(expr, syntax.Perl)
	if err == nil {
		return "", ""
	}
	fix = "expressions are RE2; in JSON a backslash is written \\\\"
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(expr, look) {
			fix = "RE2 has no look-ahead or look-behind; write the expression without " + look
		}
	}
	return "not a valid expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "), fix
}

// matches keeps the table's compiled expressions for one file only: decoding is
// rare, and a host keeps nothing that it does not use.
func (d *decoder) matches(pattern, s string) bool {
	re, ok := d.compiled[pattern]
	if !ok {
		re = regexp.MustCompile(pattern)
		if d.compiled == nil {
			d.compiled = map[string]*regexp.Regexp{}
		}
		d.compiled[pattern] = re
	}
	return re.MatchString(s)
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

func join(path, key string) string {
	key = shown(key)
	if path == "" {
		return key
	}
	return path + "." + key
}

// shown makes a key fit for a message: short, and without control characters.
func shown(key string) string {
	for i := 0; i < len(key); i++ {
		if !isIDByte(key[i]) && key[i] != '$' && key[i] != '/' || i == 64 {
			return quoted(key)
		}
	}
	if key == "" {
		return quoted(key)
	}
	return key
}

func quoted(s string) string { return strconv.Quote(strings.ToValidUTF8(clip(s, 80), "")) }

// ask says in words what a value must be.
func (s *spec) ask() string {
	switch {
	case len(s.enum) > 0:
		return "one of " + strings.Join(s.enum, ", ")
	case s.want != "":
		return s.want
	case s.regexp:
		return "a regular expression"
	}
	return s.kind.String()
}
