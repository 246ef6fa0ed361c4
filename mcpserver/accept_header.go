package mcpserver

import (
	"mime"
	"net/http"
	"strings"
)

// accepts reports whether a client takes answers of a kind, such as application/json. Without the
// header it takes all.
func accepts(r *http.Request, kind string) bool {
	text := strings.Join(r.Header["Accept"], ",")
	if strings.TrimSpace(text) == "" {
		return true
	}
	family, _, _ := strings.Cut(kind, "/")
	for accepted := range strings.SplitSeq(text, ",") {
		accepted, _, _ = strings.Cut(accepted, ";")
		switch strings.ToLower(strings.TrimSpace(accepted)) {
		case kind, family + "/*", "*/*":
			return true
		}
	}
	return false
}

// isJSON reports whether the body of a request is JSON. A page cannot make a browser send
// that to another origin unasked.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
