package memstore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A request is a request that is kept. No list shows it.
type request workspace.Request

func (*request) lists() bool { return false }

func (r *reader) Request(key string) (workspace.Request, error) {
	q := r.requests.get(key)
	if q == nil {
		return workspace.Request{}, &workspace.Error{Op: fmt.Sprintf("request %.40q", key), Kind: workspace.ErrNotFound}
	}
	return workspace.Request(*q), nil
}

func (t *tx) SaveRequest(q workspace.Request) error {
	q.Time = stored(q.Time)
	t.setRequest(q.Key, (*request)(&q))
	return nil
}

func (t *tx) DropRequests(from, to time.Time, n int) (int, error) {
	var old []*request
	for _, q := range t.requests.rows {
		if q.Time.Before(from) || q.Time.After(to) {
			old = append(old, q)
		}
	}
	slices.SortFunc(old, func(a, b *request) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Key, b.Key))
	})
	old = old[:min(max(n, 0), len(old))]
	for _, q := range old {
		t.setRequest(q.Key, nil)
	}
	return len(old), nil
}
