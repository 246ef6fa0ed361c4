package registry

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// gateAge is how long a Gate uses what it has read.
const gateAge = time.Second

// A Gate refuses to write for agents of a tenant that are archived. It knows of a new one
// after at most a second. It is safe for concurrent use.
type Gate struct {
	turn     chan struct{} // holds one value while somebody uses the following
	read     time.Time     // when archived was read
	archived []string      // in byte order

	stale atomic.Bool
}

// NewGate returns the Gate of a tenant.
func NewGate() *Gate { return &Gate{turn: make(chan struct{}, 1)} }

// Check returns [store.ErrReadOnly] and [store.ErrArchived] if the agent is archived.
func (g *Gate) Check(ctx context.Context, s store.Store, o store.Owner) error {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-g.turn }()
	if now := time.Now(); g.stale.Swap(false) || now.Sub(g.read) >= gateAge {
		names, _, err := get[[]string](s.System(ctx), archivedKey(o.Tenant))
		if err != nil {
			g.read = time.Time{}
			return err
		}
		g.archived, g.read = names, now
	}
	if _, archived := slices.BinarySearch(g.archived, o.Agent); archived {
		e := store.Errorf(store.ErrReadOnly, "the agent's memory is archived; it can still be read, deleted and "+
			"redacted")
		e.Err = store.ErrArchived
		return e
	}
	return nil
}

// Reread makes the next Check read again, for whoever has changed what it reads.
func (g *Gate) Reread() { g.stale.Store(true) }

// archivedKey is the key of the record that lists the archived agents of a tenant. All of
// them are in one record, so that a server reads it once a second, and not each of them.
func archivedKey(tenant string) string { return "archived/" + tenant }

// syncArchived makes the list of archived agents say of an agent what its profile says.
// Whoever archives an agent or forgets it does so last. So the list is right in the end,
// whoever else was at it at the same time.
func syncArchived(r store.Records, o store.Owner) error {
	for {
		before, _, err := Profile(r, o)
		if err != nil {
			return err
		}
		archived := !before.Archived.IsZero()
		if err := setArchived(r, o, archived); err != nil {
			return err
		}
		if after, _, err := Profile(r, o); err != nil || after.Archived.IsZero() != archived {
			return err
		}
	}
}

// setArchived puts an agent on the list of those that are archived, or takes it off.
func setArchived(r store.Records, o store.Owner, archived bool) error {
	_, err := update(r, archivedKey(o.Tenant), func(names *[]string, _ bool) (bool, error) {
		i, found := slices.BinarySearch(*names, o.Agent)
		switch {
		case found == archived:
			return false, nil
		case archived:
			*names = slices.Insert(*names, i, o.Agent)
		default:
			*names = slices.Delete(*names, i, i+1)
		}
		return true, nil
	})
	return err
}
