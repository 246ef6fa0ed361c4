// Package registry keeps what is recorded beside the agents' memory, as records of the
// installation: names and descriptions of agents, which of them are archived, how far readers
// of a journal have come, and the numbers that deleted agents had reached.
package registry

import (
	"encoding/json"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// decode reads a value that is JSON. The value is zero if there is no record.
func decode[T any](r store.Record) (value T, err error) {
	if r.Revision > 0 && json.Unmarshal(r.Value, &value) != nil {
		err = store.Errorf(store.ErrCorrupt, "the record %s cannot be read", r.Key)
	}
	return value, err
}

// get returns the value of a record. found is false if there is none.
func get[T any](r store.Records, key string) (value T, found bool, err error) {
	kept, err := records.Get(r, key)
	if err == nil {
		value, err = decode[T](kept)
	}
	return value, err == nil && kept.Revision > 0, err
}

// update changes the value of a record, unless change returns false. It calls change again
// if another process has changed the record meanwhile.
func update[T any](
	r store.Records, key string, change func(value *T, found bool) (changed bool, err error),
) (created bool, err error) {
	return records.Update(r, key, func(old store.Record) ([]byte, error) {
		value, err := decode[T](old)
		if err != nil {
			return nil, err
		}
		if changed, err := change(&value, old.Revision > 0); err != nil || !changed {
			return nil, err
		}
		return json.Marshal(value)
	})
}
