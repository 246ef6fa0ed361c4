package memstore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A request is a request that is kept. No list shows it.
type request store.Request

func (*request) lists() bool { return false }

// due returns requests that were made before from or after to, the oldest first.
func (r *reader) due(from, to time.Time, n int) []*request {
	var old []*request
	for _, q := range r.requests.rows {
		if q.Time.Before(from) || q.Time.After(to) {
			old = append(old, q)
		}
	}
	slices.SortFunc(old, func(a, b *request) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Key, b.Key))
	})
	return old[:min(max(n, 0), len(old))]
}
