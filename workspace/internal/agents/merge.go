package agents

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// simplify returns patterns that select the same agents, each agent once: none that another
// one covers. Errors: [store.ErrInvalid].
func simplify(patterns []string) ([]string, error) {
	if len(patterns) > maxPatterns {
		return nil, store.Errorf(store.ErrInvalid, "%d patterns of agents, the most are %d", len(patterns), maxPatterns)
	}
	for _, p := range patterns {
		if cause := names.Agent(strings.TrimSuffix(p, "*")); p != "*" && cause != "" {
			return nil, store.Errorf(store.ErrInvalid, "the pattern %.40q of agents is not a name, the beginning of one and *, or *: %s", p, cause)
		}
	}
	var simple []string
	for i, p := range patterns {
		covered := slices.Contains(patterns[:i], p)
		for _, other := range patterns {
			prefix, open := strings.CutSuffix(other, "*")
			covered = covered || open && other != p && strings.HasPrefix(p, prefix)
		}
		if !covered {
			simple = append(simple, p)
		}
	}
	return simple, nil
}

// An order compares owners in a list.
type order func(a, b store.OwnerUsage) int

func orderOf(o store.OwnersOrder) (order, error) {
	byName := func(a, b store.OwnerUsage) int { return cmp.Compare(a.Owner.Agent, b.Owner.Agent) }
	switch o {
	case store.ByName:
		return byName, nil
	case store.ByUpdated:
		return func(a, b store.OwnerUsage) int { return cmp.Or(b.Updated.Compare(a.Updated), byName(a, b)) }, nil
	case store.ByBytes:
		return func(a, b store.OwnerUsage) int {
			return cmp.Or(cmp.Compare(b.Usage.Bytes, a.Usage.Bytes), byName(a, b))
		}, nil
	}
	return nil, store.Errorf(store.ErrInvalid, "there is no order %d of agents", int(o))
}

// merge returns the first ones of two lists in order, at most limit.
func merge(a, b []store.OwnerUsage, limit int, compare order) []store.OwnerUsage {
	if len(a) == 0 {
		return b
	}
	both := make([]store.OwnerUsage, 0, min(len(a)+len(b), limit))
	for len(both) < limit && len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) < 0 {
			both, a = append(both, a[0]), a[1:]
		} else {
			both, b = append(both, b[0]), b[1:]
		}
	}
	return both
}

// A cursor is the name of the last agent of a page, after what the order looks at: the
// microseconds of the last write, or the bytes. No name has a dot.

func cursor(o store.OwnersOrder, last store.OwnerUsage) string {
	switch o {
	case store.ByUpdated:
		return strconv.FormatInt(last.Updated.UnixMicro(), 10) + "." + last.Owner.Agent
	case store.ByBytes:
		return strconv.FormatInt(last.Usage.Bytes, 10) + "." + last.Owner.Agent
	}
	return last.Owner.Agent
}

// parseCursor returns the owner with which a page ended; nil: there was no page.
func parseCursor(tenant string, o store.OwnersOrder, text string) (*store.OwnerUsage, error) {
	if text == "" {
		return nil, nil
	}
	u := store.OwnerUsage{Owner: store.Owner{Tenant: tenant, Agent: text}}
	if o == store.ByUpdated || o == store.ByBytes {
		number, name, _ := strings.Cut(text, ".")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, errCursor()
		}
		u.Owner.Agent, u.Usage.Bytes = name, n
		if o == store.ByUpdated {
			u.Usage.Bytes, u.Updated = 0, time.UnixMicro(n).UTC()
		}
		if year := u.Updated.Year(); year < 1 || year > 9999 {
			return nil, errCursor()
		}
	}
	if names.Agent(u.Owner.Agent) != "" {
		return nil, errCursor()
	}
	return &u, nil
}

func errCursor() error {
	return store.Errorf(store.ErrInvalid, "%s is not the next of a page before, in the same order", store.ArgAfter)
}
