//go:build unix

// Command cmd is the scripted agent as a program; see package scriptagent.
package main

import "github.com/termio-sh/termio/internal/testkit/scriptagent"

func main() { scriptagent.Main() }
