//go:build !linux && !darwin

package peercred

import "os"

func read(int) (credentials, error) { return credentials{uid: os.Getuid()}, nil }
