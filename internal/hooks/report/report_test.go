package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	stdstrings "strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/hostproto"
)

func TestParse(t *testing.T) {
	o, err := Parse([]string{
		"working", "--transcript", "--conversation", "abc", "--conversation-from", "session_id",
		"--tool-from", "tool_name", "--prompt-title-from", "prompt", "--subagent-from", "agent_id",
		"--pending-from", "background_tasks", "--event", "PreToolUse", "--reply",
	})
	want := Options{
		State: "working", Transcript: true, Conversation: "abc", ConversationFrom: "session_id",
		ToolFrom: "tool_name", PromptTitleFrom: "prompt", Event: "PreToolUse", Reply: true,
		SubagentFrom: "agent_id", PendingFrom: "background_tasks",
	}
	if err != nil || o != want {
		t.Errorf("parsed %+v, %v", o, err)
	}
	for _, bad := range []string{"", "busy", "working done", "working --tool-from", "done --verbose", "done -x", "--reply"} {
		if o, err := Parse(stdstrings.Fields(bad)); err == nil {
			t.Errorf("%q parsed as %+v", bad, o)
		}
	}
	if o, _ := Parse([]string{"--reply", "--unknown"}); !o.Reply {
		t.Error("a reply is lost behind an unknown argument")
	}
}

func TestMine(t *testing.T) {
	all := Options{State: "done", Transcript: true, ConversationFrom: "session_id", ToolFrom: "tool_name", PromptTitleFrom: "prompt", SubagentFrom: "agent_id", PendingFrom: "background_tasks"}
	for _, c := range []struct {
		name, payload string
		cut           bool
		want          found
	}{
		{"all", `{"session_id":"s-1","transcript_path":"/t.jsonl","tool_name":"Bash","prompt":"fix\nit"}`, false, found{conversation: "s-1", transcript: "/t.jsonl", tool: "Bash", prompt: "fix\nit"}},
		{"a sub-agent", `{"agent_id":"a-1","agent_type":"x"}`, false, found{subagent: "a-1"}},
		{"tasks that still run", `{"background_tasks":[{"id":"1","a":[1,2,3]},"x"]}`, false, found{pending: 2}},
		{"none", `{"background_tasks":[ ]}`, false, found{}},
		{"no list", `{"background_tasks":{"a":1}}`, false, found{}},
		{"nested", `{"tool_input":{"session_id":"NESTED","x":[{"prompt":"p"}]},"session_id":"real"}`, false, found{conversation: "real"}},
		{"nested only", `{"tool_input":{"session_id":"NESTED"}}`, false, found{}},
		{"in a string", `{"prompt":"say \"session_id\":\"x\" please"}`, false, found{prompt: `say "session_id":"x" please`}},
		{"escapes", `{"prompt":"a\"b\\c\u00e9\ud83d\ude00\ud83d!"}`, false, found{prompt: "a\"b\\cé😀\ufffd!"}},
		{"escaped key", `{"sess\u0069on_id":"x"}`, false, found{conversation: "x"}},
		{"not text", `{"session_id":7,"prompt":null,"tool_name":["x"]}`, false, found{}},
		{"the last counts", `{"session_id":"a","session_id":"b"}`, false, found{conversation: "b"}},
		{"even when it is no text", `{"session_id":"a","session_id":{}}`, false, found{}},
		{"space", " \n{ \"session_id\" : \"x\" , \"n\" : -1.5e+3 }\t", false, found{conversation: "x"}},
		{"no object", `["session_id"]`, false, found{}},
		{"empty", ``, false, found{}},
		{"broken", `{"session_id":"x","n":01}`, false, found{}},
		{"two", `{"session_id":"x"}{}`, false, found{}},
		{"ends early", `{"session_id":"x","content":"aaa`, false, found{}},
		{"cut", `{"session_id":"x","content":"aaa`, true, found{conversation: "x"}},
		{"cut in a number", `{"session_id":"x","n":12`, true, found{conversation: "x"}},
		{"cut and broken", `{"session_id":"x",,"content":"aaa`, true, found{}},
	} {
		if got := mine(&all, []byte(c.payload), c.cut); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	none := Options{State: "done"}
	if got := mine(&none, []byte(`{"":"x","transcript_path":"/t"}`), false); got != (found{}) {
		t.Errorf("unasked: %+v", got)
	}
	same := Options{State: "done", ConversationFrom: "x", ToolFrom: "x"}
	if got := mine(&same, []byte(`{"x":"y"}`), false); got != (found{conversation: "y", tool: "y"}) {
		t.Errorf("one field for two: %+v", got)
	}
}

// FuzzStrings holds the scanner to encoding/json: the same texts are objects,
// and the same members are strings with the same values.
func FuzzStrings(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":"b"}`, `{"a":"\ud800\udc00","b":[{"c":"d"}],"e":null}`, `{"a":1.5e3,"b":"\u0000"}`, `{"a":"b",}`,
		"{\"a\":\"\xff\"}", `{"a":"b"} x`, `[{}]`, `{"a":tru}`, "\ufeff{}", `{"a":-}`, `{"\ud83d":"x"}`, "{\"a\":\"\x01\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := map[string]string{}
		ok := members(data, false, func(k, v string, _ int) { got[k] = v })
		var doc map[string]any
		err := json.Unmarshal(data, &doc)
		if isNull := err == nil && doc == nil; ok != (err == nil && !isNull) {
			t.Fatalf("an object: %v, encoding/json says %v, %q", ok, err, data)
		}
		want := map[string]string{}
		for k, v := range doc {
			s, _ := v.(string)
			want[k] = s
		}
		if ok && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %s", data, cmp.Diff(want, got))
		}
		if !ok && len(got) > 0 {
			t.Fatalf("%q is no object and yields %q", data, got)
		}
		// A beginning never yields what the whole does not say before it.
		members(data[:len(data)/2], true, func(string, string, int) {})
	})
}

// TestFrames reads the reporter's frames as a host does.
func TestFrames(t *testing.T) {
	long := stdstrings.Repeat("é", 300)
	o := Options{State: "attention", Event: "Permission\"Request"}
	b := frames(&o, found{conversation: "id-1", transcript: "/t/x.jsonl", tool: "Bash\x1b[31m", prompt: "fix\n\"it\" \xff" + long}, "secret", "/home/ü")
	r := hostproto.NewReader(bytes.NewReader(b))
	next := func(into any) hostproto.Request {
		t.Helper()
		typ, p, err := r.Next()
		if err != nil || typ != hostproto.FrameControl {
			t.Fatalf("frame %c, %v", typ, err)
		}
		var q hostproto.Request
		if err := json.Unmarshal(p, &q); err != nil {
			t.Fatalf("%v in %s", err, p)
		}
		if err := json.Unmarshal(q.Body, into); err != nil {
			t.Fatalf("%v in %s", err, p)
		}
		return q
	}
	var h hostproto.Hello
	if q := next(&h); q.Op != hostproto.OpHello || h.Role != hostproto.RoleControl || h.Min > hostproto.MaxVersion || h.Max < hostproto.MinVersion {
		t.Errorf("hello %+v %+v", q, h)
	}
	var rep hostproto.Report
	if q := next(&rep); q.Op != hostproto.OpReport || q.ID == 0 {
		t.Errorf("request %+v", q)
	}
	want := hostproto.Report{
		State: "attention", Token: "secret", Event: "Permission\"Request", Conversation: "id-1", Transcript: "/t/x.jsonl",
		Tool: "Bash\x1b[31m", PromptTitle: "fix\n\"it\" \ufffd", Cwd: "/home/ü",
	}
	got := rep
	got.PromptTitle = stdstrings.TrimRight(got.PromptTitle, "é")
	if got != want {
		t.Error(cmp.Diff(want, got))
	}
	if n := len(rep.PromptTitle); n > 2*maxText+3 || n < 2*maxText-3 {
		t.Errorf("a title of %d bytes", n)
	}
	if _, _, err := r.Next(); err == nil {
		t.Error("there is a third frame")
	}
	for _, id := range []string{"", "-x", ".x", "a b", "a/b", "$(x)", stdstrings.Repeat("a", 129)} {
		if b := frames(&o, found{conversation: id}, "", ""); bytes.Contains(b, []byte(`"conversation"`)) {
			t.Errorf("%q was sent as an id", id)
		}
	}
}

func TestAnswered(t *testing.T) {
	reply := hostproto.AppendFrame(nil, hostproto.FrameReply, []byte(`{"id":1,"body":{}}`))
	event := hostproto.AppendFrame(nil, hostproto.FrameEvent, []byte(`{}`))
	both := append(append(append([]byte{}, reply...), event...), reply...)
	for n := range len(both) {
		if answered(both[:n]) {
			t.Errorf("answered after %d of %d bytes", n, len(both))
		}
	}
	if !answered(both) || !answered([]byte{'R', 0xff, 0xff, 0xff, 0xff}) {
		t.Error("not answered at the end")
	}
}
