package discover

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver; it costs no time before it is used

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/resume"
)

// busy is how long a look waits for the agent that writes.
const busy = time.Second

// open opens the agent's database so that nothing in it can change. The agent
// may be writing at the same time.
func (s *Store) open() (*sql.DB, error) {
	st, err := os.Stat(s.root)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", s.root)
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "query_only(1)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: s.root}).EscapedPath(), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// quote makes a name of the manifest a column's or a table's.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// columns is what is selected: id, directory, birth, parent.
func (s *Store) columns() string {
	or := func(column string) string {
		if column == "" {
			return "NULL"
		}
		return quote(column)
	}
	return quote(s.how.ID) + ", " + quote(s.how.Cwd) + ", " + or(s.how.Created) + ", " + or(s.how.Parent)
}

// maxRows bounds the records of one look; the newest count.
const maxRows = 2000

func (s *Store) rows(ctx context.Context, from, now time.Time, sure bool) ([]resume.Record, error) {
	db, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it has had no conversation yet
	}
	if err != nil {
		return nil, fmt.Errorf("open the agent's database: %w", err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT "+s.columns()+" FROM "+quote(s.how.Table)+" ORDER BY rowid DESC LIMIT ?", maxRows)
	if err != nil {
		return nil, fmt.Errorf("read the agent's database: %w", err)
	}
	defer rows.Close()
	var out []resume.Record
	for rows.Next() {
		var id, dir sql.NullString
		var created, parent any
		if err := rows.Scan(&id, &dir, &created, &parent); err != nil {
			return nil, fmt.Errorf("read the agent's database: %w", err)
		}
		one := s.sight(id.String, now, sure)
		r := resume.Record{ID: id.String, Path: s.root, Dir: Canonical(dir.String), Seen: one.at, Child: parent != nil && parent != ""}
		if t := resume.Stamp(created); !t.IsZero() {
			r.Birth, r.Rough = t, t.Nanosecond() == 0
		} else if one.sure {
			r.Birth = one.at
		}
		if atp.ValidID(r.ID) && r.Dir != "" && !r.Birth.IsZero() && !r.Birth.Before(from) {
			out = append(out, r)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the agent's database: %w", err)
	}
	return out, nil
}

func (s *Store) row(ctx context.Context, id string) (resume.Found, bool, error) {
	db, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return resume.Found{}, false, nil
	}
	if err != nil {
		return resume.Found{}, false, fmt.Errorf("open the agent's database: %w", err)
	}
	defer db.Close()
	var n int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM "+quote(s.how.Table)+" WHERE "+quote(s.how.ID)+" = ?", id).Scan(&n)
	if err != nil {
		return resume.Found{}, false, fmt.Errorf("read the agent's database: %w", err)
	}
	return resume.Found{Path: s.root, Begun: true}, n > 0, nil
}
