package resume

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
)

// Seed is the empty session file that an agent wants before it is started with
// a new id ("seed": "session-file" of the manifest). It is the one place where
// an agent's naming is repeated; no other decision hangs on it.
type Seed struct {
	Path string
	Data []byte
}

// seedVersion is the version of the session file that Pi writes.
const seedVersion = 3

// NewSeed makes the session file of conversation id in dir, whose symbolic
// links are resolved.
func NewSeed(m *atp.Manifest, getenv func(string) string, id, dir string, now time.Time) (Seed, error) {
	root := m.Place(m.Resume.StoreRoot, getenv)
	if root == "" || !atp.ValidID(id) {
		return Seed{}, fmt.Errorf("make a session file for %q: the agent's store has no place", id)
	}
	stamp := now.UTC().Format("2006-01-02T15:04:05.000Z")
	bucket := "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(dir, "/")) + "--"
	name := strings.NewReplacer(":", "-", ".", "-").Replace(stamp) + "_" + id + ".jsonl"
	line, err := json.Marshal(struct {
		Type      string `json:"type"`
		Version   int    `json:"version"`
		ID        string `json:"id"`
		Timestamp string `json:"timestamp"`
		Cwd       string `json:"cwd"`
	}{"session", seedVersion, id, stamp, dir})
	if err != nil {
		return Seed{}, fmt.Errorf("make a session file: %w", err)
	}
	return Seed{filepath.Join(root, bucket, name), append(line, '\n')}, nil
}

// Write writes the file, unless one is there: what an agent wrote is never
// touched.
func (s Seed) Write() error {
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return fmt.Errorf("write the agent's session file: %w", err)
	}
	f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the agent's session file: %w", err)
	}
	_, err = f.Write(s.Data)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the agent's session file: %w", err)
	}
	return nil
}
