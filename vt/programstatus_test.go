package vt

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestParseProgramStatus(t *testing.T) {
	seg := func(n int) string { return strings.Repeat("a", n) }
	none := ProgramStatus{Progress: -1}
	status := func(f func(*ProgramStatus)) ProgramStatus { s := none; f(&s); return s }
	working := status(func(s *ProgramStatus) { s.State = ProgramWorking })
	tests := []struct {
		name, payload string
		want          ProgramStatus
	}{
		{"query", "?", status(func(s *ProgramStatus) { s.Query = true })},
		{"Claude Code works", "state=working:app=claude-code", status(func(s *ProgramStatus) { s.State, s.App = ProgramWorking, "claude-code" })},
		{
			"Claude Code asks", "state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCB0b29sLXJhbi50eHQgJiYgZWNobyB0b29sLXJhbi1vaw==",
			ProgramStatus{State: ProgramBlocked, App: "claude-code", Kind: BlockPermission, Progress: -1, Msg: "approve Bash: touch tool-ran.txt && echo tool-ran-ok"},
		},
		{
			"Claude Code's question", "state=blocked:app=claude-code:kind=question:msg=YW5zd2VyOiBXaGljaCBjb2xvdXIgc2hvdWxkIHRoZSBidXR0b24gYmU/IChSZWQgwrcgQmx1ZSk=",
			ProgramStatus{State: ProgramBlocked, App: "claude-code", Kind: BlockQuestion, Progress: -1, Msg: "answer: Which colour should the button be? (Red · Blue)"},
		},
		{"Codex asks", "state=blocked:app=codex:kind=question", ProgramStatus{State: ProgramBlocked, App: "codex", Kind: BlockQuestion, Progress: -1}},
		{"idle", "state=idle", status(func(s *ProgramStatus) { s.State = ProgramIdle })},
		{"done", "state=done", status(func(s *ProgramStatus) { s.State = ProgramDone })},
		{"error", "state=error", status(func(s *ProgramStatus) { s.State = ProgramError })},
		{"clear", "state=clear", status(func(s *ProgramStatus) { s.State = ProgramClear })},
		{"clear a record", "state=clear:id=a/b:app=x:msg=" + b64("x"), status(func(s *ProgramStatus) { s.State, s.ID = ProgramClear, "a/b" })},
		{"order does not matter", "app=pi:state=working", status(func(s *ProgramStatus) { s.State, s.App = ProgramWorking, "pi" })},
		{"unknown keys", "x=1:state=working:future=a=b:y=", working},
		{"key too long", "state=working:" + seg(17) + "=1", working},
		{"no value", "state=working:junk::", working},
		{"last one counts", "state=idle:state=working", working},

		{"child", "state=working:id=tasks/build-1", status(func(s *ProgramStatus) { s.State, s.ID = ProgramWorking, "tasks/build-1" })},
		{"every character of an id", "state=working:id=aZ09._+-", status(func(s *ProgramStatus) { s.State, s.ID = ProgramWorking, "aZ09._+-" })},
		{"8 segments", "state=working:id=a/b/c/d/e/f/g/h", status(func(s *ProgramStatus) { s.State, s.ID = ProgramWorking, "a/b/c/d/e/f/g/h" })},
		{"segment of 32", "state=working:id=" + seg(32), status(func(s *ProgramStatus) { s.State, s.ID = ProgramWorking, seg(32) })},
		{
			"id of 128", "state=working:id=" + seg(31) + "/" + seg(32) + "/" + seg(32) + "/" + seg(30),
			status(func(s *ProgramStatus) {
				s.State, s.ID = ProgramWorking, seg(31)+"/"+seg(32)+"/"+seg(32)+"/"+seg(30)
			}),
		},

		{"app of 32", "state=working:app=" + seg(32), status(func(s *ProgramStatus) { s.State, s.App = ProgramWorking, seg(32) })},
		{"app of 33 is absent", "state=working:app=" + seg(33), working},
		{"bad app is absent", "state=working:app=a b", working},
		{"app with a slash is absent", "state=working:app=a/b", working},
		{"empty app is absent", "state=working:app=", working},

		{"auth", "state=blocked:kind=auth", ProgramStatus{State: ProgramBlocked, Kind: BlockAuth, Progress: -1}},
		{"unknown kind is absent", "state=blocked:kind=other", ProgramStatus{State: ProgramBlocked, Progress: -1}},
		{"kind before state", "kind=auth:state=blocked", ProgramStatus{State: ProgramBlocked, Kind: BlockAuth, Progress: -1}},
		{"kind only with blocked", "state=working:kind=auth", working},

		{"progress 0", "state=working:progress=0", ProgramStatus{State: ProgramWorking, Progress: 0}},
		{"progress 100", "state=blocked:progress=100", ProgramStatus{State: ProgramBlocked, Progress: 100}},
		{"progress 101 is absent", "state=working:progress=101", working},
		{"progress -1 is absent", "state=working:progress=-1", working},
		{"progress 5.5 is absent", "state=working:progress=5.5", working},
		{"progress 0005 is absent", "state=working:progress=0005", working},
		{"empty progress is absent", "state=working:progress=", working},
		{"progress of done is absent", "state=done:progress=50", status(func(s *ProgramStatus) { s.State = ProgramDone })},

		{"title", "state=working:title=" + b64("Строка"), status(func(s *ProgramStatus) { s.State, s.Title = ProgramWorking, "Строка" })},
		{"title of 192", "state=working:title=" + b64(seg(192)), status(func(s *ProgramStatus) { s.State, s.Title = ProgramWorking, seg(192) })},
		{"msg of 2048", "state=working:msg=" + b64(seg(2048)), status(func(s *ProgramStatus) { s.State, s.Msg = ProgramWorking, seg(2048) })},
		{"empty msg", "state=working:msg=", working},
		{"no-break space is no control", "state=working:msg=" + b64("\u00a0"), status(func(s *ProgramStatus) { s.State, s.Msg = ProgramWorking, "\u00a0" })},
		{"a long sequence", "state=working:x=" + seg(4096-8-len("state=working:x=")), working},
	}
	for _, tt := range tests {
		got, ok := ParseProgramStatus([]byte(tt.payload))
		if !ok || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, ok, tt.want)
		}
	}
	for name, payload := range map[string]string{
		"empty":                   "",
		"no state":                "app=codex",
		"unknown state":           "state=sleeping",
		"state in capitals":       "state=Working",
		"empty state":             "state=",
		"query with more":         "?x",
		"unknown after known":     "state=working:state=x",
		"empty id":                "state=working:id=",
		"empty segment":           "state=working:id=a//b",
		"leading slash":           "state=working:id=/a",
		"trailing slash":          "state=working:id=a/",
		"9 segments":              "state=working:id=a/b/c/d/e/f/g/h/i",
		"segment of 33":           "state=working:id=" + seg(33),
		"id of 129":               "state=working:id=" + seg(32) + "/" + seg(32) + "/" + seg(32) + "/" + seg(30),
		"bad character in id":     "state=working:id=a b",
		"id not ASCII":            "state=working:id=é",
		"bad id of a clear":       "state=clear:id=a//b",
		"title of 193":            "state=working:title=" + b64(seg(193)),
		"msg of 2049":             "state=working:msg=" + b64(seg(2049)),
		"msg not base64":          "state=working:msg=!!!!",
		"msg not padded":          "state=working:msg=YQ",
		"msg with stray bits":     "state=working:msg=YR==",
		"msg with a line break":   "state=working:msg=YWJj\nYWJj",
		"msg not UTF-8":           "state=working:msg=" + b64("a\xff"),
		"C0 in msg":               "state=working:msg=" + b64("a\nb"),
		"ESC in msg":              "state=working:msg=" + b64("a\x1b[2J"),
		"DEL in msg":              "state=working:msg=" + b64("a\x7f"),
		"C1 in msg":               "state=working:msg=" + b64("a\u009b2J"),
		"C0 in title":             "state=working:title=" + b64("\x00"),
		"bad title of a clear":    "state=clear:title=x",
		"sequence too long":       "state=working:x=" + seg(4096-7-len("state=working:x=")),
		"bad msg, good msg":       "state=working:msg=!:msg=" + b64("ok"),
		"spaces around the state": "state= working",
	} {
		if got, ok := ParseProgramStatus([]byte(payload)); ok || got != (ProgramStatus{}) {
			t.Errorf("%s: %+v, %v; want nothing", name, got, ok)
		}
	}
}

func FuzzParseProgramStatus(f *testing.F) {
	for _, s := range []string{"?", "state=working:app=pi", "state=blocked:kind=auth:progress=3:msg=YQ==:title=YQ==", "state=clear:id=a/b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		s, ok := ParseProgramStatus(payload)
		if !ok {
			return
		}
		if s.Progress < -1 || s.Progress > 100 || len(s.ID) > 128 || len(s.App) > 32 || len(s.Title) > 192 || len(s.Msg) > 2048 {
			t.Fatalf("%q: %+v is out of bounds", payload, s)
		}
		if s.Kind != "" && s.State != ProgramBlocked {
			t.Fatalf("%q: %+v", payload, s)
		}
		for _, r := range s.Title + s.Msg {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || !utf8.ValidRune(r) {
				t.Fatalf("%q: control U+%04X", payload, r)
			}
		}
	})
}

func TestParseProgress(t *testing.T) {
	tests := []struct {
		payload string
		want    Progress
	}{
		{"4;0", Progress{ProgressNone, -1}},
		{"4;0;", Progress{ProgressNone, -1}},
		{"4;0;50", Progress{ProgressNone, -1}},
		{"4;0;junk", Progress{ProgressNone, -1}},
		{"4;1;0", Progress{ProgressNormal, 0}},
		{"4;1;50", Progress{ProgressNormal, 50}},
		{"4;1;100", Progress{ProgressNormal, 100}},
		{"4;1;", Progress{ProgressNormal, -1}},
		{"4;1;-1", Progress{ProgressNormal, -1}},
		{"4;3;", Progress{ProgressIndeterminate, -1}},
		{"4;3;0", Progress{ProgressIndeterminate, 0}},
		{"4;2", Progress{ProgressError, -1}},
		{"4;2;10", Progress{ProgressError, 10}},
		{"4;4", Progress{ProgressPaused, -1}},
		{"4;4;", Progress{ProgressPaused, -1}},
	}
	for _, tt := range tests {
		if got, ok := parseProgress([]byte(tt.payload)); !ok || got != tt.want {
			t.Errorf("%q: %+v, %v; want %+v", tt.payload, got, ok, tt.want)
		}
	}
	for _, s := range []string{
		"", "4", "4;", "4;1", "4;3", "4;5", "4;9", "4;10;5", "4;1;101", "4;1;-2", "4;1;abc", "4;1;5;6", "4;0;5;6", "4;0;;", "4;1;1000", "4;1; 5",
		"hello", "9", "9;path", "44;1;5", "4;1;5.0", "4;0;" + strings.Repeat("1", 19), "4;-1;5", "4;1:5",
	} {
		if got, ok := parseProgress([]byte(s)); ok || got.Percent != -1 {
			t.Errorf("%q: %+v, %v; want nothing", s, got, ok)
		}
	}
	if _, ok := parseProgress([]byte("4;0;" + strings.Repeat("1", 18))); !ok {
		t.Error("24 bytes are within the limit")
	}
}

func FuzzParseProgress(f *testing.F) {
	for _, s := range []string{"4;0", "4;1;50", "4;3;", "4;2;-1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		if p, ok := parseProgress(payload); ok && (p.Percent < -1 || p.Percent > 100 || p.State > ProgressPaused) {
			t.Fatalf("%q: %+v", payload, p)
		}
	})
}
