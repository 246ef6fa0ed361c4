// Package marks keeps under names how far somebody has read. A mark is a record of the
// installation.
package marks

import (
	"encoding/json"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// most is how many marks there may be below a prefix.
const most = 100

// A mark is the value of a record, as JSON.
type mark struct {
	Revision int64 `json:"revision"`
}

// Get returns the revision of a mark. found is false if there is no such mark.
func Get(r records.Records, key string) (revision int64, found bool, err error) {
	kept, err := r.Get(key)
	if err != nil || kept.Revision == 0 {
		return 0, false, err
	}
	var m mark
	if json.Unmarshal(kept.Value, &m) != nil {
		return 0, false, store.Errorf(store.ErrCorrupt, "the record %s cannot be read", key)
	}
	return m.Revision, true, nil
}

// Set moves a mark on, never back. A new one needs room below the prefix.
func Set(r records.Records, prefix, key string, revision int64) error {
	_, err := records.Update(r, key, func(old records.Record) ([]byte, error) {
		var m mark
		if old.Revision == 0 {
			if err := room(r, prefix); err != nil {
				return nil, err
			}
		} else if json.Unmarshal(old.Value, &m) == nil && m.Revision >= revision {
			return nil, nil
		}
		return json.Marshal(mark{revision})
	})
	if errors.Is(err, records.ErrBusy) {
		return fault.Or(store.Errorf(store.ErrBusy, "too many processes set this mark at once"), store.DoRetry, 0)
	}
	return err
}

func room(r records.Records, prefix string) error {
	list, err := r.List(prefix)
	if err == nil && len(list) >= most {
		return store.Errorf(store.ErrQuota, "this agent has %d marks, the most that are kept; use one of them", len(list))
	}
	return err
}
