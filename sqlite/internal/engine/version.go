package engine

import (
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	sqlite3 "modernc.org/sqlite/lib"
)

// Version is the version of the SQLite in this program.
const Version = sqlite3.SQLITE_VERSION

// CheckVersion returns [store.ErrUnsupported] if it is older than 3.51.3. Such a version can
// corrupt a database when it resets the write-ahead log (https://www.sqlite.org/wal.html).
func CheckVersion() error {
	if sqlite3.SQLITE_VERSION_NUMBER < 3051003 {
		return store.Errorf(store.ErrUnsupported,
			"SQLite %s can corrupt a database when its log is reset; build with 3.51.3 or later", Version)
	}
	return nil
}
