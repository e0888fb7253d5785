//go:build !unix

package agents

import "errors"

func lockFile(string) (func(), error) {
	return nil, errors.New("real agents are installed on Linux and macOS only")
}
