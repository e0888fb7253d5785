package term

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
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
	children := map[int][]process{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, p, ok := readStat(pid); ok {
			children[parent] = append(children[parent], p)
		}
	}
	var all []process
	for queue := []int{os.Getpid()}; len(queue) > 0; queue = queue[1:] {
		for _, p := range children[queue[0]] {
			all = append(all, p)
			queue = append(queue, p.pid)
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
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, p, false
	}
	// The name in parentheses may hold anything; what follows it is numbers.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return 0, p, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return parent, process{pid: pid, started: string(fields[19])}, err == nil
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
