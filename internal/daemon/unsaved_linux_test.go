package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
)

// fullHome is one whose sessions are on a small disk of their own.
func fullHome(t *testing.T) (h *home, fill, free func()) {
	h = newHome(t)
	at := h.layout.SessionsDir()
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", at, "tmpfs", 0, "size=256k,mode=700"); err != nil {
		t.Skipf("skipped: a disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(at, syscall.MNT_DETACH) })
	t.Cleanup(h.end) // while the records can be read
	big := filepath.Join(at, "full")
	fill = func() {
		f, err := os.Create(big)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for page := make([]byte, 4096); err == nil; {
			_, err = f.Write(page)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	return h, fill, func() { os.Remove(big) }
}

// TestWhatAFullDiskKeepsBack: a title and an end that cannot be written are told
// so, and are written when there is room: by the host, and if it is gone by the
// coordinator. A session that somebody closed does not come back as lost.
func TestWhatAFullDiskKeepsBack(t *testing.T) {
	for _, killed := range []bool{false, true} {
		name := map[bool]string{false: "its host lives", true: "its host is killed"}[killed]
		t.Run(name, func(t *testing.T) {
			h, fill, free := fullHome(t)
			link := h.run("sleep 1000")
			r, err := h.client.Rename(t.Context(), api.RenameRequest{Caller: h.caller(), Target: link, Title: "one"})
			if err != nil || r.Unsaved != "" {
				t.Fatalf("with room: %+v, %v", r, err)
			}
			fill()
			r, err = h.client.Rename(t.Context(), api.RenameRequest{Caller: h.caller(), Target: link, Title: "another"})
			if err != nil || !strings.Contains(r.Unsaved, "no space left") || r.Title != "another" {
				t.Errorf("renamed: %+v, %v", r, err)
			}
			host := h.record(link).HostPID
			c, err := h.client.CloseSession(t.Context(), api.TargetRequest{Caller: h.caller(), Target: link})
			if err != nil || !strings.Contains(c.Unsaved, "no space left") {
				t.Errorf("closed: %+v, %v", c, err)
			}
			if h.record(link).Closed != nil {
				t.Fatal("the disk was not full")
			}
			if killed {
				syscall.Kill(host, syscall.SIGKILL)
				h.eventually("the host is dead", func() bool { return dead(host) })
			}
			free()
			h.eventually("its end is on disk", func() bool {
				_, err := os.Stat(filepath.Join(filepath.Dir(h.layout.Record(strings.TrimPrefix(link, "termio://session/"))), tombstoneName))
				return err == nil || h.record(link).Closed != nil
			})
			h.kill9()
			if s, ok := h.find(link); !ok || s.Closed == nil || s.Closed.Reason != hostproto.ReasonUser {
				t.Errorf("the next coordinator says %+v", s)
			}
		})
	}
}

// TestPlaceThatLeadsElsewhere: what stands in the place of a session's directory
// is not followed when the session is opened again.
func TestPlaceThatLeadsElsewhere(t *testing.T) {
	h := newHome(t)
	link := h.run("sleep 1000")
	if _, err := h.client.CloseSession(t.Context(), api.TargetRequest{Caller: h.caller(), Target: link}); err != nil {
		t.Fatal(err)
	}
	dir := h.layout.SessionDir(strings.TrimPrefix(link, "termio://session/"))
	elsewhere := filepath.Join(h.dir, "elsewhere")
	if err := errors.Join(os.Rename(dir, elsewhere), os.Symlink(elsewhere, dir), os.WriteFile(filepath.Join(elsewhere, tombstoneName), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	before := names(t, elsewhere)
	var reply api.ReopenReply
	err := h.client.Call(t.Context(), api.VerbReopen, api.ReopenRequest{Caller: h.caller(), Target: link}, &reply)
	refused(t, err, api.CodeStartFailed, "leads elsewhere")
	if after := names(t, elsewhere); after != before {
		t.Errorf("%v was made of %v", after, before)
	}
	if _, ok := h.find(link); !ok {
		t.Error("it is forgotten")
	}
}
