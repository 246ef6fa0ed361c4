package httpserver

import (
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/server/apierror"
)

const (
	apiPath    = "/v1"
	storesPath = apiPath + "/memory_stores"
)

func isBelow(path, root string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || rest[0] == '/')
}

// isAPI reports whether a request is one for the API of memory stores, whose clients expect
// all errors in the form of that API.
func (s *Server) isAPI(r *http.Request) bool {
	return s.o.MemoryStores != nil && isBelow(r.URL.Path, apiPath)
}

// serveAPI passes on the requests of those who may call.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	if !isBelow(r.URL.Path, storesPath) {
		s.refuse(w, r, refused(http.StatusNotFound, "there is nothing here; memory stores are at %s, MCP is at %s",
			storesPath, mcpPath))
		return
	}
	s.serveCaller(w, r, s.o.MemoryStores, false)
}

// asAPI writes an error of the API. The answer has the number of the request also in the
// header request-id.
func asAPI(f *refusal) (kind, text string) {
	return "application/json", apierror.Error{Type: apierror.Type(f.status), Message: f.text}.JSON(f.request)
}
