package acp

import "encoding/json/v2"

// TextBlock is a block of plain text.
func TextBlock(text string) ContentBlock { return ContentBlock{Type: "text", Text: text} }

// Choices are the values of a select option, those of groups too, in order.
func (o *SessionConfigOption) Choices() []Choice {
	var all []struct {
		Choice
		Options []Choice `json:"options"`
	}
	if json.Unmarshal(o.Options, &all, lax) != nil {
		return nil
	}
	var out []Choice
	for _, c := range all {
		if len(c.Options) == 0 {
			out = append(out, c.Choice)
			continue
		}
		for _, g := range c.Options {
			g.Group = c.Name
			out = append(out, g)
		}
	}
	return out
}

// Choice is one value of a select option.
type Choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Group       string `json:"-"` // the name of its group
}

// Current is the option's value: a choice's, or "true" or "false".
func (o *SessionConfigOption) Current() string {
	if len(o.CurrentValue) > 0 && o.CurrentValue[0] != '"' {
		return string(o.CurrentValue)
	}
	return Text(o.CurrentValue)
}
