package acphost

import (
	"fmt"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// The methods with which Grok asks its user (row 169).
const (
	askMethod    = "_x.ai/ask_user_question"
	askMethodOld = "x.ai/ask_user_question"
)

// askRequest is what they carry, in all its spellings.
type askRequest struct {
	SessionID  string        `json:"sessionId"`
	SessionID2 string        `json:"session_id"`
	ToolCall   string        `json:"toolCallId"`
	ToolCall2  string        `json:"tool_call_id"`
	Mode       string        `json:"mode"`
	Questions  []askQuestion `json:"questions"`
}

type askQuestion struct {
	Question string `json:"question"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
	Multi  bool `json:"multiSelect"`
	Multi2 bool `json:"multiple"`
	Multi3 bool `json:"multi_select"`
}

// askResponse answers it.
type askResponse struct {
	Outcome     string              `json:"outcome"` // accepted or cancelled
	Answers     map[string][]string `json:"answers,omitzero"`
	Annotations map[string]askNote  `json:"annotations,omitzero"`
}

type askNote struct {
	Notes   string `json:"notes,omitzero"`
	Preview string `json:"preview,omitzero"`
}

// askUser makes the question of Grok's request. Blank questions are left out
// once, here, so that answers cannot slip to another's.
func askUser(params []byte) (*Question, []askQuestion, error) {
	var r askRequest
	if err := acp.Decode(params, &r); err != nil {
		return nil, nil, fmt.Errorf("the questions cannot be read: %w", err)
	}
	q := &Question{Kind: "ask", Request: askMethod, Tool: r.ToolCall}
	if q.Tool == "" {
		q.Tool = r.ToolCall2
	}
	var kept []askQuestion
	for _, one := range r.Questions {
		text := strings.TrimSpace(one.Question)
		if text == "" {
			continue
		}
		p := Page{Text: text, Free: true, Multi: one.Multi || one.Multi2 || one.Multi3}
		for _, o := range one.Options {
			label := strings.TrimSpace(o.Label)
			if label == "" || strings.EqualFold(label, "other") {
				continue
			}
			c := Choice{ID: label, Name: label, Description: o.Description}
			if c.Description == "" {
				c.Description = o.Preview
			}
			p.Choices = append(p.Choices, c)
		}
		kept = append(kept, one)
		q.Pages = append(q.Pages, p)
	}
	return q, kept, nil
}

// askAnswer is the answer in Grok's shape: labels, and "Other" with notes for
// what is none of them.
func askAnswer(kept []askQuestion, o Outcome) askResponse {
	if o.Dropped {
		return askResponse{Outcome: "cancelled"}
	}
	out := askResponse{Outcome: "accepted", Answers: map[string][]string{}, Annotations: map[string]askNote{}}
	for i, a := range o.Answers {
		text := kept[i].Question
		var labels []string
		for _, c := range a.Choices {
			labels = append(labels, c.ID)
			for _, option := range kept[i].Options {
				if strings.TrimSpace(option.Label) == c.ID && option.Preview != "" {
					out.Annotations[text] = askNote{Preview: option.Preview}
				}
			}
		}
		if other := a.other(); other != "" {
			labels = append(labels, "Other")
			out.Annotations[text] = askNote{Notes: other}
		}
		if len(labels) > 0 {
			out.Answers[text] = labels
		}
	}
	if len(out.Answers) == 0 {
		return askResponse{Outcome: "cancelled"}
	}
	if len(out.Annotations) == 0 {
		out.Annotations = nil
	}
	return out
}

// other is the part of an answer that is none of the choices.
func (a Answer) other() string {
	if len(a.Choices) == 0 {
		return a.Text
	}
	var rest []string
	for w := range strings.SplitSeq(a.Text, ",") {
		w = strings.TrimSpace(w)
		chosen := false
		for _, c := range a.Choices {
			chosen = chosen || strings.EqualFold(w, c.Name) || strings.EqualFold(w, c.ID)
		}
		if w != "" && !chosen && !isNumber(w) {
			rest = append(rest, w)
		}
	}
	return strings.Join(rest, ", ")
}

func isNumber(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
