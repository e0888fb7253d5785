package fakemodel

import (
	"encoding/json"
	"strings"
	"time"
)

func responsesWire() wire {
	return wire{protocol: Responses, parse: parseResponses, write: writeResponses, fail: failOpenAI}
}

type responsesBody struct {
	Model  string          `json:"model"`
	Stream bool            `json:"stream"`
	Input  json.RawMessage `json:"input"`
	Tools  []struct {
		Type       string         `json:"type"`
		Name       string         `json:"name"`
		Parameters map[string]any `json:"parameters"`
	} `json:"tools"`
	Text struct {
		Format struct {
			Type   string         `json:"type"`
			Schema map[string]any `json:"schema"`
		} `json:"format"`
	} `json:"text"`
}

type responsesItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content content         `json:"content"`
	Output  json.RawMessage `json:"output"`
}

func parseResponses(raw []byte) (Request, error) {
	var b responsesBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return Request{}, err
	}
	q := Request{Model: b.Model, Stream: b.Stream}
	if b.Text.Format.Type == "json_schema" {
		q.Schema = b.Text.Format.Schema
	}
	for _, t := range b.Tools {
		switch {
		case t.Name != "":
			q.Tools = append(q.Tools, Tool{Name: t.Name, Schema: t.Parameters})
		case t.Type == "local_shell":
			q.Tools = append(q.Tools, Tool{Name: "local_shell"})
		}
	}
	items, err := responsesInput(b.Input)
	if err != nil {
		return Request{}, err
	}
	for _, it := range items {
		switch {
		case it.Role == "user" && (it.Type == "message" || it.Type == ""):
			// Codex sends the project's instructions as a user message.
			p := it.Content.typed()
			if p != "" && !strings.HasPrefix(p, "# AGENTS.md") {
				q.Prompt, q.ToolResult = p, nil
			}
		case strings.HasSuffix(it.Type, "_call_output"):
			s := outputText(it.Output)
			q.ToolResult = &s
		}
	}
	return q, nil
}

// responsesInput reads the input, which may be a bare prompt.
func responsesInput(raw json.RawMessage) ([]responsesItem, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var prompt string
	if json.Unmarshal(raw, &prompt) == nil {
		return []responsesItem{{Role: "user", Content: content{{Type: "text", Text: prompt}}}}, nil
	}
	var items []responsesItem
	err := json.Unmarshal(raw, &items)
	return items, err
}

func outputText(raw json.RawMessage) string {
	var c content
	if json.Unmarshal(raw, &c) == nil {
		return c.text()
	}
	return string(raw)
}

func writeResponses(s *stream, q Request) error {
	items := s.responsesItems(q)
	base := func(status string, output []any) map[string]any {
		return map[string]any{
			"object": "response", "status": status, "model": q.Model, "output": output, "error": nil,
			"incomplete_details": nil, "parallel_tool_calls": false, "tools": []any{},
		}
	}
	id, created := s.server.id("resp"), time.Now().Unix()
	object := func(status string, output []any) map[string]any {
		o := base(status, output)
		o["id"], o["created_at"] = id, created
		if status == "completed" {
			o["usage"] = map[string]any{
				"input_tokens": 12, "input_tokens_details": map[string]any{"cached_tokens": 0},
				"output_tokens": 20, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
				"total_tokens": 32,
			}
		}
		return o
	}
	if !q.Stream {
		return s.whole(object("completed", items))
	}
	s.head()
	seq := 0
	send := func(typ string, fields map[string]any) error {
		fields["type"], fields["sequence_number"] = typ, seq
		seq++
		return s.event(typ, fields, "\n")
	}
	for _, typ := range []string{"response.created", "response.in_progress"} {
		if err := send(typ, map[string]any{"response": object("in_progress", []any{})}); err != nil {
			return err
		}
	}
	for i, it := range items {
		if err := s.responsesItem(send, i, it.(map[string]any)); err != nil {
			return err
		}
	}
	if s.reply.Text == "" {
		if err := s.words(nil); err != nil {
			return err
		}
	}
	return send("response.completed", map[string]any{"response": object("completed", items)})
}

// responsesItems are the finished output items: the text, then the tool calls.
func (s *stream) responsesItems(q Request) []any {
	items := []any{}
	if s.reply.Text != "" {
		items = append(items, map[string]any{
			"type": "message", "id": s.server.id("msg"), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": s.reply.Text, "annotations": []any{}}},
		})
	}
	for _, c := range s.calls(q) {
		items = append(items, map[string]any{
			"type": "function_call", "id": s.server.id("fc"), "call_id": s.server.id("call"),
			"name": c.name, "arguments": c.json, "status": "completed",
		})
	}
	return items
}

func (s *stream) responsesItem(send sender, index int, it map[string]any) error {
	begun := map[string]any{}
	for k, v := range it {
		begun[k] = v
	}
	begun["status"] = "in_progress"
	text := it["type"] == "message"
	if text {
		begun["content"] = []any{}
	} else {
		begun["arguments"] = ""
	}
	if err := send("response.output_item.added", map[string]any{"output_index": index, "item": begun}); err != nil {
		return err
	}
	stream := s.responsesCall
	if text {
		stream = s.responsesText
	}
	if err := stream(send, index, it); err != nil {
		return err
	}
	return send("response.output_item.done", map[string]any{"output_index": index, "item": it})
}

func (s *stream) responsesText(send sender, index int, it map[string]any) error {
	at := func(more map[string]any) map[string]any {
		more["item_id"], more["output_index"], more["content_index"] = it["id"], index, 0
		return more
	}
	empty := map[string]any{"type": "output_text", "text": "", "annotations": []any{}}
	if err := send("response.content_part.added", at(map[string]any{"part": empty})); err != nil {
		return err
	}
	if err := s.words(func(w string) error {
		return send("response.output_text.delta", at(map[string]any{"delta": w}))
	}); err != nil {
		return err
	}
	if err := send("response.output_text.done", at(map[string]any{"text": s.reply.Text})); err != nil {
		return err
	}
	return send("response.content_part.done", at(map[string]any{"part": it["content"].([]any)[0]}))
}

func (s *stream) responsesCall(send sender, index int, it map[string]any) error {
	args := it["arguments"].(string)
	for _, p := range pieces(args) {
		if err := send("response.function_call_arguments.delta", map[string]any{
			"item_id": it["id"], "output_index": index, "delta": p,
		}); err != nil {
			return err
		}
	}
	return send("response.function_call_arguments.done", map[string]any{
		"item_id": it["id"], "output_index": index, "arguments": args,
	})
}
