package acpagent

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// prompt runs a turn: the prompt's lines are steps. A word that is no step is
// said back.
//
//	say TEXT · think TEXT · user TEXT     a chunk; \n in it is a line break
//	burst N                               N chunks "0 ", "1 ", …
//	tool ID KIND TITLE · toolend ID       a tool call, and its end
//	permit KIND ID:NAME:KIND …            asks for permission, says the outcome
//	form JSON · url URL · grok JSON       asks, says the answer
//	read PATH · write PATH TEXT           through the client, says how it went
//	run COMMAND                           in a terminal, says its output
//	sleep DURATION · hang                 until cancelled
//	noise TEXT · err TEXT · long N        raw output, standard error, a long line
//	update JSON · raw JSON                an update, a whole line
//	other TEXT                            a chunk of another session
//	late TEXT                             a chunk after the answer
//	stop REASON · fail CODE TEXT · die N  the turn's end
func (a *agent) prompt(params jsontext.Value, r *acp.Responder) {
	var p acp.PromptRequest
	if err := acp.Decode(params, &p); err != nil || len(p.Prompt) == 0 {
		r.Fail(acp.Errorf(acp.CodeBadParams, "no prompt"))
		return
	}
	id := string(p.SessionID)
	ctx, cancel := context.WithCancel(context.Background())
	a.mu.Lock()
	a.turns[id] = cancel
	a.mu.Unlock()
	defer cancel()
	end := a.steps(ctx, id, strings.Split(p.Prompt[0].Text, "\n"))
	if ctx.Err() != nil && !a.c.IgnoreCancel {
		end = ending{reason: "cancelled", late: end.late}
	}
	if end.fail != nil {
		r.Fail(end.fail)
	} else {
		if end.reason == "" {
			end.reason = "end_turn"
		}
		r.Result(acp.PromptResponse{StopReason: acp.StopReason(end.reason)})
	}
	for _, text := range end.late {
		a.chunk(id, acp.UpdateMessage, text)
	}
}

// ending is how a turn ends.
type ending struct {
	reason string
	fail   *acp.Error
	late   []string
}

func (a *agent) steps(ctx context.Context, id string, steps []string) (end ending) {
	for _, line := range steps {
		if ctx.Err() != nil {
			return end
		}
		verb, rest, _ := strings.Cut(line, " ")
		rest = strings.ReplaceAll(rest, `\n`, "\n")
		switch verb {
		case "stop":
			end.reason = rest
		case "fail":
			code, text, _ := strings.Cut(rest, " ")
			n, _ := strconv.Atoi(code)
			end.fail = acp.Errorf(n, "%s", text)
			end.fail.Data = jsontext.Value(`{"why":"scripted"}`)
		case "late":
			end.late = append(end.late, rest)
		case "die":
			n, _ := strconv.Atoi(rest)
			a.exit <- n
			<-a.over
		default:
			a.step(ctx, id, verb, rest, line)
		}
	}
	return end
}

func (a *agent) step(ctx context.Context, id, verb, rest, line string) {
	switch verb {
	case "say":
		a.chunk(id, acp.UpdateMessage, rest)
	case "think":
		a.chunk(id, acp.UpdateThought, rest)
	case "user":
		a.chunk(id, acp.UpdateUser, rest)
	case "other":
		a.chunk("another-session", acp.UpdateMessage, rest)
	case "burst":
		n, _ := strconv.Atoi(rest)
		a.burst(id, n)
	case "tool":
		f := strings.SplitN(rest, " ", 3)
		a.update(id, map[string]any{"sessionUpdate": "tool_call", "toolCallId": f[0], "kind": f[1], "title": f[2], "status": "in_progress"})
	case "toolend":
		a.update(id, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": rest, "status": "completed"})
	case "update":
		a.update(id, jsontext.Value(rest))
	case "raw", "noise":
		io.WriteString(a.out, rest+"\n")
	case "err":
		io.WriteString(a.errs, rest+"\n")
	case "long":
		n, _ := strconv.Atoi(rest)
		a.out.Write(append(bytes.Repeat([]byte("x"), n), '\n'))
	case "sleep":
		d, _ := time.ParseDuration(rest)
		select {
		case <-time.After(d):
		case <-ctx.Done():
		case <-a.over:
		}
	case "hang":
		if a.c.IgnoreCancel {
			<-a.over
		}
		select {
		case <-ctx.Done():
		case <-a.over:
		}
	default:
		a.ask(ctx, id, verb, rest, line)
	}
}

// ask are the steps that want something of the client.
func (a *agent) ask(ctx context.Context, id, verb, rest, line string) {
	var method string
	var params any
	switch verb {
	case "permit":
		f := strings.Fields(rest)
		options := []acp.PermissionOption{}
		for _, o := range f[1:] {
			p := strings.SplitN(o, ":", 3)
			options = append(options, acp.PermissionOption{OptionID: acp.PermissionOptionId(p[0]), Name: strings.ReplaceAll(p[1], "_", " "), Kind: acp.PermissionOptionKind(p[2])})
		}
		method, params = acp.MethodRequestPermission, acp.RequestPermissionRequest{
			SessionID: acp.SessionId(id), Options: options,
			ToolCall: acp.ToolCallUpdate{ToolCallID: "t1", Title: "use " + f[0], Kind: acp.ToolKind(f[0])},
		}
	case "form":
		method, params = acp.MethodCreateElicitation, jsontext.Value(`{"sessionId":"`+id+`","mode":"form","message":"please","requestedSchema":`+rest+`}`)
	case "url":
		method, params = acp.MethodCreateElicitation, jsontext.Value(`{"sessionId":"`+id+`","mode":"url","elicitationId":"e","message":"open","url":"`+rest+`"}`)
	case "grok":
		method, params = "_x.ai/ask_user_question", jsontext.Value(`{"sessionId":"`+id+`","toolCallId":"t","questions":`+rest+`}`)
	case "read":
		method, params = acp.MethodReadTextFile, acp.ReadTextFileRequest{SessionID: acp.SessionId(id), Path: rest}
	case "write":
		path, text, _ := strings.Cut(rest, " ")
		method, params = acp.MethodWriteTextFile, acp.WriteTextFileRequest{SessionID: acp.SessionId(id), Path: path, Content: text}
	case "run":
		a.chunk(id, acp.UpdateMessage, a.terminal(ctx, id, rest))
		return
	case "ext":
		method, params = rest, map[string]any{}
	default:
		a.chunk(id, acp.UpdateMessage, line)
		return
	}
	var out jsontext.Value
	if err := a.conn.Call(ctx, method, params, &out); err != nil {
		out = jsontext.Value("error: " + err.Error())
	}
	if ctx.Err() == nil {
		a.chunk(id, acp.UpdateMessage, verb+" → "+string(out)+"\n")
	}
}

func (a *agent) terminal(ctx context.Context, id, command string) string {
	var made acp.CreateTerminalResponse
	if err := a.conn.Call(ctx, acp.MethodCreateTerminal, acp.CreateTerminalRequest{SessionID: acp.SessionId(id), Command: command}, &made); err != nil {
		return "error: " + err.Error()
	}
	q := acp.TerminalOutputRequest{SessionID: acp.SessionId(id), TerminalID: made.TerminalID}
	var exit acp.WaitForTerminalExitResponse
	if err := a.conn.Call(ctx, acp.MethodWaitForTerminalExit, q, &exit); err != nil {
		return "error: " + err.Error()
	}
	var out acp.TerminalOutputResponse
	if err := a.conn.Call(ctx, acp.MethodTerminalOutput, q, &out); err != nil {
		return "error: " + err.Error()
	}
	a.conn.Call(ctx, acp.MethodReleaseTerminal, q, nil)
	code := int64(-1)
	if exit.ExitCode != nil {
		code = *exit.ExitCode
	}
	return fmt.Sprintf("%s (exit %d%s)", out.Output, code, exit.Signal)
}

func (a *agent) update(id string, u any) {
	a.conn.Notify(acp.MethodSessionUpdate, map[string]any{"sessionId": id, "update": u})
}

func (a *agent) chunk(id, kind, text string) {
	a.update(id, map[string]any{"sessionUpdate": kind, "content": map[string]any{"type": "text", "text": text}})
}

// burst writes past the connection, in one go, as a fast agent's pipe has it.
func (a *agent) burst(id string, n int) {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d "}}}}`+"\n", id, i)
		if b.Len() > 1<<20 || i == n-1 {
			a.out.Write(b.Bytes())
			b.Reset()
		}
	}
}

// Heard reads an agent's log.
func Heard(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
