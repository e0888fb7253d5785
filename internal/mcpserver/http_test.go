package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestHandler(t *testing.T) {
	f := &fake{answer: samples}
	web := httptest.NewServer(Handler(func(r *http.Request) (Options, bool) {
		return Options{Coordinator: f, Caller: me}, r.Header.Get("Authorization") == "Bearer x"
	}))
	defer web.Close()
	dial := func(client *http.Client) (*mcp.ClientSession, error) {
		return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
			Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: client, DisableStandaloneSSE: true}, nil)
	}
	if c, err := dial(web.Client()); err == nil {
		c.Close()
		t.Error("a stranger is served")
	}
	c, err := dial(&http.Client{Transport: known{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "sessions_list"}); err != nil || r.IsError {
		t.Errorf("%+v, %v", r, err)
	}
}

// known adds what proves who asks.
type known struct{}

func (known) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer x")
	return http.DefaultTransport.RoundTrip(r)
}
