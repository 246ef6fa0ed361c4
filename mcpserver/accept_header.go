package mcpserver

import (
	"mime"
	"net/http"
	"strings"
)

// accepted reports which answers a client takes. Without the header it takes all.
func accepted(r *http.Request) (inJSON, inEvents bool) {
	text := strings.Join(r.Header["Accept"], ",")
	if strings.TrimSpace(text) == "" {
		return true, true
	}
	for kind := range strings.SplitSeq(text, ",") {
		kind, _, _ := strings.Cut(kind, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "application/json", "application/*":
			inJSON = true
		case "text/event-stream", "text/*":
			inEvents = true
		case "*/*":
			inJSON, inEvents = true, true
		}
	}
	return inJSON, inEvents
}

// isJSON reports whether the body of a request is JSON. A page cannot make a browser send
// that to another origin unasked.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
