package host

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

func TestRecordIsWrittenSeldomAndWhole(t *testing.T) {
	dir := t.TempDir()
	w := NewRecordWriter(dir, func(err error) { t.Error(err) })
	if err := w.SaveNow(hostproto.Record{ID: "x", LiveTitle: "first"}); err != nil {
		t.Fatal(err)
	}
	// From here on timers fire when the test says so.
	var due []func()
	var waits []time.Duration
	w.after = func(d time.Duration, f func()) *time.Timer {
		due, waits = append(due, f), append(waits, d)
		return time.NewTimer(time.Hour)
	}
	for range 100 {
		w.Save(hostproto.Record{ID: "x", LiveTitle: "frame"}, false)
		w.Save(hostproto.Record{ID: "x", LiveTitle: "newest"}, false)
	}
	if len(due) != 1 || waits[0] < recordInterval/2 {
		t.Fatalf("%d writes are due, after %v", len(due), waits)
	}
	if r := readTestRecord(t, dir); r.LiveTitle != "first" {
		t.Errorf("written too soon: %q", r.LiveTitle)
	}
	w.Save(hostproto.Record{ID: "x", LiveTitle: "urgent", State: "done"}, true)
	if len(due) != 2 || waits[1] != 0 {
		t.Fatalf("an urgent record waits: %v", waits)
	}
	due[1]()
	if r := readTestRecord(t, dir); r.LiveTitle != "urgent" {
		t.Errorf("on disk is %q", r.LiveTitle)
	}
	if err := os.Remove(filepath.Join(dir, RecordName)); err != nil {
		t.Fatal(err)
	}
	w.Save(hostproto.Record{ID: "x", LiveTitle: "urgent", State: "done"}, true)
	due[2]()
	if _, err := os.Stat(filepath.Join(dir, RecordName)); err == nil {
		t.Error("the same record is written again")
	}
	w.Save(hostproto.Record{ID: "x", LiveTitle: "another", State: "done"}, true)
	due[3]()
	st, err := os.Stat(filepath.Join(dir, RecordName))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st.Mode(), err)
	}
}

func TestRecordFailureIsReportedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not there yet")
	failures := 0
	w := NewRecordWriter(dir, func(error) { failures++ })
	for i := range 5 {
		if err := w.SaveNow(hostproto.Record{ID: "x", ChildPID: i}); err == nil {
			t.Fatal("no error")
		}
	}
	if failures != 1 {
		t.Errorf("reported %d times", failures)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := w.SaveNow(hostproto.Record{ID: "x"}); err != nil {
		t.Fatal(err)
	}
}

func readTestRecord(t *testing.T, dir string) hostproto.Record {
	t.Helper()
	var r hostproto.Record
	data, err := os.ReadFile(filepath.Join(dir, RecordName))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// nothing is a session without a program.
type nothing struct {
	mu    sync.Mutex
	tee   *Tee
	hub   *Hub
	input []byte
}

func (n *nothing) Info() hostproto.Info             { return hostproto.Info{} }
func (n *nothing) Subscribe(p *Peer) hostproto.Info { return hostproto.Info{Seq: n.hub.Subscribe(p)} }
func (n *nothing) Attached(*Peer)                   {}
func (n *nothing) Left(*Peer)                       {}
func (n *nothing) Owns(*Peer)                       {}
func (n *nothing) Snapshot(p *Peer) (Snapshot, bool) {
	return Snapshot{Data: []byte("snap"), Owner: n.hub.Owner() == p, Cursor: n.tee.Join()}, true
}

func (n *nothing) Input(_ *Peer, data []byte) {
	n.mu.Lock()
	n.input = append(n.input, data...)
	n.mu.Unlock()
}

func (n *nothing) Control(_ *Peer, q hostproto.Request, reply func(any, *hostproto.Error)) {
	if q.Op == "later" {
		go reply(q.Op, nil)
		return
	}
	reply(q.Op, nil)
}

func serve(t *testing.T) (*nothing, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "hub")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s.sock")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	n := &nothing{hub: NewHub()}
	n.tee, _ = NewTee()
	go NewServer(n, n.hub).Serve(l)
	return n, path
}

func dial(t *testing.T, path string, role hostproto.Role) *hostproto.Client {
	t.Helper()
	c, err := hostproto.Dial(t.Context(), path, hostproto.Hello{Role: role})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestNoEventIsLostAfterSubscribe subscribes while events pour: the first one
// that comes is the one after the state in the reply.
func TestNoEventIsLostAfterSubscribe(t *testing.T) {
	n, path := serve(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				n.hub.Publish(hostproto.Event{Type: hostproto.EventTitle}, false)
				time.Sleep(10 * time.Microsecond)
			}
		}
	})
	for range 20 {
		c := dial(t, path, hostproto.RoleControl)
		info, err := c.Subscribe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for want := info.Seq + 1; want < info.Seq+50; want++ {
			m, err := c.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if m.Event.Seq != want {
				t.Fatalf("event %d, want %d", m.Event.Seq, want)
			}
		}
		c.Close()
	}
	close(stop)
	wg.Wait()
}

// TestPeerThatDoesNotReadIsCutOff keeps memory bounded and others served.
func TestPeerThatDoesNotReadIsCutOff(t *testing.T) {
	n, path := serve(t)
	deaf, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	body, _ := json.Marshal(hostproto.Hello{Min: 1, Max: 1, Role: hostproto.RoleControl})
	wire, _ := hostproto.AppendJSON(nil, hostproto.FrameControl, hostproto.Request{Op: hostproto.OpHello, ID: 1, Body: body})
	wire, _ = hostproto.AppendJSON(wire, hostproto.FrameControl, hostproto.Request{Op: hostproto.OpSubscribe, ID: 2})
	if _, err := deaf.Write(wire); err != nil {
		t.Fatal(err)
	}
	good := dial(t, path, hostproto.RoleControl)
	for subscribed := 0; subscribed == 0; {
		n.hub.mu.Lock()
		subscribed = len(n.hub.subscribers)
		n.hub.mu.Unlock()
	}
	big := string(make([]byte, 100<<10))
	for range 100 {
		n.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: big}, false)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for left := 1; left > 0; {
		if ctx.Err() != nil {
			t.Fatal("the deaf peer is still there")
		}
		n.hub.mu.Lock()
		left = len(n.hub.subscribers)
		n.hub.mu.Unlock()
	}
	var op string
	if err := good.Call(ctx, "later", nil, &op); err != nil || op != "later" {
		t.Errorf("another peer: %q %v", op, err)
	}
}

func TestOnlyTheOwnersInputCounts(t *testing.T) {
	n, path := serve(t)
	first := dial(t, path, hostproto.RoleInteract)
	untilReady(t, first, true)
	second := dial(t, path, hostproto.RoleInteract)
	untilReady(t, second, true)
	observer := dial(t, path, hostproto.RoleObserve)
	untilReady(t, observer, false)
	for who, c := range map[string]*hostproto.Client{"1": first, "o": observer, "2": second} {
		if err := c.Input(t.Context(), []byte(who)); err != nil {
			t.Fatal(err)
		}
		// A reply tells that the input before it was taken.
		if err := c.Call(t.Context(), hostproto.OpInfo, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if string(n.input) != "2" {
		t.Errorf("input %q", n.input)
	}
}

func untilReady(t *testing.T, c *hostproto.Client, owner bool) {
	t.Helper()
	for {
		m, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m.Event != nil && m.Event.Type == hostproto.EventReady {
			if m.Event.Owner != owner {
				t.Errorf("owner %v", m.Event.Owner)
			}
			return
		}
	}
}

// What is not urgent and waits for its time is nothing that the disk is slow
// with.
func TestSettledWaitsForUrgentRecordsOnly(t *testing.T) {
	w := NewRecordWriter(t.TempDir(), func(err error) { t.Error(err) })
	if err := w.SaveNow(hostproto.Record{ID: "x"}); err != nil {
		t.Fatal(err)
	}
	w.Save(hostproto.Record{ID: "x", UserTitle: "renamed"}, true)
	w.Save(hostproto.Record{ID: "x", UserTitle: "renamed", LiveTitle: "frame"}, false)
	begun := time.Now()
	if why := w.Settled(); why != "" || time.Since(begun) > savedWithin/2 {
		t.Errorf("%q after %v", why, time.Since(begun))
	}
	w.Save(hostproto.Record{ID: "x", UserTitle: "renamed", LiveTitle: "next"}, false)
	if why := w.Settled(); why != "" || time.Since(begun) > savedWithin/2 {
		t.Errorf("%q after %v", why, time.Since(begun))
	}
}
