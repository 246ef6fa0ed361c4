package registry

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// maxMarks is how many marks an agent may have.
const maxMarks = 100

// A mark is how far somebody has read the journal of an agent.
type mark struct {
	Revision int64 `json:"revision"`
}

func markPrefix(o store.Owner) string { return "mark/" + o.String() + "/" }

// Mark returns the revision of a mark of an agent. found is false if there is no such mark.
func Mark(r store.Records, o store.Owner, name string) (revision int64, found bool, err error) {
	m, found, err := get[mark](r, markPrefix(o)+name)
	return m.Revision, found, err
}

// SetMark moves a mark on, never back. A new one needs room beside the others.
func SetMark(r store.Records, o store.Owner, name string, revision int64) error {
	_, err := update(r, markPrefix(o)+name, func(m *mark, found bool) (bool, error) {
		if !found {
			list, err := r.List(markPrefix(o), "", maxMarks)
			if err == nil && len(list) >= maxMarks {
				err = store.Errorf(store.ErrQuota, "this agent has %d marks, the most that are kept; use one of them",
					len(list))
			}
			m.Revision = revision
			return true, err
		}
		further := revision > m.Revision
		m.Revision = max(m.Revision, revision)
		return further, nil
	})
	return err
}

// ForgetMarks removes the marks of an agent.
func ForgetMarks(ctx context.Context, s store.Store, o store.Owner) error {
	return records.DeleteAll(s.System(ctx), markPrefix(o))
}
