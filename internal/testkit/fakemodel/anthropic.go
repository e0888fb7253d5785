package fakemodel

import (
	"encoding/json"
	"regexp"
)

func anthropicWire() wire {
	return wire{
		protocol: Anthropic,
		parse:    parseAnthropic,
		write:    writeAnthropic,
		fail: func(f Failure) any {
			return map[string]any{"type": "error", "error": map[string]any{"type": f.Type, "message": f.Message}}
		},
	}
}

type anthropicBody struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name   string         `json:"name"`
		Schema map[string]any `json:"input_schema"`
	} `json:"tools"`
	OutputFormat anthropicFormat `json:"output_format"`
	OutputConfig struct {
		Format anthropicFormat `json:"format"`
	} `json:"output_config"`
}

type anthropicFormat struct {
	Schema map[string]any `json:"schema"`
}

var interruptNote = regexp.MustCompile(`\[Request interrupted by user[^\]]*\]`)

func parseAnthropic(raw []byte) (Request, error) {
	var b anthropicBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return Request{}, err
	}
	q := Request{Model: b.Model, Stream: b.Stream, Schema: b.OutputConfig.Format.Schema}
	if q.Schema == nil {
		q.Schema = b.OutputFormat.Schema
	}
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, Tool{Name: t.Name, Schema: t.Schema})
	}
	newest := true
	for i := len(b.Messages) - 1; i >= 0 && q.Prompt == ""; i-- {
		m := b.Messages[i]
		if m.Role != "user" {
			continue
		}
		q.Prompt = stripInjected(interruptNote.ReplaceAllString(m.Content.typed(), ""))
		// A prompt typed after a rejected tool shares a message with the
		// tool's result: then the prompt is the news.
		if newest && q.Prompt == "" {
			q.ToolResult = m.Content.toolResult()
		}
		newest = false
	}
	return q, nil
}

// toolResult is the text of the last tool result among the blocks.
func (c content) toolResult() *string {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Type == "tool_result" {
			s := c[i].Content.text()
			return &s
		}
	}
	return nil
}

func writeAnthropic(s *stream, q Request) error {
	usage := map[string]any{"input_tokens": 12, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
	head := map[string]any{
		"id": s.server.id("msg"), "type": "message", "role": "assistant", "model": q.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
	calls := s.calls(q)
	stop := "end_turn"
	if len(calls) > 0 {
		stop = "tool_use"
	}
	s.w.Header().Set("Request-Id", s.server.id("req"))
	if !q.Stream {
		return s.wholeAnthropic(head, calls, stop)
	}
	s.head()
	send := func(typ string, fields map[string]any) error {
		fields["type"] = typ
		return s.event(typ, fields, "\n")
	}
	if err := send("message_start", map[string]any{"message": head}); err != nil {
		return err
	}
	if err := s.anthropicText(send); err != nil {
		return err
	}
	index := 0
	if s.reply.Text != "" {
		index = 1
	}
	for i, c := range calls {
		if err := s.anthropicCall(send, index+i, c); err != nil {
			return err
		}
	}
	if err := send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": 20},
	}); err != nil {
		return err
	}
	return send("message_stop", map[string]any{})
}

type sender func(typ string, fields map[string]any) error

// anthropicText streams the text block, with the ping that follows its start.
func (s *stream) anthropicText(send sender) error {
	if s.reply.Text == "" {
		return s.words(nil)
	}
	if err := send("content_block_start", map[string]any{
		"index": 0, "content_block": map[string]any{"type": "text", "text": ""},
	}); err != nil {
		return err
	}
	if err := send("ping", map[string]any{}); err != nil {
		return err
	}
	if err := s.words(func(w string) error {
		return send("content_block_delta", map[string]any{
			"index": 0, "delta": map[string]any{"type": "text_delta", "text": w},
		})
	}); err != nil {
		return err
	}
	return send("content_block_stop", map[string]any{"index": 0})
}

func (s *stream) anthropicCall(send sender, index int, c call) error {
	if err := send("content_block_start", map[string]any{"index": index, "content_block": map[string]any{
		"type": "tool_use", "id": s.server.id("toolu"), "name": c.name, "input": map[string]any{},
	}}); err != nil {
		return err
	}
	for _, p := range append([]string{""}, pieces(c.json)...) {
		if err := send("content_block_delta", map[string]any{
			"index": index, "delta": map[string]any{"type": "input_json_delta", "partial_json": p},
		}); err != nil {
			return err
		}
	}
	return send("content_block_stop", map[string]any{"index": index})
}

func (s *stream) wholeAnthropic(head map[string]any, calls []call, stop string) error {
	blocks := []any{}
	if s.reply.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": s.reply.Text})
	}
	for _, c := range calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": s.server.id("toolu"), "name": c.name, "input": c.args})
	}
	head["content"], head["stop_reason"] = blocks, stop
	return s.whole(head)
}
