package telemetry

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/promtext"
)

// maxScrapes is how many scrapes run at the same time. Each holds the text of all metrics.
const maxScrapes = 2

// Metrics returns the handler of /metrics. Two scrapes run at the same time; more get 503.
func (t *Telemetry) Metrics() http.Handler {
	turns := make(chan struct{}, maxScrapes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
		default:
			http.Error(w, "two scrapes are under way; try again later", http.StatusServiceUnavailable)
			return
		}
		var text bytes.Buffer
		var err error
		h := w.Header()
		h.Set("Content-Type", promtext.ContentType)
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(&text)
			if err = promtext.Write(z, t.families()); err == nil {
				err = z.Close()
			}
		} else {
			err = promtext.Write(&text, t.families())
		}
		if err != nil { // impossible: memory takes everything
			panic(err)
		}
		_, _ = w.Write(text.Bytes()) // a client that has gone needs no answer
	})
}

// acceptsGzip reports whether a client takes a compressed answer.
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, weighted := strings.Cut(coding, ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return !weighted || err == nil && q > 0
	}
	return false
}
