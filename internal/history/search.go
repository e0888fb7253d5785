package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/transcript"
)

// Query is what is searched for.
type Query struct {
	// Text is what was typed; all its words must be in a conversation, the
	// one that ends with "*" stands for all that begin so. Empty means every
	// conversation.
	Text string
	// Agent is a manifest's id, Dir a folder, with all below it; "" for any.
	Agent, Dir string
	// Limit is the most rows, newest first.
	Limit int
}

// Row is one conversation.
type Row struct {
	ID           string // stable: the same in every index
	Agent        string // manifest id
	Conversation string // the agent's own id
	Path         string // of the transcript
	Dir, Title   string
	Created      time.Time
	Updated      time.Time
	Prompts      int
	Messages     int
}

// ErrNoWords is a text to search for without a word in it.
var ErrNoWords = errors.New("there is no word in it")

const rowColumns = "row, agent, conversation, path, dir, title, created, updated, prompts, messages"

// Search finds conversations, the newest first.
func (x *Index) Search(ctx context.Context, q Query) ([]Row, error) {
	where := []string{"prompts > 0", "NOT sub"}
	var args []any
	if strings.TrimSpace(q.Text) != "" {
		words := terms(q.Text)
		if len(words) == 0 {
			return nil, ErrNoWords
		}
		for _, t := range words {
			where = append(where, fmt.Sprintf("id IN (SELECT rowid >> %d FROM words WHERE words MATCH ?)", docShift))
			args = append(args, t.match())
		}
	}
	if q.Agent != "" {
		where, args = append(where, "agent = ?"), append(args, q.Agent)
	}
	if q.Dir != "" {
		dir := strings.TrimRight(q.Dir, "/")
		where, args = append(where, "(dir = ? OR substr(dir, 1, length(?)) = ?)"), append(args, dir, dir+"/", dir+"/")
	}
	args = append(args, q.Limit)
	var out []Row
	err := x.reading(func(db *sql.DB) (err error) {
		rows, err := db.QueryContext(ctx, "SELECT "+rowColumns+" FROM source WHERE "+strings.Join(where, " AND ")+" ORDER BY updated DESC, id LIMIT ?", args...)
		if err != nil {
			return err
		}
		out, err = scanRows(rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search past conversations: %w", err)
	}
	return out, nil
}

// Find are the conversations whose row's id begins with what was given, the
// newest first, at most ten. More than one row can have the same id: the same
// conversation in two files.
func (x *Index) Find(ctx context.Context, id string) ([]Row, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	var out []Row
	err := x.reading(func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT "+rowColumns+" FROM source WHERE substr(row, 1, length(?)) = ? AND prompts > 0 AND NOT sub ORDER BY updated DESC LIMIT 10", id, id)
		if err != nil {
			return err
		}
		out, err = scanRows(rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find a past conversation: %w", err)
	}
	return out, nil
}

func scanRows(rows *sql.Rows) ([]Row, error) {
	defer rows.Close()
	var out []Row
	for rows.Next() {
		var r Row
		var created, updated int64
		if err := rows.Scan(&r.ID, &r.Agent, &r.Conversation, &r.Path, &r.Dir, &r.Title, &created, &updated, &r.Prompts, &r.Messages); err != nil {
			return nil, err
		}
		if created > 0 {
			r.Created = time.UnixMilli(created).UTC()
		}
		r.Updated = time.UnixMilli(updated).UTC()
		out = append(out, r)
	}
	return out, rows.Err()
}

// Excerpt is a place where something that is searched for was said.
type Excerpt struct {
	Line int
	Role transcript.Role
	Text string // on one line, shortened
}

// excerptSize is how long an excerpt is, in characters.
const excerptSize = 160

// Excerpt looks in a row's transcript for a place where the words of text were
// said: the first where all were, else the first with one of them.
func (r *Row) Excerpt(ctx context.Context, format, text string) (Excerpt, bool) {
	words := terms(text)
	if len(words) == 0 {
		return Excerpt{}, false
	}
	// The rarest is not known; the longest is a good guess.
	best := slices.MaxFunc(words, func(a, b term) int { return cmp.Compare(len(a.word), len(b.word)) })
	var out Excerpt
	found := false
	err := transcript.Grep(ctx, format, r.Path, best.word, func(m transcript.Message) bool {
		if m.Role == transcript.System {
			return false
		}
		said := m.Text
		if m.Tool != nil && m.Role == transcript.Assistant {
			said = m.Tool.Name + " " + m.Tool.Input
		}
		if !best.has(said) {
			return false
		}
		all := !slices.ContainsFunc(words, func(t term) bool { return !t.has(said) })
		if all || !found {
			out, found = Excerpt{Line: m.Line, Role: m.Role, Text: around(said, best)}, true
		}
		return all
	})
	return out, found && (err == nil || ctx.Err() != nil)
}

// around is the part of a text in which the term is, on one line.
func around(text string, t term) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	runes := []rune(text)
	if len(runes) <= excerptSize {
		return text
	}
	at := 0
	if i := foldIndex(text, t.word); i > 0 {
		at = utf8.RuneCountInString(text[:i])
	}
	from := max(0, min(at-excerptSize/3, len(runes)-excerptSize))
	out := string(runes[from:min(from+excerptSize, len(runes))])
	if from > 0 {
		out = "…" + out
	}
	if from+excerptSize < len(runes) {
		out += "…"
	}
	return out
}

// foldIndex is where word begins in text, whatever the case and the accents;
// -1 where it is found only in parts.
func foldIndex(text, word string) int {
	for i := range text {
		rest, ok := text[i:], true
		for _, w := range word {
			r, n := utf8.DecodeRuneInString(rest)
			if n == 0 || unaccented(unicode.ToLower(r)) != w {
				ok = false
				break
			}
			rest = rest[n:]
		}
		if ok {
			return i
		}
	}
	return -1
}
