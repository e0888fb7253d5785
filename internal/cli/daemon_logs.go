package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type daemonLogsOptions struct {
	app   *App
	lines int
}

func newDaemonLogs(app *App) *cobra.Command {
	o := &daemonLogsOptions{app: app}
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Print the end of the coordinator's log",
		Long: `Print the last lines of the coordinator's log: JSON, one entry a line,
with --json or without.`,
		Example: `  termio daemon logs --lines 200`,
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return o.run() },
	}
	app.jsonFlag(cmd)
	cmd.Flags().IntVar(&o.lines, "lines", 50, "the last `N` lines")
	return cmd
}

// maxLogTail bounds what is read of a log, in bytes.
const maxLogTail = 4 << 20

func (o *daemonLogsOptions) run() error {
	if o.lines <= 0 {
		return usagef(api.CodeBadRequest, "--lines is %d: give a number of lines, as in 50", o.lines)
	}
	layout, err := o.app.layout()
	if err != nil {
		return err
	}
	path := filepath.Join(layout.LogsDir(), "daemon.log")
	tail, err := fileTail(path, maxLogTail)
	if errors.Is(err, fs.ErrNotExist) {
		if o.app.json {
			return nil
		}
		return o.app.print("no log yet\n")
	}
	if err != nil {
		return fmt.Errorf("read the coordinator's log: %w", err)
	}
	return o.app.print(string(lastLines(tail, o.lines)))
}

// fileTail is the last n bytes of a file.
func fileTail(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := min(info.Size(), n)
	buf := make([]byte, size)
	k, err := f.ReadAt(buf, info.Size()-size)
	if int64(k) == size {
		err = nil
	}
	return buf[:k], err
}

// lastLines is the last n lines of text.
func lastLines(text []byte, n int) []byte {
	end := len(bytes.TrimSuffix(text, []byte("\n")))
	for at := end; at > 0; {
		at = bytes.LastIndexByte(text[:at], '\n')
		if n--; n == 0 || at < 0 {
			return text[at+1:]
		}
	}
	return text
}
