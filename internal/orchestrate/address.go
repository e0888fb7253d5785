package orchestrate

import (
	"fmt"
	"strings"
)

// Scheme is the scheme of this program's links.
const Scheme = "termio"

const linkPrefix = Scheme + "://session/"

// Link is the canonical address of the session with this id.
func Link(id string) string { return linkPrefix + strings.ToLower(id) }

// ShortID is the form of an id that people see: its first eight characters.
func ShortID(id string) string { return id[:min(len(id), 8)] }

// Candidate is a session that an address may name.
type Candidate struct {
	ID    string
	Title string // as it is displayed
	Agent string // display name, for messages
}

// maxShown bounds the candidates that an error names.
const maxShown = 8

// Resolve finds the session that an address names among those in scope, and
// returns its index. An address is a link, an id, a unique prefix of one, or
// the exact title as displayed, whatever the case. scope is the scope's name,
// for messages.
func Resolve(address string, in []Candidate, scope string) (int, error) {
	want := strings.ToLower(strings.TrimSpace(address))
	if want == "" {
		return 0, Refuse(NoTarget, "no session was named; `termio sessions list` shows their links")
	}
	match, err := matcher(want, strings.TrimSpace(address))
	if err != nil {
		return 0, err
	}
	var found []int
	for i, c := range in {
		if strings.EqualFold(c.ID, want) {
			return i, nil
		}
		if match(c) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, Refuse(NotFound, "no session in %s is named %q; `termio sessions list` shows those there are", scope, clip(address))
	case 1:
		return found[0], nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q names %d sessions; use the whole link of one:", clip(address), len(found))
	for n, i := range found {
		if n == maxShown {
			fmt.Fprintf(&b, "\n  and %d more", len(found)-n)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s  %s", Link(in[i].ID), in[i].Agent, in[i].Title)
	}
	return 0, Refuse(Ambiguous, "%s", b.String())
}

// matcher says which sessions an address, in lower case, fits.
func matcher(want, asGiven string) (func(Candidate) bool, error) {
	if scheme, rest, ok := strings.Cut(want, "://"); ok && isScheme(scheme) {
		id, isSession := strings.CutPrefix(rest, "session/")
		if end := strings.IndexAny(id, "?/#"); end >= 0 {
			id = id[:end]
		}
		switch {
		case scheme != Scheme:
			return nil, Refuse(NotFound, "%q is a link of %s, not of this program, whose links begin with %s", clip(asGiven), scheme, linkPrefix)
		case !isSession || !isID(id):
			return nil, Refuse(NotFound, "%q is no session link; one looks like %s<uuid>", clip(asGiven), linkPrefix)
		}
		return func(c Candidate) bool { return hasPrefix(c.ID, id) }, nil
	}
	id := isID(want)
	return func(c Candidate) bool {
		return id && hasPrefix(c.ID, want) || strings.EqualFold(strings.TrimSpace(c.Title), asGiven)
	}, nil
}

func hasPrefix(id, prefix string) bool { return strings.HasPrefix(strings.ToLower(id), prefix) }

// isID reports whether s, in lower case, may be an id or the beginning of one.
func isID(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef-") == ""
}

func isScheme(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// clip keeps what a message repeats short.
func clip(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
