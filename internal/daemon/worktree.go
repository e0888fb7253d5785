package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
)

// worktreesName is the directory of Termio's home in which worktrees are made.
const worktreesName = "worktrees"

// setupDone is the file in a worktree's git directory that tells that the
// project's setup command has succeeded in it.
const setupDone = "termio-setup-done"

// repositories lets one call at a time make or remove the worktrees of each.
type repositories struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // by main worktree
}

// enter waits for its turn.
func (r *repositories) enter(ctx context.Context, main string) (leave func(), err error) {
	r.mu.Lock()
	if r.busy == nil {
		r.busy = map[string]chan struct{}{}
	}
	turn := r.busy[main]
	if turn == nil {
		turn = make(chan struct{}, 1)
		r.busy[main] = turn
	}
	r.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// trees are the worktrees of the repository that dir is in.
func (d *Daemon) trees(ctx context.Context, dir string) (project.Trees, error) {
	at := project.Locate(dir)
	if at.Top == "" {
		return project.Trees{}, api.Errorf(api.CodeBadRequest, "%s is in no git repository, and a worktree is one of a repository; leave --worktree out", dir)
	}
	env, _ := d.login.Env(ctx) // usable whatever the error
	return project.Trees{Place: at, Root: project.TreesRoot(filepath.Join(d.o.Layout.Home, worktreesName), at.Main), Env: env}, nil
}

// refusedTree is a failure of a worktree as the contract has it.
func refusedTree(err error) error {
	var refused *project.WorktreeError
	if errors.As(err, &refused) {
		return api.Errorf(api.CodeBadRequest, "%s", refused.Message)
	}
	return err
}

// enterWorktree puts a session that is about to start into the worktree that
// was asked for, and makes that if need be. done is called with whether the
// session exists: one that was made for nothing is taken back.
func (d *Daemon) enterWorktree(ctx context.Context, o *orchestrate.Order, name, base string) (in *api.SpawnedIn, done func(ok bool), err error) {
	if name == "" {
		if base != "" {
			return nil, nil, api.Errorf(api.CodeBadRequest, "--base says where a new worktree begins; name that with --worktree")
		}
		return nil, func(bool) {}, nil
	}
	t, err := d.trees(ctx, o.Dir)
	if err != nil {
		return nil, nil, err
	}
	leave, err := d.repositories.enter(ctx, t.Place.Main)
	if err != nil {
		return nil, nil, err
	}
	f, err := t.Get(ctx, name, base)
	if err != nil {
		leave()
		return nil, nil, refusedTree(err)
	}
	// The same place in it, as far as that is there.
	dir := f.Dir
	if rel, err := filepath.Rel(t.Place.Top, o.Dir); err == nil && filepath.IsLocal(rel) {
		if st, err := os.Stat(filepath.Join(f.Dir, rel)); err == nil && st.IsDir() {
			dir = filepath.Join(f.Dir, rel)
		}
	}
	o.Dir = dir
	in = &api.SpawnedIn{Dir: f.Dir, Branch: f.Worktree.Branch, Created: f.Created, Copied: f.Copied}
	if setup := d.settings.get().Projects[o.Project].Setup; strings.TrimSpace(setup) != "" && t.Ours(f.Worktree) {
		mark, err := t.Mark(ctx, f.Worktree, setupDone)
		if err != nil {
			leave()
			return nil, nil, refusedTree(err)
		}
		if _, err := os.Stat(mark); err != nil {
			o.Setup, o.SetupDone, in.Setup = setup, mark, setup
		}
	}
	return in, func(ok bool) {
		if !ok {
			t.Undo(context.WithoutCancel(ctx), f)
		}
		leave()
	}, nil
}

// projectTrees are the worktrees of the caller's project.
func (d *Daemon) projectTrees(ctx context.Context, c api.Caller) (t project.Trees, who caller, err error) {
	if who, err = d.caller(c); err != nil {
		return t, who, err
	}
	if who.scope.All {
		return t, who, api.Errorf(api.CodeBadRequest, "worktrees are those of one project; name it with --project DIR instead of --all")
	}
	if t, err = d.trees(ctx, who.scope.Dir); err != nil {
		return t, who, api.Errorf(api.CodeBadRequest, "%s is no git repository and has no worktrees", who.scope.Dir)
	}
	return t, who, nil
}

func (d *Daemon) worktrees(ctx context.Context, r api.WorktreesRequest) (api.WorktreesReply, error) {
	t, who, err := d.projectTrees(ctx, r.Caller)
	if err != nil {
		return api.WorktreesReply{}, err
	}
	all, err := t.All(ctx)
	if err != nil {
		return api.WorktreesReply{}, err
	}
	out := api.WorktreesReply{Head: api.OKHead(), Project: who.scope.Name}
	for i, w := range all {
		row := api.WorktreeRow{Name: t.Name(w), Dir: w.Dir, Branch: w.Branch, Main: i == 0}
		if i > 0 {
			if row.Changes, err = t.Changes(ctx, w); err != nil {
				row.Changes = "it cannot be looked at: " + err.Error()
			}
		}
		for _, s := range d.sessionsIn(w.Dir) {
			if who.scope.Holds(s.record.Project) {
				row.Sessions = append(row.Sessions, s.link())
			}
		}
		out.Worktrees = append(out.Worktrees, row)
	}
	return out, nil
}

// sessionsIn are the live sessions that were started in a worktree, or are
// there now.
func (d *Daemon) sessionsIn(top string) []session {
	var out []session
	for _, s := range d.roster.all(everything, true) {
		if project.Locate(s.record.Dir).Top == top || s.record.Cwd != "" && project.Locate(s.record.Cwd).Top == top {
			out = append(out, s)
		}
	}
	return out
}

func (d *Daemon) removeWorktree(ctx context.Context, r api.RemoveWorktreeRequest) (api.RemoveWorktreeReply, error) {
	if r.Worktree == "" {
		return api.RemoveWorktreeReply{}, api.Errorf(api.CodeNoTarget, "say which worktree: `termio worktrees list` shows their names")
	}
	t, _, err := d.projectTrees(ctx, r.Caller)
	if err != nil {
		return api.RemoveWorktreeReply{}, err
	}
	leave, err := d.repositories.enter(ctx, t.Place.Main)
	if err != nil {
		return api.RemoveWorktreeReply{}, err
	}
	defer leave()
	w, err := t.Find(ctx, r.Worktree)
	if err != nil {
		return api.RemoveWorktreeReply{}, refusedTree(err)
	}
	if in := d.sessionsIn(w.Dir); len(in) > 0 {
		return api.RemoveWorktreeReply{}, api.Errorf(api.CodeBadRequest, "%s (%s) runs in %s; close it first", in[0].link(), in[0].title, w.Dir)
	}
	if err := t.Remove(ctx, w); err != nil {
		return api.RemoveWorktreeReply{}, refusedTree(err)
	}
	return api.RemoveWorktreeReply{Head: api.OKHead(), Removed: w.Dir, Branch: w.Branch}, nil
}
