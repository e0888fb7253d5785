package resume

import (
	"fmt"
	"slices"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// Launch is how an agent is started with regard to its conversation.
type Launch struct {
	// ID is the conversation that the launch is given, "" for none: the agent
	// makes its own.
	ID string
	// Fragment is the shell text that gives it, "" for none.
	Fragment string
	// Resumes tells that the conversation is continued.
	Resumes bool
	// Seed asks for the agent's session file to be written first.
	Seed bool
	// Fresh says why an earlier conversation is not continued. It is empty at
	// a first launch, and where nothing had been said yet.
	Fresh string
}

// First is the launch of a new session. words are the command and the
// arguments that the user gave: where they pick a conversation, nothing is
// given.
func First(m *atp.Manifest, words []string, mint func() string) (Launch, error) {
	r := m.Resume
	if !r.Pinned() || Chosen(r, words) {
		return Launch{}, nil
	}
	return create(r, mint())
}

func create(r *atp.Resume, id string) (Launch, error) {
	text, err := atp.ExpandID(r.Create, id)
	return Launch{ID: id, Fragment: text, Seed: r.Seed != ""}, err
}

// Chosen reports whether words pick a conversation themselves.
func Chosen(r *atp.Resume, words []string) bool {
	if r == nil {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool {
		_, ok := pickerOf(r, w)
		return ok
	})
}

// picker is a word that picks a conversation, alone or with a value after it.
type picker struct {
	word  string
	value bool
}

// pickerOf finds the picker that a word is.
func pickerOf(r *atp.Resume, w string) (picker, bool) {
	for _, p := range pickers(r) {
		if w == p.word || strings.HasPrefix(p.word, "-") && strings.HasPrefix(w, p.word+"=") {
			return p, true
		}
	}
	return picker{}, false
}

// pickers are the words that pick a conversation: those of the templates that
// do, and those that the manifest names.
func pickers(r *atp.Resume) (out []picker) {
	for _, c := range r.Chooses {
		word, value := strings.CutSuffix(c, "=")
		out = append(out, picker{word, value})
	}
	for _, template := range []string{r.Create, r.Resume} {
		before, _, ok := strings.Cut(template, "{id}")
		words := strings.Fields(before)
		if ok && len(words) > 0 {
			out = append(out, picker{strings.TrimSuffix(words[len(words)-1], "="), true})
		}
	}
	return out
}

// Past is what is known, at a relaunch, of the conversation that a session was
// in.
type Past struct {
	// ID of it; "" when it is not known, and then Unknown may say why.
	ID      string
	Unknown string
	// Spoken tells that something was said in the session: a prompt was
	// submitted, or its agent was at work.
	Spoken bool
	// Found, There and Err are what a look at the agent's store gave (Look, or
	// for the discovered family package discover). Unsure is set where nothing
	// can be looked at.
	Found  Found
	There  bool
	Err    error
	Unsure bool
	// Rejected says that the agent itself has just refused to continue it, in
	// its words.
	Rejected string
}

// Again is the launch of a session that is reopened: into the very
// conversation it was in, or into a new one with the reason.
func Again(m *atp.Manifest, p Past, mint func() string) (Launch, error) {
	r := m.Resume
	why := refusal(m, p)
	if why == "" && p.ID != "" && p.There {
		text, err := atp.ExpandID(r.Resume, p.ID)
		if err == nil {
			return Launch{ID: p.ID, Fragment: text, Resumes: true}, nil
		}
		why = err.Error()
	}
	id := mint()
	if why == "" && p.ID != "" && !p.There {
		id = p.ID // it never came to be, so that its id is free
	}
	l := Launch{}
	if r.Pinned() {
		var err error
		if l, err = create(r, id); err != nil {
			return l, err
		}
	}
	l.Fresh = why
	return l, nil
}

// refusal says why the conversation is not continued, where there was one.
func refusal(m *atp.Manifest, p Past) string {
	r := m.Resume
	switch {
	case !p.Spoken && (p.ID == "" || !p.There):
		return "" // nothing is lost
	case r == nil || r.Resume == "":
		return fmt.Sprintf("%s cannot be told which conversation to continue", m.Name)
	case p.Rejected != "":
		return fmt.Sprintf("%s refused to continue %s: %s", m.Name, p.ID, p.Rejected)
	case p.ID == "" && p.Unknown != "":
		return p.Unknown
	case p.ID == "":
		return fmt.Sprintf("%s never told which conversation it was in", m.Name)
	case p.Err != nil:
		return fmt.Sprintf("the conversation %s cannot be looked up: %v", p.ID, p.Err)
	case p.Unsure:
		return ""
	case !p.There:
		return fmt.Sprintf("the conversation %s is not in %s's store any more", p.ID, m.Name)
	case !p.Found.Begun && p.Spoken:
		return fmt.Sprintf("the conversation %s holds nothing that %s could continue", p.ID, m.Name)
	}
	return ""
}

// Unchosen is args without what picks a conversation. A picker that takes a
// value is one of the templates, or named with "=" at its end in the manifest.
func Unchosen(r *atp.Resume, args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		p, ok := pickerOf(r, args[i])
		if !ok {
			out = append(out, args[i])
			continue
		}
		if p.value && args[i] == p.word && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
		}
	}
	return out
}
