package acphost

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// Question is something that an agent asks a person: for permission, to fill a
// form, to open a page, or with a method of its own. All become pages of one
// shape (rows 165–170); a page is answered at a time.
type Question struct {
	ID   int    `json:"id"`   // counts within the session, from 1
	Kind string `json:"kind"` // permission, form, url or ask
	// Request is the method that asked.
	Request string `json:"request"`
	Tool    string `json:"tool,omitzero"` // the tool call it is about
	Pages   []Page `json:"pages"`

	answers []Answer
	answer  func(Outcome)
}

// Page is one question with its possible answers.
type Page struct {
	Field   string   `json:"field,omitzero"` // a form's field
	Text    string   `json:"text"`
	Choices []Choice `json:"choices,omitzero"`
	// Free allows any text, Multi several choices.
	Free  bool `json:"free,omitzero"`
	Multi bool `json:"multi,omitzero"`
	// Type is what a form wants: string, number, integer, boolean or array.
	Type     string `json:"type,omitzero"`
	Optional bool   `json:"optional,omitzero"`
}

// Choice is one of a page's answers.
type Choice struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Kind        string `json:"kind,omitzero"` // of a permission option
	Description string `json:"description,omitzero"`
}

// Answer is what was said to one page.
type Answer struct {
	Choices []Choice // chosen
	Text    string   // as it was given
	Value   jsontext.Value
}

// Outcome ends a question: answers for each page, or Dropped.
type Outcome struct {
	Answers []Answer
	Dropped bool // cancelled, or nobody can answer
}

// page is the one that stands.
func (q *Question) page() *Page { return &q.Pages[len(q.answers)] }

// Prompt is the question as people read it: the page's text and the names of
// its options, numbered.
func (q *Question) Prompt() string {
	p := q.page()
	var b strings.Builder
	b.WriteString(p.Text)
	for i, c := range p.Choices {
		fmt.Fprintf(&b, "\n%d. %s", i+1, c.Name)
	}
	if p.Free && len(p.Choices) > 0 {
		b.WriteString("\n(or an answer in your own words)")
	}
	return b.String()
}

// Names are the names of the page's options.
func (q *Question) Names() []string {
	var out []string
	for _, c := range q.page().Choices {
		out = append(out, c.Name)
	}
	return out
}

// Give answers the page that stands: a choice by its number, name or id, else
// a text where one is wanted, typed as the form asks. It reports whether that
// was the last page. What cannot be an answer is an error that says what can.
func (q *Question) Give(text string) (done bool, err error) {
	a, err := q.page().parse(text)
	if err != nil {
		return false, err
	}
	q.answers = append(q.answers, a)
	return len(q.answers) == len(q.Pages), nil
}

func (p *Page) parse(text string) (Answer, error) {
	a := Answer{Text: strings.TrimSpace(text)}
	words := []string{a.Text}
	if p.Multi {
		words = strings.Split(a.Text, ",")
	}
	var rest []string
	for _, w := range words {
		w = strings.TrimSpace(w)
		if i := p.find(w); i >= 0 {
			a.Choices = append(a.Choices, p.Choices[i])
		} else if w != "" {
			rest = append(rest, w)
		}
	}
	if len(rest) > 0 && !p.Free || a.Text == "" && !p.Optional && !p.Free {
		return a, fmt.Errorf("%q is none of the answers; they are: %s", a.Text, p.choices())
	}
	return a, p.value(&a)
}

func (p *Page) choices() string {
	var out []string
	for i, c := range p.Choices {
		out = append(out, fmt.Sprintf("%d (%s)", i+1, c.Name))
	}
	return strings.Join(out, ", ")
}

// find gives the choice of that name, id or number.
func (p *Page) find(word string) int {
	same := func(f func(Choice) string) int {
		return slices.IndexFunc(p.Choices, func(c Choice) bool { return strings.EqualFold(f(c), word) })
	}
	if i := same(func(c Choice) string { return c.Name }); i >= 0 {
		return i
	}
	if i := same(func(c Choice) string { return c.ID }); i >= 0 {
		return i
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(p.Choices) {
		return n - 1
	}
	return -1
}

// value types an answer as the form's schema wants it.
func (p *Page) value(a *Answer) error {
	set := func(v any) { a.Value, _ = json.Marshal(v) }
	if a.Text == "" && p.Optional {
		return nil
	}
	switch p.Type {
	case "integer":
		n, err := strconv.ParseInt(a.Text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is no whole number, which is what %q asks for", a.Text, p.Text)
		}
		set(n)
	case "number":
		n, err := strconv.ParseFloat(a.Text, 64)
		if err != nil {
			return fmt.Errorf("%q is no number, which is what %q asks for", a.Text, p.Text)
		}
		set(n)
	case "boolean":
		set(len(a.Choices) > 0 && a.Choices[0].ID == "true")
	case "array":
		list := []string{}
		for _, c := range a.Choices {
			list = append(list, c.ID)
		}
		set(list)
	default:
		if len(a.Choices) > 0 {
			set(a.Choices[0].ID)
		} else {
			set(a.Text)
		}
	}
	return nil
}

// permissionQuestion is a request for permission.
func permissionQuestion(r acp.RequestPermissionRequest) *Question {
	title := strings.TrimSpace(r.ToolCall.Title)
	if title == "" {
		title = "the agent wants to act"
		if r.ToolCall.Kind != "" {
			title += " (" + string(r.ToolCall.Kind) + ")"
		}
	}
	for _, l := range r.ToolCall.Locations {
		if !strings.Contains(title, l.Path) {
			title += "\n" + l.Path
		}
	}
	p := Page{Text: title}
	for _, o := range r.Options {
		p.Choices = append(p.Choices, Choice{ID: string(o.OptionID), Name: o.Name, Kind: string(o.Kind)})
	}
	return &Question{Kind: "permission", Request: acp.MethodRequestPermission, Tool: string(r.ToolCall.ToolCallID), Pages: []Page{p}}
}

// elicitationQuestion is a form, with a page for each field, or a page of the
// web to be opened. A kind that is not known, or a form without fields, is
// nobody's to answer.
func elicitationQuestion(r acp.CreateElicitationRequest) (*Question, bool) {
	q := &Question{Kind: r.Mode, Request: acp.MethodCreateElicitation, Tool: string(r.ToolCallID)}
	switch r.Mode {
	case "url":
		q.Pages = []Page{{
			Text:    strings.TrimSpace(r.Message) + "\n" + r.URL,
			Choices: []Choice{{ID: "accept", Name: "Opened"}, {ID: "decline", Name: "Decline"}, {ID: "cancel", Name: "Cancel"}},
		}}
		return q, true
	case "form":
		if r.RequestedSchema == nil {
			return nil, false
		}
		q.Pages = formPages(r.Message, r.RequestedSchema)
		return q, len(q.Pages) > 0
	}
	return nil, false
}

func formPages(message string, s *acp.ElicitationSchema) []Page {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	// Required ones first as they are listed, since the order of an object's
	// members is lost.
	slices.SortFunc(names, func(a, b string) int {
		ia, ib := slices.Index(s.Required, a), slices.Index(s.Required, b)
		switch {
		case ia >= 0 && ib >= 0:
			return ia - ib
		case ia >= 0:
			return -1
		case ib >= 0:
			return 1
		}
		return strings.Compare(a, b)
	})
	var pages []Page
	for _, name := range names {
		f := s.Properties[name]
		p := Page{Field: name, Type: f.Type, Optional: !slices.Contains(s.Required, name), Text: name}
		if f.Title != "" {
			p.Text = f.Title
		}
		if f.Description != "" && f.Description != p.Text {
			p.Text += ": " + f.Description
		}
		if len(pages) == 0 && strings.TrimSpace(message) != "" {
			p.Text = strings.TrimSpace(message) + "\n" + p.Text
		}
		p.Choices = fieldChoices(f)
		p.Multi = f.Type == "array"
		p.Free = len(p.Choices) == 0
		pages = append(pages, p)
	}
	return pages
}

func fieldChoices(f acp.ElicitationPropertySchema) []Choice {
	var out []Choice
	titled := func(options []acp.EnumOption) {
		for _, o := range options {
			out = append(out, Choice{ID: o.Const, Name: o.Title})
		}
	}
	plain := func(values []string) {
		for _, v := range values {
			out = append(out, Choice{ID: v, Name: v})
		}
	}
	switch {
	case f.Type == "boolean":
		return []Choice{{ID: "true", Name: "Yes"}, {ID: "false", Name: "No"}}
	case f.Items != nil:
		titled(f.Items.AnyOf)
		plain(f.Items.Enum)
	default:
		titled(f.OneOf)
		plain(f.Enum)
	}
	return out
}

// elicitationAnswer is the answer to a form or a page of the web.
func elicitationAnswer(q *Question, o Outcome) acp.CreateElicitationResponse {
	if o.Dropped {
		return acp.CreateElicitationResponse{Action: "cancel"}
	}
	if q.Kind == "url" {
		return acp.CreateElicitationResponse{Action: o.Answers[0].Choices[0].ID}
	}
	content := map[string]jsontext.Value{}
	for i, a := range o.Answers {
		if a.Value != nil {
			content[q.Pages[i].Field] = a.Value
		}
	}
	return acp.CreateElicitationResponse{Action: "accept", Content: content}
}

// permissionAnswer is the answer to a request for permission.
func permissionAnswer(o Outcome) acp.RequestPermissionResponse {
	if o.Dropped || len(o.Answers) == 0 || len(o.Answers[0].Choices) == 0 {
		return acp.RequestPermissionResponse{Outcome: cancelled}
	}
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{
		Outcome: "selected", OptionID: acp.PermissionOptionId(o.Answers[0].Choices[0].ID),
	}}
}
