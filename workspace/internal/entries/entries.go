// Package entries numbers what is appended to a log, and makes the pages of a log.
package entries

import (
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Add returns the change of a log to which entries are added, and its outcome. It numbers
// the entries, counts them in the owner's state, and gives those without a time the time
// now. An entry that is imported has a number, which a new log keeps. added is not
// changed: a transaction may run again.
func Add(head store.LogHead, state store.OwnerState, added []store.Entry, now time.Time) (store.LogChange, store.Outcome) {
	c := store.Change{Op: store.OpAppend, Kind: store.KindLog, Path: head.Path, Before: head.Last, Entries: int64(len(added))}
	if !head.Exists() {
		c.Before = 0
		state.Logs++
		if head.Deleted {
			state.DeletedLogs--
		} else {
			head.Last = max(state.LogFloor, added[0].ID-1)
		}
		head.Deleted, head.Bytes, head.First, head.Created = false, 0, head.Last+1, time.Time{}
	}
	if now.Before(head.Updated) {
		now = head.Updated
	}
	added = slices.Clone(added)
	var size int64
	for i := range added {
		head.Last++
		if added[i].ID = head.Last; added[i].Time.IsZero() {
			added[i].Time = now
		}
		size += int64(len(added[i].Content))
	}
	if head.Created.IsZero() {
		head.Created = added[0].Time
	}
	if last := added[len(added)-1].Time; last.After(head.Updated) {
		head.Updated = last
	}
	head.Bytes += size
	state.Bytes += size
	state.Entries += int64(len(added))
	c.After, c.Time = head.Last, now
	out := store.Outcome{Number: head.Last, Count: int64(len(added)), Bytes: size}
	return store.LogChange{Head: head, New: added, Change: c, Owner: state}, out
}
