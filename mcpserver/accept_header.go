package mcpserver

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// accepted reports which answers a client takes. Without the header it takes all.
func accepted(r *http.Request) (inJSON, inEvents bool) {
	text := strings.Join(r.Header["Accept"], ",")
	if strings.TrimSpace(text) == "" {
		return true, true
	}
	for kind := range strings.SplitSeq(text, ",") {
		kind, rest, _ := strings.Cut(kind, ";")
		if isRefused(rest) {
			continue
		}
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

// isRefused reports whether the parameters of a kind of content have a weight of 0.
func isRefused(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		if name, value, _ := strings.Cut(p, "="); strings.EqualFold(strings.TrimSpace(name), "q") {
			weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err == nil && weight <= 0
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
