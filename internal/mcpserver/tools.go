package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// Arguments that several tools have.
type (
	nothing struct{}
	target  struct {
		Target string `json:"target" doc:"link of the session, as termio://session/<uuid>"`
	}
	waiting struct {
		Wait      bool `json:"wait,omitempty" doc:"wait for the outcome of the turn that this starts"`
		TimeoutMs int  `json:"timeout_ms,omitempty" doc:"with wait: 1000 to 600000, default 300000"`
	}
)

func (w waiting) request() api.Waiting { return api.Waiting{Wait: w.Wait, TimeoutMs: w.TimeoutMs} }

type listArgs struct {
	Closed bool `json:"closed,omitempty" doc:"also those that have ended, with how"`
}

type spawnArgs struct {
	Prompt   string   `json:"prompt" doc:"the task, whole: the agent sees nothing else of this conversation"`
	Agent    string   `json:"agent,omitempty" doc:"id from agents_list; default: your own kind"`
	Title    string   `json:"title,omitempty"`
	Dir      string   `json:"dir,omitempty" doc:"absolute directory to start in"`
	Worktree string   `json:"worktree,omitempty" doc:"name of a git worktree to start in, made if need be on a branch of that name"`
	Base     string   `json:"base,omitempty" doc:"commit at which a new worktree begins; default HEAD"`
	Args     []string `json:"args,omitempty" doc:"further arguments for the agent's command"`
	Bypass   bool     `json:"bypass_permissions,omitempty" doc:"only if the user said so"`
	waiting
}

type runArgs struct {
	Command string `json:"command" doc:"shell text"`
	Title   string `json:"title,omitempty"`
	Dir     string `json:"dir,omitempty" doc:"absolute directory to start in"`
	waiting
}

type sendArgs struct {
	target
	Text    string   `json:"text,omitempty" doc:"a prompt, or the answer to a question"`
	Keys    []string `json:"keys,omitempty" doc:"keys to press after the text, as in escape, ctrl-c, down, enter; no Enter is added then"`
	NoEnter bool     `json:"no_enter,omitempty" doc:"leave the text unsubmitted"`
	Answers string   `json:"answers,omitempty" doc:"prompt_id of the question that this answers: typed only if it is still asked"`
	Now     bool     `json:"now,omitempty" doc:"type at once, also while the agent works; otherwise a prompt queues"`
	waiting
}

type readArgs struct {
	target
	Lines int `json:"lines,omitempty" doc:"the last so many lines with scrollback; default: the screen"`
}

type transcriptArgs struct {
	target
	From int  `json:"from,omitempty" doc:"first line, from 0: the cursor of a wait's reply"`
	To   *int `json:"to,omitempty" doc:"line after the last: cursor_end of a wait's reply"`
}

type waitArgs struct {
	Targets   []string `json:"targets" doc:"links of the sessions"`
	Any       bool     `json:"any,omitempty" doc:"only until the first of them; default: all"`
	TimeoutMs int      `json:"timeout_ms,omitempty" doc:"1000 to 600000, default 300000"`
}

type watchArgs struct {
	States    []string `json:"states,omitempty" doc:"working, idle, done, needs-you, stalled, closed; default: done and needs-you"`
	TimeoutMs int      `json:"timeout_ms,omitempty" doc:"1000 to 600000, default 60000"`
}

type closeArgs struct {
	Targets []string `json:"targets,omitempty" doc:"links of the sessions"`
	Done    bool     `json:"done,omitempty" doc:"instead: every session of yours whose turn is over"`
}

type renameArgs struct {
	target
	Title string `json:"title" doc:"empty gives the program's back"`
}

type queueArgs struct {
	target
	Drop int `json:"drop,omitempty" doc:"withdraw the prompt with this number"`
}

type removeArgs struct {
	Worktree string `json:"worktree" doc:"name, directory or branch"`
}

// Outcomes is the result of sessions_wait: one for each session, in the order
// in which they came. An error has the link that it is about.
type Outcomes struct {
	api.Head
	Outcomes []Outcome `json:"outcomes"`
}

// Outcome is a wait's reply, or why there is none.
type Outcome struct {
	Target  string         `json:"target"`
	Outcome *api.WaitReply `json:"outcome,omitempty"`
	Error   *api.Error     `json:"error,omitempty"`
}

// Events is the result of sessions_watch.
type Events struct {
	api.Head
	Events   []api.WatchEvent `json:"events"`
	TimedOut bool             `json:"timed_out" doc:"nothing happened"`
}

// ClosedAll is the result of sessions_close.
type ClosedAll struct {
	api.Head
	Closed []api.ClosedOne `json:"closed"`
	Failed []NotClosed     `json:"failed,omitempty"`
}

// NotClosed is a session that could not be closed.
type NotClosed struct {
	Target string     `json:"target"`
	Error  *api.Error `json:"error"`
}

// tools are all of them.
func tools() []tool {
	reads := func(t tool) tool { t.readOnly = true; return t }
	ends := func(t tool) tool { t.destructive = true; return t }
	of := func(replies ...any) []any { return replies }
	return []tool{
		reads(define("sessions_list", "List the sessions of your project: link, agent, title, status (working, needs-you, done, idle), who started whom.", of(api.ListReply{}),
			func(ctx context.Context, o Options, in listArgs) (any, error) {
				return call[api.ListReply](ctx, o, api.VerbList, api.ListRequest{Caller: o.Caller, Closed: in.Closed})
			})),
		define("sessions_spawn", "Start a peer agent with a prompt in a session of its own. Returns its link at once; with wait, the outcome of its turn.", of(api.SpawnReply{}, api.WaitReply{}), spawn),
		define("sessions_run", "Run a shell command in a visible terminal of its own: a server, a test. Returns its link at once; with wait, when it is over or its screen is still. Its result is its screen (sessions_read).", of(api.SpawnReply{}, api.WaitReply{}), run),
		define("sessions_send", "Type a prompt, an answer or keys into a session and submit. With wait, the outcome of the turn that this starts.", of(api.SendReply{}, api.WaitReply{}), send),
		reads(define("sessions_wait", "Wait until sessions have nothing more to do, or ask (needs-you, with the question). Sends nothing.", of(Outcomes{}), wait)),
		reads(define("sessions_watch", "Wait for the next status change in your project and return it: done (with transcript and cursor_end) or needs-you (with prompt and prompt_id). What is so already is not told: see sessions_list.", of(Events{}), watch)),
		reads(define("sessions_transcript", "Read what a session's agent said and did, from its own record: the lines from a wait's cursor to its cursor_end are the answer.", of(api.TranscriptReply{}),
			func(ctx context.Context, o Options, in transcriptArgs) (any, error) {
				return call[api.TranscriptReply](ctx, o, api.VerbTranscript, api.TranscriptRequest{Caller: o.Caller, Target: in.Target, From: in.From, To: in.To})
			})),
		reads(define("sessions_read", "Read a session's screen: the result of sessions_run. For an agent's answer use sessions_transcript.", of(api.ReadReply{}),
			func(ctx context.Context, o Options, in readArgs) (any, error) {
				return call[api.ReadReply](ctx, o, api.VerbRead, api.ReadRequest{Caller: o.Caller, Target: in.Target, Lines: in.Lines})
			})),
		ends(define("sessions_close", "End sessions and everything they started. Only those that you started, unless the user said otherwise.", of(ClosedAll{}), closeSessions)),
		define("sessions_queue", "List the prompts that wait for a working agent, and withdraw one.", of(api.QueueReply{}),
			func(ctx context.Context, o Options, in queueArgs) (any, error) {
				return call[api.QueueReply](ctx, o, api.VerbQueue, api.QueueRequest{Caller: o.Caller, Target: in.Target, Drop: in.Drop})
			}),
		define("sessions_reopen", "Start a closed session again, in the conversation that it was in.", of(api.ReopenReply{}),
			func(ctx context.Context, o Options, in target) (any, error) {
				return call[api.ReopenReply](ctx, o, api.VerbReopen, api.ReopenRequest{Caller: o.Caller, Target: in.Target, Env: o.Env})
			}),
		define("sessions_focus", "Mark a session as looked at: done becomes idle.", of(api.FocusReply{}),
			func(ctx context.Context, o Options, in target) (any, error) {
				return call[api.FocusReply](ctx, o, api.VerbFocus, api.TargetRequest{Caller: o.Caller, Target: in.Target})
			}),
		define("sessions_rename", "Give a session a title.", of(api.RenameReply{}),
			func(ctx context.Context, o Options, in renameArgs) (any, error) {
				return call[api.RenameReply](ctx, o, api.VerbRename, api.RenameRequest{Caller: o.Caller, Target: in.Target, Title: in.Title})
			}),
		reads(define("sessions_trace", "Tell why a session's status is what it is.", of(api.TraceReply{}),
			func(ctx context.Context, o Options, in target) (any, error) {
				return call[api.TraceReply](ctx, o, api.VerbTrace, api.TargetRequest{Caller: o.Caller, Target: in.Target})
			})),
		reads(define("agents_list", "List the agents that sessions_spawn can start, and which are installed.", of(api.AgentsReply{}),
			func(ctx context.Context, o Options, _ nothing) (any, error) {
				return call[api.AgentsReply](ctx, o, api.VerbAgents, api.AgentsRequest{Caller: o.Caller})
			})),
		reads(define("worktrees_list", "List the project's git worktrees, with what would be lost with each.", of(api.WorktreesReply{}),
			func(ctx context.Context, o Options, _ nothing) (any, error) {
				return call[api.WorktreesReply](ctx, o, api.VerbWorktrees, api.WorktreesRequest{Caller: o.Caller})
			})),
		ends(define("worktrees_remove", "Remove a git worktree in which nothing would be lost; its branch stays.", of(api.RemoveWorktreeReply{}),
			func(ctx context.Context, o Options, in removeArgs) (any, error) {
				return call[api.RemoveWorktreeReply](ctx, o, api.VerbRemoveWorktree, api.RemoveWorktreeRequest{Caller: o.Caller, Worktree: in.Worktree})
			})),
	}
}

func spawn(ctx context.Context, o Options, in spawnArgs) (any, error) {
	request := api.SpawnRequest{
		Caller: o.Caller, Agent: in.Agent, Prompt: in.Prompt, Title: in.Title, Dir: in.Dir, Bypass: in.Bypass, Extra: in.Args,
		Worktree: in.Worktree, Base: in.Base, Env: o.Env, Waiting: in.request(),
	}
	if in.Prompt == "" {
		return nil, api.Errorf(api.CodeNoText, "give the agent its task in prompt")
	}
	if in.Wait {
		return call[api.WaitReply](ctx, o, api.VerbSpawn, request)
	}
	return call[api.SpawnReply](ctx, o, api.VerbSpawn, request)
}

func run(ctx context.Context, o Options, in runArgs) (any, error) {
	request := api.RunRequest{Caller: o.Caller, Command: in.Command, Title: in.Title, Dir: in.Dir, Env: o.Env, Waiting: in.request()}
	if in.Wait {
		return call[api.WaitReply](ctx, o, api.VerbRun, request)
	}
	return call[api.SpawnReply](ctx, o, api.VerbRun, request)
}

func send(ctx context.Context, o Options, in sendArgs) (any, error) {
	request := api.SendRequest{
		Caller: o.Caller, Target: in.Target, Text: in.Text, Keys: in.Keys, Enter: !in.NoEnter && len(in.Keys) == 0,
		Answers: in.Answers, Now: in.Now, Waiting: in.request(),
	}
	if in.Wait {
		return call[api.WaitReply](ctx, o, api.VerbSend, request)
	}
	return call[api.SendReply](ctx, o, api.VerbSend, request)
}

func wait(ctx context.Context, o Options, in waitArgs) (any, error) {
	if len(in.Targets) == 0 {
		return nil, api.Errorf(api.CodeNoTarget, "name the sessions in targets; sessions_list shows their links")
	}
	out := Outcomes{Head: api.OKHead(), Outcomes: []Outcome{}}
	api.WaitSeveral(ctx, o.Coordinator, o.Caller, in.Targets, in.TimeoutMs, in.Any, func(w api.Waited) {
		one := Outcome{Target: w.Target}
		if w.Err != nil {
			one.Error = api.From(w.Err)
		} else {
			one.Outcome = &w.Reply
		}
		out.Outcomes = append(out.Outcomes, one)
	})
	return out, nil
}

// Times of a watch.
const (
	defaultWatchMs = 60_000
	minWatchMs     = 1000
	maxWatchMs     = 600_000
	watchLinger    = 200 * time.Millisecond // what happens together is told together
)

var errEnough = errors.New("enough")

func watch(ctx context.Context, o Options, in watchArgs) (any, error) {
	ms := in.TimeoutMs
	if ms == 0 {
		ms = defaultWatchMs
	}
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(min(max(ms, minWatchMs), maxWatchMs))*time.Millisecond, errEnough)
	defer cancel()
	out := Events{Head: api.OKHead(), Events: []api.WatchEvent{}}
	err := o.Coordinator.Stream(limited, api.VerbWatch, api.WatchRequest{Caller: o.Caller, States: in.States, NoSnapshot: true}, func(line []byte) error {
		var e api.WatchEvent
		if json.Unmarshal(line, &e) != nil || e.Link == "" {
			return nil // a heartbeat, or news of a later version
		}
		if out.Events = append(out.Events, e); len(out.Events) == 1 {
			time.AfterFunc(watchLinger, cancel)
		}
		return nil
	})
	switch {
	case len(out.Events) > 0:
		return out, nil
	case ctx.Err() == nil && limited.Err() != nil:
		out.TimedOut = true
		return out, nil
	case errors.Is(err, api.ErrEnded):
		return nil, api.Errorf(api.CodeUnavailable, "the coordinator ended; call again")
	}
	return nil, err
}

func closeSessions(ctx context.Context, o Options, in closeArgs) (any, error) {
	if in.Done == (len(in.Targets) > 0) {
		return nil, api.Errorf(api.CodeNoTarget, "name the sessions in targets, or say done")
	}
	out := ClosedAll{Head: api.OKHead(), Closed: []api.ClosedOne{}}
	if in.Done {
		var reply api.CloseDoneReply
		if err := o.Coordinator.Call(ctx, api.VerbCloseDone, api.CloseDoneRequest{Caller: o.Caller}, &reply); err != nil {
			return nil, err
		}
		out.Closed = reply.Closed
		for _, one := range reply.Failed {
			out.Failed = append(out.Failed, NotClosed{one.Link, one.Error})
		}
		return out, nil
	}
	for _, link := range in.Targets {
		var reply api.CloseReply
		err := o.Coordinator.Call(ctx, api.VerbClose, api.TargetRequest{Caller: o.Caller, Target: link}, &reply)
		switch {
		case err != nil && len(in.Targets) == 1:
			return nil, err
		case err != nil:
			out.Failed = append(out.Failed, NotClosed{link, api.From(err)})
		default:
			out.Closed = append(out.Closed, api.ClosedOne{Link: reply.Closed, Title: reply.Title})
		}
	}
	return out, nil
}
