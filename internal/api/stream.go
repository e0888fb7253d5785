package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// ErrEnded is the end of a stream by the other side.
var ErrEnded = errors.New("the stream was ended by the coordinator")

// maxEvent is the longest line of a stream, in bytes.
const maxEvent = 1 << 20

// Stream makes a call whose reply is a stream, and gives each of its lines,
// without the newline, to each. It returns what each returned, ctx's error when
// that ended, *Error when there was no stream, and ErrEnded when the other side
// ended it. The client's timeout bounds the wait for the stream to begin.
func (c *Client) Stream(ctx context.Context, verb string, request any, each func(line []byte) error) error {
	v, ok := FindVerb(verb)
	if !ok || v.Events == nil {
		return Errorf(CodeBadOp, "there is no stream %q", verb)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return Errorf(CodeBadRequest, "encode the request: %v", err)
	}
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(c.timeout, func() { cancel(errSilent) })
	defer timer.Stop()
	for {
		var begun atomic.Bool
		resp, err := c.open(ctx, v.Path, body, func(string) { begun.Store(true); timer.Reset(c.timeout) })
		if err == nil {
			timer.Stop()
			return stream(caller, resp, each)
		}
		if begun.Load() || ctx.Err() != nil || !isCut(err) {
			if caller.Err() != nil {
				return caller.Err()
			}
			return c.failed(ctx, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

func stream(ctx context.Context, resp *http.Response, each func([]byte) error) error {
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(io.LimitReader(resp.Body, MaxReply)) // what is missing makes it no reply
		return decode(data, resp.StatusCode, nil)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := each(lines.Bytes()); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrEnded
}
