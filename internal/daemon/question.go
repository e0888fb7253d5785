package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
)

// Bounds of a question as it is told: the end of the screen, where an agent
// asks.
const (
	promptRows  = 12
	promptBytes = 1200
	promptQuiet = 100 * time.Millisecond // some declare a question before they draw it
	promptTime  = 600 * time.Millisecond
)

// prompt is the question as it stands on the session's screen, with the keys
// that answer it. Where there is no screen to be had it is what was declared.
func (d *Daemon) prompt(ctx context.Context, s *session, declared string) string {
	if s.record.Kind != "term" || !s.live {
		return api.WithoutBidi(declared)
	}
	client, err := d.client(ctx, *s)
	if err != nil {
		return api.WithoutBidi(declared)
	}
	quiet, cancel := context.WithTimeout(ctx, promptTime)
	defer cancel()
	// A screen that does not come to rest is taken as it is.
	_ = client.Call(quiet, hostproto.OpLook, hostproto.LookRequest{QuietMs: int(promptQuiet.Milliseconds())}, nil)
	var screen hostproto.Screen
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	if err := client.Call(ctx, hostproto.OpScreen, hostproto.ScreenRequest{}, &screen); err != nil || screen.Text == "" {
		return api.WithoutBidi(declared)
	}
	return api.WithoutBidi(endOf(screen.Text))
}

// endOf is the last rows of a screen, at most so many and so long.
func endOf(screen string) string {
	rows := strings.Split(screen, "\n")
	rows = rows[max(0, len(rows)-promptRows):]
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	text := strings.Join(rows, "\n")
	if over := len(text) - promptBytes; over > 0 {
		text = text[over:]
	}
	return strings.ToValidUTF8(text, "")
}
