package discover

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Holders tells which processes have the files open to write: for each of them the
// process and those that it came from, the nearest first. Other users'
// processes cannot be seen.
func Holders(paths []string) map[string][][]int {
	wanted := map[string]string{}
	for _, p := range paths {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			real = p
		}
		wanted[real] = p
	}
	out := map[string][][]int{}
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return out
	}
	self := os.Getpid()
	for _, e := range processes {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == self {
			continue
		}
		dir := "/proc/" + e.Name() + "/fd"
		files, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		seen := map[string]bool{}
		for _, f := range files {
			target, err := os.Readlink(dir + "/" + f.Name())
			path, ok := wanted[target]
			if err != nil || !ok || seen[path] || !writes(e.Name(), f.Name()) {
				continue
			}
			seen[path] = true
			out[path] = append(out[path], ancestry(pid))
		}
	}
	return out
}

// WorkingDir is the directory that a process works in; "/" when that cannot be
// known.
func WorkingDir(pid int) string {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil || !filepath.IsAbs(dir) {
		return "/"
	}
	return dir
}

// writes reports whether a process has opened a file for writing: who only
// reads a conversation is not in it.
func writes(pid, fd string) bool {
	info, err := os.ReadFile("/proc/" + pid + "/fdinfo/" + fd)
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(info), "flags:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return false
	}
	flags, err := strconv.ParseUint(fields[0], 8, 64)
	return err == nil && flags&syscall.O_ACCMODE != syscall.O_RDONLY
}

// maxAncestry bounds a walk up the tree of processes.
const maxAncestry = 64

func ancestry(pid int) (line []int) {
	for pid > 1 && len(line) < maxAncestry {
		line = append(line, pid)
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return line
		}
		// The name may hold anything; what follows its last parenthesis does not.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 {
			return line
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			return line
		}
	}
	return line
}
