package mcpserver

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/version"
)

// Coordinator is what the tools need of it; *api.Client is one.
type Coordinator interface {
	Call(ctx context.Context, verb string, request, reply any) error
	Stream(ctx context.Context, verb string, request any, each func(line []byte) error) error
}

// Options say for whom a server works.
type Options struct {
	Coordinator Coordinator
	// Caller says who calls; the coordinator checks it.
	Caller api.Caller
	// Env is the environment that sessions start from; nil is the
	// coordinator's.
	Env []string
	// ProgressEvery is how often a call that takes long says so, to clients
	// that ask for it; 0 is every 5 seconds.
	ProgressEvery time.Duration
}

// instructions are what clients tell their models of the server.
const instructions = `Termio hosts coding agents and terminals as sessions that go on by themselves. These tools start peers, talk to them and read what they did. A session's address is the termio://session/<uuid> link that replies give: copy it exactly. Results are read from the transcript: the lines from cursor to cursor_end of a wait's reply. needs-you means that the session asks: answer with sessions_send, or ask the user where the answer is theirs.`

// New makes a server with all tools.
func New(o Options) (*mcp.Server, error) {
	if o.ProgressEvery == 0 {
		o.ProgressEvery = 5 * time.Second
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "termio", Title: "Termio", Version: version.Version}, &mcp.ServerOptions{
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, t := range tools() {
		tool, err := t.describe()
		if err != nil {
			return nil, err
		}
		s.AddTool(tool, o.handler(t))
	}
	return s, nil
}

// Serve serves one client on standard input and output until it leaves or ctx
// ends.
func Serve(ctx context.Context, o Options) error {
	s, err := New(o)
	if err != nil {
		return err
	}
	return s.Run(ctx, overLines(os.Stdin, os.Stdout))
}

// overLines is a connection with one client, a message a line.
func overLines(in io.Reader, out io.Writer) mcp.Transport {
	w := &whole{w: out}
	return &mcp.IOTransport{Reader: &messages{in: bufio.NewReader(in), out: w}, Writer: w}
}

// Handler serves clients over HTTP. of says for whom a request is; it must have
// checked who that is, and gives false where it is nobody.
func Handler(of func(*http.Request) (Options, bool)) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		o, ok := of(r)
		if !ok {
			return nil // the request is refused
		}
		s, err := New(o)
		if err != nil {
			return nil
		}
		return s
	}, nil)
}
