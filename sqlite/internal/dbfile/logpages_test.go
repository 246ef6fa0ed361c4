package dbfile

import (
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
)

// LogPages tells of each page that was committed after a mark, also when the log has begun
// again meanwhile. If it cannot, it says so.
func TestLogPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	c, err := engine.Dial(path, "rwc", "journal_mode(WAL)", "wal_autocheckpoint(0)")
	testkit.Must(t, err)
	defer c.Close()
	exec := func(query string) {
		t.Helper()
		_, err := c.Exec(query)
		testkit.Must(t, err)
	}
	exec("CREATE TABLE a (b INTEGER PRIMARY KEY) STRICT") // page 2
	exec("CREATE TABLE c (d INTEGER PRIMARY KEY) STRICT") // page 3
	id, err := IDOf(path)
	testkit.Must(t, err)
	o, err := NewOpened(path, id)
	testkit.Must(t, err)
	defer o.Close()
	var mark LogMark
	pages := func(wantKnown bool, want ...uint32) {
		t.Helper()
		l, err := c.Checkpoint("NOOP")
		testkit.Must(t, err)
		got := make(map[uint32]bool)
		var known bool
		mark, known, err = o.LogPages(mark, l.Pages, func(n uint32) { got[n] = true })
		testkit.Must(t, err)
		if known != wantKnown {
			t.Errorf("LogPages() says known = %v, want %v", known, wantKnown)
		}
		if known && len(got) != len(want) {
			t.Errorf("LogPages() = %v, want %v", got, want)
		}
		for _, n := range want {
			if !got[n] {
				t.Errorf("LogPages() = %v, want %v", got, want)
			}
		}
	}
	pages(true, 1, 2, 3)
	exec("INSERT INTO a VALUES (1)")
	pages(true, 2)
	exec("INSERT INTO c VALUES (1)")
	pages(true, 3)
	_, err = c.Checkpoint("PASSIVE") // the next commit begins the log again
	testkit.Must(t, err)
	exec("INSERT INTO a VALUES (2)")
	exec("INSERT INTO a VALUES (3)")
	pages(true, 2)
	_, err = c.Checkpoint("TRUNCATE")
	testkit.Must(t, err)
	pages(true)
	exec("INSERT INTO c VALUES (2)")
	pages(true, 3)
	for i := range 2 { // unseen, it begins again twice
		_, err = c.Checkpoint("TRUNCATE")
		testkit.Must(t, err)
		exec([]string{"INSERT INTO a VALUES (4)", "INSERT INTO c VALUES (4)"}[i])
	}
	pages(false)
}
