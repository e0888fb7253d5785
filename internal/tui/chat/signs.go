package chat

// Signs are the characters that are drawn.
type Signs struct {
	User, Quote, Bullet     string
	Fold, Unfold            string
	Done, Failed, Wait      string
	Doing                   string
	Vert, Horiz, Cross      string
	Checked, Open, Pointer  string
	Ellipsis, Dot, Dash     string
	Prompt, Minus, Question string
	Spinner                 []string
}

// NewSigns are those of a terminal with Unicode, or with ASCII only. What
// others write is shown as it is, either way.
func NewSigns(unicode bool) *Signs {
	if !unicode {
		return &Signs{
			User: ">", Quote: "|", Bullet: "*", Fold: "-", Unfold: "+", Done: "ok", Failed: "no", Wait: "..", Doing: "~~",
			Vert: "|", Horiz: "-", Cross: "+", Checked: "[x]", Open: "[ ]", Pointer: ">", Ellipsis: "~", Dot: "*", Dash: "-",
			Prompt: ">", Minus: "-", Question: "?", Spinner: []string{"-", "\\", "|", "/"},
		}
	}
	return &Signs{
		User: "❯", Quote: "▌", Bullet: "•", Fold: "▾", Unfold: "▸", Done: "✓", Failed: "×", Wait: "◌", Doing: "◐",
		Vert: "│", Horiz: "─", Cross: "┼", Checked: "☑", Open: "☐", Pointer: "▸", Ellipsis: "…", Dot: "·", Dash: "–",
		Prompt: "❯", Minus: "−", Question: "?", Spinner: []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
	}
}
