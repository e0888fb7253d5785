package acphost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// What waits is told, can be withdrawn one by one, and the rest goes on.
func TestWithdraw(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, nil)
		first, _, _ := r.s.Submit("hang")
		synctest.Wait()
		second, _, _ := r.s.Submit("say two")
		third, _, _ := r.s.Submit("say three")
		if q := r.all(EventQueued); len(q) != 2 || q[0].ID != second || q[0].Text != "say two" || q[1].ID != third {
			t.Fatalf("told to wait: %+v", q)
		}
		if q := r.s.Queue(); len(q) != 2 || q[0].ID != second || q[1].Text != "say three" {
			t.Fatalf("the queue: %+v", q)
		}
		if _, ok := r.s.Withdraw(first); ok {
			t.Error("the prompt that runs was withdrawn")
		}
		if w, ok := r.s.Withdraw(second); !ok || w.Text != "say two" {
			t.Errorf("%+v %v", w, ok)
		}
		if _, ok := r.s.Withdraw(second); ok {
			t.Error("it was withdrawn twice")
		}
		if w := r.all(EventWithdrawn); len(w) != 1 || w[0].ID != second {
			t.Errorf("told to be withdrawn: %+v", w)
		}
		r.s.Submit("say four") // waits behind the third
		r.s.mu.Lock()
		queue := len(r.s.queue)
		r.s.mu.Unlock()
		if queue != 2 {
			t.Errorf("%d wait", queue)
		}
		r.s.Cancel()
		<-r.ended
		if w := r.all(EventWithdrawn); len(w) != 3 {
			t.Errorf("a cancel withdrew %d", len(w)-1)
		}
	})
}

// Files go as links, pictures whole where the agent takes some.
func TestAttachments(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "a dir"), 0o700)
	write(t, filepath.Join(dir, "a dir", "x.go"), "package x\n")
	write(t, filepath.Join(dir, "shot.PNG"), "\x89PNG")
	abs := write(t, filepath.Join(t.TempDir(), "other.txt"), "")
	attach := []string{"a dir/x.go", "shot.PNG", "gone.txt", abs, "a dir"}
	say := func(b acp.ContentBlock) string {
		s := b.Type + " " + b.Name + " " + b.MimeType + " " + strings.Replace(b.URI, dir, "DIR", 1) + " " + b.Data
		return strings.Join(strings.Fields(s), " ")
	}
	for _, images := range []bool{true, false} {
		var got []string
		for _, b := range promptBlocks("look", attach, dir, images) {
			got = append(got, say(b))
		}
		shot := "image image/png iVBORw=="
		if !images {
			shot = "resource_link shot.PNG image/png file://DIR/shot.PNG"
		}
		want := []string{"text", "resource_link a dir/x.go file://" + strings.ReplaceAll("DIR/a dir/x.go", " ", "%20"), shot, "resource_link " + abs + " file://" + abs, "resource_link a dir file://DIR/a%20dir"}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("images %v:\n%s\nwant\n%s", images, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	bubble(t, "sent", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Caps: []string{"image"}}, func(o *Options) { o.Dir = dir })
		r.s.Submit("say seen", "shot.PNG", "a dir/x.go")
		<-r.ended
		heard := strings.Join(acpagent.Heard(r.heardLog), "\n")
		if !strings.Contains(heard, `"data":"iVBORw=="`) || !strings.Contains(heard, `"type":"resource_link"`) {
			t.Errorf("the agent heard\n%s", heard)
		}
	})
}
