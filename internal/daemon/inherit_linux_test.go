package daemon

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNothingOfTheCallerStaysOpen: a script that calls termio while it holds a
// lock, or a pipe, has it for itself: neither the coordinator nor a host keeps it.
func TestNothingOfTheCallerStaysOpen(t *testing.T) {
	h := newHome(t)
	f, err := os.Create(filepath.Join(h.dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil { // as a shell's exec 9>lock
		t.Fatal(err)
	}
	link := h.run("exec sleep 100")
	rec := h.record(link)
	for who, pid := range map[string]int{"the coordinator": h.daemonPID(), "the host": rec.HostPID, "the program": rec.ChildPID} {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd"
		fds, err := os.ReadDir(dir)
		if err != nil || len(fds) == 0 {
			t.Fatalf("%s: %d files, %v", who, len(fds), err)
		}
		for _, e := range fds {
			if to, _ := os.Readlink(filepath.Join(dir, e.Name())); to == f.Name() {
				t.Errorf("%s has the caller's lock open", who)
			}
		}
	}
}
