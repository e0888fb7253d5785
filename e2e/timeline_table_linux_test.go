package e2e

// scripts are what is done to each agent, and what must be told of it.
func scripts() []script {
	esc, enter := []string{"\x1b"}, []string{"\r"}
	base := func(end, clear, exit string) []act {
		return []act{
			{name: "turn", want: "working done", do: turn},
			{name: "permission", want: "idle working needs-you working done", do: permission},
			{name: "reject", want: "idle working needs-you " + end, do: rejection},
			{name: "interrupt", want: "idle working done", do: interruption},
			{name: "question", want: "idle working needs-you working done", do: question},
			{name: "failure", want: "idle working done", do: failure},
			{name: "clear", want: "idle", do: cleared(clear)},
			{name: "exit", want: "idle", do: left(exit)},
		}
	}
	return []script{
		{
			kit: "claude", agent: "claudeCode", clear: "\x15", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "Enter to select", acts: base("done", "/clear", "/exit"),
		},
		{
			kit: "codex", agent: "codex", clear: "\x15", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "enter to submit answer", acts: base("done", "/new", "/quit"),
		},
		{
			kit: "opencode", agent: "opencode", clear: "\x15", interrupt: []string{"\x1b", "\x1b"}, approve: enter, reject: esc, answer: enter,
			question: "esc dismiss", acts: base("done", "/new", "/exit"),
		},
		{
			kit: "pi", agent: "pi", clear: "\x15", interrupt: esc,
			acts: []act{
				{name: "turn", want: "working done", do: turn},
				{name: "permission", skip: "Pi asks for nothing by itself"},
				{name: "reject", skip: "Pi asks for nothing by itself"},
				{name: "interrupt", want: "idle working done", do: interruption},
				{name: "question", skip: "Pi has no such tool by itself"},
				{name: "failure", want: "idle working done", do: failure},
				{name: "clear", want: "idle", do: cleared("/new")},
				{name: "exit", want: "idle", do: left("/quit")},
			},
		},
		{
			kit: "gemini", agent: "gemini", clear: "\x15", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "Enter to select", acts: base("done", "/clear", "/quit"),
		},
		{
			kit: "qwen", agent: "qwen", clear: "\x15", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "Waiting for user confirmation", acts: base("done", "/clear", "/quit"),
		},
		{
			kit: "copilot", agent: "copilot", clear: "\x15", interrupt: []string{"\x1b", "\x1b"}, approve: enter, reject: esc, answer: enter,
			question: "enter accept", acts: base("done", "/clear", "/exit"),
		},
	}
}
