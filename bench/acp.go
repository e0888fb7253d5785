package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/termio-sh/termio/internal/acp"
)

// The stream of one long answer.
const (
	acpChunks = 100_000
	// acpAhead is how many chunks the SDK may be given before it has handled
	// them: it ends the connection past 1024. Ours takes them all at once.
	acpAhead = 512
)

// acpStream measures how fast streamed chunks of text are taken, decoded to
// session, kind and text, beside the public Go SDK on the same bytes.
func acpStream(l *lab) error {
	lines := acpLines()
	var ours, theirs, ratios, heap series
	for range l.rounds {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		a, err := acpOurs(lines)
		if err != nil {
			return err
		}
		runtime.ReadMemStats(&after)
		b, err := acpTheirs(lines)
		if err != nil {
			return err
		}
		ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, a/b)
		heap = append(heap, float64(int64(after.HeapSys)-int64(before.HeapSys))/1024)
	}
	t := table{title: fmt.Sprintf("%d streamed chunks over ACP, thousand messages a second", acpChunks)}
	t.row("client", "median (min–max)", "ratio", "heap grown, KiB")
	t.row("termio, one burst", ours.String(), ratio{ratios.median(), 2.5, false}.String(), heap.String())
	t.row("acp-go-sdk v0.13.0, paced", theirs.String(), "", "")
	t.print()
	return nil
}

func acpLines() [][]byte {
	words := strings.Fields("the agent writes a word or two in each of its chunks and this goes on for long")
	out := make([][]byte, acpChunks)
	for i := range out {
		out[i] = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"5b1f9a3e-7c2d-4f60-9a55-0d6c3d1b2a10","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s %d\n"}}}}`+"\n", words[i%len(words)], i)
	}
	return out
}

// acpTake counts what comes in and checks that it does so in order.
type acpTake struct {
	next   atomic.Int64
	failed atomic.Bool
	ended  chan struct{}
}

func (t *acpTake) chunk(text string) {
	i := t.next.Load()
	if !strings.HasSuffix(text, fmt.Sprintf(" %d\n", i)) {
		t.failed.Store(true)
	}
	if t.next.Add(1) == acpChunks {
		close(t.ended)
	}
}

func (t *acpTake) wait(done <-chan struct{}) error {
	select {
	case <-t.ended:
	case <-done:
		return fmt.Errorf("the connection ended after %d chunks", t.next.Load())
	case <-time.After(2 * time.Minute):
		return errors.New("it took more than two minutes")
	}
	if t.failed.Load() {
		return errors.New("chunks came out of order")
	}
	return nil
}

type acpHandler struct{ take *acpTake }

func (h acpHandler) Notification(m acp.Message) {
	c := acp.UpdateOf(m.Params)
	if text, ok := c.Text(); ok && c.Kind == acp.UpdateMessage && len(c.Session) > 2 {
		h.take.chunk(text)
	}
}

func (acpHandler) Request(acp.Message, *acp.Responder) {}

func acpOurs(lines [][]byte) (perMilli float64, err error) {
	all := bytes.Join(lines, nil)
	r, w := io.Pipe()
	take := &acpTake{ended: make(chan struct{})}
	c := acp.New(r, io.Discard, acp.Options{Handler: acpHandler{take}})
	start := time.Now()
	go func() { // as a pipe of the system gives it
		for rest := all; len(rest) > 0; {
			n := min(len(rest), 64<<10)
			w.Write(rest[:n])
			rest = rest[n:]
		}
	}()
	err = take.wait(c.Done())
	took := time.Since(start)
	w.Close()
	<-c.Done()
	return acpChunks / took.Seconds() / 1000, err
}

// acpClient is the SDK's idea of a client; only updates are ever sent to it.
type acpClient struct {
	sdk.Client
	take *acpTake
}

func (c acpClient) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	if u := n.Update.AgentMessageChunk; u != nil && u.Content.Text != nil {
		c.take.chunk(u.Content.Text.Text)
	}
	return nil
}

func acpTheirs(lines [][]byte) (perMilli float64, err error) {
	r, w := io.Pipe()
	take := &acpTake{ended: make(chan struct{})}
	c := sdk.NewClientSideConnection(acpClient{take: take}, io.Discard, r)
	c.SetLogger(slog.New(slog.DiscardHandler))
	start := time.Now()
	go func() {
		for i := 0; i < len(lines); {
			n := min(len(lines)-i, 64)
			for int64(i+n)-take.next.Load() > acpAhead {
				runtime.Gosched()
			}
			w.Write(bytes.Join(lines[i:i+n], nil))
			i += n
		}
	}()
	err = take.wait(c.Done())
	took := time.Since(start)
	w.Close()
	return acpChunks / took.Seconds() / 1000, err
}
