package hostproto

import "errors"

// ErrGone is a process that has ended.
var ErrGone = errors.New("the process has ended")

// ProcessStamp tells a process from a later one with the same number: the
// system's boot and the time the process started. It is what Record.HostBoot
// holds. A process that has ended, or is a zombie, is ErrGone.
func ProcessStamp(pid int) (string, error) { return processStamp(pid) }

// Gone reports whether the process that had this number and stamp has
// certainly ended. It is false in doubt.
func Gone(pid int, stamp string) bool {
	now, err := ProcessStamp(pid)
	if errors.Is(err, ErrGone) {
		return true
	}
	return err == nil && stamp != "" && now != stamp
}
