package daemon

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
)

// rowsManifest is an agent whose conversations are rows of a database, which
// all its processes have open. This test writes the rows.
const rowsManifest = `{"id":"rows","name":"Rows","command":"rows","resume":{"resume":"--resume {id}",
 "discover":{"root":"~/rows.db","format":"sqlite","table":"session","id":"id","cwd":"dir","created":"at"}}}`

const rowsScript = `exec 9>>"$HOME/rows.db"
echo ready
while read -r word id; do
  if [ "$word" = name ]; then %q agent report working --event named --conversation "$id"; fi
  echo "got $word $id"
done`

type rowsHome struct {
	*home
	db *sql.DB
}

func newRowsHome(t *testing.T) *rowsHome {
	h := newHome(t)
	h.manifest("rows", rowsManifest)
	h.script("rows", fmt.Sprintf(rowsScript, os.Args[0]))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.user, "rows.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`PRAGMA journal_mode=WAL; CREATE TABLE session (id TEXT PRIMARY KEY, dir TEXT, at INTEGER)`); err != nil {
		t.Fatal(err)
	}
	return &rowsHome{h, db}
}

// row is what an agent writes when its conversation begins.
func (h *rowsHome) row(id, dir string) {
	h.Helper()
	if _, err := h.db.Exec(`INSERT INTO session VALUES (?, ?, ?)`, id, dir, time.Now().UnixMilli()); err != nil {
		h.Fatal(err)
	}
}

func (h *rowsHome) spawn(dir string) string {
	h.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.Fatal(err)
	}
	r, err := h.client.Spawn(h.Context(), api.SpawnRequest{Caller: api.Caller{Cwd: h.dir, All: true}, Agent: "rows", Dir: dir, Env: os.Environ()})
	if err != nil {
		h.Fatal(err)
	}
	return r.Target
}

func (h *rowsHome) say(link, text string) {
	h.Helper()
	if _, err := h.client.Send(h.Context(), api.SendRequest{Caller: api.Caller{Cwd: h.dir, All: true}, Target: link, Text: text, Enter: true}); err != nil {
		h.Fatal(err)
	}
}

// in waits until a session is in a conversation.
func (h *rowsHome) in(link, id string) {
	h.Helper()
	if !within(15*time.Second, func() bool {
		c := h.record(link).Conversation
		return c != nil && c.ID == id
	}) {
		h.Fatalf("%s is not in %s: %+v\n%s", link, id, h.record(link), h.screen(link))
	}
	if c := h.record(link).Conversation; c.How != hostproto.HowDiscovered {
		h.Errorf("it is known by %s", c.How)
	}
}

// in no conversation, and it is said why.
func (h *rowsHome) inNone(link string) {
	h.Helper()
	h.eventually("it is decided that "+link+" is in none that is known", func() bool {
		r := h.record(link)
		if r.Conversation != nil {
			h.Fatalf("it is given %+v", *r.Conversation)
		}
		return r.Unknown != ""
	})
}

// TestRowsTellNoProcess: two sessions have the agent's database open, and one row
// appears. It is nobody's, until an agent has named it.
func TestRowsTellNoProcess(t *testing.T) {
	h := newRowsHome(t)
	one, two := h.spawn(h.dir), h.spawn(h.dir)
	h.say(one, "hello")
	h.say(two, "hello")
	h.row("of-one", h.dir)
	h.inNone(one)
	h.inNone(two)
	h.say(one, "name of-one") // as a hook at the beginning of a turn
	h.in(one, "of-one")
	h.row("of-two", h.dir)
	h.say(two, "name of-two")
	h.in(two, "of-two")
	if c := h.record(one).Conversation; c == nil || c.ID != "of-one" {
		t.Errorf("the first is in %+v", c)
	}
}

// TestRowsOfOthers: an agent that nobody hosts writes into the same database.
// What it may have made is given to no session.
func TestRowsOfOthers(t *testing.T) {
	h := newRowsHome(t)
	here, elsewhere := filepath.Join(h.dir, "here"), filepath.Join(h.dir, "elsewhere")
	one, two := h.spawn(here), h.spawn(elsewhere)
	outside := exec.Command("sh", "-c", `exec 9>>"$HOME/rows.db"; echo open; exec cat`)
	outside.Dir = here
	in, err := outside.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := outside.StdoutPipe()
	if err == nil {
		err = outside.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Wait()
	defer in.Close()
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	h.row("here", here)
	h.row("elsewhere", elsewhere)
	h.in(two, "elsewhere")
	h.inNone(one)
	h.say(one, "name here")
	h.in(one, "here")
}
