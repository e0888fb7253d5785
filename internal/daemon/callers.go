package daemon

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
)

var everything = project.Everything()

// caller is who asks, and what they may see.
type caller struct {
	scope   project.Scope
	session *session // the one that asks, if it is one
}

// caller finds out who asks. A process inside a session is confined to its
// project and must prove where it is; anybody else is scoped by directory.
func (d *Daemon) caller(c api.Caller) (caller, error) {
	in, err := d.inside(c)
	if err != nil {
		return caller{}, err
	}
	switch {
	case in != nil:
		return d.callerInside(c, in)
	case c.All && c.Project != "":
		return caller{}, api.Errorf(api.CodeBadRequest, "--all and --project exclude each other")
	case c.All:
		return caller{scope: everything}, nil
	case c.Project != "":
		dir, err := project.Canonical(c.Project)
		if err != nil {
			return caller{}, orchestrate.Refuse(orchestrate.NoScope, "the project %s is not there: %v", c.Project, err)
		}
		return caller{scope: project.In(d.projects.Find(dir))}, nil
	case c.Cwd == "":
		return caller{}, orchestrate.Refuse(orchestrate.NoScope, "the caller has no directory; name one with --project DIR, or say --all")
	}
	dir, err := project.Canonical(c.Cwd)
	if err != nil {
		return caller{}, orchestrate.Refuse(orchestrate.NoScope, "the directory %s is gone (%v); go to another, name one with --project DIR, or say --all", c.Cwd, err)
	}
	return caller{scope: project.In(d.projects.Find(dir))}, nil
}

// named is the session that a caller says it is, with the proof of it.
func (d *Daemon) named(c api.Caller) (session, error) {
	s, ok := d.roster.get(strings.ToLower(c.Session))
	if !ok {
		return session{}, orchestrate.Refuse(orchestrate.NoScope,
			"TERMIO_SESSION names a session that this home (%s) does not know; if you are in no session of it, unset TERMIO_SESSION", d.o.Layout.Home)
	}
	if !d.proves(s.record.ID, c.Token) {
		return session{}, orchestrate.Refuse(orchestrate.NoScope,
			"TERMIO_SESSION is set without the TERMIO_TOKEN of that session; run this inside the session, or unset TERMIO_SESSION outside")
	}
	if !s.live {
		return session{}, orchestrate.Refuse(orchestrate.NoScope, "the session that TERMIO_SESSION names (%s) has ended; unset TERMIO_SESSION", s.link())
	}
	return s, nil
}

func (d *Daemon) callerInside(c api.Caller, s *session) (caller, error) {
	if c.All || c.Project != "" && !d.isProject(c.Project, s.record.Project) {
		return caller{}, orchestrate.Refuse(orchestrate.NoScope,
			"inside a session only its own project (%s) can be reached; --all and --project are for a shell outside", s.record.Project)
	}
	return caller{scope: project.In(s.record.Project), session: s}, nil
}

func (d *Daemon) isProject(dir, root string) bool {
	real, err := project.Canonical(dir)
	return err == nil && d.projects.Find(real) == root
}

// tokenName is the file in a session's directory that holds the hash of its
// token; the token itself is only in the session's environment.
const tokenName = "token"

// newToken makes a session's token and keeps its hash.
func newToken(dir string) (string, error) {
	var b [32]byte
	rand.Read(b[:]) // never fails
	token := base64.RawURLEncoding.EncodeToString(b[:])
	if err := atomicfile.Write(filepath.Join(dir, tokenName), []byte(hash(token)+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the session's token: %w", err)
	}
	return token, nil
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// proves reports whether token is that of the session.
func (d *Daemon) proves(id, token string) bool {
	want, err := atomicfile.Read(filepath.Join(d.o.Layout.SessionDir(id), tokenName), 1<<10)
	if errors.Is(err, fs.ErrNotExist) { // it may be none yet
		want, err = atomicfile.Read(filepath.Join(d.o.Layout.WarmDir(id), tokenName), 1<<10)
	}
	if err != nil || token == "" {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(hash(token)), []byte(strings.TrimSpace(string(want)))) == 1
}
