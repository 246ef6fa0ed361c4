package inspect

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A LogQuery selects entries of a log, from the newest back. The zero value selects the
// newest page.
type LogQuery struct {
	Before int64  // the Next of the page before: only entries with lower numbers; 0: from the newest
	After  int64  // only entries with higher numbers; 0: down to the oldest
	Author string // what stands in the author's "client version key", in upper or lower case; "": any
	Text   string // what stands in the entry, in upper or lower case; "": any
	Limit  int    // entries at most, 1-100; 0: 100
}

// A LogView is a page of a log. All of it comes from one snapshot.
type LogView struct {
	Path   string
	Exists bool

	// Entries are the newest first: at most Limit of them, and with more than one at most
	// 256 KiB of content. One page looks at 5,000 entries and 4 MiB at most, so with
	// Author or Text there may be few or none although Next is set.
	Entries []store.Entry

	Next    int64 // for LogQuery.Before; 0: nothing older is left to look at
	Scanned int64 // entries that were looked at

	First, Last int64 // the numbers of the entries that the log holds; Last is kept after a deletion
	Bytes       int64 // of all entries of the log
	Updated     time.Time
}
