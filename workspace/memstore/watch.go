package memstore

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Watch tells each owner that has changed. No other process has the store.
func (s *Store) Watch(ctx context.Context) (<-chan store.Owner, error) {
	err := withdrawn(ctx)
	if err == nil {
		var told <-chan store.Owner
		if told, err = s.watchers.Watch(ctx); err == nil {
			return told, nil
		}
	}
	return nil, failed(err, "watch")
}
