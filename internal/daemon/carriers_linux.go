package daemon

import (
	"os"
	"strconv"
	"strings"
)

// carriers are the processes in whose environment the session and its token
// stand, this one and those above it aside.
func carriers(session string, proves func(token string) bool) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || pid == os.Getppid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil || !strings.Contains(string(env), "TERMIO_SESSION="+session) {
			continue
		}
		id, token := "", ""
		for kv := range strings.SplitSeq(string(env), "\x00") {
			if v, ok := strings.CutPrefix(kv, "TERMIO_SESSION="); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(kv, "TERMIO_TOKEN="); ok {
				token = v
			}
		}
		if id == session && proves(token) {
			pids = append(pids, pid)
		}
	}
	return pids
}
