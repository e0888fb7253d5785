package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/termio-sh/termio/internal/api"
)

// tool is one of the verbs as a tool.
type tool struct {
	name, text string
	// readOnly tools change nothing; destructive ones end something.
	readOnly, destructive bool
	input                 any // a zero value of its arguments
	output                []any
	// run decodes the arguments and makes the call.
	run func(ctx context.Context, o Options, arguments json.RawMessage) (any, error)
}

// define makes a tool of a function on its arguments.
func define[In any](name, text string, output []any, run func(context.Context, Options, In) (any, error)) tool {
	var zero In
	return tool{name: name, text: text, input: zero, output: output, run: func(ctx context.Context, o Options, arguments json.RawMessage) (any, error) {
		var in In
		if err := strictly(arguments, &in); err != nil {
			return nil, api.Errorf(api.CodeBadRequest, "the arguments of %s cannot be used: %v", name, err)
		}
		return run(ctx, o, in)
	}}
}

// strictly decodes an object and refuses what it does not know, so that a
// mistyped argument is no silence.
func strictly(data json.RawMessage, into any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		data = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

func (t tool) describe() (*mcp.Tool, error) {
	in, err := api.Takes(t.input)
	if err != nil {
		return nil, fmt.Errorf("the arguments of %s: %w", t.name, err)
	}
	out, err := api.Gives(t.output...)
	if err != nil {
		return nil, fmt.Errorf("the result of %s: %w", t.name, err)
	}
	no := false
	return &mcp.Tool{
		Name: t.name, Description: t.text, InputSchema: in, OutputSchema: out,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, DestructiveHint: &t.destructive, OpenWorldHint: &no},
	}, nil
}

// handler answers calls of a tool. A refusal is a result that is marked as an
// error, so that the model reads the next step in it.
func (o Options) handler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		stop := o.progress(ctx, req)
		reply, err := t.run(ctx, o, req.Params.Arguments)
		stop()
		if ctx.Err() != nil {
			return nil, ctx.Err() // nobody reads it
		}
		result := &mcp.CallToolResult{IsError: err != nil}
		if err != nil {
			reply = api.From(err)
		}
		text, err := api.Encode(reply)
		if err != nil {
			return nil, err
		}
		text = bytes.TrimSpace(text)
		result.StructuredContent = json.RawMessage(text)
		result.Content = []mcp.Content{&mcp.TextContent{Text: string(text)}}
		return result, nil
	}
}

// progress tells a client that asked for it, every now and then, that its call
// goes on; many give up one that is silent for a minute.
func (o Options) progress(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(o.ProgressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				passed := time.Since(began)
				err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: passed.Seconds(), Message: fmt.Sprintf("still waiting, %d s", int(passed.Seconds())),
				})
				if err != nil {
					return // the client is gone; the call ends with it
				}
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// call makes one call of the coordinator.
func call[Reply any](ctx context.Context, o Options, verb string, request any) (any, error) {
	var reply Reply
	err := o.Coordinator.Call(ctx, verb, request, &reply)
	return reply, err
}
