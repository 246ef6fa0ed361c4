//go:build plantedbugs

package postgres

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
)

// Bugs are planted in this process by their names, for good. The checks of package torture,
// in module tools, must find each of them.
var Bugs = map[string]func(){
	// The owner's row is locked by the statement that reads the head of a file. While it
	// waits for the lock, its snapshot grows old.
	"lock and head in one statement": func() {
		locked = func(begin []wire.Statement, lock wire.Statement, batch []wire.Statement) []wire.Statement {
			const read, with = "FROM files WHERE owner = $1", "FROM files WHERE owner = (SELECT owner FROM locked)"
			all, inOne := begin, false
			for _, s := range batch {
				if !inOne && strings.HasPrefix(s.SQL, "SELECT path") && strings.Contains(s.SQL, read) {
					s.SQL = "WITH locked AS MATERIALIZED (SELECT owner FROM owners WHERE owner = $1 FOR UPDATE) " +
						strings.Replace(s.SQL, read, with, 1)
					inOne = true
				}
				all = append(all, s)
			}
			if !inOne {
				return append(append(begin, lock), batch...)
			}
			return append(all, lock)
		}
	},

	// A transaction whose COMMIT was sent and not answered runs again.
	"retry without its commit": func() { leavesUnknown = func(error, bool) bool { return false } },

	// Only a lost connection leaves the outcome of a COMMIT unknown.
	"answer means rolled back": func() { leavesUnknown = func(err error, _ bool) bool { return isLost(err) } },
}
