package api

import (
	"context"
	"errors"
	"io/fs"
	"net"

	"golang.org/x/sys/windows"
)

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, windows.WSAECONNREFUSED)
}

func isReset(err error) bool { return errors.Is(err, windows.WSAECONNRESET) }

func (c *Client) start(context.Context) (net.Conn, error) {
	return nil, Errorf(CodeUnavailable, "sessions are not supported on Windows yet: use Termio inside WSL")
}
