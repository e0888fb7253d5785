package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// A client's line that is no message ends the connection in the SDK, and with
// it every request that was not answered yet. JSON-RPC wants such a line
// answered and the next one read.

// messages reads a client's lines and answers those that are no JSON itself.
type messages struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the line that is being given
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.in.ReadBytes('\n')
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case json.Valid(line):
			m.rest = append(line, '\n')
			continue // an error comes again
		default:
			if _, err := fmt.Fprintln(m.out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is no JSON: a message is one line"}}`); err != nil {
				return 0, fmt.Errorf("answer a line that is no message: %w", err)
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func (m *messages) Close() error { return nil }

// whole writes each message in one piece: there are two writers.
type whole struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *whole) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

func (w *whole) Close() error { return nil }
