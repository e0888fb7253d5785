package history

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/transcript"
)

// Bounds of an update.
const (
	batchFiles = 500      // in one transaction
	batchBytes = 64 << 20 // of transcripts in one transaction
	batchTime  = time.Second

	docWords = 1 << 15 // words in one row of the index
	maxDocs  = 64      // rows of one conversation; what is said after is not found

	wholeText   = 1 << 20 // of a message, bytes that are read for words
	toolInput   = 16 << 10
	toolOutput  = 4 << 10
	rebuildDocs = 48 // so many rows by additions: read anew, into few
)

// Progress is how far an update is.
type Progress struct {
	Done, Total           int // conversations that have changed
	DoneBytes, TotalBytes int64
	// Skipped are those that could not be read.
	Skipped int
}

// known is what the index has about a conversation, for deciding whether it
// has changed.
type known struct {
	id, size, mtime int64
	inode           uint64
	seen            bool
}

// change is a conversation to be read.
type change struct {
	agent       *atp.Manifest
	path        string
	about       transcript.About // of a database's
	size, mtime int64
	inode       uint64
}

// Update brings the index up to date with the stores of the agents, whose
// environment env reads. What it has done is kept when it is cut short.
// progress is called often, from this goroutine. A store that cannot be read
// is an error at the end; the others are brought up to date all the same.
func (x *Index) Update(ctx context.Context, agents []*atp.Manifest, env transcript.Env, progress func(Progress)) error {
	x.updating.Lock()
	defer x.updating.Unlock()
	x.mu.RLock()
	db := x.writer
	x.mu.RUnlock()
	if db == nil {
		return errors.New("update the index of past conversations: it is closed")
	}
	var changes []change
	var gone []int64
	var stores []error
	var inUse []string
	for _, m := range agents {
		if m.Transcript == nil {
			continue
		}
		inUse = append(inUse, m.ID)
		more, lost, err := look(ctx, db, m, env)
		if err != nil {
			if ctx.Err() != nil || broken(err) {
				return fmt.Errorf("update the index of past conversations: %w", err)
			}
			stores = append(stores, fmt.Errorf("%s: %w", m.Name, err))
		}
		changes, gone = append(changes, more...), append(gone, lost...)
	}
	lost, err := strangers(ctx, db, inUse)
	if err != nil {
		return fmt.Errorf("update the index of past conversations: %w", err)
	}
	// The newest first, so that an index that is being made is of use soon.
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(b.mtime, a.mtime) })
	u := updater{db: db, progress: progress}
	if err := u.forget(ctx, append(gone, lost...)); err != nil {
		return fmt.Errorf("update the index of past conversations: %w", err)
	}
	if err := u.read(ctx, changes); err != nil {
		return fmt.Errorf("update the index of past conversations: %w", err)
	}
	if len(stores) == 0 {
		if err := u.complete(ctx, len(changes)); err != nil {
			return fmt.Errorf("update the index of past conversations: %w", err)
		}
	}
	return errors.Join(stores...)
}

// look compares an agent's store with the index.
func look(ctx context.Context, db *sql.DB, m *atp.Manifest, env transcript.Env) (changes []change, gone []int64, err error) {
	have, err := knownOf(ctx, db, m.ID)
	if err != nil {
		return nil, nil, err
	}
	for item, err := range transcript.List(ctx, m, env) {
		if err != nil {
			return changes, nil, err // so nothing counts as gone
		}
		c := change{agent: m, path: item.Path, about: item.About, mtime: item.About.Updated.UnixNano()}
		if item.About.ID == "" {
			info, err := os.Lstat(item.Path)
			if err != nil || !info.Mode().IsRegular() || info.Size() > transcript.MaxFile {
				continue
			}
			c.size, c.mtime, c.inode = info.Size(), info.ModTime().UnixNano(), inodeOf(info)
		}
		k := have[item.Path]
		if k != nil {
			k.seen = true
			if k.size == c.size && k.mtime == c.mtime && k.inode == c.inode {
				continue
			}
		}
		changes = append(changes, c)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for _, k := range have {
		if !k.seen {
			gone = append(gone, k.id)
		}
	}
	return changes, gone, nil
}

func knownOf(ctx context.Context, db *sql.DB, agent string) (map[string]*known, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, path, size, mtime, inode FROM source WHERE agent = ?", agent)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have := map[string]*known{}
	for rows.Next() {
		var k known
		var path string
		var inode int64
		if err := rows.Scan(&k.id, &path, &k.size, &k.mtime, &inode); err != nil {
			return nil, err
		}
		k.inode = uint64(inode)
		have[path] = &k
	}
	return have, rows.Err()
}

// strangers are the conversations of agents that there are no more.
func strangers(ctx context.Context, db *sql.DB, agents []string) ([]int64, error) {
	rows, err := db.QueryContext(ctx, "SELECT DISTINCT agent FROM source")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var away []string
	for rows.Next() {
		var a string
		if err := rows.Scan(&a); err != nil {
			return nil, err
		}
		if !slices.Contains(agents, a) {
			away = append(away, a)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var ids []int64
	for _, a := range away {
		have, err := knownOf(ctx, db, a)
		if err != nil {
			return nil, err
		}
		for _, k := range have {
			ids = append(ids, k.id)
		}
	}
	return ids, nil
}

// updater writes to the index, in transactions of bounded size.
type updater struct {
	db       *sql.DB
	progress func(Progress)
	at       Progress

	tx    *sql.Tx
	files int
	bytes int64
	since time.Time
}

func (u *updater) begin(ctx context.Context) (err error) {
	if u.tx == nil {
		u.files, u.bytes, u.since = 0, 0, time.Now()
		u.tx, err = u.db.BeginTx(ctx, nil)
	}
	return err
}

func (u *updater) commit() error {
	if u.tx == nil {
		return nil
	}
	tx := u.tx
	u.tx = nil
	return tx.Commit()
}

// end gives up what is not committed.
func (u *updater) end() {
	if u.tx != nil {
		u.tx.Rollback() // the error that led here counts
		u.tx = nil
	}
}

// forget takes conversations out of the index.
func (u *updater) forget(ctx context.Context, ids []int64) error {
	defer u.end()
	for _, id := range ids {
		if err := u.begin(ctx); err != nil {
			return err
		}
		if err := u.clear(ctx, id); err != nil {
			return err
		}
		if _, err := u.tx.ExecContext(ctx, "DELETE FROM source WHERE id = ?", id); err != nil {
			return err
		}
		if u.files++; u.files >= batchFiles {
			if err := u.commit(); err != nil {
				return err
			}
		}
	}
	return u.commit()
}

// clear takes a conversation's words out of the index.
func (u *updater) clear(ctx context.Context, id int64) error {
	var docs int64
	if err := u.tx.QueryRowContext(ctx, "SELECT docs FROM source WHERE id = ?", id).Scan(&docs); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	for n := range docs {
		if _, err := u.tx.ExecContext(ctx, "DELETE FROM words WHERE rowid = ?", id<<docShift|n); err != nil {
			return err
		}
	}
	return nil
}

// read reads what has changed.
func (u *updater) read(ctx context.Context, changes []change) error {
	defer u.end()
	u.at.Total = len(changes)
	for i := range changes {
		u.at.TotalBytes += changes[i].size
	}
	u.tell()
	for i := range changes {
		if err := u.begin(ctx); err != nil {
			return err
		}
		c := &changes[i]
		switch err := u.one(ctx, c); {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case isOurs(err):
			return err
		case errors.Is(err, fs.ErrNotExist):
		default:
			u.at.Skipped++
		}
		u.at.Done, u.at.DoneBytes = i+1, u.at.DoneBytes+c.size
		u.files, u.bytes = u.files+1, u.bytes+c.size
		if u.files >= batchFiles || u.bytes >= batchBytes || time.Since(u.since) >= batchTime {
			if err := u.commit(); err != nil {
				return err
			}
		}
		u.tell()
	}
	return u.commit()
}

func (u *updater) tell() {
	if u.progress != nil {
		u.progress(u.at)
	}
}

// indexError is a failure of the index, not of a transcript.
type indexError struct{ error }

func (e indexError) Unwrap() error { return e.error }

func isOurs(err error) bool {
	var e indexError
	return errors.As(err, &e)
}

// source is a row of the table.
type source struct {
	id                       int64
	agent, path              string
	mark                     transcript.Mark
	docs                     int64
	row                      string
	conversation, dir, title string
	sub                      bool
	prompts, messages        int
	created, updated         int64
}

// one reads one conversation, on from where it was read to.
func (u *updater) one(ctx context.Context, c *change) error {
	s := source{agent: c.agent.ID, path: c.path}
	there, err := u.load(ctx, &s)
	if err != nil {
		return indexError{err}
	}
	if there == (known{id: s.id, size: c.size, mtime: c.mtime, inode: c.inode}) {
		return nil // another process was here
	}
	if there.inode != c.inode || s.docs > rebuildDocs {
		s.mark = transcript.Mark{} // its rows are thrown away below
	}
	fresh := s.mark.Lines == 0
	var docs docs
	about, mark, anew, err := transcript.Scan(ctx, c.agent.Transcript.Format, c.path, s.mark, func(m transcript.Message) error {
		docs.take(&m)
		return nil
	})
	if err != nil {
		return err
	}
	if fresh || anew {
		if s.id != 0 {
			if err := u.clear(ctx, s.id); err != nil {
				return indexError{err}
			}
		}
		s = source{id: s.id, agent: s.agent, path: s.path}
	}
	s.mark = mark
	title := s.title
	s.learn(about, c)
	if s.title != title {
		docs.add(s.title)
	}
	texts := docs.texts()
	texts = texts[:min(int64(len(texts)), maxDocs-s.docs)]
	first := s.docs
	s.docs += int64(len(texts))
	if err := u.save(ctx, &s, c); err != nil {
		return indexError{err}
	}
	for i, text := range texts {
		if _, err := u.tx.ExecContext(ctx, "INSERT INTO words (rowid, text) VALUES (?, ?)", s.id<<docShift|(first+int64(i)), text); err != nil {
			return indexError{err}
		}
	}
	return nil
}

// learn adds what the lines just read say.
func (s *source) learn(a transcript.About, c *change) {
	set := func(to *string, v string) {
		if *to == "" {
			*to = v
		}
	}
	set(&s.conversation, a.ID)
	set(&s.dir, a.Dir)
	set(&s.title, a.Title)
	if c.about.ID != "" && a.Title != "" {
		s.title = a.Title // a database has the present one
	}
	s.sub = s.sub || a.Sub
	s.prompts, s.messages = s.prompts+a.Prompts, s.messages+a.Messages
	if s.created == 0 && !a.Created.IsZero() {
		s.created = a.Created.UnixMilli()
	}
	if !a.Updated.IsZero() {
		s.updated = max(s.updated, a.Updated.UnixMilli())
	}
	if s.updated == 0 {
		s.updated = c.mtime / int64(time.Millisecond)
	}
	s.row = rowID(s.agent, s.conversation, s.dir)
}

// rowID is the stable name of a conversation in lists: eight letters and
// digits, the same in every index that is ever made.
func rowID(agent, conversation, dir string) string {
	sum := sha256.Sum256([]byte(agent + "\x00" + conversation + "\x00" + dir))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// load reads what the index has of the conversation at s.path now.
func (u *updater) load(ctx context.Context, s *source) (k known, err error) {
	var tail []byte
	var inode int64
	err = u.tx.QueryRowContext(ctx, `SELECT id, size, mtime, inode, offset, lines, tail, docs, conversation, dir, title, sub, prompts, messages, created, updated
  FROM source WHERE agent = ? AND path = ?`, s.agent, s.path).
		Scan(&s.id, &k.size, &k.mtime, &inode, &s.mark.Offset, &s.mark.Lines, &tail, &s.docs, &s.conversation, &s.dir, &s.title, &s.sub, &s.prompts, &s.messages, &s.created, &s.updated)
	s.mark.Tail = string(tail)
	k.id, k.inode = s.id, uint64(inode)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return k, err
}

// save writes a conversation's row. It is an INSERT or an UPDATE of one row by
// its id, nothing cleverer: a statement that could fail in its middle makes
// SQLite set a savepoint, at which FTS5 writes out all that it has gathered.
func (u *updater) save(ctx context.Context, s *source, c *change) error {
	values := []any{
		c.size, c.mtime, int64(c.inode), s.mark.Offset, s.mark.Lines, []byte(s.mark.Tail), s.docs,
		s.row, s.conversation, s.dir, s.title, s.sub, s.prompts, s.messages, s.created, s.updated,
	}
	if s.id != 0 {
		_, err := u.tx.ExecContext(ctx, `UPDATE source SET size = ?, mtime = ?, inode = ?, offset = ?, lines = ?, tail = ?, docs = ?,
  row = ?, conversation = ?, dir = ?, title = ?, sub = ?, prompts = ?, messages = ?, created = ?, updated = ? WHERE id = ?`, append(values, s.id)...)
		return err
	}
	result, err := u.tx.ExecContext(ctx, `INSERT INTO source (size, mtime, inode, offset, lines, tail, docs,
  row, conversation, dir, title, sub, prompts, messages, created, updated, agent, path)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, append(values, s.agent, s.path)...)
	if err != nil {
		return err
	}
	s.id, err = result.LastInsertId()
	return err
}

// complete notes that every store was read, and tidies up after a large
// update: searches go through one piece of the index instead of many.
func (u *updater) complete(ctx context.Context, changes int) error {
	if changes >= batchFiles {
		if _, err := u.db.ExecContext(ctx, "INSERT INTO words (words) VALUES ('optimize')"); err != nil {
			return err
		}
		if _, err := u.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
	}
	var done string
	err := u.db.QueryRowContext(ctx, "SELECT value FROM note WHERE key = 'complete'").Scan(&done)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = u.db.ExecContext(ctx, "INSERT INTO note (key, value) VALUES ('complete', ?)", time.Now().UTC().Format(time.RFC3339))
	return err
}

// docs collects the words of a conversation, each once, in rows.
type docs struct {
	done []string
	set  map[string]struct{}
	cut  cutter
}

func (d *docs) take(m *transcript.Message) {
	if m.Role == transcript.System {
		return // it stands in every conversation
	}
	text, most := m.Text, wholeText
	if m.Role == transcript.ToolRole {
		most = toolOutput
	}
	d.add(text[:min(len(text), most)])
	if t := m.Tool; t != nil {
		d.add(t.Name)
		d.add(t.Input[:min(len(t.Input), toolInput)])
	}
}

func (d *docs) add(text string) {
	d.cut.each(text, func(w []byte) {
		if _, there := d.set[string(w)]; there {
			return
		}
		if d.set == nil {
			d.set = map[string]struct{}{}
		}
		d.set[string(w)] = struct{}{}
		if len(d.set) >= docWords {
			d.flush()
		}
	})
}

func (d *docs) flush() {
	if len(d.set) > 0 && len(d.done) < maxDocs {
		var b strings.Builder
		for w := range d.set {
			b.WriteString(w)
			b.WriteByte(' ')
		}
		d.done = append(d.done, b.String())
	}
	clear(d.set)
}

func (d *docs) texts() []string {
	d.flush()
	return d.done
}
