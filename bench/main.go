// Command bench measures Termio beside tmux, dtach and the Go modules that
// emulate terminals: in one run, interleaved, on the same bytes and geometry.
// It prints ratios of medians with their range and says where a figure falls
// short. Machines are noisy, so an absolute time proves nothing.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

type bench struct {
	name string
	what string
	run  func(*lab) error
}

var benches = []bench{
	{"engine", "the terminal engine beside other Go modules", engines},
	{"lines", "what the lines of one terminal take", lines},
	{"drain", "how fast a program in a session can write", drains},
	{"attach", "from attach to the first paint", attaches},
	{"echo", "key press to echo through an attached viewer", echoes},
	{"tui", "the face: echo, first paint, quiet and flooded", face},
	{"verbs", "list, send and read from the shell", verbs},
	{"wait", "what send --wait adds to a turn, alone and with many sessions that talk", waits},
	{"memory", "what a session costs", memory},
	{"idle", "what fifty quiet sessions cost", idle},
	{"hooks", "what a report of an agent's hook costs", hookReport},
	{"acp", "streamed chunks over the Agent Client Protocol", acpStream},
	{"acpstart", "the first words of an agent over the Agent Client Protocol, cold and warm", acpStart},
	{"history", "search over past conversations", pastConversations},
	{"adopt", "the coordinator killed with many sessions", adopt},
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "payload" {
		payload(os.Args[2:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "echoer" {
		echoer()
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "chatter" {
		chatter(os.Args[2])
		return
	}
	rounds := flag.Int("rounds", 5, "rounds of each measurement")
	sessions := flag.Int("sessions", 200, "sessions where many are measured")
	bin := flag.String("bin", "../bin", "where termio is")
	flag.Usage = usage
	flag.Parse()
	lab, err := newLab(*bin, *rounds, *sessions)
	if err != nil {
		fatal(err)
	}
	defer lab.close()
	fmt.Printf("%s/%s, %d CPUs, %s; %d rounds, interleaved; median (min–max)\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), *rounds)
	for _, b := range benches {
		if flag.NArg() > 0 && !strings.Contains(","+strings.Join(flag.Args(), ",")+",", ","+b.name+",") {
			continue
		}
		if err := b.run(lab); err != nil {
			fmt.Printf("\n%s: not measured: %v\n", b.name, err)
		}
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: bench [flags] [name ...]")
	for _, b := range benches {
		fmt.Fprintf(os.Stderr, "  %-8s %s\n", b.name, b.what)
	}
	flag.PrintDefaults()
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

// lab is one run: its scratch directory and the systems under test.
type lab struct {
	dir      string
	self     string
	termio   string
	rounds   int
	sessions int
	servers  int // tmux servers started so far
}

func newLab(bin string, rounds, sessions int) (*lab, error) {
	termio, err := filepath.Abs(filepath.Join(bin, "termio"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(termio); err != nil {
		return nil, fmt.Errorf("no termio there, run make build: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tb")
	if err != nil {
		return nil, err
	}
	return &lab{dir: dir, self: self, termio: termio, rounds: rounds, sessions: sessions}, nil
}

func (l *lab) close() { os.RemoveAll(l.dir) }

func (l *lab) path(name string) string { return filepath.Join(l.dir, name) }

func have(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
