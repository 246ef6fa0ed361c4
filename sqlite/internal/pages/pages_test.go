package pages

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	_ "modernc.org/sqlite"
)

// samples returns pages of real databases: all pages, with their numbers from 1 on.
func samples(t testing.TB, statements ...string) [][]byte {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "a.db"))
	testkit.Must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		_, err := db.Exec(s)
		testkit.Must(t, err)
	}
	rows, err := db.Query("SELECT data FROM sqlite_dbpage ORDER BY pgno")
	testkit.Must(t, err)
	defer rows.Close()
	var all [][]byte
	for rows.Next() {
		var page []byte
		testkit.Must(t, rows.Scan(&page))
		all = append(all, page)
	}
	testkit.Must(t, rows.Err())
	return all
}

var sampleStatements = []string{
	"CREATE TABLE a (b TEXT PRIMARY KEY, c BLOB) STRICT",
	"CREATE TABLE w (b TEXT PRIMARY KEY, c BLOB) STRICT, WITHOUT ROWID",
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO a SELECT hex(randomblob(20)), randomblob(abs(random()) % 900) FROM n",
	"INSERT INTO w SELECT b, c FROM a",
	"INSERT INTO w SELECT b || 'x', randomblob(9000) FROM a LIMIT 20",
	"DELETE FROM a WHERE rowid % 3 = 0",
	"DELETE FROM w WHERE b > 'E'",
}

// On every page of a real database, the parts that are in use stay as they are.
func TestNodeOfRealPages(t *testing.T) {
	all := samples(t, sampleStatements...)
	h, err := ReadHeader(all[0])
	testkit.Must(t, err)
	if h.Trunk == 0 {
		t.Fatal("there is no list of free pages: less is tested")
	}
	nodes, chains := 0, 0
	for i, page := range all {
		n, err := h.ReadNode(page, i == 0)
		if err != nil {
			continue // an overflow page or a free one
		}
		before := bytes.Clone(page)
		n.Clear()
		for _, e := range n.used {
			if !bytes.Equal(before[e.from:e.to], page[e.from:e.to]) {
				t.Errorf("Clear changed bytes %d to %d of page %d, which are in use", e.from, e.to, i+1)
			}
		}
		again, err := h.ReadNode(page, i == 0)
		if err != nil || again.Clear() {
			t.Errorf("page %d after Clear: %v, want a page with nothing to clear", i+1, err)
		}
		nodes, chains = nodes+1, chains+len(n.Chains)
	}
	if nodes < 20 || chains == 0 {
		t.Errorf("%d pages with %d chains were read, want more", nodes, chains)
	}
}

// A page that says less than the truth of what it holds is refused: its cells would look
// like free space.
func TestNodeOfDamagedPages(t *testing.T) {
	all := samples(t, sampleStatements...)
	h, err := ReadHeader(all[0])
	testkit.Must(t, err)
	tried := 0
	for i, page := range all[1:] {
		n, err := h.ReadNode(page, false)
		if err != nil || len(n.taken) < 2 {
			continue
		}
		kind := page[0]
		for what, damage := range map[string]func(p []byte){
			"a cell less":           func(p []byte) { p[4]-- },
			"no cells":              func(p []byte) { p[3], p[4] = 0, 0 },
			"no free blocks":        func(p []byte) { p[1], p[2] = 0, 0 },
			"a fragment more":       func(p []byte) { p[7]++ },
			"the cells begin later": func(p []byte) { binary.BigEndian.PutUint16(p[5:], binary.BigEndian.Uint16(p[5:])+1) },
			"another kind":          func(p []byte) { p[0] = map[byte]byte{2: 10, 10: 2, 5: 13, 13: 5}[kind] },
		} {
			bad := bytes.Clone(page)
			if damage(bad); bytes.Equal(bad, page) {
				continue
			}
			tried++
			if _, err := h.ReadNode(bad, false); !errors.Is(err, workspace.ErrCorrupt) {
				t.Errorf("ReadNode of page %d with %s = %v, want ErrCorrupt", i+2, what, err)
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d damages were tried, want more", tried)
	}
}

func TestClearOverflow(t *testing.T) {
	h := Header{Size: 4096, used: 4096}
	page := bytes.Repeat([]byte("x"), h.Size)
	binary.BigEndian.PutUint32(page, 7)
	if next, rest, changed, err := h.ClearOverflow(page, 5000); next != 7 || rest != 5000-4092 || changed || err != nil {
		t.Errorf("ClearOverflow of a full page = %d, %d, %v, %v", next, rest, changed, err)
	}
	for _, left := range []int64{4092, 10} { // a chain that is longer than its content
		if _, _, changed, err := h.ClearOverflow(page, left); changed || !errors.Is(err, workspace.ErrCorrupt) {
			t.Errorf("ClearOverflow of a page with a next one and %d bytes left = %v, %v, want ErrCorrupt", left, changed, err)
		}
	}
	binary.BigEndian.PutUint32(page, 0)
	if _, _, changed, err := h.ClearOverflow(page, 5000); changed || !errors.Is(err, workspace.ErrCorrupt) {
		t.Errorf("ClearOverflow of a last page with too few bytes = %v, %v, want ErrCorrupt", changed, err)
	}
	next, rest, changed, err := h.ClearOverflow(page, 10)
	if next != 0 || rest != 0 || !changed || err != nil || bytes.Count(page, []byte("x")) != 10 || page[13] != 'x' {
		t.Errorf("ClearOverflow of a last page = %d, %d, %v, %v, with %d bytes left, want 10", next, rest, changed, err, bytes.Count(page, []byte("x")))
	}
}

func TestClearTrunk(t *testing.T) {
	h := Header{Size: 4096, used: 4096}
	page := bytes.Repeat([]byte("x"), h.Size)
	binary.BigEndian.PutUint32(page, 7)
	if _, _, changed, err := h.ClearTrunk(page); changed || !errors.Is(err, workspace.ErrCorrupt) {
		t.Errorf("ClearTrunk of a page with too many free pages = %v, %v, want ErrCorrupt", changed, err)
	}
	binary.BigEndian.PutUint32(page[4:], 2)
	next, free, changed, err := h.ClearTrunk(page)
	if next != 7 || len(free) != 2 || !changed || err != nil || bytes.Count(page, []byte("x")) != 8 {
		t.Errorf("ClearTrunk = %d, %v, %v, %v, with %d bytes left, want 8", next, free, changed, err, bytes.Count(page, []byte("x")))
	}
}

// FuzzNode reads any bytes as a page. What cannot be read is not changed, and of what is
// read, no cell.
func FuzzNode(f *testing.F) {
	all := samples(f, sampleStatements...)
	h, err := ReadHeader(all[0])
	testkit.Must(f, err)
	for i := 1; i < len(all); i += 9 {
		f.Add(all[i])
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		before := bytes.Clone(page)
		n, err := h.ReadNode(page, false)
		if err != nil {
			if !bytes.Equal(page, before) {
				t.Error("a page that cannot be read was changed")
			}
			return
		}
		n.Clear()
		again, err := h.ReadNode(page, false)
		if err != nil || len(again.Children) != len(n.Children) || len(again.Chains) != len(n.Chains) {
			t.Fatalf("after Clear: %v", err)
		}
		for _, e := range n.used {
			if !bytes.Equal(before[e.from:e.to], page[e.from:e.to]) {
				t.Errorf("Clear changed bytes %d to %d, which are in use", e.from, e.to)
			}
		}
	})
}
