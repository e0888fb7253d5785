//go:build !linux

package report

import (
	"io"
	"net"
	"os"
	"time"
)

// Args is this process's command line.
func Args() []string { return os.Args }

// The times of a run, from its beginning.
const (
	wholeTime = 120 * time.Millisecond
	inputTime = 60 * time.Millisecond
)

// Run does what o says. It returns in good time whatever is broken.
func Run(o Options) {
	begin := time.Now()
	if o.Reply {
		os.Stdout.WriteString("{}\n")
	}
	path := os.Getenv("TERMIO_SOCK")
	if os.Getenv("TERMIO_SESSION") == "" || path == "" || o.State == "" {
		return
	}
	var f found
	if o.reads() && !isTerminal(os.Stdin) {
		data, cut := input(os.Stdin, begin.Add(inputTime))
		f = mine(&o, data, cut)
	}
	send(path, frames(&o, f, os.Getenv("TERMIO_TOKEN"), os.Getenv("PWD")), begin.Add(wholeTime))
}

// isTerminal takes every character device for one.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err != nil || st.Mode()&os.ModeCharDevice != 0
}

// input reads a payload to its end or until the time is over; the reader that
// is left behind ends with the process.
func input(r io.Reader, until time.Time) (data []byte, cut bool) {
	type part struct {
		data []byte
		cut  bool
	}
	done := make(chan part, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(r, maxInput))
		more, _ := io.Copy(io.Discard, r)
		done <- part{data, err != nil || more > 0}
	}()
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	select {
	case p := <-done:
		return p.data, p.cut
	case <-t.C:
		return nil, true
	}
}

// send hands the frames to the host at path and waits until it has taken the
// report.
func send(path string, b []byte, until time.Time) {
	conn, err := net.DialTimeout("unix", path, time.Until(until))
	if err != nil {
		return
	}
	defer conn.Close()
	if conn.SetDeadline(until) != nil {
		return
	}
	if _, err := conn.Write(b); err != nil {
		return
	}
	var got []byte
	for buf := make([]byte, 16<<10); !answered(got) && len(got) < maxInput; {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		got = append(got, buf[:n]...)
	}
}
