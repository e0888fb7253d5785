//go:build unix

package process

import (
	"os"
	"syscall"
	"time"
)

// Ending says how processes are ended.
type Ending struct {
	// Signal is what a process that still runs after d gets; 0 for nothing yet.
	Signal func(d time.Duration) syscall.Signal
	// GiveUp is after how long those left are left: one that KILL does not end
	// is stuck in the kernel.
	GiveUp time.Duration
	Log    func(format string, args ...any)
}

const (
	killPoll   = 20 * time.Millisecond
	quietLooks = 3 // in a row that find nothing, until all is taken for gone
)

// EndAll signals every process below the host, and those on tty, which may be
// nil, until none is left. Those that appear meanwhile get the same. It returns
// how many do not end.
func (e Ending) EndAll(tty *os.File) int {
	start := time.Now()
	told := map[Process]syscall.Signal{}
	quiet := 0
	for pause := killPoll / 4; ; pause = min(2*pause, 4*killPoll) {
		running := Descendants(tty)
		if len(running) == 0 {
			// One look is not enough: a child whose parent ends while the
			// table of processes is read belongs to nobody in it.
			if quiet++; quiet == quietLooks {
				return 0
			}
			time.Sleep(killPoll / 4)
			continue
		}
		quiet = 0
		spent := time.Since(start)
		if spent > e.GiveUp {
			e.Log("close: %d processes do not end: %v", len(running), running)
			return len(running)
		}
		if sig := e.Signal(spent); sig != 0 {
			for _, p := range running {
				e.tell(p, sig, told)
			}
		}
		time.Sleep(pause)
	}
}

func (e Ending) tell(p Process, sig syscall.Signal, told map[Process]syscall.Signal) {
	again := told[p] == sig
	if again && sig != syscall.SIGKILL {
		return
	}
	told[p] = sig
	if err := p.Kill(sig); err == syscall.EPERM && !again {
		e.Log("close: process %d belongs to another user", p.PID)
	}
	_ = p.Kill(syscall.SIGCONT) // a stopped one cannot handle it
}
