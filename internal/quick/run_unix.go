//go:build unix

package quick

import (
	"syscall"
	"unsafe"
)

// silence is how long a coordinator may say nothing; the signs of life of one
// that works come every four seconds. Tests make it short.
var silence = syscall.Timeval{Sec: 15}

// out is standard output; tests look at what is written there.
var out = 1

// Run runs a command through the coordinator and returns its exit code. Where
// ran is false nothing has happened, and the whole program has to run it.
func Run(args []string) (code int, ran bool) {
	if _, set := syscall.Getenv("TERMIO_CLI_TIMEOUT"); set {
		return 0, false // a bound of the user's own
	}
	fd := dial(socket())
	if fd < 0 {
		return 0, false // not running, or it cannot be reached: the whole program says why
	}
	defer syscall.Close(fd)
	c := Call{Args: args}
	if c.Cwd = workingDirectory(); c.Cwd == "" {
		return 0, false
	}
	for _, name := range carried {
		if v, ok := syscall.Getenv(name); ok {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	if c.Cols, c.Rows, c.Terminal = size(1); !c.Terminal {
		for fd := 0; fd <= 2 && c.Cols == 0; fd++ {
			c.Cols, c.Rows, _ = size(fd)
		}
	}
	if !writeAll(fd, c.request()) {
		return 0, false
	}
	return receive(fd, asksJSON(args))
}

// fail reports a call that was cut, or given up, after it had begun: as package
// api's client does.
func fail(asJSON, silent bool) {
	why := "the coordinator went away in the middle of the call; what it was doing may or may not have happened: see `termio sessions list`"
	if silent {
		why = "the coordinator did not answer in 15s; it may be busy or stopped, and may still do what was asked: see `termio daemon status` and `termio sessions list`, or set TERMIO_CLI_TIMEOUT"
	}
	if asJSON {
		writeAll(out, []byte(`{"ok":false,"error":"unavailable","message":"`+why+`","schema_version":1}`+"\n"))
		return
	}
	writeAll(2, []byte("error: "+why+"\n"))
}

// asksJSON looks for --json among the flags.
func asksJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// receive prints what the command prints, until its exit code has come.
func receive(fd int, asJSON bool) (code int, ran bool) {
	buf := make([]byte, 0, 64<<10)
	begun, headed := false, false
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := syscall.Read(fd, buf[len(buf):cap(buf)])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			silent := err == syscall.EAGAIN
			if !begun && !silent {
				return 0, false
			}
			// The whole program would wait for as long again.
			fail(asJSON, silent)
			return 1, true
		}
		buf = buf[:len(buf)+n]
		if !headed {
			rest, ok, whole := body(buf)
			if whole && !ok {
				return 0, false // one that does not know the call
			}
			if !whole {
				continue
			}
			buf, headed = append(buf[:0], rest...), true
		}
		at := 0
		for {
			kind, payload, n := frame(buf[at:])
			if n == 0 {
				break
			}
			begun = true
			switch kind {
			case outKind:
				if !writeAll(out, payload) {
					return 1, true
				}
			case errKind:
				writeAll(2, payload)
			case exitKind:
				if len(payload) != 1 {
					return 1, true
				}
				return int(payload[0]), true
			}
			at += n
		}
		buf = append(buf[:0], buf[at:]...)
	}
}

func writeAll(fd int, p []byte) bool {
	for len(p) > 0 {
		n, err := syscall.Write(fd, p)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return false
		}
		p = p[n:]
	}
	return true
}

// socket is where the coordinator of this home listens, by the rule of package
// paths, "" where that has to look closer.
func socket() string {
	home, _ := syscall.Getenv("HOME")
	own, _ := syscall.Getenv("TERMIO_HOME")
	def := ""
	if hasPrefix(home, "/") {
		def = clean(home) + "/.termio"
	}
	if own == "" {
		own = def
	}
	if own = clean(own); own == "" {
		return ""
	}
	if own == def {
		run, _ := syscall.Getenv("XDG_RUNTIME_DIR")
		for _, dir := range [...]string{run, "/run/user/" + decimal(syscall.Getuid())} {
			if safe(dir) {
				return clean(dir) + "/termio/daemon.sock"
			}
		}
	}
	return own + "/run/daemon.sock"
}

// clean is a path without slashes at its end, "" for one that is not absolute
// or would be written otherwise.
func clean(p string) string {
	for len(p) > 1 && p[len(p)-1] == '/' {
		p = p[:len(p)-1]
	}
	if len(p) < 2 || p[0] != '/' {
		return ""
	}
	for i := 0; i+1 < len(p); i++ {
		if p[i] == '/' && (p[i+1] == '/' || p[i+1] == '.') {
			// Hidden names are plain names; ".", ".." and "//" are not.
			if p[i+1] == '/' || i+2 == len(p) || p[i+2] == '/' || p[i+2] == '.' {
				return ""
			}
		}
	}
	return p
}

// safe reports whether dir is a directory of ours that nobody else can write to.
func safe(dir string) bool {
	var st syscall.Stat_t
	return clean(dir) != "" && syscall.Stat(dir, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR &&
		int(st.Uid) == syscall.Getuid() && st.Mode&0o022 == 0
}

// workingDirectory is the directory as the shell names it.
func workingDirectory() string {
	var here, named syscall.Stat_t
	if syscall.Stat(".", &here) != nil {
		return ""
	}
	if pwd, _ := syscall.Getenv("PWD"); hasPrefix(pwd, "/") && syscall.Stat(pwd, &named) == nil && named.Dev == here.Dev && named.Ino == here.Ino {
		return pwd
	}
	dir, err := syscall.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

func dial(path string) int {
	if path == "" {
		return -1
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return -1
	}
	syscall.CloseOnExec(fd)
	syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &silence)
	syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &silence)
	for {
		err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		if err == nil {
			return fd
		}
		if err != syscall.EINTR {
			syscall.Close(fd)
			return -1
		}
	}
}

// size is the size of the terminal fd, and whether it is one.
func size(fd int) (cols, rows int, terminal bool) {
	var w struct{ rows, cols, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&w)))
	return int(w.cols), int(w.rows), errno == 0
}
