package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/internal/paths"
)

// DefaultTimeout bounds how long a client waits for a coordinator that says
// nothing.
const DefaultTimeout = 15 * time.Second

// TimeoutEnv overrides DefaultTimeout: seconds, or a duration as in "2m". It
// bounds the whole call.
const TimeoutEnv = "TERMIO_CLI_TIMEOUT"

// MaxReply is the largest reply a client takes, in bytes.
const MaxReply = 64 << 20

// ClientOptions say which coordinator a client speaks to.
type ClientOptions struct {
	Layout paths.Layout
	// Start is the command that runs a coordinator in the foreground; empty
	// means this program with "daemon run".
	Start []string
	// NoStart reports an absent coordinator instead of starting one.
	NoStart bool
	// Timeout overrides TimeoutEnv and DefaultTimeout.
	Timeout time.Duration
}

// Client calls the coordinator, and starts it when there is none. It is safe
// for concurrent use. All its errors are *Error.
type Client struct {
	o       ClientOptions
	timeout time.Duration
	hard    bool // the timeout bounds the whole call, not the silence
	http    *http.Client
}

// NewClient makes a client. It fails when TimeoutEnv cannot be read.
func NewClient(o ClientOptions) (*Client, error) {
	c := &Client{o: o, timeout: DefaultTimeout}
	if s := os.Getenv(TimeoutEnv); s != "" {
		d, err := parseTimeout(s)
		if err != nil {
			return nil, Errorf(CodeBadRequest, "%s is %q: give seconds, as in 30, or a duration, as in 2m", TimeoutEnv, s)
		}
		c.timeout, c.hard = d, true
	}
	if o.Timeout > 0 {
		c.timeout, c.hard = o.Timeout, true
	}
	// A connection for each call: one that was kept may lead to a coordinator
	// that is gone, and a call cannot be repeated blindly.
	c.http = &http.Client{Transport: &http.Transport{DialContext: c.dial, DisableCompression: true, DisableKeepAlives: true}}
	return c, nil
}

// MaxTimeout is the longest time a client can be told to wait.
const MaxTimeout = 24 * time.Hour

func parseTimeout(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if secs, e := strconv.ParseFloat(s, 64); e == nil {
		d, err = time.Duration(min(secs, MaxTimeout.Seconds())*float64(time.Second)), nil
	}
	if err != nil {
		return 0, err
	}
	if d <= 0 {
		return 0, errors.New("not positive")
	}
	return min(d, MaxTimeout), nil
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// errSilent is the cause of a call that was given up.
var errSilent = errors.New("no answer in time")

// Call makes one call and decodes its reply into reply, a pointer.
//
// A coordinator says when it begins with a call, and every few seconds that it
// is at work on it. The timeout bounds the time in which it says nothing at
// all; TimeoutEnv sets it, and for a call that does not wait for an outcome
// bounds the whole call then. One that dies before it has begun is replaced and
// called again, whatever the verb, since nothing has happened; a wait that it
// had begun is taken up by the next one.
func (c *Client) Call(ctx context.Context, verb string, request, reply any) error {
	v, ok := FindVerb(verb)
	if !ok {
		return Errorf(CodeBadOp, "there is no verb %q", verb)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return Errorf(CodeBadRequest, "encode the request: %v", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(c.timeout, func() { cancel(errSilent) })
	defer timer.Stop()
	w, ok := request.(waiter)
	waits := ok && w.Waits()
	path := v.Path
	var wait atomic.Pointer[string] // by what the wait can be taken up again
	for {
		var begun atomic.Bool
		data, status, err := c.post(ctx, path, body, func(token string) {
			begun.Store(true)
			if token != "" {
				wait.Store(&token)
			}
			if waits || !c.hard {
				timer.Reset(c.timeout)
			}
		})
		if err == nil {
			return decode(data, status, reply)
		}
		if ctx.Err() != nil || !isCut(err) || begun.Load() && wait.Load() == nil {
			return c.failed(ctx, err)
		}
		if token := wait.Load(); token != nil {
			if path, body, err = takeUp(body, *token); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

// takeUp is the call that takes up a wait again, for the same caller.
func takeUp(body []byte, token string) (path string, again []byte, err error) {
	var of struct {
		Caller Caller `json:"caller"`
	}
	if err := json.Unmarshal(body, &of); err != nil {
		return "", nil, Errorf(CodeInternal, "take up the wait: %v", err)
	}
	if again, err = json.Marshal(AwaitRequest{Caller: of.Caller, Wait: token}); err != nil {
		return "", nil, Errorf(CodeInternal, "take up the wait: %v", err)
	}
	v, _ := FindVerb(VerbAwait)
	return v.Path, again, nil
}

// retryPause is the time before a coordinator that was about to die is called
// again.
const retryPause = 5 * time.Millisecond

// open makes one request and gives its response, whose body is to be closed.
// sign is called for each sign of life before that, with what an interrupted
// wait can be taken up by, when it says so.
func (c *Client) open(ctx context.Context, path string, body []byte, sign func(wait string)) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got1xxResponse: func(_ int, h textproto.MIMEHeader) error {
			sign(h.Get(WaitHeader))
			return nil
		},
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://termio"+path, bytes.NewReader(body))
	if err != nil {
		return nil, Errorf(CodeInternal, "make the request: %v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(AliveHeader, strconv.FormatInt(c.timeout.Milliseconds(), 10))
	return c.http.Do(req)
}

// post makes one request and reads its reply.
func (c *Client) post(ctx context.Context, path string, body []byte, sign func(wait string)) ([]byte, int, error) {
	resp, err := c.open(ctx, path, body, sign)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	sign("")
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxReply))
	return data, resp.StatusCode, err
}

// isCut reports whether the other end of a connection has gone.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err)
}

func decode(data []byte, status int, reply any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return Errorf(CodeUnavailable, "the coordinator answered with nothing (HTTP %d): it may have been killed; try again", status)
	}
	if status != http.StatusOK {
		e := &Error{}
		if err := json.Unmarshal(data, e); err != nil || e.Code == "" {
			return Errorf(CodeUnavailable, "the coordinator answered HTTP %d with something that is no reply", status)
		}
		return e
	}
	if err := json.Unmarshal(data, reply); err != nil {
		return Errorf(CodeUnavailable, "the coordinator's reply cannot be read: %v", err)
	}
	return nil
}

// failed explains a call that brought no reply.
func (c *Client) failed(ctx context.Context, err error) error {
	var own *Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(context.Cause(ctx), errSilent):
		return Errorf(CodeUnavailable, "the coordinator did not answer in %v; it may be busy or stopped, and may still do what was asked: see `termio daemon status` and `termio sessions list`, or set %s",
			c.timeout, TimeoutEnv)
	case ctx.Err() != nil:
		return Errorf(CodeUnavailable, "the call was given up: %v", context.Cause(ctx))
	case isCut(err):
		return Errorf(CodeUnavailable, "the coordinator went away in the middle of the call; what it was doing may or may not have happened: see `termio sessions list`")
	}
	var wrapped *url.Error // it names an address that says nothing to people
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return Errorf(CodeUnavailable, "reach the coordinator: %v", err)
}

// dial connects to the coordinator's socket and starts a coordinator if
// nobody listens there.
func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if err := c.o.Layout.CheckSockets(); err != nil {
		return nil, Errorf(CodeUnavailable, "%v", err)
	}
	conn, err := connect(ctx, c.o.Layout.DaemonSocket())
	if err == nil || !absent(err) {
		return conn, err
	}
	if c.o.NoStart {
		return nil, Errorf(CodeUnavailable, "no coordinator is running for %s; any `termio sessions` command starts one", c.o.Layout.Home)
	}
	return c.start(ctx)
}

func connect(ctx context.Context, socket string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", socket)
}

// ask makes a call and returns its reply.
func ask[Reply any](ctx context.Context, c *Client, verb string, request any) (Reply, error) {
	var r Reply
	err := c.Call(ctx, verb, request, &r)
	return r, err
}

// List asks for the sessions in scope.
func (c *Client) List(ctx context.Context, r ListRequest) (ListReply, error) {
	return ask[ListReply](ctx, c, VerbList, r)
}

// Spawn starts an agent.
func (c *Client) Spawn(ctx context.Context, r SpawnRequest) (SpawnReply, error) {
	return ask[SpawnReply](ctx, c, VerbSpawn, r)
}

// Run starts a plain terminal with a command.
func (c *Client) Run(ctx context.Context, r RunRequest) (SpawnReply, error) {
	return ask[SpawnReply](ctx, c, VerbRun, r)
}

// Send types into a session.
func (c *Client) Send(ctx context.Context, r SendRequest) (SendReply, error) {
	return ask[SendReply](ctx, c, VerbSend, r)
}

// Read asks for a session's screen.
func (c *Client) Read(ctx context.Context, r ReadRequest) (ReadReply, error) {
	return ask[ReadReply](ctx, c, VerbRead, r)
}

// CloseSession ends a session.
func (c *Client) CloseSession(ctx context.Context, r TargetRequest) (CloseReply, error) {
	return ask[CloseReply](ctx, c, VerbClose, r)
}

// Focus brings a session to front.
func (c *Client) Focus(ctx context.Context, r TargetRequest) (FocusReply, error) {
	return ask[FocusReply](ctx, c, VerbFocus, r)
}

// Rename sets a session's title.
func (c *Client) Rename(ctx context.Context, r RenameRequest) (RenameReply, error) {
	return ask[RenameReply](ctx, c, VerbRename, r)
}

// Resolve asks where a session's host listens.
func (c *Client) Resolve(ctx context.Context, r TargetRequest) (ResolveReply, error) {
	return ask[ResolveReply](ctx, c, VerbResolve, r)
}

// Trace asks why a session's status is what it is.
func (c *Client) Trace(ctx context.Context, r TargetRequest) (TraceReply, error) {
	return ask[TraceReply](ctx, c, VerbTrace, r)
}

// Open registers a project.
func (c *Client) Open(ctx context.Context, r OpenRequest) (OpenReply, error) {
	return ask[OpenReply](ctx, c, VerbOpen, r)
}

// Agents asks for the catalog.
func (c *Client) Agents(ctx context.Context, r AgentsRequest) (AgentsReply, error) {
	return ask[AgentsReply](ctx, c, VerbAgents, r)
}

// Daemon asks for the coordinator's state. With NoStart, a coordinator that
// does not run is no error: the reply says so.
func (c *Client) Daemon(ctx context.Context) (DaemonReply, error) {
	return c.daemon(ctx, VerbDaemon)
}

// Stop ends the coordinator; the sessions go on. One that does not run is no
// error: the reply says that none runs, either way.
func (c *Client) Stop(ctx context.Context) (DaemonReply, error) {
	return c.daemon(ctx, VerbStop)
}

func (c *Client) daemon(ctx context.Context, verb string) (DaemonReply, error) {
	if c.o.NoStart {
		conn, err := connect(ctx, c.o.Layout.DaemonSocket())
		if absent(err) {
			return DaemonReply{Head: OKHead(), Home: c.o.Layout.Home, Socket: c.o.Layout.DaemonSocket()}, nil
		}
		if err == nil {
			conn.Close()
		}
	}
	return ask[DaemonReply](ctx, c, verb, DaemonRequest{})
}

// tail is the end of what a program wrote to path after byte from, at most
// 2 KiB, for an error message.
func tail(path string, from int64) string {
	const most = 2 << 10
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil {
		from = max(from, st.Size()-most)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return fmt.Sprintf("(its output cannot be read: %v)", err)
	}
	return string(bytes.TrimSpace(b))
}
