// Command termio-hook is what agents' hooks run: `termio agent report` as a
// program of its own that costs next to nothing. It is not for people. It is
// silent and exits 0 whatever is wrong; a command line that it does not
// understand makes it do nothing.
package main

import "github.com/termio-sh/termio/internal/hooks/report"

func main() {
	// A defect here must not reach the agent.
	defer func() { _ = recover() }()
	args := report.Args()
	if len(args) == 0 {
		return
	}
	o, err := report.Parse(args[1:])
	if err != nil {
		o.State = "" // it still answers an agent that reads a reply
	}
	report.Run(o)
}
