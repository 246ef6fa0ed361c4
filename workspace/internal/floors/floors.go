// Package floors keeps the numbers that deleted agents had reached, so that no number is
// ever given twice.
//
// At first the agent's own row keeps them. When the row goes, they go into a record that
// the agent shares with every 65,536th agent. So the rows of deleted agents are bounded,
// and what one agent has written shows in the numbers of few others. The record is
// raised before the row goes, and read by an agent that has no row, before its first
// write.
package floors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Floor has the numbers above which the paths and the changes of an agent begin. It is the value of a
// record, as JSON.
type Floor struct {
	Files int64 `json:"files"` // the highest version of a file
	Logs  int64 `json:"logs"`  // the highest entry of a log

	Revision int64 `json:"revision,omitempty"` // the last change
}

// Key names the record that an agent shares with others.
func Key(tenant, agent string) string {
	sum := sha256.Sum256([]byte(agent))
	return fmt.Sprintf("floor/%s/%04x", tenant, binary.BigEndian.Uint16(sum[:]))
}

// Read returns the floor under a key, the zero Floor if there is none. Errors:
// [store.ErrCorrupt] and those of the records.
func Read(r store.Records, key string) (Floor, error) {
	found, err := records.Get(r, key)
	if err != nil {
		return Floor{}, err
	}
	return decode(found)
}

// Raise raises the floor under a key to the given numbers. Errors: [store.ErrCorrupt],
// [store.ErrBusy] and those of the records.
func Raise(r store.Records, key string, to Floor) error {
	_, err := records.Update(r, key, func(found store.Record) ([]byte, error) {
		floor, err := decode(found)
		if err != nil {
			return nil, err
		}
		raised := Floor{max(floor.Files, to.Files), max(floor.Logs, to.Logs), max(floor.Revision, to.Revision)}
		if raised == floor {
			return nil, nil
		}
		return json.Marshal(raised)
	})
	return err
}

func decode(r store.Record) (floor Floor, err error) {
	if r.Revision > 0 && json.Unmarshal(r.Value, &floor) != nil {
		return Floor{}, store.Errorf(store.ErrCorrupt, "the numbers of deleted agents cannot be read in the record %s",
			r.Key)
	}
	return floor, nil
}
