package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paths"
)

// titles are the session rows of the sidebar, in order.
func (d *desk) sessionRows() (out []string) {
	for _, r := range d.m.rows() {
		if r.kind == rowSession || r.kind == rowProject {
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(r.key, "session termio://session/0000000"), "project "))
		}
	}
	for i, k := range out {
		out[i] = strings.TrimSuffix(k, "-0000-4000-8000-000000000000")
	}
	return out
}

func (d *desk) rowsAre(what string, want ...string) {
	d.t.Helper()
	if got := d.sessionRows(); !slices.Equal(got, want) {
		d.t.Errorf("%s: rows %q, want %q", what, got, want)
	}
}

func TestPinAndMove(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.rowsAre("as it comes", "/home/u/shop", "1", "4", "3", "2", "/home/u/api", "5", "6")
	d.m.cursor = "session " + linkOf(4)
	d.press("{")
	d.rowsAre("moved up", "/home/u/shop", "4", "1", "3", "2", "/home/u/api", "5", "6")
	d.press("}", "}")
	d.rowsAre("moved down", "/home/u/shop", "1", "3", "4", "2", "/home/u/api", "5", "6")
	if d.m.cursorLink() != linkOf(4) {
		t.Error("the cursor does not stay on what was moved")
	}
	d.press("}") // the last one stays
	d.rowsAre("at the end", "/home/u/shop", "1", "3", "4", "2", "/home/u/api", "5", "6")
	d.m.cursor = "session " + linkOf(6)
	d.press("P")
	d.m.cursor = "session " + linkOf(4)
	d.press("P")
	d.rowsAre("pinned", "6", "4", "/home/u/shop", "1", "3", "2", "/home/u/api", "5")
	if s := d.screen(); !strings.Contains(s, "pinned") || !strings.Contains(s, "api: look around") {
		t.Errorf("the section of those that are pinned is not seen:\n%s", s)
	}
	d.press("{")
	d.rowsAre("moved among the pinned", "4", "6", "/home/u/shop", "1", "3", "2", "/home/u/api", "5")
	d.press("P")
	d.rowsAre("not pinned any more", "6", "/home/u/shop", "1", "3", "4", "2", "/home/u/api", "5")
	d.m.cursor = "project /home/u/api"
	d.press("{")
	d.rowsAre("a project moved", "6", "/home/u/api", "5", "/home/u/shop", "1", "3", "4", "2")
	// All of it is kept, and comes back.
	var kept Kept
	for _, e := range take[keepEffect](d) {
		kept.apply(e.Change)
	}
	again := full(t, 120, 40, func(s *Setup) { s.Kept = kept })
	again.rowsAre("the next time", "6", "/home/u/api", "5", "/home/u/shop", "1", "3", "4", "2")
}

func TestGroups(t *testing.T) {
	d := full(t, 120, 40, nil)
	shown := func() (out []string) {
		for _, l := range d.m.tree().leaves() {
			out = append(out, l.Session)
		}
		return out
	}
	is := func(what string, links ...string) {
		t.Helper()
		if got := shown(); !slices.Equal(got, links) {
			t.Errorf("%s: %q are shown, want %q", what, got, links)
		}
	}
	is("at first", linkOf(1))
	d.press("m")
	if s := d.screen(); !strings.Contains(s, "Show beside refactor the parser") {
		t.Fatalf("no question what to group with:\n%s", s)
	}
	d.press("changelog", "enter")
	is("grouped", linkOf(1), linkOf(4))
	d.m.cursor = "session " + linkOf(3)
	d.effects = append(d.effects, d.m.show(linkOf(3))...)
	is("another one is alone", linkOf(3))
	d.effects = append(d.effects, d.m.show(linkOf(1))...)
	is("the group is as it was", linkOf(1), linkOf(4))
	// A session that is in a group goes to the new one only.
	d.effects = append(d.effects, d.m.show(linkOf(3))...)
	d.effects = append(d.effects, d.m.splitWith(true, linkOf(4))...)
	is("a second group", linkOf(3), linkOf(4))
	d.effects = append(d.effects, d.m.show(linkOf(1))...)
	is("the first is none any more", linkOf(1))
	var kept Kept
	for _, e := range take[keepEffect](d) {
		data, err := json.Marshal(e.Change.Layout)
		if err != nil {
			t.Fatal(err)
		}
		var l *Layout
		if err := json.Unmarshal(data, &l); err != nil {
			t.Fatal(err)
		}
		e.Change.Layout = l
		kept.apply(e.Change)
	}
	again := full(t, 120, 40, func(s *Setup) { s.Kept = kept })
	again.effects = append(again.effects, again.m.show(linkOf(4))...)
	if got := again.m.tree().leaves(); len(got) != 2 || got[0].Session != linkOf(3) || again.m.tree().Down != true {
		t.Errorf("the group was not kept: %v", got)
	}
	d.effects = append(d.effects, d.m.show(linkOf(3))...)
	d.press("u")
	if len(shown()) != 1 || len(d.m.layouts["/home/u/shop"].Groups) != 0 {
		t.Errorf("ungrouped, %q are shown, groups %v", shown(), d.m.layouts["/home/u/shop"].Groups)
	}
	// Where nothing else is there, a split starts a terminal beside.
	d.m.fleet.Sessions = slices.DeleteFunc(d.m.fleet.Sessions, func(s api.Session) bool { return s.Link != d.m.active.Session })
	at := d.m.active.Session
	take[Effect](d)
	d.press("v")
	calls := take[callEffect](d)
	if len(calls) != 1 || calls[0].Request.(api.SpawnRequest).Agent != plainAgent {
		t.Fatalf("%+v", calls)
	}
	d.say(calledMsg{Effect: calls[0], Reply: &api.SpawnReply{Target: linkOf(9), Title: "Terminal"}})
	is("split with a new terminal", at, linkOf(9))
}

// TestTwoFacesKeepOneAnothers has two faces write at the same time.
func TestTwoFacesKeepOneAnothers(t *testing.T) {
	layout := paths.Layout{Home: t.TempDir()}
	a, _, _, problems := openStore(layout)
	b, _, _, more := openStore(layout)
	if len(problems)+len(more) > 0 {
		t.Fatal(problems, more)
	}
	var both sync.WaitGroup
	for i, s := range []*store{a, b} {
		both.Go(func() {
			for range 20 {
				project := []string{"/one", "/two"}[i]
				s.keep(change{Project: project, Layout: &Layout{Shown: "of " + project}})
				s.keep(change{Pin: linkOf(i)})
				s.keep(change{Recent: project})
			}
		})
	}
	both.Wait()
	a.close()
	b.close()
	var kept Kept
	if err := readJSON(a.state, &kept); err != nil {
		t.Fatal(err)
	}
	slices.Sort(kept.Pins)
	slices.Sort(kept.Recent)
	if len(kept.Layouts) != 2 || kept.Layouts["/one"].Shown != "of /one" || !slices.Equal(kept.Pins, []string{linkOf(0), linkOf(1)}) || !slices.Equal(kept.Recent, []string{"/one", "/two"}) {
		t.Errorf("%+v", kept)
	}
	// What another face wrote comes here, what was written here does not.
	a.keep(change{Pin: linkOf(7)})
	a.close()
	a.news()
	if _, news := a.news(); news {
		t.Error("what it wrote itself is news")
	}
	if err := os.Chtimes(a.state, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if k, news := a.news(); !news || !slices.Contains(k.Pins, linkOf(7)) {
		t.Error("what another one wrote is not told")
	}
	d := full(t, 120, 40, nil)
	d.say(keptMsg{Kept{Pins: []string{linkOf(6)}}})
	d.rowsAre("another face pinned", "6", "/home/u/shop", "1", "4", "3", "2", "/home/u/api", "5")
	if err := os.WriteFile(a.state, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, problems := openStore(layout); len(problems) != 1 {
		t.Errorf("a broken file: %q", problems)
	}
	a.keep(change{Pin: linkOf(3)})
	a.close()
	if k, _ := os.ReadFile(a.state); !strings.Contains(string(k), linkOf(3)) {
		t.Errorf("a broken file is not written anew: %s", k)
	}
}

func TestRestoreOffer(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.say(rosterMsg{Reply: api.ListReply{Sessions: roster(), Lost: 3}})
	if s := d.screen(); !strings.Contains(s, "3 sessions lost; O reopens") {
		t.Fatalf("no offer:\n%s", s)
	}
	take[Effect](d)
	d.press("O")
	calls := take[callEffect](d)
	if len(calls) != 1 || !calls[0].Request.(api.ReopenRequest).Lost {
		t.Fatalf("%+v", calls)
	}
	d.say(calledMsg{Effect: calls[0], Reply: &api.ReopenReply{Sessions: []api.Reopened{{Target: linkOf(1)}, {Target: linkOf(2), Error: api.Errorf(api.CodeBadOp, "the store is gone")}}}})
	if s := d.screen(); strings.Contains(s, "lost;") || !strings.Contains(s, "reopened 1 session, 1 session not: the store is gone") {
		t.Errorf("after it:\n%s", s)
	}
	// Let go of, they are told of no more, but those that are lost later are.
	d.say(rosterMsg{Reply: api.ListReply{Sessions: roster(), Lost: 2}})
	d.press("g", "x")
	d.say(rosterMsg{Reply: api.ListReply{Sessions: roster(), Lost: 2}})
	if s := d.screen(); strings.Contains(s, "2 sessions lost") {
		t.Errorf("let go of:\n%s", s)
	}
	d.say(rosterMsg{Reply: api.ListReply{Sessions: roster(), Lost: 3}})
	if s := d.screen(); !strings.Contains(s, "1 session lost") {
		t.Errorf("one more:\n%s", s)
	}
	var kept Kept
	for _, e := range take[keepEffect](d) {
		kept.apply(e.Change)
	}
	if kept.LetGo != 2 {
		t.Errorf("%d are let go of", kept.LetGo)
	}
}

func TestQuickOpenFolders(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{"code/api", "code/app", "code/.hidden", "other"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "code/a-file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := readFolders("", foldersEffect{Typed: "~/code/a", User: base})
	if want := []string{filepath.Join(base, "code/api"), filepath.Join(base, "code/app")}; !slices.Equal(got.Folders, want) {
		t.Errorf("%q, want %q", got.Folders, want)
	}
	if got := readFolders("", foldersEffect{Typed: "~x", User: base}); len(got.Folders) != 0 {
		t.Errorf("another person's directory: %q", got.Folders)
	}
	d := full(t, 120, 40, func(s *Setup) { s.Kept.Recent = []string{"/home/u/old", "/home/u/shop"} })
	take[Effect](d)
	d.press("/")
	asked := take[foldersEffect](d)
	if len(asked) != 1 || asked[0].Typed != "" {
		t.Fatalf("%+v", asked)
	}
	d.say(foldersMsg{Effect: asked[0], Folders: []string{"/srv/site", "/home/u/old"}})
	if s := d.screen(); strings.Count(s, "~/old") != 1 || !strings.Contains(s, "/srv/site") || strings.Contains(s, "~/shop ") {
		t.Errorf("recent folders:\n%s", s)
	}
	d.press("~/ol")
	asked = take[foldersEffect](d)
	if len(asked) == 0 || asked[len(asked)-1].Typed != "~/ol" || asked[0].User != "/home/u" {
		t.Fatalf("%+v", asked)
	}
	d.say(foldersMsg{Effect: asked[0], Folders: []string{"/home/u/stale"}}, foldersMsg{Effect: asked[len(asked)-1], Folders: []string{"/home/u/older"}})
	if s := d.screen(); strings.Contains(s, "stale") || !strings.Contains(s, "~/older") {
		t.Errorf("typed:\n%s", s)
	}
	d.press("enter")
	calls := take[callEffect](d)
	if len(calls) != 1 || calls[0].Request.(api.OpenRequest).Dir != "/home/u/older" {
		t.Fatalf("%+v", calls)
	}
	d.say(calledMsg{Effect: calls[0], Reply: &api.OpenReply{Dir: "/home/u/older"}})
	d.rowsAre("opened", "/home/u/older", "/home/u/api", "5", "6", "/home/u/shop", "1", "4", "3", "2")
	if d.m.where() != "/home/u/older" {
		t.Errorf("new sessions start in %s", d.m.where())
	}
}

func TestNewSessionForm(t *testing.T) {
	d := full(t, 120, 40, func(s *Setup) { s.Kept.Agent = "codex" })
	take[Effect](d)
	d.press("n")
	calls := take[callEffect](d)
	if len(calls) != 2 {
		t.Fatalf("%+v", calls)
	}
	if c := calls[1].Request.(api.WorktreesRequest).Caller; c.Project != "/home/u/shop" || c.All {
		t.Errorf("worktrees of %+v", c)
	}
	d.say(calledMsg{Effect: calls[0], Reply: &api.AgentsReply{Agents: []api.Agent{
		{ID: "terminal", Name: "Terminal", Found: true},
		{ID: "claudeCode", Name: "Claude Code", Found: true, Bypass: true},
		{ID: "codex", Name: "Codex", Found: true},
		{ID: "gemini", Name: "Gemini CLI", Install: "npm install -g @google/gemini-cli"},
	}}}, calledMsg{Effect: calls[1], Reply: &api.WorktreesReply{Worktrees: []api.WorktreeRow{{Name: "shop", Dir: "/home/u/shop", Main: true}, {Name: "login", Dir: "/trees/login"}}}})
	if s := d.screen(); !strings.Contains(s, "▸ ⬡ Codex") || strings.Contains(s, "Bypass") {
		t.Errorf("the agent that was used last, which has no bypass switch:\n%s", s)
	}
	d.press("down") // not installed
	d.press("enter")
	if s := d.screen(); !strings.Contains(s, "Gemini CLI is not installed; get it: npm install") {
		t.Errorf("no hint:\n%s", s)
	}
	d.press("up", "up", "tab", "first").say(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt})
	d.press("second").say(tea.PasteMsg{Content: "\r\npasted\r\nlines"})
	d.press("tab", "a title", "tab", "space", "space", "tab", "spike", "tab", "v1", "tab", "space", "tab", "space", "enter")
	calls = take[callEffect](d)
	if len(calls) != 1 {
		t.Fatalf("%d calls:\n%s", len(calls), d.screen())
	}
	r := calls[0].Request.(api.SpawnRequest)
	if r.Agent != "claudeCode" || r.Prompt != "first\nsecond\npasted\nlines" || r.Title != "a title" || r.Worktree != "spike" || r.Base != "v1" || r.Dir != "/home/u/shop" || !r.Bypass || r.ACP == nil {
		t.Errorf("%+v", r)
	}
	// What was typed is not lost where it cannot be started.
	d.say(calledMsg{Effect: calls[0], Err: api.Errorf(api.CodeBadRequest, "there is no commit v1")})
	if s := d.screen(); !strings.Contains(s, "there is no commit v1") || !strings.Contains(s, "second") {
		t.Errorf("after a failure:\n%s", s)
	}
	d.press("tab", "tab", "tab", "tab", "tab", "up") // to a worktree that there is
	d.m.overlay.(*newView).turnTo(fieldTree)
	d.say(tea.KeyPressMsg{Code: tea.KeyLeft}).press("enter")
	calls = take[callEffect](d)
	if len(calls) != 1 || calls[0].Request.(api.SpawnRequest).Dir != "/trees/login" || calls[0].Request.(api.SpawnRequest).Worktree != "" {
		t.Errorf("%+v", calls)
	}
}

// TestRelaunched follows a session that ends and lives again while it is looked
// at, whether the roster noticed in between or not.
func TestRelaunched(t *testing.T) {
	exited := func(d *desk) {
		p := d.m.panes[linkOf(1)]
		d.say(hostMsg{Link: linkOf(1), Run: p.run, Messages: []hostproto.Message{{Type: hostproto.FrameEvent, Event: &hostproto.Event{Type: hostproto.EventExited, Closed: &hostproto.Closed{Reason: hostproto.ReasonExited}}}}})
	}
	d := full(t, 120, 40, nil)
	d.press("enter").connect(linkOf(1), "before")
	exited(d)
	if d.m.focus != onSidebar {
		t.Fatal("keys go to a session that has ended")
	}
	take[Effect](d)
	d.say(rosterMsg{Reply: api.ListReply{Sessions: roster()}}) // asked for before
	if n := len(take[dialEffect](d)); n != 0 {
		t.Fatalf("connected %d times for a roster of before", n)
	}
	d.now = d.now.Add(time.Second)
	d.say(watchMsg{Event: &api.WatchEvent{Link: linkOf(1), Status: idle}}, rosterMsg{Reply: api.ListReply{Sessions: roster()}})
	dials := take[dialEffect](d)
	if len(dials) != 1 || !dials[0].Types {
		t.Fatalf("%+v", dials)
	}
	d.connect(linkOf(1), "after")
	if s := d.screen(); !strings.Contains(s, "after") || d.m.focus != onPane || d.m.typing() == nil {
		t.Errorf("it is not typed into again:\n%s", s)
	}
	// One that has not come back keeps its last picture; a key that was pressed
	// meanwhile says that nobody waits for it.
	exited(d)
	d.now = d.now.Add(time.Second)
	d.say(watchMsg{Event: &api.WatchEvent{Link: linkOf(1), Status: idle}}, rosterMsg{Reply: api.ListReply{Sessions: roster()}})
	p := d.m.panes[linkOf(1)]
	d.say(hostUpMsg{Link: linkOf(1), Run: p.run, Err: api.Errorf(api.CodeNotLive, "it is gone")})
	if s := d.screen(); p.ended != "exited" || !strings.Contains(s, "after") || !strings.Contains(s, "exited") {
		t.Errorf("%q:\n%s", p.ended, s)
	}
	d.now = d.now.Add(time.Second)
	d.press("j", "k")
	d.say(watchMsg{Event: &api.WatchEvent{Link: linkOf(1), Status: idle}}, rosterMsg{Reply: api.ListReply{Sessions: roster()}})
	d.connect(linkOf(1), "third")
	if s := d.screen(); !strings.Contains(s, "third") || d.m.focus != onSidebar {
		t.Errorf("focus %v:\n%s", d.m.focus, s)
	}
}
