package api

import "fmt"

// Code is one of the contract's stable error codes.
type Code string

// The codes of the session-control document, and the additive ones.
const (
	CodeDisabled      Code = "disabled"
	CodeNoScope       Code = "no_scope"
	CodeBadOp         Code = "bad_op"
	CodeBadRequest    Code = "bad_request"
	CodeNoText        Code = "no_text"
	CodeNoTarget      Code = "no_target"
	CodeNotFound      Code = "not_found"
	CodeAmbiguous     Code = "ambiguous"
	CodeWrongAgent    Code = "wrong_agent"
	CodeBadAgent      Code = "bad_agent"
	CodeNoAgent       Code = "no_agent"
	CodeStartFailed   Code = "start_failed"
	CodeNotLive       Code = "not_live"
	CodePromptStalled Code = "prompt_stalled"
	CodeSessionClosed Code = "session_closed"
	CodeAgentGone     Code = "agent_gone"

	// Additive: with send --answers, the question is not that one any more.
	CodePromptChanged Code = "prompt_changed"

	CodeAlreadyOpen  Code = "already_open"  // additive: a conversation is in one session at a time
	CodeBadKey       Code = "bad_key"       // additive
	CodeNotDelivered Code = "not_delivered" // additive
	CodeBootFailed   Code = "boot_failed"   // additive
	CodeUnavailable  Code = "unavailable"   // additive: the coordinator cannot be reached or started
	CodeInternal     Code = "internal"      // additive: a defect of ours
)

// Codes are all of them.
func Codes() []Code {
	return []Code{
		CodeDisabled, CodeNoScope, CodeBadOp, CodeBadRequest, CodeNoText, CodeNoTarget, CodeNotFound, CodeAmbiguous,
		CodeWrongAgent, CodeBadAgent, CodeNoAgent, CodeStartFailed, CodeNotLive, CodePromptStalled, CodeSessionClosed,
		CodeAgentGone, CodePromptChanged, CodeAlreadyOpen, CodeBadKey, CodeNotDelivered, CodeBootFailed, CodeUnavailable, CodeInternal,
	}
}

// Error is the one shape of every failure.
type Error struct {
	OK            bool   `json:"ok" const:"false"`
	Code          Code   `json:"error"`
	Message       string `json:"message" doc:"for people, with the next step"`
	SchemaVersion int    `json:"schema_version" const:"1"`

	Delivered *int `json:"delivered,omitempty" doc:"with not_delivered: bytes that the program took (additive)"`

	Problems []Problem `json:"problems,omitempty" doc:"from agents lint: what is wrong with which file (additive)"`
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), SchemaVersion: SchemaVersion}
}

// Exit codes of the command line.
const (
	ExitOK      = 0
	ExitError   = 1
	ExitStream  = 2 // watch: the stream ended from the other side
	ExitTimeout = 3 // --wait: timed out
)
