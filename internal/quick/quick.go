// Package quick is the near half of a command that the coordinator runs: a
// program that links little more than this starts in a fraction of the time
// that the whole one takes. It sends the command line to the coordinator, which
// runs the same command as the whole program would and sends back what that
// prints. Nothing is done here but what package syscall can do, since every
// package that is linked costs at start.
//
// What it cannot do at once it leaves to the whole program: Run says so before
// anything has happened.
package quick

// The names of the call and of its parts; package api has them for the far
// half, and a test holds the two together.
const (
	path     = "/v1/command"
	outKind  = 'O' // standard output
	errKind  = 'E' // standard error
	lifeKind = 'A' // a sign of life; the first one says that the command begins
	exitKind = 'X' // one byte, the exit code; the last frame
)

// CoreName is the whole program's name where the quick one has taken the name
// termio.
const CoreName = "termio-core"

// Takes reports whether a command line (without the program's name) is one
// that can be run so: a verb of sessions that asks one thing and waits for
// nobody, not for standard input either.
func Takes(args []string) bool {
	if len(args) < 2 || args[0] != "sessions" && args[0] != "session" {
		return false
	}
	switch args[1] {
	case "list", "read", "send", "focus", "rename":
	default:
		return false
	}
	for _, a := range args[2:] {
		switch {
		case a == "--":
			return true
		case a == "-", a == "-h", a == "--help", hasPrefix(a, "--wait"), hasPrefix(a, "--timeout"):
			return false
		}
	}
	return true
}

// Call is one command line and what the command has to know of the place that
// it was typed in.
type Call struct {
	Args []string
	Cwd  string
	Env  []string // those that commands read, as KEY=value
	// Terminal tells that standard output is a terminal; Cols its width.
	Terminal   bool
	Cols, Rows int
}

// carried are the variables that commands read.
var carried = [...]string{
	"HOME", "TERMIO_HOME", "TERMIO_SESSION", "TERMIO_TOKEN", "XDG_RUNTIME_DIR",
	"NO_COLOR", "TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "SHELL", "PATH",
}

// request is the call as it goes over the socket: HTTP, so that the reply ends
// with the connection, and strings that end with a zero byte, so that what is
// no UTF-8 arrives as it is.
func (c *Call) request() []byte {
	body := make([]byte, 0, 4096)
	add := func(s string) { body = append(append(body, s...), 0) }
	add(c.Cwd)
	add(decimal(c.Cols) + " " + decimal(c.Rows))
	if c.Terminal {
		add("terminal")
	} else {
		add("")
	}
	add(decimal(len(c.Args)))
	for _, a := range c.Args {
		add(a)
	}
	for _, e := range c.Env {
		add(e)
	}
	head := "POST " + path + " HTTP/1.0\r\nHost: termio\r\nContent-Length: " + decimal(len(body)) + "\r\n\r\n"
	return append([]byte(head), body...)
}

// body gives what follows the head of a reply, and whether that says success.
func body(b []byte) (rest []byte, ok, whole bool) {
	for i := 0; i+3 < len(b); i++ {
		if b[i] == '\r' && b[i+1] == '\n' && b[i+2] == '\r' && b[i+3] == '\n' {
			return b[i+4:], len(b) > 12 && string(b[8:12]) == " 200", true
		}
	}
	return nil, false, false
}

// frame is the first frame of b; n is its whole length, 0 when it is not all
// there.
func frame(b []byte) (kind byte, payload []byte, n int) {
	const header = 5
	if len(b) < header {
		return 0, nil, 0
	}
	n = header + (int(b[1])<<24 | int(b[2])<<16 | int(b[3])<<8 | int(b[4]))
	if len(b) < n {
		return 0, nil, 0
	}
	return b[0], b[header:n], n
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

func decimal(n int) string {
	if n <= 0 {
		return "0"
	}
	var b [20]byte
	i := len(b)
	for ; n > 0; n /= 10 {
		i--
		b[i] = byte('0' + n%10)
	}
	return string(b[i:])
}
