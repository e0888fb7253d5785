//go:build unix

package tty

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// GuardCommand is the argument with which this program is its own guard.
const GuardCommand = "__guard"

// Screen is a terminal that was taken over. Its methods are not safe for
// concurrent use.
type Screen struct {
	in, out    *os.File
	saved, raw State
	guard      *exec.Cmd
	pipe       *os.File // to the guard; nil before Watch
	held       bool
	emergency  []byte
}

// plan is what a guard is told: how to give the terminal back.
type plan struct {
	Armed   bool   `json:"armed"`
	Restore []byte `json:"restore,omitempty"` // to be written
	Saved   State  `json:"saved"`
	Raw     State  `json:"raw"`
}

// Take puts the terminal with the input in and the output out into raw mode.
// Watch must follow soon.
func Take(in, out *os.File) (*Screen, error) {
	saved, err := Get(in)
	if err != nil {
		return nil, err
	}
	s := &Screen{in: in, out: out, saved: saved, raw: saved.Raw()}
	if err := s.Hold(); err != nil {
		return nil, err
	}
	return s, nil
}

// Watch starts a guard, a process of its own, that gives the terminal back if
// this one dies without doing so: it writes emergency and sets the mode back.
// guard is the command line that runs Guard; nil means this program with
// GuardCommand. It is apart from Take because a process that starts takes the
// machine for some milliseconds, which nobody should wait for who wants to see
// a session.
func (s *Screen) Watch(emergency []byte, guard []string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the terminal's guard: %w", err)
	}
	defer r.Close()
	s.emergency, s.pipe = emergency, w
	// Before the guard is there: it finds what to do whenever this process dies.
	if s.held {
		err = s.arm()
	}
	if err == nil {
		err = s.startGuard(guard, r)
	}
	if err != nil {
		w.Close()
		s.pipe = nil
	}
	return err
}

func (s *Screen) startGuard(argv []string, plans *os.File) error {
	if argv == nil {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		argv = []string{self, GuardCommand}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout = plans, s.out
	cmd.ExtraFiles = []*os.File{s.in}
	// In a process group of its own: what is sent to this program's group does
	// not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the terminal's guard: %w", err)
	}
	s.guard = cmd
	return nil
}

// arm has the guard give the terminal back from now on.
func (s *Screen) arm() error {
	return s.tell(plan{Armed: true, Restore: s.emergency, Saved: s.saved, Raw: s.raw})
}

func (s *Screen) tell(p plan) error {
	if s.pipe == nil {
		return nil // Watch tells it all
	}
	line, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("tell the terminal's guard: %w", err)
	}
	if _, err := s.pipe.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("tell the terminal's guard: %w", err)
	}
	return nil
}

// Hold puts the terminal into raw mode, again after Yield.
func (s *Screen) Hold() error {
	// The shell may have changed the mode in between.
	if now, err := Get(s.in); err == nil && !now.same(s.raw) {
		s.saved, s.raw = now, now.Raw()
	}
	if err := s.arm(); err != nil {
		return err
	}
	if err := Set(s.in, s.raw, false); err != nil {
		return err
	}
	s.held = true
	return nil
}

// Yield sets the mode back for a while, as when this program is suspended. The
// screen itself is the caller's to give back.
func (s *Screen) Yield() error {
	if !s.held {
		return nil
	}
	s.held = false
	err := Set(s.in, s.saved, true)
	if e := s.tell(plan{}); err == nil {
		err = e
	}
	return err
}

// Release gives the terminal back for good and lets the guard go. What was to
// be written must have been written. Input that was not read is dropped: it
// may be mouse reports, which a shell would take for typing.
func (s *Screen) Release() error {
	err := s.Yield()
	if s.pipe == nil {
		return err
	}
	s.pipe.Close()
	if e := s.guard.Wait(); err == nil && e != nil {
		err = fmt.Errorf("the terminal's guard: %w", e)
	}
	return err
}

// Guard is the guard's whole life: it reads plans from its standard input and,
// if that ends while the last one was armed, follows it. It returns an exit
// code.
func Guard() int {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGTTOU, syscall.SIGTSTP, syscall.SIGPIPE)
	var p plan
	for dec := json.NewDecoder(os.Stdin); ; {
		var next plan
		if err := dec.Decode(&next); err != nil {
			break
		}
		p = next
	}
	if !p.Armed {
		return 0
	}
	in := os.NewFile(3, "terminal")
	now, err := Get(in)
	if err != nil {
		return 1 // the terminal is gone
	}
	// The mode first, since that drops input: once the screen is the user's
	// again, so is what is typed.
	if now.same(p.Raw) {
		if err := Set(in, p.Saved, true); err != nil {
			return 1
		}
	}
	if _, err := os.Stdout.Write(p.Restore); err != nil {
		return 1
	}
	nudge(in)
	return 0
}

// nudge has the program in the foreground draw again: a shell that was faster
// than the guard put its prompt on the screen that went away.
func nudge(in *os.File) {
	if group, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCGPGRP); err == nil && group > 1 {
		_ = syscall.Kill(-group, syscall.SIGWINCH) // nobody may be there
	}
}
