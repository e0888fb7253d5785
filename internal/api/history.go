package api

import "time"

// TranscriptRequest asks for what was said in a session's conversation, in the
// lines From (counted from 0) up to, not including, To (additive verb).
type TranscriptRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target"`
	From   int    `json:"from,omitempty"`
	To     *int   `json:"to,omitempty"` // absent: to the end
}

// TranscriptReply is a part of a conversation. Where it is too long for one
// reply, Next tells from which line to go on.
type TranscriptReply struct {
	Head
	Target     string    `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title      string    `json:"title"`
	Transcript string    `json:"transcript" doc:"path of the agent's own record of the conversation; of a database, the file, # and the conversation's id"`
	From       int       `json:"from" doc:"the first line that was read, from 0"`
	CursorEnd  int       `json:"cursor_end" doc:"the line after the last that was read: a cursor to go on from"`
	Messages   []Message `json:"messages"`
	Next       *int      `json:"next,omitempty" doc:"more is there, from this line on"`
}

// Message is one thing that was said.
type Message struct {
	Line  int        `json:"line" doc:"lines before it, as a cursor counts"`
	Role  string     `json:"role" enum:"user,assistant,tool,system"`
	Text  string     `json:"text,omitempty"`
	Tool  *ToolUse   `json:"tool,omitempty" doc:"the call of a tool, and in a message of a tool whose answer it is"`
	Usage *Usage     `json:"usage,omitempty" doc:"tokens, where the agent writes them down"`
	At    *time.Time `json:"at,omitempty"`
}

// ToolUse is the call of a tool or its result.
type ToolUse struct {
	Name   string `json:"name,omitempty"`
	ID     string `json:"id,omitempty" doc:"joins a call with its result"`
	Input  string `json:"input,omitempty" doc:"arguments, mostly JSON"`
	Failed bool   `json:"failed,omitempty"`
}

// Usage are the tokens of one answer.
type Usage struct {
	Input      int    `json:"input"`
	Output     int    `json:"output"`
	CacheRead  int    `json:"cache_read,omitempty"`
	CacheWrite int    `json:"cache_write,omitempty"`
	Model      string `json:"model,omitempty"`
}

// HistoryRequest asks for past conversations (additive verb). A person sees
// those of every directory unless the caller names a project; a caller in a
// session those of its project.
type HistoryRequest struct {
	Caller Caller `json:"caller"`
	// Text is what is searched for: all its words must be there, one with "*"
	// behind it stands for all that begin so. Empty lists them all.
	Text  string `json:"text,omitempty"`
	Agent string `json:"agent,omitempty"`
	Limit int    `json:"limit,omitempty"` // 0: 20
}

// HistoryReply are conversations, the newest first.
type HistoryReply struct {
	Head
	Conversations []PastConversation `json:"conversations"`
	Index         HistoryIndex       `json:"index"`
}

// PastConversation is one row of the history.
type PastConversation struct {
	Row          string     `json:"row" pattern:"^[a-z2-7]{8}$" doc:"stable id, for history resume"`
	AgentID      string     `json:"agent_id"`
	Agent        string     `json:"agent" doc:"display name of the agent"`
	Conversation string     `json:"conversation,omitempty" doc:"the agent's own id"`
	Title        string     `json:"title,omitempty" doc:"the agent's title, else the first prompt"`
	Dir          string     `json:"dir,omitempty" doc:"where it was held"`
	Created      *time.Time `json:"created,omitempty"`
	Updated      time.Time  `json:"updated"`
	Prompts      int        `json:"prompts"`
	Messages     int        `json:"messages"`
	Transcript   string     `json:"transcript"`
	Link         string     `json:"link,omitempty" doc:"the live session that is in this conversation"`
	Excerpt      string     `json:"excerpt,omitempty" doc:"where what was searched for was said"`
	Line         *int       `json:"line,omitempty" doc:"the transcript's line of the excerpt"`
}

// HistoryIndex is the state of the index over past conversations.
type HistoryIndex struct {
	State string `json:"state" enum:"ready,building,updating,failed" doc:"building: the first time, what is found is not all; updating: what was said last may be missing"`
	// Done and Total are conversations of the update that runs.
	Done       int    `json:"done,omitempty"`
	Total      int    `json:"total,omitempty"`
	DoneBytes  int    `json:"done_bytes,omitempty"`
	TotalBytes int    `json:"total_bytes,omitempty"`
	Problem    string `json:"problem,omitempty" doc:"what could not be read or written the last time"`
}

// HistoryIndexRequest asks for the index's state, or that it is made anew
// (additive verbs).
type HistoryIndexRequest struct {
	Caller Caller `json:"caller"`
}

// HistoryIndexReply is the index's state and size.
type HistoryIndexReply struct {
	Head
	Index         HistoryIndex `json:"index"`
	Path          string       `json:"path"`
	Conversations int          `json:"conversations"`
	Messages      int          `json:"messages"`
	Bytes         int          `json:"bytes" doc:"of the index on disk"`
	ReadBytes     int          `json:"read_bytes" doc:"of the transcripts in it"`
	Stores        []Store      `json:"stores" doc:"where agents keep their conversations"`
}

// Store is where an agent keeps its conversations.
type Store struct {
	AgentID string `json:"agent_id"`
	Format  string `json:"format"`
	Path    string `json:"path"`
	Found   bool   `json:"found"`
}

// HistoryResumeRequest starts a session that goes on with a past conversation
// (additive verb). It is answered as spawn is.
type HistoryResumeRequest struct {
	Caller Caller `json:"caller"`
	// Row is the row's id or a beginning of it that only one has.
	Row    string   `json:"row"`
	Prompt string   `json:"prompt,omitempty"`
	Title  string   `json:"title,omitempty"`
	Cols   int      `json:"cols,omitempty"`
	Rows   int      `json:"rows,omitempty"`
	Env    []string `json:"env,omitempty"`
}
