package hooks

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// jsonFile is a hook file in JSON: an object whose key "hooks" maps each event
// to a list. Its dialects differ in what the list holds.
type jsonFile struct {
	// entry makes an element of an event's list.
	entry func(e atp.HookEvent, command string) node
	// commands finds the commands in an element.
	commands func(v *value) []place
	// versioned adds "version": 1 where the file has none.
	versioned bool
	// reply makes hooks print an empty object.
	reply bool
}

// place is a command that an element holds.
type place struct {
	text string
	// list is the list that the command is an element of, at index; nil where
	// the command is the element itself.
	list  *value
	index int
}

// Refusal is a file that is left as it is, and why.
type Refusal struct{ Why string }

func (e *Refusal) Error() string { return e.Why }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// install gives the file with the hooks of s and without any older ones of
// ours. nil stands for a file that is not there.
func (f jsonFile) install(old []byte, s Spec) ([]byte, error) {
	if f.current(old, s) {
		return old, nil
	}
	bare, err := f.remove(old)
	if err != nil {
		return nil, err
	}
	src, made := bare, ""
	switch {
	case bare == nil:
		src, made = []byte("{}\n"), madeFile
	case len(bare) == 0:
		src, made = []byte("{}\n"), wasEmpty
	}
	doc, err := readHookFile(src)
	if err != nil {
		return nil, err
	}
	events := s.events()
	if len(events) == 0 {
		return old, nil
	}
	if doc.hooks == nil {
		made += madeHooks
	}
	// A file that has hooks already is good as it is.
	if f.versioned && doc.hooks == nil && !slices.ContainsFunc(doc.root.items, func(it item) bool { return it.key == "version" }) {
		made += madeVersion
		src = put(src, doc.style, doc.root, 0, node{key: "version", kind: kindOther, other: "1"})
	}
	known := map[string]bool{}
	if doc.hooks != nil {
		for _, it := range doc.hooks.items {
			known[it.key] = true
		}
	}
	for _, e := range events {
		note := made
		if !known[e.On] {
			note += madeEvent
		}
		if src, err = f.add(src, e.On, f.entry(e, s.command(e, f.reply, note))); err != nil {
			return nil, err
		}
	}
	// What cannot be taken out again exactly is not put in.
	back, err := f.remove(src)
	if err != nil || !bytes.Equal(back, bare) || (back == nil) != (bare == nil) {
		return nil, refuse("its layout is one that the hooks could not be taken out of again")
	}
	return src, nil
}

// wish is what a command of ours is to be.
type wish struct{ event, matcher, command string }

// current tells whether a file has just the commands that it should have. How
// they are laid out is then nobody's matter: agents write their files anew.
func (f jsonFile) current(src []byte, s Spec) bool {
	if len(src) == 0 {
		return false
	}
	d, err := readHookFile(src)
	if err != nil || d.hooks == nil {
		return false
	}
	var want, got []wish
	for _, e := range s.events() {
		want = append(want, wish{e.On, e.Matcher, unmarked(s.command(e, f.reply, ""))})
	}
	for _, event := range d.hooks.items {
		if event.value.kind != kindArray {
			continue
		}
		for _, e := range event.value.items {
			if e.value.kind != kindObject {
				continue
			}
			for _, p := range f.commands(e.value) {
				if _, mine := ours(p.text); mine {
					got = append(got, wish{event.key, e.value.str("matcher"), unmarked(p.text)})
				}
			}
		}
	}
	order := func(a, b wish) int {
		return cmp.Or(strings.Compare(a.event, b.event), strings.Compare(a.matcher, b.matcher), strings.Compare(a.command, b.command))
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	return slices.Equal(want, got)
}

// hookFile is a parsed hook file.
type hookFile struct {
	root  *value
	hooks *value // of the key "hooks"; nil where there is none
	style style
}

// readHookFile parses a file and refuses every shape that is not known.
func readHookFile(src []byte) (d hookFile, err error) {
	if d.root, err = parse(src); err != nil {
		return d, refuse("it is no JSON (%v)", err)
	}
	if d.root.kind != kindObject {
		return d, refuse("it holds no JSON object")
	}
	d.style = styleOf(src, d.root)
	it, err := d.root.member("hooks")
	if err != nil {
		return d, refuse("%v", err)
	}
	if it == nil {
		return d, nil
	}
	if it.value.kind != kindObject {
		return d, refuse(`its "hooks" are no object`)
	}
	d.hooks = it.value
	return d, nil
}

// list finds the list of an event; nil where there is none.
func (d *hookFile) list(event string) (*value, error) {
	if d.hooks == nil {
		return nil, nil
	}
	it, err := d.hooks.member(event)
	if err != nil {
		return nil, refuse("in its hooks, %v", err)
	}
	if it == nil {
		return nil, nil
	}
	if it.value.kind != kindArray {
		return nil, refuse("its hooks for %q are no list", event)
	}
	for _, e := range it.value.items {
		if e.value.kind != kindObject {
			return nil, refuse("its hooks for %q hold something that is no object", event)
		}
	}
	return it.value, nil
}

// add appends an element to an event's list.
func (f jsonFile) add(src []byte, event string, entry node) ([]byte, error) {
	d, err := readHookFile(src)
	if err != nil {
		return nil, err
	}
	list, err := d.list(event)
	if err != nil {
		return nil, err
	}
	fresh := node{key: event, kind: kindArray, items: []node{entry}}
	switch {
	case list != nil:
		return put(src, d.style, list, 2, entry), nil
	case d.hooks != nil:
		return put(src, d.style, d.hooks, 1, fresh), nil
	default:
		return put(src, d.style, d.root, 0, node{key: "hooks", kind: kindObject, items: []node{fresh}}), nil
	}
}

// remove takes everything of ours out, one command at a time, and what was
// made for it where that is left empty. nil is a file that is to go.
func (f jsonFile) remove(old []byte) ([]byte, error) {
	if len(old) == 0 {
		return old, nil
	}
	src, all := old, ""
	for {
		d, err := readHookFile(src)
		if err != nil {
			return nil, err
		}
		next, made, err := f.takeOne(src, d)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		src, all = next, all+made
	}
	return takeMade(src, all)
}

var errShape = errors.New("unreachable shape")

// takeOne removes the first command of ours; nil where there is none.
func (f jsonFile) takeOne(src []byte, d hookFile) (next []byte, made string, err error) {
	if d.hooks == nil {
		return nil, "", nil
	}
	for i, event := range d.hooks.items {
		if event.value.kind != kindArray {
			continue // not ours, and nothing that an older one of us wrote
		}
		for j, e := range event.value.items {
			if e.value.kind != kindObject {
				continue
			}
			places := f.commands(e.value)
			for _, p := range places {
				made, mine := ours(p.text)
				if !mine {
					continue
				}
				switch {
				case p.list != nil && len(p.list.items) > 1:
					next = take(src, d.style, p.list, 4, p.index)
				case len(event.value.items) == 1 && has(made, madeEvent):
					next = take(src, d.style, d.hooks, 1, i)
				default:
					next = take(src, d.style, event.value, 2, j)
				}
				if _, err := parse(next); err != nil {
					return nil, "", fmt.Errorf("take a hook out: %w", errors.Join(errShape, err))
				}
				return next, made, nil
			}
		}
	}
	return nil, "", nil
}

func has(made, what string) bool { return strings.Contains(made, what) }

// takeMade removes what was made around commands that are gone.
func takeMade(src []byte, made string) ([]byte, error) {
	drop := func(key string, empty func(*value) bool) error {
		d, err := readHookFile(src)
		if err != nil {
			return err
		}
		for i, it := range d.root.items {
			if it.key == key && empty(it.value) {
				src = take(src, d.style, d.root, 0, i)
				return nil
			}
		}
		return nil
	}
	if has(made, madeHooks) {
		if err := drop("hooks", func(v *value) bool { return len(v.items) == 0 }); err != nil {
			return nil, err
		}
	}
	if has(made, madeVersion) {
		d, err := readHookFile(src)
		if err != nil {
			return nil, err
		}
		if d.hooks == nil || len(d.hooks.items) == 0 {
			if err := drop("version", func(v *value) bool { return string(src[v.start:v.end]) == "1" }); err != nil {
				return nil, err
			}
		}
	}
	if made == "" {
		return src, nil
	}
	root, err := parse(src)
	if err != nil {
		return nil, refuse("it is no JSON (%v)", err)
	}
	if len(root.items) == 0 && len(bytes.TrimSpace(src)) == len("{}") {
		switch {
		case has(made, madeFile):
			return nil, nil
		case has(made, wasEmpty):
			return []byte{}, nil
		}
	}
	return src, nil
}
