package sqlite_test

import (
	"crypto/sha256"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The lists of deleted files, and what forgets their numbers, read the rows that they need from
// an index and sort nothing.
func TestDeletedHaveIndexes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scratchpad.db")
	ours(t, path)
	db := openSQL(t, path)
	defer db.Close()
	for query, index := range map[string]string{
		row.DeletedFiles:               "USING INDEX files_restorable (owner=? AND expires>?)",
		row.Forgotten[store.FileTable]: "INDEX files_deleted (owner=?)",
		row.Forgotten[store.LogTable]:  "INDEX logs_deleted (owner=?)",
	} {
		rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, "local/a", 10)
		testkit.Must(t, err)
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var step string
			testkit.Must(t, rows.Scan(&id, &parent, &unused, &step))
			plan = append(plan, step)
		}
		testkit.Must(t, errors.Join(rows.Err(), rows.Close()))
		if all := strings.Join(plan, "; "); !strings.Contains(all, index) || strings.Contains(all, "TEMP B-TREE") {
			t.Errorf("%s: the plan is %q, want %s and no sorting", query, all, index)
		}
	}
}

// What is deleted for good, and an entry that is redacted, leave the file and its log.
func TestDeletedForGoodLeavesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "scratchpad.db")
	s := open(t, path)
	owner := store.Owner{Tenant: "local", Agent: "a"}
	body := func(id int) ([]byte, [sha256.Size]byte) {
		b := canary(id, 5000)
		return b, sha256.Sum256(b)
	}
	now := time.UnixMicro(1_800_000_000_000_000).UTC()
	head := store.FileHead{Path: "f", Version: 1, Sizes: []int64{5000}, Created: now, Updated: now}
	log := store.LogHead{Path: "l", First: 1, Last: 2, Bytes: 10_000, Created: now, Updated: now}
	testkit.Must(t, s.Update(t.Context(), owner, func(tx store.Tx) error {
		v, one, two := store.Version{Number: 1, Size: 5000}, store.Entry{ID: 1}, store.Entry{ID: 2}
		v.Content, v.SHA256 = body(1)
		one.Content, one.SHA256 = body(2)
		two.Content, two.SHA256 = body(3)
		gone := head
		gone.Deleted, gone.Expires = true, now.Add(time.Hour)
		return errors.Join(tx.Apply(store.FileChange{Head: head, New: &v}), tx.Apply(store.FileChange{Head: gone}),
			tx.Apply(store.LogChange{Head: log, New: []store.Entry{one, two}}))
	}))
	for id := 1; id <= 3; id++ {
		if canaries(t, path)[id] == 0 {
			t.Fatalf("content %d is not in the file while it is kept", id)
		}
	}
	for id, w := range map[int]store.Write{
		1: store.FileChange{Head: store.FileHead{Path: "f", Version: 1, Deleted: true, Created: now, Updated: now},
			Prune: 1, Scrub: true},
		2: store.EntryRedaction{Head: log, ID: 1, Redaction: store.Redaction{Time: now}},
	} {
		testkit.Must(t, s.Update(t.Context(), owner, func(tx store.Tx) error { return tx.Apply(w) }))
		waitScrubbed(t, s)
		if left := canaries(t, path)[id]; left > 0 {
			t.Errorf("%d parts of content %d are in the file or its log", left, id)
		}
	}
	if canaries(t, path)[3] == 0 {
		t.Error("the entry that was not redacted is gone")
	}
}
