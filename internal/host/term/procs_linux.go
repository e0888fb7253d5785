package term

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	proc "github.com/termio-sh/termio/internal/host/process"
)

// becomeSubreaper makes orphans of the program the host's children, so that
// they can be found however they detached themselves.
func becomeSubreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

func dup(from, to int) error { return unix.Dup3(from, to, 0) }

// process is one running process; started tells two with one id apart.
type process struct {
	pid     int
	started string
}

// descendants are the running processes below this one. Whatever the program
// started is among them: own process groups, own sessions, and orphans, which
// come to the subreaper.
func descendants(tty *pty) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	type child struct {
		process
		ended bool
	}
	children := map[int][]child{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// One that has just ended still links to us those that were read
		// before its end.
		if parent, p, ended, ok := readStatOf(pid); ok {
			children[parent] = append(children[parent], child{p, ended})
		}
	}
	var all []process
	for queue := []int{os.Getpid()}; len(queue) > 0; queue = queue[1:] {
		for _, c := range children[queue[0]] {
			if proc.IsOurs(c.pid) {
				continue // and what is below it
			}
			if !c.ended {
				all = append(all, c.process)
			}
			queue = append(queue, c.pid)
		}
	}
	return all
}

// maxLineage bounds a walk upwards.
const maxLineage = 64

// lineage is a process and its ancestors below this one, nearest first.
func lineage(pid int) (line []relative) {
	me := os.Getpid()
	for pid > 1 && pid != me && len(line) < maxLineage {
		parent, p, ok := readStat(pid)
		if !ok {
			return line
		}
		name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
		line = append(line, relative{process: p, name: string(bytes.TrimSpace(name))})
		pid = parent
	}
	return line
}

// running tells whether a process has not ended.
func running(p process) bool {
	_, now, ok := readStat(p.pid)
	return ok && now == p
}

// readStat gives a process that has not ended, and its parent.
func readStat(pid int) (parent int, p process, ok bool) {
	parent, p, ended, ok := readStatOf(pid)
	return parent, p, ok && !ended
}

// readStatOf gives a process, its parent, and whether it has ended and only
// waits for its parent to take notice.
func readStatOf(pid int) (parent int, p process, ended, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, p, false, false
	}
	// The name in parentheses may hold anything; what follows it is numbers.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 {
		return 0, p, false, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	ended = fields[0][0] == 'Z' || fields[0][0] == 'X'
	return parent, process{pid: pid, started: string(fields[19])}, ended, err == nil
}

// kill sends a signal to exactly this process, even if its id has been given
// to another one meanwhile.
func (p process) kill(sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, now, ok := readStat(p.pid); !ok || now.started != p.started {
		return syscall.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}
