package profiles

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// gateAge is how long a Gate uses what it has read.
const gateAge = time.Second

// A Gate refuses to write for agents that are archived. It knows of a new one after at most
// a second. It is safe for concurrent use.
type Gate struct {
	reading *admission.Semaphore // held by the one who reads

	mu       sync.Mutex // guards the following
	at       time.Time  // when it was read
	archived []string   // in byte order
	changes  int        // calls of Reread
}

// NewGate returns the Gate of a tenant.
func NewGate() *Gate { return &Gate{reading: admission.New(1, 1)} }

// Check returns [store.ErrReadOnly] and [store.ErrArchived] if the agent is archived.
func (g *Gate) Check(ctx context.Context, s store.Store, o store.Owner) error {
	archived, fresh := g.look(o.Agent)
	if !fresh {
		turn, err := g.reading.Take(ctx, "", 1)
		if err != nil {
			return err
		}
		defer turn.Leave()
		if archived, fresh = g.look(o.Agent); !fresh { // nobody else has read meanwhile
			if err := g.read(s.System(ctx), o.Tenant); err != nil {
				return err
			}
			archived, _ = g.look(o.Agent)
		}
	}
	if archived {
		e := store.Errorf(store.ErrReadOnly, "the agent's memory is archived; it can still be read, deleted and "+
			"redacted")
		e.Err = store.ErrArchived
		return e
	}
	return nil
}

// Reread makes the next Check read again, for whoever has changed what it reads.
func (g *Gate) Reread() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at, g.changes = time.Time{}, g.changes+1
}

func (g *Gate) look(agent string) (archived, fresh bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, archived = slices.BinarySearch(g.archived, agent)
	return archived, time.Since(g.at) < gateAge
}

func (g *Gate) read(r store.Records, tenant string) error {
	g.mu.Lock()
	changes := g.changes
	g.mu.Unlock()
	at := time.Now()
	kept, err := records.Get(r, archivedKey(tenant))
	if err != nil {
		return err
	}
	names, err := decodeNames(kept)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.archived = names; g.changes == changes {
		g.at = at
	}
	return nil
}

// archivedKey is the key of the record that lists the archived agents of a tenant. All of
// them are in one record, so that a server reads it once a second, and not each of them.
func archivedKey(tenant string) string { return "archived/" + tenant }

func decodeNames(kept store.Record) (names []string, err error) {
	if kept.Revision == 0 {
		return nil, nil
	}
	if json.Unmarshal(kept.Value, &names) != nil {
		return nil, store.Errorf(store.ErrCorrupt, "the record %s cannot be read", kept.Key)
	}
	return names, nil
}

// setArchived adds an agent to the archived ones, or removes it.
func setArchived(r store.Records, o store.Owner, archived bool) error {
	_, err := records.Update(r, archivedKey(o.Tenant), func(old store.Record) ([]byte, error) {
		names, err := decodeNames(old)
		if err != nil {
			return nil, err
		}
		i, found := slices.BinarySearch(names, o.Agent)
		switch {
		case found == archived:
			return nil, nil
		case archived:
			names = slices.Insert(names, i, o.Agent)
		default:
			names = slices.Delete(names, i, i+1)
		}
		return json.Marshal(names)
	})
	return err
}
