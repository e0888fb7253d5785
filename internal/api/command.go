package api

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
)

// CommandPath is where the coordinator runs a command line as the program
// would, for a program too small to know the commands (internal/quick). It is
// no verb: everything that it can do the verbs can.
const CommandPath = "/v1/command"

// Command is a command line and what a command has to know of the place that
// it was typed in.
type Command struct {
	Args       []string // without the program's name
	Cwd        string
	Env        []string // KEY=value; only those that commands read
	Terminal   bool     // standard output is a terminal that people look at
	Cols, Rows int      // of the terminal, 0 where there is none
}

// The kinds of a command's frames: kind, length (32 bits, big-endian),
// payload.
const (
	CommandOut  = 'O' // bytes for standard output
	CommandErr  = 'E' // bytes for standard error
	CommandLife = 'A' // a sign of life; the first one says that the command begins
	CommandExit = 'X' // one byte, the exit code; the last frame
)

var errCommand = errors.New("not a command: its parts end with a zero byte")

// ParseCommand reads a command as it comes over the socket: strings that end
// with a zero byte, since arguments need not be UTF-8. First the directory,
// then "COLS ROWS", then "terminal" or nothing, then the number of arguments,
// the arguments, and the environment.
func ParseCommand(body []byte) (Command, error) {
	if !bytes.HasSuffix(body, []byte{0}) {
		return Command{}, errCommand
	}
	parts := strings.Split(string(body[:len(body)-1]), "\x00")
	if len(parts) < 4 {
		return Command{}, errCommand
	}
	c := Command{Cwd: parts[0], Terminal: parts[2] == "terminal"}
	cols, rows, _ := strings.Cut(parts[1], " ")
	n, err := strconv.Atoi(parts[3])
	c.Cols, err = number(cols, err)
	c.Rows, err = number(rows, err)
	if rest := parts[4:]; err == nil && n >= 0 && n <= len(rest) {
		c.Args, c.Env = rest[:n], rest[n:]
		return c, nil
	}
	return Command{}, errCommand
}

func number(s string, before error) (int, error) {
	n, err := strconv.Atoi(s)
	return n, errors.Join(before, err)
}

// WriteCommandFrame writes one frame.
func WriteCommandFrame(w io.Writer, kind byte, payload []byte) error {
	b := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	_, err := w.Write(append(b, payload...))
	return err
}
