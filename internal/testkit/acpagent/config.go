package acpagent

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// Variable is the environment variable that holds a program's Config.
const Variable = "ACPAGENT"

// Config is an agent's temper.
type Config struct {
	// Version it answers initialize with; 0 means 1.
	Version int
	// Caps are words: load, resume, list, delete, close, image.
	Caps []string
	// Auth are the ids of its authentication methods.
	Auth []string
	// Delay makes it answer a method late; Hang never; Die end with that exit
	// code instead; Null with null; Fail with an error.
	Delay map[string]time.Duration
	Hang  []string
	Die   map[string]int
	Null  []string
	Fail  map[string]*acp.Error
	// FailTimes bounds how often Fail counts; 0 for ever.
	FailTimes int
	// StrictMCP refuses MCP servers with invalid params.
	StrictMCP bool
	// Replay are steps that load (and with ReplayOnResume resume) runs before
	// its answer, ReplayLate some after it, AfterNew some after session/new's.
	Replay         []string
	ReplayLate     []string
	ReplayOnResume bool
	AfterNew       []string
	// Pages are what session/list gives.
	Pages []Page
	// Options are the session's configuration options, raw.
	Options json.RawMessage
	// Modes are the session's modes, and Models a list of models in the shape
	// that was there before options, raw.
	Modes, Models json.RawMessage
	// IgnoreCancel makes it go on; a hanging step then never ends.
	IgnoreCancel bool
	// Store is a folder in which it keeps its sessions, so that a later
	// process knows them; without it every session is known.
	Store string
	// Stderr and Noise are written at the start, to standard error and output.
	Stderr, Noise string
	// Child makes it leave a process of its own in a session of its own, whose
	// number it writes to this file.
	Child string
	// Log is a file to which it writes what it hears, a line each: the method,
	// or what is wrong with a frame after "INVALID".
	Log string
	// FirstID numbers its sessions.
	FirstID int
	// Linger is how long it stays after its input has ended.
	Linger time.Duration
}

// Page is one answer of session/list.
type Page struct {
	Sessions []acp.SessionInfo
	Next     string
	Fail     *acp.Error
}

// Env is the Config as an environment variable.
func (c Config) Env() string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return Variable + "=" + string(data)
}

// FromEnv reads it.
func FromEnv() (c Config, err error) {
	if text := os.Getenv(Variable); text != "" {
		if err = json.Unmarshal([]byte(text), &c); err != nil {
			err = fmt.Errorf("read %s: %w", Variable, err)
		}
	}
	return c, err
}

// Build compiles the agent into a folder of the test's own and returns its
// path.
func Build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "acpagent")
	if err := BuildTo(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// BuildTo compiles the agent to path, for a TestMain.
func BuildTo(path string) error {
	cmd := exec.Command("go", "build", "-o", path, "github.com/termio-sh/termio/internal/testkit/acpagent/cmd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the scripted ACP agent: %w\n%s", err, out)
	}
	return nil
}
