package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/resume"
)

// maxMetadata is the largest metadata file that is read, in bytes.
const maxMetadata = 1 << 20

// Store is the store of one agent in one place. It remembers what it has read:
// a file is read once, since a record's first line does not change. It is safe
// for concurrent use.
type Store struct {
	root string
	how  atp.Discover

	mu sync.Mutex
	// known are the records that were read, by path; a file that is none, or
	// not yet, is not in it.
	known map[string]resume.Record
	// seen are the first sightings, by path or, for rows, by id.
	seen   map[string]sighting
	looked bool
}

// sighting is when something was first seen. sure tells that it was not there
// at a look before, so that it began about then.
type sighting struct {
	at, birth time.Time
	sure      bool
}

// sight notes that something is there.
func (s *Store) sight(key string, now time.Time, sure bool) sighting {
	one, ok := s.seen[key]
	if !ok {
		one = sighting{at: now, sure: sure}
		if s.how.Format != atp.FormatSQLite {
			one.birth = resume.Birth(key)
		}
		s.seen[key] = one
	}
	return one
}

// Open makes the store of an agent at root; nothing is read yet.
func Open(root string, how atp.Discover) *Store {
	return &Store{root: root, how: how, known: map[string]resume.Record{}, seen: map[string]sighting{}}
}

// Root is the folder, or the database file.
func (s *Store) Root() string { return s.root }

// Database tells that all records are in one file.
func (s *Store) Database() bool { return s.how.Format == atp.FormatSQLite }

// Files are those of a database, which a process that writes it has open.
func (s *Store) Files() []string { return []string{s.root, s.root + "-wal", s.root + "-shm"} }

// Mark notes what is there already, without reading it: it belongs to no
// session that is started after now.
func (s *Store) Mark(ctx context.Context, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.how.Format == atp.FormatSQLite {
		return nil // rows have their own time of birth
	}
	sure := s.looked
	s.looked = true
	return s.walk(ctx, func(path string) { s.sight(path, now, sure) })
}

// Since are the records that began at from or later. now is the time of this
// look.
func (s *Store) Since(ctx context.Context, from, now time.Time) ([]resume.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sure := s.looked
	s.looked = true
	from = from.Add(-roughness)
	if s.how.Format == atp.FormatSQLite {
		return s.rows(ctx, from, now, sure)
	}
	var out []resume.Record
	err := s.walk(ctx, func(path string) {
		one := s.sight(path, now, sure)
		if !one.birth.IsZero() && one.birth.Before(from) {
			return
		}
		r, ok := s.known[path]
		if !ok {
			if r, ok = s.read(path, one); !ok {
				return
			}
			s.known[path] = r
		}
		if !r.Birth.Before(from) {
			out = append(out, r)
		}
	})
	return out, err
}

// roughness is how much earlier than asked for a record may begin: clocks.
const roughness = 2 * time.Second

// Find finds a conversation by its exact id, whatever its age.
func (s *Store) Find(ctx context.Context, id string) (resume.Found, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.how.Format == atp.FormatSQLite {
		return s.row(ctx, id)
	}
	var found resume.Found
	var firstErr error
	look := func(path string) {
		if found.Path != "" {
			return
		}
		r, ok := s.known[path]
		if !ok {
			data, err := s.record(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, io.ErrUnexpectedEOF) {
				firstErr = errors.Join(firstErr, err)
			}
			r.ID, _ = resume.Value(data, s.how.ID).(string)
		}
		if r.ID == id {
			found = resume.Found{Path: path, Begun: true}
		}
	}
	// Most agents put the id into the file's name.
	var others []string
	err := s.walk(ctx, func(path string) {
		if strings.Contains(filepath.Base(path), id) {
			look(path)
		} else {
			others = append(others, path)
		}
	})
	for _, path := range others {
		if found.Path != "" || ctx.Err() != nil {
			break
		}
		look(path)
	}
	if found.Path != "" {
		return found, true, nil
	}
	return found, false, errors.Join(err, firstErr, ctx.Err())
}

// walk calls each with every record's file below the root.
func (s *Store) walk(ctx context.Context, each func(path string)) error {
	root := s.root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil // it is not there yet, or has just gone
		case err != nil:
			return err
		case d.Type().IsRegular() && strings.HasSuffix(d.Name(), "."+s.how.Format):
			each(path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look through the agent's records: %w", err)
	}
	return nil
}

// record is the JSON object that is the record in a file.
func (s *Store) record(path string) ([]byte, error) {
	if s.how.Format == atp.FormatJSONL {
		return resume.FirstLine(path)
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxMetadata))
}

// read makes a record of a file. It reports false for one that is none, or is
// not whole yet.
func (s *Store) read(path string, one sighting) (resume.Record, bool) {
	data, err := s.record(path)
	if err != nil {
		return resume.Record{}, false
	}
	value := func(keys string) any {
		if keys == "" {
			return nil
		}
		return resume.Value(data, keys)
	}
	id, _ := value(s.how.ID).(string)
	dir, _ := value(s.how.Cwd).(string)
	r := resume.Record{ID: id, Path: path, Dir: Canonical(dir), Birth: one.birth, Seen: one.at, Child: value(s.how.Parent) != nil}
	if r.Birth.IsZero() {
		r.Birth, r.Rough = resume.Stamp(value(s.how.Created)), true
	}
	if r.Birth.IsZero() && one.sure {
		r.Birth, r.Rough = one.at, false
	}
	return r, atp.ValidID(id) && r.Dir != "" && !r.Birth.IsZero()
}

// Canonical is a directory without symbolic links; "" for what is no absolute
// path. One that is gone stays as it is written.
func Canonical(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}
