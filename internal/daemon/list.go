package daemon

import (
	"bytes"
	"context"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
)

// ListJSON is the reply of list as it is printed, a line of JSON. Making it of
// the rows as they were last encoded takes a fraction of the time that encoding
// all of them does.
func (l Local) ListJSON(ctx context.Context, r api.ListRequest) ([]byte, error) {
	v, _ := api.FindVerb(api.VerbList)
	got, err := l.d.call(ctx, v, answer(l.d.listEncoded), r)
	if err != nil {
		return nil, l.d.failure(err)
	}
	return got.([]byte), nil
}

func (d *Daemon) listEncoded(ctx context.Context, r api.ListRequest) ([]byte, error) {
	if r.Closed || r.Lost {
		reply, err := d.list(ctx, r)
		if err != nil {
			return nil, err
		}
		return api.Encode(reply)
	}
	who, err := d.caller(r.Caller)
	if err != nil {
		return nil, err
	}
	none, err := api.Encode(api.ListReply{Head: api.OKHead(), Project: who.scope.Name, Sessions: []api.Session{}})
	if err != nil {
		return nil, err
	}
	const end = "]}\n" // sessions is the last field
	return d.roster.encoded(who.scope, bytes.TrimSuffix(none, []byte(end)), end)
}

// encoded puts the rows of the live sessions in scope, as JSON, between begin
// and end. Each is encoded once after each change; but for one that has
// children, whose list is no matter of its own.
func (r *roster) encoded(in project.Scope, begin []byte, end string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	children := r.children(in)
	out := bytes.NewBuffer(make([]byte, 0, len(begin)+len(r.order)*320))
	out.Write(begin)
	first := true
	for _, s := range r.order {
		if !isShown(s) || !in.Holds(s.record.Project) {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		line, of := s.encoded, children[s.record.ID]
		if line == nil || of != nil {
			one := row(s)
			one.Children = of
			var err error
			if line, err = api.Encode(one); err != nil {
				return nil, err
			}
			line = bytes.TrimSuffix(line, []byte{'\n'})
			if of == nil {
				s.encoded = line
			}
		}
		out.Write(line)
	}
	out.WriteString(end)
	return out.Bytes(), nil
}

// children are the addresses of the live sessions in scope that others there
// have started, by the id of those. r.mu must be held.
func (r *roster) children(in project.Scope) map[string][]string {
	var nodes []orchestrate.Node
	related := false
	for _, s := range r.order {
		if isShown(s) && in.Holds(s.record.Project) {
			nodes = append(nodes, orchestrate.Node{ID: s.record.ID, Parent: s.record.Parent})
			related = related || s.record.Parent != ""
		}
	}
	if !related {
		return nil
	}
	out := orchestrate.Children(nodes)
	for _, of := range out {
		for i := range of {
			of[i] = orchestrate.Link(of[i])
		}
	}
	return out
}
