//go:build unix

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/api"
)

const handManifest = `{"id":"handy","name":"Handy","command":"handy","resume":{"create":"--new {id}","resume":"--resume {id}",
 "storeRoot":"~/handy","storeMatch":"file:{id}.jsonl"}}`

const handScript = `echo "args <$*>"
%q agent report idle --event start --conversation conv-1
while read -r line; do %q agent report working --event prompt; echo "got $line"; done`

// TestAgentStartedByHandComesBack: a terminal in which a person had started an
// agent is a terminal again, with the agent in its conversation where that is
// known exactly, and without it where it is not.
func TestAgentStartedByHandComesBack(t *testing.T) {
	for name, want := range map[string]struct {
		ended func(h *home, link string)
		store bool
	}{
		"its host was killed": {func(h *home, link string) { syscall.Kill(h.record(link).HostPID, syscall.SIGKILL) }, true},
		"it was closed": {func(h *home, link string) {
			if _, err := h.client.CloseSession(h.Context(), api.TargetRequest{Caller: h.caller(), Target: link}); err != nil {
				h.Fatal(err)
			}
		}, true},
		"its conversation is gone": {func(h *home, link string) { syscall.Kill(h.record(link).HostPID, syscall.SIGKILL) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.manifest("handy", handManifest)
			h.script("handy", fmt.Sprintf(handScript, os.Args[0], os.Args[0]))
			link := h.run("handy --by hand")
			h.eventually("the session is the agent, in its conversation", func() bool {
				r := h.record(link)
				return r.Agent == "handy" && r.Plain && r.Conversation != nil
			})
			if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: link, Text: "hello", Enter: true}); err != nil {
				t.Fatal(err)
			}
			h.eventually("it was spoken to", func() bool { return h.record(link).Spoken })
			if want.store {
				file := filepath.Join(h.user, "handy/bucket/conv-1.jsonl")
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want.ended(h, link)
			h.eventually("it has ended", func() bool {
				s, ok := h.find(link)
				return ok && s.Closed != nil
			})
			var reply api.ReopenReply
			if err := h.client.Call(t.Context(), api.VerbReopen, api.ReopenRequest{Caller: h.caller(), Target: link, Env: os.Environ()}, &reply); err != nil {
				t.Fatal(err)
			}
			if !want.store {
				if reply.Resumed || !strings.Contains(reply.Fresh, "conv-1 is not in Handy's store") {
					t.Errorf("%+v", reply.Reopened)
				}
				if r := h.record(link); r.Agent != "terminal" || r.Conversation != nil {
					t.Errorf("it is %s in %+v", r.Agent, r.Conversation)
				}
				return
			}
			if !reply.Resumed || reply.Conversation != "conv-1" {
				t.Errorf("%+v", reply.Reopened)
			}
			h.eventually("the agent runs in the terminal, in its conversation", func() bool {
				r := h.record(link)
				return strings.Contains(h.screen(link), "args <--resume conv-1>") && r.Plain && r.Conversation != nil && r.Conversation.ID == "conv-1"
			})
		})
	}
}
