package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// owners is a store that lists so many owners.
type owners struct {
	store.Store
	count int
}

func (s owners) Owners(_ context.Context, q store.OwnersQuery) (list store.OwnerList, err error) {
	for i := range s.count {
		o := store.OwnerUsage{Owner: store.Owner{Agent: fmt.Sprintf("%05d", i)}}
		if (q.After == nil || o.Owner.Agent > q.After.Owner.Agent) && len(list.Owners) < q.Limit {
			list.Owners = append(list.Owners, o)
		}
	}
	return list, nil
}

func TestEveryOwner(t *testing.T) {
	for _, count := range []int{0, 1, 999, 1000, 2001} {
		n := 0
		for o, err := range store.EveryOwner(t.Context(), owners{count: count}) {
			if want := fmt.Sprintf("%05d", n); err != nil || o.Agent != want {
				t.Fatalf("owner %d of %d is %v, %v, want %s", n, count, o, err, want)
			}
			n++
		}
		if n != count {
			t.Errorf("%d owners of %d", n, count)
		}
	}
}
