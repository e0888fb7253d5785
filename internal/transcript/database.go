package transcript

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	// The driver. It is set up by its first use, not by being linked.
	_ "modernc.org/sqlite"
)

// busyTime is how long a reader waits for a writer.
const busyTime = 2 * time.Second

// OpenDatabase opens another program's SQLite database for reading, beside
// its writers. It never changes it, and never makes one.
func OpenDatabase(path string) (*sql.DB, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("open a database: %w", err)
	}
	f.Close()
	q := url.Values{"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTime.Milliseconds()), "query_only(1)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// SplitPath splits the path of a conversation in a database.
func SplitPath(path string) (file, conversation string) {
	i := strings.LastIndexByte(path, '#')
	if i < 0 {
		return path, ""
	}
	return path[:i], path[i+1:]
}

func joinPath(file, conversation string) string { return file + "#" + conversation }

// openConversation opens the database that a conversation is in.
func openConversation(path string) (*sql.DB, string, error) {
	file, id := SplitPath(path)
	if !validID(id) {
		return nil, "", fmt.Errorf("read a transcript: %q names no conversation", path)
	}
	db, err := OpenDatabase(file)
	return db, id, err
}

// openCode's messages are in order of their birth; an answer that is being
// written has no time of completion yet. Only the last can be one that will
// still change.
const (
	opencodeMessages = `SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT ? OFFSET ?`
	opencodeParts    = `SELECT data FROM part WHERE message_id = ? ORDER BY id`
	opencodeCount    = `SELECT count(*) FROM message WHERE session_id = ?`
	opencodeLast     = `SELECT data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1`
	opencodeSessions = `SELECT id, directory, title, time_created, time_updated, parent_id IS NOT NULL FROM session`
)

type opencodeMessage struct {
	Role  string `json:"role"`
	Model string `json:"modelID"`
	Time  struct {
		Completed *int64 `json:"completed"`
	} `json:"time"`
	Tokens *struct {
		Input  int `json:"input"`
		Output int `json:"output"`
		Cache  struct {
			Read  int `json:"read"`
			Write int `json:"write"`
		} `json:"cache"`
	} `json:"tokens"`
	Error *struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

type opencodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Tool      string `json:"tool"`
	CallID    string `json:"callID"`
	Filename  string `json:"filename"`
	State     struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
	} `json:"state"`
}

// counted is how many messages of a conversation are complete.
func counted(ctx context.Context, db *sql.DB, id string) (int, error) {
	var n int
	if err := db.QueryRowContext(ctx, opencodeCount, id).Scan(&n); err != nil || n == 0 {
		return n, err
	}
	var data []byte
	err := db.QueryRowContext(ctx, opencodeLast, id).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var last opencodeMessage
	if json.Unmarshal(data, &last) == nil && last.Role == "assistant" && last.Time.Completed == nil && last.Error == nil {
		n--
	}
	return n, nil
}

func countDatabase(path string) (int, error) {
	db, id, err := openConversation(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer db.Close()
	n, err := counted(context.Background(), db, id)
	if err != nil {
		return 0, fmt.Errorf("count the messages in %s: %w", path, err)
	}
	return n, nil
}

// eachMessage reads the complete messages from on; f returning errStop ends it.
func eachMessage(ctx context.Context, db *sql.DB, id string, from, to int, f func(n int, said []Message) error) (int, error) {
	n, err := counted(ctx, db, id)
	if err != nil {
		return 0, err
	}
	if to < 0 || to > n {
		to = n
	}
	from = max(from, 0)
	const page = 32
	at := from
	for at < to {
		rows, err := readPage(ctx, db, id, at, min(page, to-at))
		if err != nil {
			return at, err
		}
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			said, err := r.messages(ctx, db, at)
			if err != nil {
				return at, err
			}
			if err := f(at, said); err != nil {
				return at, err
			}
			at++
		}
	}
	return at, nil
}

type opencodeRow struct {
	id      string
	created int64
	data    []byte
}

func readPage(ctx context.Context, db *sql.DB, id string, from, n int) ([]opencodeRow, error) {
	rows, err := db.QueryContext(ctx, opencodeMessages, id, n, from)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []opencodeRow
	for rows.Next() {
		var r opencodeRow
		if err := rows.Scan(&r.id, &r.created, &r.data); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// messages is what a row says, with its parts.
func (r *opencodeRow) messages(ctx context.Context, db *sql.DB, n int) ([]Message, error) {
	var in opencodeMessage
	if json.Unmarshal(r.data, &in) != nil {
		return nil, nil
	}
	m := Message{Line: n, At: millis(r.created), Role: User}
	if in.Role == "assistant" {
		m.Role = Assistant
		if t := in.Tokens; t != nil {
			m.Usage = &Usage{Input: t.Input, Output: t.Output, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write, Model: in.Model}
		}
	}
	rows, err := db.QueryContext(ctx, opencodeParts, r.id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Message
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return nil, err
		}
		var p opencodePart
		if len(data) > maxLine || json.Unmarshal(data, &p) != nil {
			continue
		}
		had := len(out)
		out = append(out, p.messages(m)...)
		if len(out) > had {
			m.Usage = nil
		}
	}
	if e := in.Error; e != nil && e.Data.Message != "" {
		out = append(out, Message{Line: n, Role: System, Text: e.Data.Message, At: m.At})
	}
	return out, rows.Err()
}

// messages is what a part says in a message like m.
func (p *opencodePart) messages(m Message) []Message {
	switch p.Type {
	case "text":
		if p.Synthetic {
			m.Role = System
		}
		if m.Text = p.Text; m.Text == "" {
			return nil
		}
	case "file":
		m.Text = "[" + p.Filename + "]"
	case "tool":
		call := m
		call.Tool = &Tool{Name: p.Tool, ID: p.CallID, Input: compact(p.State.Input)}
		if p.State.Status != "completed" && p.State.Status != "error" {
			return []Message{call}
		}
		answer := Message{Line: m.Line, Role: ToolRole, Text: p.State.Output, At: m.At}
		answer.Tool = &Tool{Name: p.Tool, ID: p.CallID, Failed: p.State.Status == "error"}
		if answer.Text == "" {
			answer.Text = p.State.Error
		}
		return []Message{call, answer}
	default:
		return nil
	}
	return []Message{m}
}

func readDatabase(path string, from, to, most int) ([]Message, int, error) {
	db, id, err := openConversation(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, max(from, 0), nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer db.Close()
	var out []Message
	size := 0
	next, err := eachMessage(context.Background(), db, id, from, to, func(_ int, said []Message) error {
		if most > 0 && size >= most {
			return errStop
		}
		for i := range said {
			size += len(said[i].Text)
			if t := said[i].Tool; t != nil {
				size += len(t.Input)
			}
		}
		out = append(out, said...)
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, 0, fmt.Errorf("read the messages in %s: %w", path, err)
	}
	return out, next, nil
}

func scanDatabase(ctx context.Context, path string, from Mark, each func(Message) error) (About, Mark, bool, error) {
	db, id, err := openConversation(path)
	if err != nil {
		return About{}, from, false, err
	}
	defer db.Close()
	n, err := counted(ctx, db, id)
	if err != nil {
		return About{}, from, false, fmt.Errorf("count the messages in %s: %w", path, err)
	}
	anew := n < from.Lines
	if anew {
		from = Mark{}
	}
	a, err := sessionOf(ctx, db, id)
	if err != nil {
		return About{}, from, anew, fmt.Errorf("read the session of %s: %w", path, err)
	}
	to := from
	to.Lines, err = eachMessage(ctx, db, id, from.Lines, ToEnd, func(_ int, said []Message) error {
		for i := range said {
			a.saw(&said[i])
			if err := each(said[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return About{}, from, anew, fmt.Errorf("read the messages in %s: %w", path, err)
	}
	return a, to, anew, nil
}

func sessionOf(ctx context.Context, db *sql.DB, id string) (About, error) {
	rows, err := db.QueryContext(ctx, opencodeSessions+` WHERE id = ?`, id)
	if err != nil {
		return About{}, err
	}
	all, err := sessions(rows)
	if err != nil || len(all) == 0 {
		return About{ID: id}, err
	}
	return all[0], nil
}

func sessions(rows *sql.Rows) ([]About, error) {
	defer rows.Close()
	var out []About
	for rows.Next() {
		var a About
		var created, updated int64
		if err := rows.Scan(&a.ID, &a.Dir, &a.Title, &created, &updated, &a.Sub); err != nil {
			return nil, err
		}
		a.Created, a.Updated, a.Title = millis(created), millis(updated), titleOf(a.Title)
		out = append(out, a)
	}
	return out, rows.Err()
}

func headDatabase(path string) (About, error) {
	db, id, err := openConversation(path)
	if err != nil {
		return About{}, err
	}
	defer db.Close()
	a, err := sessionOf(context.Background(), db, id)
	if err != nil {
		return About{}, fmt.Errorf("read the session of %s: %w", path, err)
	}
	return a, nil
}

// listDatabase is every conversation in a database.
func listDatabase(ctx context.Context, file string) ([]About, error) {
	db, err := OpenDatabase(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, opencodeSessions)
	if err != nil {
		return nil, fmt.Errorf("read the sessions in %s: %w", file, err)
	}
	all, err := sessions(rows)
	if err != nil {
		return nil, fmt.Errorf("read the sessions in %s: %w", file, err)
	}
	return all, nil
}
