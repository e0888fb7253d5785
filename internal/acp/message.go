package acp

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"strings"
)

// Message is one line taken apart. Its slices are parts of the line and valid
// only while it is handled.
type Message struct {
	Raw    []byte
	ID     []byte // nil for a notification
	Method string // empty for an answer
	Params []byte
	Result []byte
	Error  []byte
}

// parse takes a line apart. False means that it is no message of the protocol.
func parse(line []byte) (m Message, ok bool) {
	v := jsontext.Value(line)
	if !v.IsValid(jsontext.AllowDuplicateNames(true)) {
		if v = bytes.ToValidUTF8(line, []byte("\uFFFD")); !v.IsValid(jsontext.AllowDuplicateNames(true)) {
			return m, false
		}
	}
	m.Raw = v
	answered := false
	object := Members(v, func(name, value []byte) {
		switch string(name) {
		case "id":
			m.ID = value
		case "method":
			m.Method = known(value)
		case "params":
			m.Params = value
		case "result":
			m.Result, answered = value, true
		case "error":
			if string(value) != "null" {
				m.Error, answered = value, true
			}
		}
	})
	return m, object && (m.Method != "" || answered && m.ID != nil)
}

// Error is a JSON-RPC error, of either side.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
	// Method is the request that it answers; not on the wire.
	Method string `json:"-"`
}

// The codes of JSON-RPC and of the protocol.
const (
	CodeParse        = -32700
	CodeInvalid      = -32600
	CodeNoMethod     = -32601
	CodeBadParams    = -32602
	CodeInternal     = -32603
	CodeCancelled    = -32800
	CodeAuthRequired = -32000
	CodeNotFound     = -32002
)

// maxErrorData is how much of an error's data its text repeats, in bytes.
const maxErrorData = 4 << 10

func (e *Error) Error() string {
	var b strings.Builder
	if e.Method != "" {
		fmt.Fprintf(&b, "%s: ", e.Method)
	}
	b.WriteString(e.Message)
	if e.Message == "" {
		b.WriteString("error")
	}
	fmt.Fprintf(&b, " (%d)", e.Code)
	if data := e.Data; len(data) > 0 && string(data) != "null" {
		text := Text(data)
		if text == "" {
			text = string(data)
		}
		if len(text) > maxErrorData {
			text = strings.ToValidUTF8(text[:maxErrorData], "") + "…"
		}
		b.WriteString(": " + text)
	}
	return b.String()
}

// Errorf makes an error to answer with.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// parseError reads an error as leniently as it can.
func parseError(raw []byte, method string) *Error {
	e := &Error{Method: method}
	if err := Decode(raw, e); err != nil || e.Message == "" && e.Code == 0 {
		e.Message = string(raw)
	}
	return e
}

// envelope is what goes out.
type envelope struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  any            `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *Error         `json:"error,omitzero"`
}

func (e envelope) encode() ([]byte, error) {
	e.Version = "2.0"
	line, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return append(line, '\n'), nil
}
