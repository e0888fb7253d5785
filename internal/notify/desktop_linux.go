package notify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// The desktop is told by notify-send (libnotify), which prints the note's
// number and takes one to replace since 0.8; an older one makes a note each
// time, and none can be taken back.

func (d *Desktop) show(ctx context.Context, n Note, old string) (string, error) {
	send := d.find("notify-send")
	if send == "" || !d.hasBus() {
		return "", ErrNoDesktop
	}
	urgency := "normal"
	if n.Kind == Done {
		urgency = "low"
	}
	plain := []string{"--app-name=Termio", "--urgency=" + urgency, "--", n.Title, markup(n.Text)}
	args := append([]string{"--print-id"}, plain...)
	if old != "" {
		args = append([]string{"--replace-id=" + old}, args...)
	}
	out, err := runProgram(ctx, desktopTime, nil, d.Env, send, args...)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "unknown option") {
		_, err = runProgram(ctx, desktopTime, nil, d.Env, send, plain...)
	}
	return number(out), err
}

func (d *Desktop) withdraw(ctx context.Context, id string) error {
	const name, path, method = "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "CloseNotification"
	if p := d.find("gdbus"); p != "" {
		_, err := runProgram(ctx, desktopTime, nil, d.Env, p, "call", "--session", "--dest", name, "--object-path", path, "--method", name+"."+method, id)
		return err
	}
	if p := d.find("busctl"); p != "" {
		_, err := runProgram(ctx, desktopTime, nil, d.Env, p, "--user", "call", name, path, name, method, "u", id)
		return err
	}
	return nil // it goes by itself
}

// hasBus tells whether there is a desktop's bus: without one the program would
// wait or start one of its own.
func (d *Desktop) hasBus() bool {
	if d.getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	run := d.getenv("XDG_RUNTIME_DIR")
	if run == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(run, "bus"))
	return err == nil
}

// number is the note's number in what was printed.
func number(out string) string {
	out = strings.TrimSpace(out)
	if out == "" || strings.Trim(out, "0123456789") != "" {
		return ""
	}
	return out
}

// markup is text for a body in which desktops read a little markup.
func markup(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
