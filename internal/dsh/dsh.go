// Package dsh reads what the agent Dsh keeps of its sessions, for versions of it
// that cannot replay one over the Agent Client Protocol. It only reads.
//
// A session is a folder <root>/sessions/<project>/<id> with a log in one or more
// generations, session.v<N>.jsonl, each plain or as concatenated zstd frames.
// The first line is a header, each line after it an event with a rising number.
package dsh

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"

	"github.com/termio-sh/termio/internal/acphost"
)

// maxLog is the largest log that is read, in bytes once it is decoded.
const maxLog = 64 << 20

// The generations of the log that are understood.
const (
	oldest = 2
	newest = 4
)

// Home is where Dsh keeps its things in an environment, for a session that runs
// in workspace.
func Home(env []string, workspace string) string {
	get := func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(env[i], name+"="); ok {
				return v
			}
		}
		return ""
	}
	user := get("HOME")
	home := get("DSH_HOME")
	switch rest, tilde := strings.CutPrefix(home, "~/"); {
	case home == "":
		return filepath.Join(user, ".dsh")
	case home == "~":
		return user
	case tilde:
		return filepath.Join(user, rest)
	case !filepath.IsAbs(home):
		return filepath.Join(workspace, home)
	}
	return home
}

// Load reads the session of that id that was made in workspace.
func Load(home, workspace, id string) (title string, lines []acphost.Line, err error) {
	fail := func(err error) (string, []acphost.Line, error) {
		return "", nil, fmt.Errorf("read Dsh's session %s: %w", id, err)
	}
	if _, err := uuid.Parse(id); err != nil || len(id) != 36 {
		return fail(errors.New("that is no id of a session of Dsh's"))
	}
	dir, err := folder(filepath.Join(home, "sessions"), id)
	if err != nil {
		return fail(err)
	}
	path, generation, err := choose(dir)
	if err != nil {
		return fail(err)
	}
	data, err := read(path)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", filepath.Base(path), err))
	}
	l := log{workspace: workspace, id: id, generation: generation}
	if err := l.parse(data); err != nil {
		return fail(fmt.Errorf("%s: %w", filepath.Base(path), err))
	}
	return l.title, l.replay.Lines(), nil
}

// folder finds a session's folder: the first project's that has one.
func folder(root, id string) (string, error) {
	projects, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("there are no sessions of Dsh here")
	}
	if err != nil {
		return "", err
	}
	for _, p := range projects {
		if !p.IsDir() {
			continue
		}
		dir := filepath.Join(root, p.Name(), id)
		if st, err := os.Lstat(dir); err == nil && st.IsDir() {
			return dir, nil
		}
	}
	return "", errors.New("it is not there")
}

var logName = regexp.MustCompile(`^session(?:\.v([1-9][0-9]*))?\.jsonl(\.zstd)?$`)

// choose is the log of the highest generation. An older one is never read in its
// place: it is what the session was before.
func choose(dir string) (path string, generation int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", 0, err
	}
	generation = -1
	twice := false
	for _, e := range entries {
		m := logName.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		n := 0
		if m[1] != "" {
			if n, err = strconv.Atoi(m[1]); err != nil {
				continue
			}
		}
		switch {
		case n > generation:
			path, generation, twice = filepath.Join(dir, e.Name()), n, false
		case n == generation:
			twice = true
		}
	}
	switch {
	case generation < 0:
		return "", 0, errors.New("it has no log")
	case twice:
		return "", 0, fmt.Errorf("its log of version %d is there twice, plain and compressed", generation)
	case generation < oldest || generation > newest:
		return "", 0, fmt.Errorf("its log has the version %d; those from %d to %d can be read", generation, oldest, newest)
	}
	return path, generation, nil
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".zstd") {
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLog))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	}
	data, err := io.ReadAll(io.LimitReader(r, maxLog+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxLog:
		return nil, fmt.Errorf("it has more than %d MiB", maxLog>>20)
	case !utf8.Valid(data):
		return nil, errors.New("it is no UTF-8")
	}
	return data, nil
}

// log is a log that is read.
type log struct {
	workspace, id string
	generation    int

	title  string
	replay acphost.Replay
}

// parse takes a log's lines. One that is not as it should be fails all of it.
func (l *log) parse(data []byte) error {
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	if err := l.header(head); err != nil {
		return err
	}
	rest = bytes.TrimSuffix(rest, []byte("\n"))
	if len(rest) == 0 {
		return nil
	}
	n := 0
	for line := range bytes.SplitSeq(rest, []byte("\n")) {
		if err := l.event(n, line); err != nil {
			return fmt.Errorf("line %d: %w", n+2, err)
		}
		n++
	}
	return nil
}

func (l *log) header(line []byte) error {
	var h struct {
		Type, ID, Cwd, Origin string
		Version               json.Number
		ParentSession         any
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("its header cannot be read: %w", err)
	}
	_, child := h.ParentSession.(string)
	switch {
	case h.Type != "session" || h.ID != l.id:
		return errors.New("its header is another session's")
	case h.Version.String() != strconv.Itoa(l.generation):
		return fmt.Errorf("its header says version %s", h.Version)
	case !sameDir(h.Cwd, l.workspace):
		return fmt.Errorf("it was made in %s", h.Cwd)
	case h.Origin == "subagent" || child:
		return errors.New("it is another session's helper's")
	}
	return nil
}

func sameDir(a, b string) bool {
	clean := func(s string) string {
		s = strings.TrimPrefix(s, `\\?\`)
		if t := strings.TrimRight(s, `/`); t != "" {
			return t
		}
		return s
	}
	return a != "" && clean(a) == clean(b)
}

// message is what an event says, in itself or one level down.
type message struct {
	ID         string
	Source     struct{ Kind string }
	Content    []block
	ToolCallID string
	IsError    bool
}

type block struct{ Type, Text string }

func (l *log) event(n int, line []byte) error {
	var e struct {
		Seq  *int
		Type *string
		Data json.RawMessage
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	if e.Type == nil || e.Seq == nil || *e.Seq != n {
		return fmt.Errorf("it is no event with the number %d", n)
	}
	var d struct {
		Message *json.RawMessage
		CallID  string
		Name    string
		Title   *string
	}
	var m message
	switch *e.Type {
	case "user/message", "assistant/message", "tool/result", "tool/call", "session/title":
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		raw := e.Data
		if d.Message != nil {
			raw = *d.Message
		}
		// What has another shape says nothing.
		_ = json.Unmarshal(raw, &m)
		if m.ID == "" {
			m.ID = fmt.Sprintf("dsh-%d", n)
		}
	}
	switch *e.Type {
	case "user/message":
		if m.Source.Kind == "user" { // not what plugins put in
			l.blocks(m, map[string]string{"text": "user"})
		}
	case "assistant/message":
		l.blocks(m, map[string]string{"text": "message", "reasoning": "thought"})
	case "tool/call":
		l.replay.Add(acphost.Event{Type: acphost.EventTool, ToolCallID: d.CallID, Title: d.Name, Kind: "other", Status: "in_progress"})
	case "tool/result":
		status := "completed"
		if m.IsError {
			status = "failed"
		}
		l.replay.Add(acphost.Event{Type: acphost.EventTool, ToolCallID: m.ToolCallID, Status: status})
	case "session/title":
		if d.Title != nil {
			l.title = *d.Title
		}
	}
	return nil
}

func (l *log) blocks(m message, kinds map[string]string) {
	for _, b := range m.Content {
		switch kind := kinds[b.Type]; kind {
		case "":
		case "user":
			l.replay.Add(acphost.Event{Type: acphost.EventUser, Text: b.Text, MessageID: m.ID, Replay: true})
		default:
			l.replay.Add(acphost.Event{Type: acphost.EventStream, Kind: kind, Text: b.Text, MessageID: m.ID, Replay: true})
		}
	}
}

// Past is Load for an agent's environment.
func Past(env []string, dir, session string) (title string, lines []acphost.Line, err error) {
	return Load(Home(env, dir), dir, session)
}
