package inspect

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// A ChangeLogQuery selects rows of an agent's journal of changes. The zero value selects
// the newest.
type ChangeLogQuery struct {
	Before int64  // the Next of the page before: only changes with lower revisions; 0: from the newest
	Prefix string // how the path begins, or the path before a move; "": any
	Limit  int    // rows at most, 1-100; 0: 100
}

// A ChangeLog is a page of an agent's journal of changes. All of it comes from one snapshot.
type ChangeLog struct {
	// Changes are rows as they were written, the newest first. Those of one path are not
	// joined. One page looks at 5,000 rows at most, so with a Prefix there may be few or
	// none although Next is set.
	Changes []store.Change

	Next   int64 // for ChangeLogQuery.Before; 0: the journal has no older rows
	Last   int64 // the agent's last revision; 0: nothing was ever written
	Oldest int64 // the lowest revision that the journal keeps; above 1, older rows were removed; Last+1: it keeps none
}
