package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/history"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
	"github.com/termio-sh/termio/internal/transcript"
)

// Times of the history.
const (
	// historyFresh is how long an index counts as up to date, at most: as long
	// as it takes to find out.
	historyFresh = 300 * time.Millisecond
	// historyWait is how long a search waits for what was said last.
	historyWait = 250 * time.Millisecond
	// excerptTime is for all excerpts of one reply.
	excerptTime = 40 * time.Millisecond

	historyLimit    = 20
	historyMost     = 1000
	ruleHistory     = "history"
	historyProblems = "history"
)

// historian keeps the index of past conversations. It opens it when somebody
// asks the first time, and updates it whenever somebody asks.
type historian struct {
	d    *Daemon
	path string

	// resuming is held while a session is started in a past conversation.
	resuming sync.Mutex

	mu       sync.Mutex
	index    *history.Index // nil until it is asked for
	running  chan struct{}  // closed when the update that runs ends; nil when none does
	ended    time.Time      // when the last one ended
	took     time.Duration  // what it took
	progress history.Progress
	complete bool // all stores were read once
	failure  error
}

func newHistorian(d *Daemon) *historian {
	return &historian{d: d, path: d.o.Layout.HistoryIndex()}
}

// open opens the index, once.
func (h *historian) open(ctx context.Context) (*history.Index, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.index != nil {
		return h.index, nil
	}
	x, remade, err := history.Open(ctx, h.path)
	if err != nil {
		return nil, api.Errorf(api.CodeUnavailable, "past conversations cannot be searched: %v", err)
	}
	if remade != nil {
		h.d.log.Warn("the index of past conversations could not be used and is made anew", "file", h.path, "why", remade.Error())
	}
	stats, err := x.Stats(ctx)
	if err != nil {
		x.Close()
		return nil, err
	}
	h.index, h.complete = x, stats.Complete
	context.AfterFunc(h.d.life, func() { x.Close() }) // what is lost is written the next time
	return x, nil
}

// update makes sure that the index is brought up to date, and returns when
// that ends, nil when it is up to date.
func (h *historian) update(x *history.Index, anew bool) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running != nil {
		return h.running
	}
	if !anew && time.Since(h.ended) < min(h.took, historyFresh) {
		return nil
	}
	done := make(chan struct{})
	h.running, h.progress = done, history.Progress{}
	h.complete = h.complete && !anew
	began := time.Now()
	go func() {
		err := h.run(h.d.life, x, anew)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.running, h.ended, h.took, h.failure = nil, time.Now(), time.Since(began), err
		h.complete = h.complete || err == nil
		close(done)
	}()
	return done
}

func (h *historian) run(ctx context.Context, x *history.Index, anew bool) (err error) {
	agents := h.d.agents.catalog.get().All()
	env := h.d.loginEnv(ctx)
	tell := func(p history.Progress) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.progress = p
	}
	for tries := 0; ; tries++ {
		if anew {
			if err = x.Remake(ctx); err != nil {
				break
			}
		}
		if err = x.Update(ctx, agents, env, tell); !history.Broken(err) || tries > 0 {
			break
		}
		h.d.log.Warn("the index of past conversations is broken and is made anew", "file", h.path, "why", err.Error())
		anew = true
		h.mu.Lock()
		h.complete = false
		h.mu.Unlock()
	}
	if err != nil && ctx.Err() == nil {
		h.d.log.Warn("past conversations could not all be read", "why", err.Error())
	}
	return err
}

// state is the index's state for a reply.
func (h *historian) state() api.HistoryIndex {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := api.HistoryIndex{State: "ready"}
	switch {
	case h.running != nil && !h.complete:
		s.State = "building"
	case h.running != nil:
		s.State = "updating"
	case h.failure != nil && !h.complete:
		s.State = "failed"
	}
	if h.running != nil {
		p := h.progress
		s.Done, s.Total, s.DoneBytes, s.TotalBytes = p.Done, p.Total, int(p.DoneBytes), int(p.TotalBytes)
	} else if h.failure != nil {
		s.Problem = h.failure.Error()
	}
	return s
}

// historyScope is the folder whose conversations a caller may see, "" for all.
func (d *Daemon) historyScope(c api.Caller) (string, error) {
	in, err := d.inside(c)
	if err != nil {
		return "", err
	}
	if in != nil {
		who, err := d.callerInside(c, in)
		return who.scope.Dir, err
	}
	if c.Project == "" {
		return "", nil
	}
	dir, err := project.Canonical(c.Project)
	if err != nil {
		return "", orchestrate.Refuse(orchestrate.NoScope, "the project %s is not there: %v", c.Project, err)
	}
	return d.projects.Find(dir), nil
}

func (d *Daemon) searchHistory(ctx context.Context, r api.HistoryRequest) (api.HistoryReply, error) {
	q := history.Query{Text: r.Text, Limit: r.Limit}
	if q.Limit == 0 {
		q.Limit = historyLimit
	}
	if q.Limit < 0 || q.Limit > historyMost {
		return api.HistoryReply{}, api.Errorf(api.CodeBadRequest, "the limit is %d; give a number from 1 to %d", r.Limit, historyMost)
	}
	catalog := d.agents.catalog.get()
	if r.Agent != "" {
		m, ok := catalog.Lookup(r.Agent)
		if !ok {
			return api.HistoryReply{}, orchestrate.Refuse(orchestrate.BadAgent, "there is no agent %q; `termio agents list` prints them", r.Agent)
		}
		q.Agent = m.ID
	}
	var err error
	if q.Dir, err = d.historyScope(r.Caller); err != nil {
		return api.HistoryReply{}, err
	}
	x, err := d.history.open(ctx)
	if err != nil {
		return api.HistoryReply{}, err
	}
	d.history.await(ctx, d.history.update(x, false))
	rows, err := x.Search(ctx, q)
	if history.Broken(err) {
		d.history.update(x, true)
		rows, err = nil, nil
	}
	if errors.Is(err, history.ErrNoWords) {
		return api.HistoryReply{}, api.Errorf(api.CodeNoText, "there is no word in %q to search for", r.Text)
	}
	if err != nil {
		return api.HistoryReply{}, err
	}
	out := api.HistoryReply{Head: api.OKHead(), Conversations: make([]api.PastConversation, len(rows)), Index: d.history.state()}
	links := d.conversationLinks()
	within, cancel := context.WithTimeout(ctx, excerptTime)
	defer cancel()
	for i := range rows {
		out.Conversations[i] = d.pastConversation(within, &rows[i], r.Text, catalog, links)
	}
	return out, nil
}

// await waits a moment for an update.
func (h *historian) await(ctx context.Context, done <-chan struct{}) {
	if done == nil {
		return
	}
	late := time.NewTimer(historyWait)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	case <-ctx.Done():
	}
}

// conversationKey names a conversation over all agents.
type conversationKey struct{ agent, id string }

// conversationLinks are the live sessions by the conversations they are in.
func (d *Daemon) conversationLinks() map[conversationKey]string {
	links := map[conversationKey]string{}
	for _, s := range d.roster.all(everything, true) {
		if c := s.record.Conversation; c != nil && c.ID != "" {
			links[conversationKey{s.record.Agent, c.ID}] = s.link()
		}
	}
	return links
}

func (d *Daemon) pastConversation(ctx context.Context, r *history.Row, text string, catalog atp.Catalog, links map[conversationKey]string) api.PastConversation {
	out := api.PastConversation{
		Row: r.ID, AgentID: r.Agent, Agent: r.Agent, Conversation: r.Conversation, Title: api.WithoutBidi(r.Title), Dir: r.Dir,
		Updated: r.Updated, Prompts: r.Prompts, Messages: r.Messages, Transcript: r.Path,
		Link: links[conversationKey{r.Agent, r.Conversation}],
	}
	if !r.Created.IsZero() {
		out.Created = &r.Created
	}
	m, ok := catalog.ByID(r.Agent)
	if !ok {
		return out
	}
	out.Agent = m.Name
	if text != "" && m.Transcript != nil && ctx.Err() == nil {
		if e, ok := r.Excerpt(ctx, m.Transcript.Format, text); ok {
			out.Excerpt, out.Line = api.WithoutBidi(e.Text), &e.Line
		}
	}
	return out
}

func (d *Daemon) historyStatus(ctx context.Context, r api.HistoryIndexRequest) (api.HistoryIndexReply, error) {
	if _, err := d.historyScope(r.Caller); err != nil {
		return api.HistoryIndexReply{}, err
	}
	x, err := d.history.open(ctx)
	if err != nil {
		return api.HistoryIndexReply{}, err
	}
	return d.historyReply(ctx, x)
}

func (d *Daemon) historyReply(ctx context.Context, x *history.Index) (api.HistoryIndexReply, error) {
	stats, err := x.Stats(ctx)
	if history.Broken(err) {
		d.history.update(x, true)
		stats, err = history.Stats{}, nil
	}
	if err != nil {
		return api.HistoryIndexReply{}, err
	}
	out := api.HistoryIndexReply{
		Head: api.OKHead(), Index: d.history.state(), Path: d.history.path, Conversations: stats.Conversations,
		Messages: int(stats.Messages), Bytes: int(stats.Bytes), ReadBytes: int(stats.Read), Stores: []api.Store{},
	}
	env := d.loginEnv(ctx)
	for _, m := range d.agents.catalog.get().All() {
		root := transcript.Root(m, env)
		if root == "" {
			continue
		}
		_, err := os.Stat(root)
		out.Stores = append(out.Stores, api.Store{AgentID: m.ID, Format: m.Transcript.Format, Path: root, Found: err == nil})
	}
	return out, nil
}

func (d *Daemon) rebuildHistory(ctx context.Context, r api.HistoryIndexRequest) (api.HistoryIndexReply, error) {
	if _, err := d.historyScope(r.Caller); err != nil {
		return api.HistoryIndexReply{}, err
	}
	x, err := d.history.open(ctx)
	if err != nil {
		return api.HistoryIndexReply{}, err
	}
	d.history.update(x, true)
	return d.historyReply(ctx, x)
}

// resumeHistory starts a session that goes on with a past conversation.
func (d *Daemon) resumeHistory(ctx context.Context, r api.HistoryResumeRequest) (api.SpawnReply, error) {
	within, err := d.historyScope(r.Caller)
	if err != nil {
		return api.SpawnReply{}, err
	}
	row, err := d.historyRow(ctx, r.Row, within)
	if err != nil {
		return api.SpawnReply{}, err
	}
	m, ok := d.agents.catalog.get().ByID(row.Agent)
	if !ok || m.Resume == nil || m.Resume.Resume == "" || row.Conversation == "" {
		return api.SpawnReply{}, orchestrate.Refuse(orchestrate.BadAgent, "a conversation of %s cannot be resumed: its manifest declares no way; read it in %s", row.Agent, row.Path)
	}
	if info, err := os.Stat(row.Dir); err != nil || !info.IsDir() || !filepath.IsAbs(row.Dir) {
		return api.SpawnReply{}, orchestrate.Refuse(orchestrate.StartFailed, "the conversation was held in %q, which is not there any more; agents resume a conversation only in its own directory", row.Dir)
	}
	return d.bearPast(ctx, r, m, row)
}

// historyRow finds the one conversation that a row's id names.
func (d *Daemon) historyRow(ctx context.Context, id, within string) (history.Row, error) {
	x, err := d.history.open(ctx)
	if err != nil {
		return history.Row{}, err
	}
	d.history.await(ctx, d.history.update(x, false))
	rows, err := x.Find(ctx, id)
	if err != nil {
		return history.Row{}, err
	}
	rows = slices.DeleteFunc(rows, func(r history.Row) bool { return within != "" && !below(within, r.Dir) })
	if id == "" || len(rows) == 0 {
		return history.Row{}, api.Errorf(api.CodeNotFound, "there is no past conversation %q; `termio history` prints the ids in its first column", id)
	}
	for _, r := range rows[1:] {
		if r.Agent != rows[0].Agent || r.Conversation != rows[0].Conversation {
			return history.Row{}, api.Errorf(api.CodeAmbiguous, "more than one past conversation begins with %q (%s, %s); give more of the id", id, rows[0].ID, r.ID)
		}
	}
	return rows[0], nil
}

// below reports whether dir is root or in it.
func below(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}
