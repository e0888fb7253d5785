package netns

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Process is one that belongs to a namespace.
type Process struct {
	PID, Parent int
	// Args is its command line, which may be empty.
	Args []string
}

func (p Process) String() string {
	line := strings.Join(p.Args, " ")
	if len(line) > 160 {
		line = line[:160] + "…"
	}
	return fmt.Sprintf("%d (child of %d): %s", p.PID, p.Parent, line)
}

// Processes returns the processes that belong to the namespace and still run.
// The test process itself is never one of them.
func (n *Namespace) Processes() ([]Process, error) {
	table, err := readTable()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	self := os.Getpid()
	known := map[int]bool{self: false}
	var belongs func(pid int) bool
	belongs = func(pid int) bool {
		if yes, ok := known[pid]; ok {
			return yes
		}
		p, ok := table[pid]
		if !ok {
			return false
		}
		known[pid] = false // ends a loop, should ids be reused while we look
		known[pid] = n.holds(pid) || belongs(p.Parent)
		return known[pid]
	}
	var out []Process
	for pid, p := range table {
		if belongs(pid) {
			p.Args = commandLine(pid)
			out = append(out, p)
		}
	}
	return out, nil
}

// holds says whether the process itself is inside or carries the mark. A
// process that is gone, or not ours to look at, is neither.
func (n *Namespace) holds(pid int) bool {
	var st unix.Stat_t
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if unix.Stat(filepath.Join(dir, "ns/net"), &st) == nil && st.Ino == n.inode {
		return true
	}
	env, err := os.ReadFile(filepath.Join(dir, "environ"))
	if err != nil {
		return false
	}
	mark := []byte(markVar + "=" + n.mark())
	for _, e := range bytes.Split(env, []byte{0}) {
		if bytes.Equal(e, mark) {
			return true
		}
	}
	return false
}

// Kill kills every process of the namespace and returns them all. They are
// stopped first, until none is left that could start another: a process whose
// parent is dead already may no longer be known as ours.
func (n *Namespace) Kill() ([]Process, error) {
	pinned := map[int]int{} // pid to pidfd
	defer func() {
		for _, fd := range pinned {
			unix.Close(fd)
		}
	}()
	var all []Process
	for fresh := true; fresh; {
		ps, err := n.pin(pinned)
		if err != nil {
			return all, err
		}
		for _, p := range ps {
			if err := signalTo(pinned[p.PID], unix.SIGSTOP); err != nil {
				return all, fmt.Errorf("stop process %d: %w", p.PID, err)
			}
		}
		all = append(all, ps...)
		fresh = len(ps) > 0
	}
	for _, p := range all {
		if err := signalTo(pinned[p.PID], unix.SIGKILL); err != nil {
			return all, fmt.Errorf("kill process %d: %w", p.PID, err)
		}
	}
	deadline := time.Now().Add(grace)
	for _, p := range all {
		if !awaitExit(pinned[p.PID], time.Until(deadline)) {
			return all, fmt.Errorf("a process outlived SIGKILL: %s", p)
		}
	}
	return all, nil
}

// pin adds the processes of the namespace that are not pinned yet, and returns
// them. Each is looked at again once it is pinned, so that no other process
// that got the same id is taken for it.
func (n *Namespace) pin(pinned map[int]int) ([]Process, error) {
	ps, err := n.Processes()
	if err != nil {
		return nil, err
	}
	fresh := map[int]int{}
	for _, p := range ps {
		if _, ok := pinned[p.PID]; ok {
			continue
		}
		fd, err := unix.PidfdOpen(p.PID, 0)
		if errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("pin process %d: %w", p.PID, err)
		}
		fresh[p.PID] = fd
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	if ps, err = n.Processes(); err != nil {
		return nil, err
	}
	var out []Process
	for _, p := range ps {
		if fd, ok := fresh[p.PID]; ok {
			pinned[p.PID] = fd
			delete(fresh, p.PID)
			out = append(out, p)
		}
	}
	for _, fd := range fresh {
		unix.Close(fd)
	}
	return out, nil
}

func signalTo(pidfd int, sig unix.Signal) error {
	if err := unix.PidfdSendSignal(pidfd, sig, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return err
	}
	return nil
}

// awaitGone waits until no process belongs to the namespace any more, and
// returns those that do at the deadline.
func (n *Namespace) awaitGone(deadline time.Time) ([]Process, error) {
	for {
		ps, err := n.Processes()
		if err != nil || len(ps) == 0 {
			return nil, err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return ps, nil
		}
		if fd, err := unix.PidfdOpen(ps[0].PID, 0); err == nil { // else it is gone
			awaitExit(fd, left)
			unix.Close(fd)
		}
	}
}

// awaitExit waits for the end of a process and says whether it came in time.
func awaitExit(pidfd int, limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	for {
		left := max(0, time.Until(deadline))
		k, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if k > 0 || (err != nil && !errors.Is(err, unix.EINTR)) {
			return k > 0
		}
		if left == 0 {
			return false
		}
	}
}

// readTable reads every process that is not dead, by id.
func readTable() (map[int]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	table := map[int]Process{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		// The name stands in parentheses and may hold anything.
		i := bytes.LastIndexByte(stat, ')')
		fields := bytes.Fields(stat[i+1:])
		if i < 0 || len(fields) < 2 || bytes.ContainsAny(fields[0], "ZX") {
			continue
		}
		parent, err := strconv.Atoi(string(fields[1]))
		if err != nil {
			continue
		}
		table[pid] = Process{PID: pid, Parent: parent}
	}
	return table, nil
}

func commandLine(pid int) []string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
}
