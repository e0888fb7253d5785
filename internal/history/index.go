package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// schemaVersion is that of the index; one of another is made anew.
const schemaVersion = 1

const schema = `
CREATE TABLE source (
  id           INTEGER PRIMARY KEY,
  agent        TEXT NOT NULL,
  path         TEXT NOT NULL,
  size         INTEGER NOT NULL, -- as of the last look
  mtime        INTEGER NOT NULL,
  inode        INTEGER NOT NULL,
  offset       INTEGER NOT NULL, -- what was read: transcript.Mark
  lines        INTEGER NOT NULL,
  tail         BLOB NOT NULL,
  docs         INTEGER NOT NULL, -- rows in words: id<<16 and on
  row          TEXT NOT NULL,
  conversation TEXT NOT NULL,
  dir          TEXT NOT NULL,
  title        TEXT NOT NULL,
  sub          INTEGER NOT NULL,
  prompts      INTEGER NOT NULL,
  messages     INTEGER NOT NULL,
  created      INTEGER NOT NULL, -- Unix milliseconds
  updated      INTEGER NOT NULL,
  UNIQUE (agent, path)
);
CREATE INDEX source_updated ON source (updated) WHERE prompts > 0 AND NOT sub;
CREATE INDEX source_row ON source (row);
CREATE VIRTUAL TABLE words USING fts5 (
  text, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'"
);
CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`

// docShift makes room for the rows of one conversation in words.
const docShift = 16

// Index is the index on disk. It may be used from several goroutines; one of
// them updates it at a time.
type Index struct {
	path string

	// updating is held while the index is updated or made anew, and comes
	// before mu.
	updating sync.Mutex

	mu      sync.RWMutex // guards the connections against being replaced
	writer  *sql.DB
	readers *sql.DB
}

// Open opens the index at path, and makes it where there is none that can be
// used. remade tells why one that was there could not, nil otherwise.
func Open(ctx context.Context, path string) (x *Index, remade, err error) {
	x = &Index{path: path}
	if err = x.open(ctx); err == nil {
		return x, nil, nil
	}
	if !broken(err) {
		return nil, nil, err
	}
	remade = err
	if err := x.remake(ctx); err != nil {
		return nil, nil, err
	}
	return x, remade, nil
}

// errVersion is an index that another version of the program made.
var errVersion = errors.New("it is of another version")

// broken reports whether an index with this error is of no use any more.
func broken(err error) bool {
	if errors.Is(err, errVersion) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	case sqlite3.SQLITE_ERROR: // a table that is missing or has other columns
		return strings.Contains(e.Error(), "no such table") || strings.Contains(e.Error(), "no such column")
	}
	return false
}

// open connects, and makes the tables in an empty file.
func (x *Index) open(ctx context.Context) error {
	// Before SQLite would, with the user's umask.
	f, err := os.OpenFile(x.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the index of past conversations: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm() != 0o600 {
		err = f.Chmod(0o600)
	}
	f.Close()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return fmt.Errorf("open the index of past conversations: %w", err)
	}
	x.writer, err = connect(x.path, 1, "journal_mode(wal)", "synchronous(normal)", "cache_size(-8192)", "journal_size_limit(67108864)")
	if err != nil {
		return err
	}
	if x.readers, err = connect(x.path, 2, "query_only(1)", "cache_size(-4096)"); err != nil {
		x.writer.Close()
		return err
	}
	if err := x.prepare(ctx); err != nil {
		x.close()
		return fmt.Errorf("open the index of past conversations: %w", err)
	}
	return nil
}

func connect(path string, most int, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_pragma": append([]string{"busy_timeout(5000)"}, pragmas...), "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the index of past conversations: %w", err)
	}
	db.SetMaxOpenConns(most)
	db.SetConnMaxIdleTime(time.Minute)
	return db, nil
}

// prepare checks the version, and makes the tables in an empty file.
func (x *Index) prepare(ctx context.Context) error {
	version, err := x.version(ctx)
	if err != nil || version == schemaVersion {
		return err
	}
	tx, err := x.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	if tables > 0 {
		// Made by another process a moment ago, or by another version.
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil || version == schemaVersion {
			return err
		}
		return fmt.Errorf("version %d: %w", version, errVersion)
	}
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return err
	}
	// More in memory before it is written: fewer pieces to merge.
	if _, err := tx.ExecContext(ctx, "INSERT INTO words (words, rank) VALUES ('hashsize', 8388608)"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

func (x *Index) version(ctx context.Context) (version int, err error) {
	err = x.writer.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// Close ends the connections.
func (x *Index) Close() error {
	x.updating.Lock()
	defer x.updating.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.close()
}

func (x *Index) close() error {
	if x.writer == nil {
		return nil
	}
	return errors.Join(x.readers.Close(), x.writer.Close())
}

// Remake throws the index away and makes an empty one.
func (x *Index) Remake(ctx context.Context) error {
	x.updating.Lock()
	defer x.updating.Unlock()
	return x.remake(ctx)
}

func (x *Index) remake(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.close() // what it could not write is thrown away
	x.writer, x.readers = nil, nil
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(x.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("make the index of past conversations anew: %w", err)
		}
	}
	return x.open(ctx)
}

// reading runs f with a connection for reading.
func (x *Index) reading(f func(*sql.DB) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.readers == nil {
		return errors.New("the index of past conversations is closed")
	}
	return f(x.readers)
}

// Broken reports whether the index has to be made anew to be of use.
func Broken(err error) bool { return broken(err) }

// Stats are figures of the index.
type Stats struct {
	Conversations int
	Messages      int64
	Bytes         int64 // of the index on disk
	Read          int64 // of the transcripts that were read
	Complete      bool  // every store was read to its end once
}

// Stats looks at the index.
func (x *Index) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := x.reading(func(db *sql.DB) error {
		var complete string
		err := db.QueryRowContext(ctx, "SELECT value FROM note WHERE key = 'complete'").Scan(&complete)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		s.Complete = complete != ""
		return db.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(messages), 0), (SELECT coalesce(sum(offset), 0) FROM source) FROM source WHERE prompts > 0 AND NOT sub").Scan(&s.Conversations, &s.Messages, &s.Read)
	})
	if err != nil {
		return s, fmt.Errorf("look at the index of past conversations: %w", err)
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(x.path + suffix); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s, nil
}
