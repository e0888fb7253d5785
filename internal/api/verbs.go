package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// Verb is one call of the contract.
type Verb struct {
	// Name is what people and schemas call it, as in "list" or "agents".
	Name string
	// Path is where it is served, by POST.
	Path string
	// Sessions marks the verbs of `termio sessions`, which the
	// session-control setting turns on and off.
	Sessions bool
	// Request and Reply are zero values of its types.
	Request, Reply any
	// Waited is the reply's type when the call waited for an outcome.
	Waited any
	// Events are the types of the lines of a verb that replies with a stream.
	Events []any
}

// The verbs' names.
const (
	VerbList    = "list"
	VerbSpawn   = "spawn"
	VerbRun     = "run"
	VerbSend    = "send"
	VerbRead    = "read"
	VerbClose   = "close"
	VerbFocus   = "focus"
	VerbRename  = "rename"
	VerbResolve = "resolve"
	VerbTrace   = "trace"
	VerbReopen  = "reopen"

	VerbTranscript     = "transcript"
	VerbHistory        = "history"
	VerbHistoryResume  = "history-resume"
	VerbHistoryStatus  = "history-status"
	VerbHistoryRebuild = "history-rebuild"

	VerbWatch          = "watch"
	VerbAwait          = "await"
	VerbQueue          = "queue"
	VerbWait           = "wait"
	VerbCloseDone      = "close-done"
	VerbWorktrees      = "worktrees"
	VerbRemoveWorktree = "remove-worktree"
	VerbOpen           = "open"
	VerbAgents         = "agents"
	VerbDaemon         = "daemon"
	VerbStop           = "stop"
)

// Verbs is the contract as a table.
func Verbs() []Verb {
	session := func(name string, request, reply any) Verb {
		return Verb{Name: name, Path: "/v1/sessions/" + name, Sessions: true, Request: request, Reply: reply}
	}
	waited := func(v Verb) Verb {
		v.Waited = WaitReply{}
		return v
	}
	return append([]Verb{
		session(VerbList, ListRequest{}, ListReply{}),
		waited(session(VerbSpawn, SpawnRequest{}, SpawnReply{})),
		waited(session(VerbRun, RunRequest{}, SpawnReply{})),
		waited(session(VerbSend, SendRequest{}, SendReply{})),
		session(VerbRead, ReadRequest{}, ReadReply{}),
		session(VerbClose, TargetRequest{}, CloseReply{}),
		session(VerbFocus, TargetRequest{}, FocusReply{}),
		session(VerbRename, RenameRequest{}, RenameReply{}),
		session(VerbResolve, TargetRequest{}, ResolveReply{}),
		session(VerbTrace, TargetRequest{}, TraceReply{}),
		session(VerbReopen, ReopenRequest{}, ReopenReply{}),
		session(VerbOptions, OptionsRequest{}, OptionsReply{}),
		session(VerbTranscript, TranscriptRequest{}, TranscriptReply{}),
		session(VerbAwait, AwaitRequest{}, WaitReply{}),
		session(VerbQueue, QueueRequest{}, QueueReply{}),
		{
			Name: VerbWatch, Path: "/v1/sessions/watch", Sessions: true, Request: WatchRequest{}, Reply: WatchEvent{},
			Events: []any{WatchEvent{}, Heartbeat{}, Lost{}},
		},
		{Name: VerbHistory, Path: "/v1/history/search", Sessions: true, Request: HistoryRequest{}, Reply: HistoryReply{}},
		{Name: VerbHistoryResume, Path: "/v1/history/resume", Sessions: true, Request: HistoryResumeRequest{}, Reply: SpawnReply{}},
		{Name: VerbHistoryStatus, Path: "/v1/history/status", Sessions: true, Request: HistoryIndexRequest{}, Reply: HistoryIndexReply{}},
		{Name: VerbHistoryRebuild, Path: "/v1/history/rebuild", Sessions: true, Request: HistoryIndexRequest{}, Reply: HistoryIndexReply{}},
		session(VerbWait, WaitRequest{}, WaitReply{}),
		session(VerbCloseDone, CloseDoneRequest{}, CloseDoneReply{}),
		{Name: VerbWorktrees, Path: "/v1/worktrees/list", Request: WorktreesRequest{}, Reply: WorktreesReply{}},
		{Name: VerbRemoveWorktree, Path: "/v1/worktrees/remove", Request: RemoveWorktreeRequest{}, Reply: RemoveWorktreeReply{}},
		{Name: VerbOpen, Path: "/v1/projects/open", Request: OpenRequest{}, Reply: OpenReply{}},
		{Name: VerbAgents, Path: "/v1/agents/list", Request: AgentsRequest{}, Reply: AgentsReply{}},
		{Name: VerbNotify, Path: "/v1/notify", Request: NotifyRequest{}, Reply: NotifyReply{}},
		{Name: VerbDaemon, Path: "/v1/daemon", Request: DaemonRequest{}, Reply: DaemonReply{}},
		{Name: VerbStop, Path: "/v1/daemon/stop", Request: DaemonRequest{}, Reply: DaemonReply{}},
	}, acpVerbs()...)
}

// FindVerb finds a verb by its name.
func FindVerb(name string) (Verb, bool) {
	for _, v := range Verbs() {
		if v.Name == name {
			return v, true
		}
	}
	return Verb{}, false
}

// Encode is the one way a reply, event or error is written: JSON on one line,
// with a newline, and no character escaped that need not be.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b.Bytes(), nil
}

// HTTPStatus is the status that a failure is served with. Clients go by the
// code in the body.
func (e *Error) HTTPStatus() int {
	switch e.Code {
	case CodeBadRequest, CodeBadOp, CodeNoText, CodeNoTarget, CodeBadKey, CodeBadAgent:
		return http.StatusBadRequest
	case CodeDisabled, CodeNoScope:
		return http.StatusForbidden
	case CodeNotFound, CodeNoAgent:
		return http.StatusNotFound
	case CodePromptChanged, CodeAmbiguous, CodeWrongAgent, CodeNotLive, CodeSessionClosed, CodeAgentGone, CodePromptStalled, CodeNotDelivered, CodeBootFailed:
		return http.StatusConflict
	case CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
