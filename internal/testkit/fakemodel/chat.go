package fakemodel

import (
	"encoding/json"
	"time"
)

func chatWire() wire {
	return wire{protocol: Chat, parse: parseChat, write: writeChat, fail: failOpenAI}
}

// failOpenAI is the form of an error that both OpenAI protocols share.
func failOpenAI(f Failure) any {
	return map[string]any{"error": map[string]any{"message": f.Message, "type": f.Type, "param": nil, "code": nil}}
}

type chatBody struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string         `json:"name"`
			Parameters map[string]any `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ResponseFormat struct {
		JSONSchema struct {
			Schema map[string]any `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func parseChat(raw []byte) (Request, error) {
	var b chatBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return Request{}, err
	}
	q := Request{Model: b.Model, Stream: b.Stream, Schema: b.ResponseFormat.JSONSchema.Schema}
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, Tool{Name: t.Function.Name, Schema: t.Function.Parameters})
	}
	for _, m := range b.Messages {
		switch m.Role {
		case "user":
			if p := m.Content.typed(); p != "" {
				q.Prompt, q.ToolResult = p, nil
			}
		case "tool":
			s := m.Content.text()
			q.ToolResult = &s
		}
	}
	return q, nil
}

func writeChat(s *stream, q Request) error {
	calls := s.calls(q)
	finish := "stop"
	if len(calls) > 0 {
		finish = "tool_calls"
	}
	base := chatBase{id: s.server.id("chatcmpl"), created: time.Now().Unix(), model: q.Model}
	if !q.Stream {
		return s.wholeChat(base, calls, finish)
	}
	s.head()
	send := func(delta map[string]any, finish any) error {
		return s.event("", base.object("chat.completion.chunk", []any{
			map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish},
		}), "\n")
	}
	if err := send(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil); err != nil {
		return err
	}
	if err := s.words(func(w string) error { return send(map[string]any{"content": w}, nil) }); err != nil {
		return err
	}
	for i, c := range calls {
		if err := s.chatCall(send, i, c); err != nil {
			return err
		}
	}
	if err := send(map[string]any{}, finish); err != nil {
		return err
	}
	last := base.object("chat.completion.chunk", []any{})
	last["usage"] = chatUsage()
	if err := s.event("", last, "\n"); err != nil {
		return err
	}
	return s.raw([]byte("data: [DONE]\n\n"))
}

// chatCall streams one tool call: first its name, then its arguments in pieces.
func (s *stream) chatCall(send func(map[string]any, any) error, index int, c call) error {
	if err := send(map[string]any{"tool_calls": []any{map[string]any{
		"index": index, "id": s.server.id("call"), "type": "function",
		"function": map[string]any{"name": c.name, "arguments": ""},
	}}}, nil); err != nil {
		return err
	}
	for _, p := range pieces(c.json) {
		if err := send(map[string]any{"tool_calls": []any{map[string]any{
			"index": index, "function": map[string]any{"arguments": p},
		}}}, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) wholeChat(base chatBase, calls []call, finish string) error {
	message := map[string]any{"role": "assistant", "content": s.reply.Text, "refusal": nil}
	if len(calls) > 0 {
		var list []any
		for _, c := range calls {
			list = append(list, map[string]any{
				"id": s.server.id("call"), "type": "function",
				"function": map[string]any{"name": c.name, "arguments": c.json},
			})
		}
		message["tool_calls"] = list
	}
	out := base.object("chat.completion", []any{
		map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": finish},
	})
	out["usage"] = chatUsage()
	return s.whole(out)
}

type chatBase struct {
	id      string
	created int64
	model   string
}

func (b chatBase) object(kind string, choices []any) map[string]any {
	return map[string]any{"id": b.id, "object": kind, "created": b.created, "model": b.model, "choices": choices}
}

func chatUsage() any {
	return map[string]any{"prompt_tokens": 12, "completion_tokens": 20, "total_tokens": 32}
}
