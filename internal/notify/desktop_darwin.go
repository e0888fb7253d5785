package notify

import "context"

// The desktop is told by terminal-notifier where it is installed, which can
// replace and take back, else by the system's own script, which cannot.

const script = `on run argv
display notification (item 2 of argv) with title "Termio" subtitle (item 1 of argv)
end run`

func (d *Desktop) show(ctx context.Context, n Note, _ string) (string, error) {
	text := n.Text
	if text == "" {
		text = " " // an empty one is refused
	}
	if p := d.find("terminal-notifier"); p != "" {
		id := "termio." + n.Session
		_, err := runProgram(ctx, desktopTime, nil, d.Env, p, "-group", id, "-title", "Termio", "-subtitle", unbracket(n.Title), "-message", unbracket(text))
		return id, err
	}
	const osascript = "/usr/bin/osascript"
	_, err := runProgram(ctx, desktopTime, nil, d.Env, osascript, "-e", script, "--", n.Title, text)
	return "", err
}

// unbracket keeps terminal-notifier from reading a text that begins with a
// bracket or a dash as something else.
func unbracket(text string) string {
	if text != "" && (text[0] == '[' || text[0] == '-' || text[0] == '(' || text[0] == '{') {
		return `\` + text
	}
	return text
}

func (d *Desktop) withdraw(ctx context.Context, id string) error {
	if p := d.find("terminal-notifier"); p != "" {
		_, err := runProgram(ctx, desktopTime, nil, d.Env, p, "-remove", id)
		return err
	}
	return nil
}
