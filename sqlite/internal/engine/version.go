package engine

import (
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// CheckVersion returns [store.ErrUnsupported] if the program is built with a version of
// SQLite that is not safe to write with.
func (c *Conn) CheckVersion() (err error) {
	_, err = c.One(func(f *row.Fields) error {
		if v := f.Text(); oldSQLite(v) {
			return store.Errorf(store.ErrUnsupported,
				"SQLite %s can corrupt a database when its log is reset; build with 3.51.3 or later", v)
		}
		return nil
	}, "SELECT sqlite_version()")
	return err
}

// oldSQLite reports whether a version is older than 3.51.3. Such a version can corrupt a
// database when it resets the write-ahead log (https://www.sqlite.org/wal.html).
func oldSQLite(version string) bool {
	have, fixed := [3]int{}, [3]int{3, 51, 3}
	for i, part := range strings.SplitN(version, ".", 3) {
		have[i], _ = strconv.Atoi(part)
	}
	for i := range have {
		if have[i] != fixed[i] {
			return have[i] < fixed[i]
		}
	}
	return false
}
