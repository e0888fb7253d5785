package mcpserver

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// A line that is no message is answered, and those before and after it, too.
func TestALineThatIsNoMessage(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, in := io.Pipe()
	out, server := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Run(t.Context(), overLines(client, server)) }()
	said := make(chan string, 16)
	go func() {
		var all bytes.Buffer
		for buf := make([]byte, 1<<10); ; {
			n, err := out.Read(buf)
			all.Write(buf[:n])
			for {
				line, rest, ok := strings.Cut(all.String(), "\n")
				if !ok {
					break
				}
				said <- line
				all.Reset()
				all.WriteString(rest)
			}
			if err != nil {
				return
			}
		}
	}()
	answered := func(line, want string) {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-said:
			if !strings.Contains(got, want) {
				t.Errorf("%s is answered %s", line, got)
			}
		case err := <-done:
			t.Fatalf("%s ended the server: %v", line, err)
		case <-time.After(10 * time.Second):
			t.Fatalf("%s was not answered", line)
		}
	}
	answered(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"serverInfo"`)
	answered(`garbage`, `"code":-32700`)
	answered(`{"jsonrpc":"2.0","id":2,`, `"code":-32700`)
	if _, err := io.WriteString(in, "\n  \n"); err != nil { // nothing is no message, and no error
		t.Fatal(err)
	}
	answered(`{"jsonrpc":"2.0","id":3,"method":"ping"}`, `"id":3`)
	in.Close()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("the server outlives its client")
	}
}
