package e2e

// scripts are what is done to each agent, and what must be told of it, change
// by change. Each act begins where the one before ended: a session that says
// done is idle as soon as somebody types.
//
// What an act wants is the same for every way of giving hooks, except where
// `other` says so with the reason in `why`: the channels differ, the fact does
// not.
func scripts() []script {
	var (
		esc    = []string{"\x1b"}
		twice  = []string{"\x1b", "\x1b"}
		enter  = []string{"\r"}
		launch = act{name: "start", do: started}

		first  = act{name: "turn", want: "working done", do: turn}
		allow  = act{name: "permission", want: "idle working needs-you working done", do: permission}
		reject = act{name: "reject", want: "idle working needs-you done", do: rejection}
		stop   = act{name: "interrupt", want: "idle working done", do: interruption}
		ask    = act{name: "question", want: "idle working needs-you working done", do: question}
		// fail is a model that answers 500 until the agent gives up, refuse one
		// whose answer 400 is no use to repeat, and retry 500 until a person
		// has had enough.
		fail   = act{name: "failure", want: "idle working done", do: failure("FAIL please")}
		refuse = act{name: "refusal", want: "idle working done", do: failure("REFUSED please")}
		retry  = act{name: "retries", want: "idle working done", do: retrying, why: "it tries again for minutes without a word: that is work"}
	)
	clear := func(command string) act { return act{name: "clear", want: "idle", do: cleared(command)} }
	exit := func(command string) act { return act{name: "exit", want: "idle", do: left(command)} }
	acts := func(a ...act) []act { return append([]act{launch}, a...) }
	not := func(a act, why string) act { a.skip = why; return a }

	return []script{
		{
			kit: "claude", agent: "claudeCode", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "Enter to select",
			acts:     acts(first, allow, reject, stop, ask, fail, refuse, clear("/clear"), exit("/exit")),
		},
		{
			kit: "codex", agent: "codex", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "enter to submit answer",
			not:      map[mode]string{injected: "Codex asks whether hooks are trusted before its first prompt (decision 0010)"},
			// Once, it asks whether the hooks in its config are trusted.
			dialog: "Hooks need review", dialogKeys: []string{"\x1b[B", "\r"},
			acts: append([]act{{
				name: "start", do: started, other: map[mode]string{installed: "needs-you idle"},
				why: "the question whether the hooks are trusted",
			}}, first, allow, act{
				name: "reject", want: reject.want, or: "idle working needs-you working done", do: rejection,
				why: "it says working until it has put the command away: 18 ms, but longer on a busy machine",
			}, stop, ask, fail, refuse, clear("/new"), exit("/quit")),
		},
		{
			kit: "opencode", agent: "opencode", interrupt: twice, approve: enter, reject: esc, answer: enter,
			question: "esc dismiss",
			acts: acts(first, allow, act{
				name: "reject", want: reject.want, or: "idle working needs-you working done", do: rejection,
				why: "its hook says that the question was answered before the one that says that it stopped: 140 ms, but longer on a busy machine",
			}, stop, ask, retry, refuse, clear("/new"), exit("/exit")),
		},
		{
			kit: "pi", agent: "pi", interrupt: esc,
			acts: acts(
				first,
				not(allow, "Pi asks for nothing by itself"), not(reject, "Pi asks for nothing by itself"),
				stop, not(ask, "Pi has no such tool by itself"),
				fail, refuse, clear("/new"), exit("/quit"),
			),
		},
		{
			kit: "gemini", agent: "gemini", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "Enter to select",
			not:      map[mode]string{injected: "Gemini CLI reads such settings only from files of root's (decision 0010)"},
			acts:     acts(first, allow, reject, stop, ask, retry, refuse, clear("/clear"), exit("/quit")),
		},
		{
			kit: "qwen", agent: "qwen", interrupt: esc, approve: enter, reject: esc, answer: enter,
			question: "Waiting for user confirmation",
			acts: acts(first, allow, reject, stop, ask, retry, refuse, act{
				name: "clear", want: "idle", or: "idle working done", do: cleared("/clear"),
				why: "its own title says ◐ while it clears, for a moment or longer",
			}, exit("/quit")),
		},
		{
			kit: "copilot", agent: "copilot", interrupt: twice, approve: enter, reject: esc, answer: enter,
			question: "enter accept",
			acts: acts(first, allow, act{
				name: "reject", want: reject.want, or: "idle working needs-you working done", do: rejection,
				why: "its screen says Working for up to half a second after the rejection",
			}, stop, ask, fail, refuse, clear("/clear"), exit("/exit")),
		},
	}
}
