package api

// WaitRequest waits until a session has nothing more to do (additive verb).
type WaitRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target"`
	// TimeoutMs bounds the wait, 1000 to 600000; 0 means 300000.
	TimeoutMs int `json:"timeout_ms,omitempty"`
}

// CloseDoneRequest closes the sessions whose turn is over (additive verb):
// from inside a session those that come from it, else those in scope.
type CloseDoneRequest struct {
	Caller Caller `json:"caller"`
}

// CloseDoneReply names what was closed, and what could not be.
type CloseDoneReply struct {
	Head
	Closed []ClosedOne `json:"closed"`
	Failed []ClosedOne `json:"failed,omitempty"`
}

// ClosedOne is one of them.
type ClosedOne struct {
	Link  string `json:"link" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title string `json:"title"`
	Error *Error `json:"error,omitempty" doc:"why it could not be closed"`
}

// SpawnedIn is the worktree that a session was started in.
type SpawnedIn struct {
	Dir     string `json:"dir"`
	Branch  string `json:"branch,omitempty"`
	Created bool   `json:"created,omitempty" doc:"just now"`
	Copied  int    `json:"copied,omitempty" doc:"how many files that .worktreeinclude lists were copied"`
	Setup   string `json:"setup,omitempty" doc:"the command that runs before the agent"`
}

// WorktreesRequest asks for a project's worktrees (additive verb).
type WorktreesRequest struct {
	Caller Caller `json:"caller"`
}

// WorktreesReply are they, the project's own directory first.
type WorktreesReply struct {
	Head
	Project   string        `json:"project" doc:"name of the project"`
	Worktrees []WorktreeRow `json:"worktrees"`
}

// WorktreeRow is one of them.
type WorktreeRow struct {
	Name     string   `json:"name"`
	Dir      string   `json:"dir"`
	Branch   string   `json:"branch,omitempty"`
	Main     bool     `json:"main,omitempty" doc:"the project's own directory"`
	Changes  string   `json:"changes,omitempty" doc:"what would be lost with it, in words"`
	Sessions []string `json:"sessions,omitempty" doc:"addresses of the live sessions in it"`
}

// RemoveWorktreeRequest removes a worktree without changes (additive verb).
type RemoveWorktreeRequest struct {
	Caller Caller `json:"caller"`
	// Worktree is its name, directory or branch.
	Worktree string `json:"worktree"`
}

// RemoveWorktreeReply names it. Its branch stays.
type RemoveWorktreeReply struct {
	Head
	Removed string `json:"removed" doc:"its directory"`
	Branch  string `json:"branch,omitempty"`
}
