package fakemodel

import (
	"encoding/json"
	"net/http"
	"time"
)

// A server that runs as a process of its own is steered over its own port:
//
//	POST /_fake/rules              adds rules, a JSON list
//	GET  /_fake/requests           the requests so far
//	GET  /_fake/gates/{name}/wait  answers once a turn stands at the gate
//	POST /_fake/gates/{name}/open  opens it
func (s *Server) controlRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /_fake/rules", func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(r)
		if err == nil {
			var rules []Rule
			if rules, err = ParseRules(body); err == nil {
				for _, rule := range rules {
					s.Add(rule)
				}
				writeJSON(w, http.StatusOK, map[string]any{"ok": true})
				return
			}
		}
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
	})
	mux.HandleFunc("GET /_fake/requests", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, s.Requests())
	})
	mux.HandleFunc("GET /_fake/gates/{name}/wait", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Gate(r.PathValue("name")).Wait(r.Context()); err == nil {
			writeJSON(w, http.StatusOK, map[string]any{"ok": true})
		}
	})
	mux.HandleFunc("POST /_fake/gates/{name}/open", func(w http.ResponseWriter, r *http.Request) {
		s.Gate(r.PathValue("name")).Open()
		writeJSON(w, http.StatusOK, map[string]any{"ok": true})
	})
}

// ParseRules reads a script from JSON: a list of
// {"prompt": "…", "side": false, "replies": [{"text": "…", "tools": […],
// "start_ms": 0, "word_ms": 0, "hold": "gate", "hang": false, "cut": false,
// "fail": {"status": 500, "type": "…", "message": "…"}}]}.
func ParseRules(raw []byte) ([]Rule, error) {
	var list []struct {
		Prompt  string `json:"prompt"`
		Side    bool   `json:"side"`
		Replies []struct {
			Text    string     `json:"text"`
			Tools   []ToolCall `json:"tools"`
			StartMS int        `json:"start_ms"`
			WordMS  int        `json:"word_ms"`
			Hold    string     `json:"hold"`
			Hang    bool       `json:"hang"`
			Cut     bool       `json:"cut"`
			Fail    *Failure   `json:"fail"`
		} `json:"replies"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var rules []Rule
	for _, l := range list {
		r := Rule{Prompt: l.Prompt, Side: l.Side}
		for _, p := range l.Replies {
			r.Replies = append(r.Replies, Reply{
				Text: p.Text, Tools: p.Tools, Hold: p.Hold, Hang: p.Hang, Cut: p.Cut, Fail: p.Fail,
				StartDelay: time.Duration(p.StartMS) * time.Millisecond,
				WordDelay:  time.Duration(p.WordMS) * time.Millisecond,
			})
		}
		if len(r.Replies) == 0 {
			r.Replies = []Reply{{}}
		}
		rules = append(rules, r)
	}
	return rules, nil
}
