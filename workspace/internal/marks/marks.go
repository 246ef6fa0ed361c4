// Package marks keeps under names how far somebody has read. A mark is a record of the
// installation.
package marks

import (
	"encoding/json"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// most is how many marks there may be below a prefix.
const most = 100

// A mark is the value of a record, as JSON.
type mark struct {
	Revision int64 `json:"revision"`
}

// Get returns the revision of a mark. found is false if there is no such mark.
func Get(r store.Records, key string) (revision int64, found bool, err error) {
	kept, err := records.Get(r, key)
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
func Set(r store.Records, prefix, key string, revision int64) error {
	_, err := records.Update(r, key, func(old store.Record) ([]byte, error) {
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
	return err
}

func room(r store.Records, prefix string) error {
	list, err := r.List(prefix, "", most)
	if err == nil && len(list) >= most {
		return store.Errorf(store.ErrQuota, "this agent has %d marks, the most that are kept; use one of them",
			len(list))
	}
	return err
}
