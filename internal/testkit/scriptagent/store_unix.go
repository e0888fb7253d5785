//go:build unix

package scriptagent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The store keeps conversations as agents do: a file for each, made with the
// first prompt (or at once, -eager), whose first line tells id and directory.
// Of the pinned family they lie in a folder for each directory and are named
// by the id, of the discovered one in a folder for the day.

// entry is a line of a conversation's file.
type entry struct {
	Type string `json:"type"` // session, user or assistant
	ID   string `json:"id,omitempty"`
	Cwd  string `json:"cwd,omitempty"`
	Text string `json:"text,omitempty"`
}

// find finds a conversation's file in the store.
func (o Options) find(id string) (string, bool) {
	found, _ := filepath.Glob(filepath.Join(o.Store, "*", "*"+id+".jsonl"))
	if len(found) == 0 {
		return "", false
	}
	return found[0], true
}

// open gives the agent the conversation that its arguments name, or refuses
// as agents do. It returns the id.
func (o Options) open() (id string, said []string, err error) {
	switch {
	case o.Resume != "":
		path, ok := o.find(o.Resume)
		if !ok {
			//lint:ignore ST1005 as agents say it
			return "", nil, fmt.Errorf("No conversation found with session ID: %s", o.Resume)
		}
		said, err := readSaid(path)
		return o.Resume, said, err
	case o.SessionID != "":
		if _, ok := o.find(o.SessionID); ok {
			//lint:ignore ST1005 as agents say it
			return "", nil, fmt.Errorf("Error: Session ID %s is already in use.", o.SessionID)
		}
		return o.SessionID, nil, nil
	}
	return uuid.NewString(), nil, nil
}

func readSaid(path string) (said []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		var e entry
		if json.Unmarshal(s.Bytes(), &e) == nil && e.Type == "user" {
			said = append(said, e.Text)
		}
	}
	return said, s.Err()
}

// keep adds a line to the conversation's file, which it makes first.
func (a *agent) keep(e entry) {
	if a.o.Store == "" {
		return
	}
	path, ok := a.o.find(a.session)
	var lines []entry
	if !ok {
		wd, _ := os.Getwd()
		folder := strings.ReplaceAll(wd, "/", "-")
		if a.o.Family == "discovered" {
			folder = time.Now().Format("2006-01-02")
		}
		path = filepath.Join(a.o.Store, folder, a.session+".jsonl")
		lines = append(lines, entry{Type: "session", ID: a.session, Cwd: wd})
		for _, text := range a.said { // of the conversation that this is a fork of
			lines = append(lines, entry{Type: "user", Text: text})
		}
	}
	if e.Type != "" {
		lines = append(lines, e)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err == nil {
		for _, l := range lines {
			raw, _ := json.Marshal(l) // made of strings only
			_, e := f.Write(append(raw, '\n'))
			err = errors.Join(err, e)
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		a.print("store: " + err.Error())
	}
	if e.Type == "user" {
		a.said = append(a.said, e.Text)
	}
}
