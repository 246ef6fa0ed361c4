package mcpserver

import (
	"mime"
	"net/http"
	"strings"
)

// acceptsJSON reports whether a client takes answers in JSON. Without the header it takes all.
func acceptsJSON(r *http.Request) bool {
	text := strings.Join(r.Header["Accept"], ",")
	if strings.TrimSpace(text) == "" {
		return true
	}
	for accepted := range strings.SplitSeq(text, ",") {
		accepted, _, _ = strings.Cut(accepted, ";")
		switch strings.ToLower(strings.TrimSpace(accepted)) {
		case "application/json", "application/*", "*/*":
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
