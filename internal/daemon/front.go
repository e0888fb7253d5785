package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// front parts what comes to the socket: command lines of small clients, which it
// answers itself, and everything else, which is for the HTTP server. A command
// line asks one thing and is to be answered in less than a millisecond; the
// server's goroutines and headers alone would take a good part of that.
type front struct {
	*socket
	others chan net.Conn
	failed error // why nobody comes any more; set when others is closed
}

// headTime bounds how long a caller may take to say what it wants.
const headTime = 10 * time.Second

// The beginning and the end of a command line's head, as package quick sends it.
const (
	commandHead  = "POST " + api.CommandPath + " HTTP/1.0\r\n"
	headEnd      = "\r\n\r\n"
	lengthHeader = "Content-Length: "
	maxHead      = 1 << 10
)

// part begins to part what comes to s.
func (d *Daemon) part(s *socket) *front {
	f := &front{socket: s, others: make(chan net.Conn)}
	d.calls.Go(func() { // so that nobody comes once all are waited for
		defer close(f.others)
		for {
			c, err := s.accept()
			if err != nil {
				f.failed = err
				return
			}
			d.calls.Go(func() { d.receive(f, c) })
		}
	})
	return f
}

// Accept waits for a caller of the HTTP server.
func (f *front) Accept() (net.Conn, error) {
	if c, ok := <-f.others; ok {
		return c, nil
	}
	return nil, f.failed
}

// receive finds out what a caller wants.
func (d *Daemon) receive(f *front, c *visitor) {
	c.SetReadDeadline(time.Now().Add(headTime))
	buf := make([]byte, 0, 2<<10)
	for {
		n, err := c.UnixConn.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			c.Close()
			return
		}
		most := min(len(buf), len(commandHead))
		if string(buf[:most]) != commandHead[:most] {
			c.SetReadDeadline(time.Time{})
			c.said = buf
			select {
			case f.others <- c:
			case <-d.ctx.Done():
				c.Close()
			}
			return
		}
		if most == len(commandHead) {
			break
		}
	}
	defer c.Close()
	body, err := commandBody(c, buf)
	if err != nil {
		d.log.Info("a command line could not be read", "why", err.Error())
		return
	}
	c.SetReadDeadline(time.Time{})
	d.runCommandLine(c, body)
}

// commandBody reads the rest of a command line's request, of which buf has the
// beginning.
func commandBody(c *visitor, buf []byte) ([]byte, error) {
	more := func() error {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := c.UnixConn.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		return err
	}
	end := bytes.Index(buf, []byte(headEnd))
	for ; end < 0; end = bytes.Index(buf, []byte(headEnd)) {
		if len(buf) > maxHead {
			return nil, errors.New("its head has no end")
		}
		if err := more(); err != nil {
			return nil, fmt.Errorf("read its head: %w", err)
		}
	}
	length := -1
	for line := range strings.SplitSeq(string(buf[:end]), "\r\n") {
		if rest, ok := strings.CutPrefix(line, lengthHeader); ok {
			n, err := strconv.Atoi(rest)
			if err != nil || n < 0 || n > maxRequest {
				return nil, fmt.Errorf("its length is %q", rest)
			}
			length = n
		}
	}
	if length < 0 {
		return nil, errors.New("it has no length")
	}
	for len(buf) < end+len(headEnd)+length {
		if err := more(); err != nil {
			return nil, fmt.Errorf("read it: %w", err)
		}
	}
	return buf[end+len(headEnd):][:length], nil
}

// runCommandLine runs a command line for a program that is too small to know
// it, as that would have.
func (d *Daemon) runCommandLine(c *visitor, body []byte) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("a command failed by a defect", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	command, err := api.ParseCommand(body)
	switch {
	case d.ctx.Err() != nil:
		return // the whole program calls the next coordinator
	case err != nil || d.o.Command == nil:
		c.Write([]byte("HTTP/1.0 400 Bad Request\r\n\r\n")) // the whole program says why
		return
	}
	ctx, cancel := context.WithCancel(context.WithValue(d.life, processKey{}, c.pid))
	defer cancel()
	f := &commandFrames{conn: c, gone: cancel}
	f.buf.WriteString("HTTP/1.0 200 OK\r\n\r\n")
	if !asksOnly(command.Args) {
		f.send(api.CommandLife) // before anything happens, as in serve
	}
	f.alive()
	code := d.o.Command(ctx, Local{d}, command, frameWriter{f, api.CommandOut}, frameWriter{f, api.CommandErr})
	f.end(byte(code))
}

// asksOnly reports whether a command changes nothing, so that its client can
// have it run again if it hears nothing of it.
func asksOnly(args []string) bool {
	return len(args) > 1 && (args[1] == "list" || args[1] == "read")
}
