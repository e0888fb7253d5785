package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Folder is the name of the ignored folder in the repository's root.
const Folder = ".agents"

// marker is the file that makes an installation whole. It is written before
// the folder gets its final name, so a folder without it, or with other
// packages in it, is never taken for an installed agent.
const marker = "installed.json"

type markerFile struct {
	Packages []string `json:"packages"`
}

// An Installer puts pins under Root, one folder each. Two of them may run at
// once on one Root: the second waits for the first.
type Installer struct {
	Root string
	// Log gets one line for each step meant for people; nil is silence.
	Log io.Writer
	// npm runs the package manager in dir; tests replace it.
	npm func(ctx context.Context, dir string, args ...string) error
}

// Install puts each pin in place that is not there yet in exactly its
// versions. What an earlier, interrupted run left is removed.
func (in *Installer) Install(ctx context.Context, pins []Pin) error {
	if err := os.MkdirAll(in.Root, 0o755); err != nil {
		return fmt.Errorf("create the agents' folder: %w", err)
	}
	unlock, err := lockFile(filepath.Join(in.Root, ".lock"))
	if err != nil {
		return fmt.Errorf("lock the agents' folder: %w", err)
	}
	defer unlock()
	if err := in.removeLeftovers(); err != nil {
		return err
	}
	for _, p := range pins {
		if Installed(in.Root, p) == nil {
			in.say("%-10s %s: there already", p.Name, strings.Join(p.Packages, " "))
			continue
		}
		start := time.Now()
		in.say("%-10s %s: installing", p.Name, strings.Join(p.Packages, " "))
		if err := in.install(ctx, p); err != nil {
			return fmt.Errorf("install %s: %w", p.Name, err)
		}
		in.say("%-10s done in %.0f s", p.Name, time.Since(start).Seconds())
	}
	return nil
}

func (in *Installer) install(ctx context.Context, p Pin) error {
	tmp, err := os.MkdirTemp(in.Root, ".tmp-"+p.Name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	// Without a package.json of its own npm would look for one further up and
	// install into this repository.
	if err := os.WriteFile(filepath.Join(tmp, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return err
	}
	run := in.npm
	if run == nil {
		run = runNPM
	}
	args := append([]string{"install", "--save-exact", "--no-audit", "--no-fund", "--loglevel=error"}, p.Packages...)
	if err := run(ctx, tmp, args...); err != nil {
		return err
	}
	if _, err := os.Stat(proof(tmp, p)); err != nil {
		return fmt.Errorf("the packages do not hold what they should: %w", err)
	}
	mark, err := json.Marshal(markerFile{Packages: p.Packages})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, marker), mark, 0o644); err != nil {
		return err
	}
	final := filepath.Join(in.Root, p.Name)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	return os.Rename(tmp, final)
}

func (in *Installer) removeLeftovers() error {
	entries, err := os.ReadDir(in.Root)
	if err != nil {
		return fmt.Errorf("read the agents' folder: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".tmp-") {
			if err := os.RemoveAll(filepath.Join(in.Root, e.Name())); err != nil {
				return fmt.Errorf("remove what an interrupted install left: %w", err)
			}
		}
	}
	return nil
}

func (in *Installer) say(format string, args ...any) {
	if in.Log != nil {
		fmt.Fprintf(in.Log, format+"\n", args...)
	}
}

// runNPM runs npm in dir; what it printed is in the error.
func runNPM(ctx context.Context, dir string, args ...string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not on PATH: install Node.js 20 or later (it brings npm), then run this again")
	}
	cmd := exec.CommandContext(ctx, npm, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm %s: %w\n%s", strings.Join(args, " "), err, lastLines(out.String(), 15))
	}
	return nil
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}

// Installed says nil when p stands under root whole and in exactly its
// versions, else what is amiss and how to mend it.
func Installed(root string, p Pin) error {
	raw, err := os.ReadFile(filepath.Join(root, p.Name, marker))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not installed: run `make agents`", strings.Join(p.Packages, " "))
	}
	if err != nil {
		return fmt.Errorf("read what is installed of %s: %w", p.Name, err)
	}
	var m markerFile
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("read what is installed of %s: %w", p.Name, err)
	}
	if !slices.Equal(m.Packages, p.Packages) {
		return fmt.Errorf("%s is installed, %s is wanted: run `make agents`",
			strings.Join(m.Packages, " "), strings.Join(p.Packages, " "))
	}
	if _, err := os.Stat(proof(filepath.Join(root, p.Name), p)); err != nil {
		return fmt.Errorf("%s is damaged, run `make agents`: %w", p.Name, err)
	}
	return nil
}

// Find returns the agents' folder: $TERMIO_TEST_AGENTS, else the folder
// beside the go.mod at or above the working directory.
func Find() (string, error) {
	if dir := os.Getenv("TERMIO_TEST_AGENTS"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, Folder), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("find the repository: no go.mod at or above the working directory")
		}
		dir = up
	}
}

// binDir is where a pin's commands are.
func binDir(dir string, p Pin) string {
	if p.Name == "node" {
		// npm's link of the node package points at a placeholder until its
		// install script has run; the binary itself is here.
		return filepath.Join(dir, "node_modules", "node", "bin")
	}
	return filepath.Join(dir, "node_modules", ".bin")
}

// proof is the file that must be there: the command, or the library's own.
func proof(dir string, p Pin) string {
	if p.Bin == "" {
		pkg := p.Packages[0]
		return filepath.Join(dir, "node_modules", pkg[:strings.LastIndex(pkg, "@")], "package.json")
	}
	return filepath.Join(binDir(dir, p), p.Bin)
}
