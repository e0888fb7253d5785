package fakemodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// geminiPath reads …/models/{model}:{method}.
func geminiPath(p string) (model, method string, ok bool) {
	_, rest, ok := strings.Cut(p, "/models/")
	if !ok {
		return "", "", false
	}
	model, method, ok = strings.Cut(rest, ":")
	known := method == "generateContent" || method == "streamGenerateContent" || method == "countTokens"
	return model, method, ok && known
}

// geminiWire streams server-sent events when the client asks with alt=sse, and
// a JSON array that grows when it does not.
func geminiWire(model string, streamed, sse bool) wire {
	return wire{
		protocol: Gemini,
		parse: func(raw []byte) (Request, error) {
			q, err := parseGemini(raw)
			q.Model, q.Stream = model, streamed
			return q, err
		},
		write: func(s *stream, q Request) error { return writeGemini(s, q, sse) },
		fail: func(f Failure) any {
			status := "INTERNAL"
			switch f.Status {
			case http.StatusTooManyRequests:
				status = "RESOURCE_EXHAUSTED"
			case http.StatusBadRequest:
				status = "INVALID_ARGUMENT"
			}
			return map[string]any{"error": map[string]any{"code": f.Status, "message": f.Message, "status": status}}
		},
	}
}

type geminiBody struct {
	Contents []struct {
		Role  string `json:"role"`
		Parts []struct {
			Text             string `json:"text"`
			Thought          bool   `json:"thought"`
			FunctionResponse *struct {
				Response json.RawMessage `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		FunctionDeclarations []struct {
			Name                 string         `json:"name"`
			Parameters           map[string]any `json:"parameters"`
			ParametersJSONSchema map[string]any `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	GenerationConfig struct {
		ResponseSchema     map[string]any `json:"responseSchema"`
		ResponseJSONSchema map[string]any `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

func parseGemini(raw []byte) (Request, error) {
	var b geminiBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return Request{}, err
	}
	q := Request{Schema: b.GenerationConfig.ResponseJSONSchema}
	if q.Schema == nil {
		q.Schema = b.GenerationConfig.ResponseSchema
	}
	for _, t := range b.Tools {
		for _, f := range t.FunctionDeclarations {
			schema := f.ParametersJSONSchema
			if schema == nil {
				schema = f.Parameters
			}
			q.Tools = append(q.Tools, Tool{Name: f.Name, Schema: schema})
		}
	}
	for _, c := range b.Contents {
		if c.Role == "model" {
			continue
		}
		var result *string
		var text content
		for _, p := range c.Parts {
			switch {
			case p.FunctionResponse != nil:
				s := string(p.FunctionResponse.Response)
				result = &s
			case !p.Thought && p.Text != "":
				text = append(text, block{Type: "text", Text: p.Text})
			}
		}
		if result != nil {
			q.ToolResult = result
		} else if p := text.typed(); p != "" {
			q.Prompt, q.ToolResult = p, nil
		}
	}
	return q, nil
}

func writeGemini(s *stream, q Request, sse bool) error {
	var calls []any
	for _, c := range s.calls(q) {
		calls = append(calls, map[string]any{"functionCall": map[string]any{"name": c.name, "args": c.args}})
	}
	id := s.server.id("gemini")
	chunk := func(finish string, parts ...any) map[string]any {
		cand := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish != "" {
			cand["finishReason"] = finish
		}
		return map[string]any{
			"candidates": []any{cand}, "modelVersion": q.Model, "responseId": id,
			"usageMetadata": map[string]any{"promptTokenCount": 12, "candidatesTokenCount": 20, "totalTokenCount": 32},
		}
	}
	text := func(t string) any { return map[string]any{"text": t} }
	if !q.Stream {
		return s.whole(chunk("STOP", append([]any{text(s.reply.Text)}, calls...)...))
	}
	send, end := s.geminiSender(sse)
	if err := s.words(func(w string) error { return send(chunk("", text(w))) }); err != nil {
		return err
	}
	if len(calls) == 0 {
		calls = []any{text("")}
	}
	if err := send(chunk("STOP", calls...)); err != nil {
		return err
	}
	return end()
}

// geminiSender returns how a chunk is sent and how the stream ends.
func (s *stream) geminiSender(sse bool) (send func(any) error, end func() error) {
	if sse {
		s.head()
		return func(v any) error { return s.event("", v, "\r\n") }, func() error { return nil }
	}
	s.w.Header().Set("Content-Type", "application/json")
	sep := "["
	send = func(v any) error {
		raw, err := encode(v)
		if err != nil {
			return err
		}
		err = s.raw(append([]byte(sep), raw...))
		sep = "\n,\r\n"
		return err
	}
	return send, func() error { return s.raw([]byte("\n]\n")) }
}
