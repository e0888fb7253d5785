package daemon

import (
	"net/http"

	"github.com/termio-sh/termio/internal/api"
)

// serveOpenAPI tells what the coordinator serves. It needs no caller: nothing
// in it is of any project.
func (d *Daemon) serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		d.reply(w, nil, api.Errorf(api.CodeBadOp, "%s is read with GET", api.OpenAPIPath))
		return
	}
	doc, err := api.OpenAPI()
	if err != nil {
		d.reply(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(doc) // a client that is gone reads nothing
}
