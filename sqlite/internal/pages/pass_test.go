package pages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
)

// machine is a database with random rows, each of which names itself in every 16 bytes.
type machine struct {
	t    *testing.T
	rng  *rand.Rand
	c    *engine.Conn
	rows map[string]string // the canary and the size of each row, by its table and key
	next int
	gone []int // canaries of rows that were removed
}

var machineTables = []string{"a", "w", "n"}

// newMachine makes a database whose pages have so many bytes, and leave so many to
// extensions of SQLite.
func newMachine(t *testing.T, seed uint64, size, reserved int) *machine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	c, err := engine.Dial(path, "rwc", fmt.Sprintf("page_size(%d)", size))
	testkit.Must(t, err)
	testkit.Must(t, c.Script("PRAGMA user_version = 1"))
	testkit.Must(t, c.Close())
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	if len(raw) != size {
		t.Fatalf("the new database has %d bytes, want %d", len(raw), size)
	}
	raw[20] = byte(reserved)
	binary.BigEndian.PutUint16(raw[105:], uint16(size-reserved))
	testkit.Must(t, os.WriteFile(path, raw, 0o600))
	m := &machine{t: t, rng: rand.New(rand.NewPCG(seed, 1)), rows: make(map[string]string)}
	m.c, err = engine.Dial(path, engine.ModePages, "journal_mode(WAL)", "synchronous(OFF)")
	testkit.Must(t, err)
	t.Cleanup(func() { m.c.Close() })
	var script strings.Builder
	script.WriteString("CREATE TABLE a (k TEXT PRIMARY KEY, id INTEGER, v BLOB) STRICT; CREATE INDEX a_v ON a (v);" +
		"CREATE TABLE w (k TEXT PRIMARY KEY, id INTEGER, v BLOB) STRICT, WITHOUT ROWID;" +
		"CREATE TABLE n (i INTEGER PRIMARY KEY AUTOINCREMENT, k TEXT, id INTEGER, v BLOB) STRICT;")
	for i := range 20 { // so that the schema does not fit in page 1
		fmt.Fprintf(&script, "CREATE TABLE more_%d (some_column_with_a_long_name_%d TEXT, another INTEGER);", i, i)
	}
	testkit.Must(t, m.c.Script(script.String()))
	return m
}

func (m *machine) exec(sql string, args ...any) {
	m.t.Helper()
	_, err := m.c.Exec(sql, args...)
	testkit.Must(m.t, err)
}

// step changes or removes a row.
func (m *machine) step() {
	table := machineTables[m.rng.IntN(len(machineTables))]
	key := fmt.Sprintf("key-%d", m.rng.IntN(60))
	if was, ok := m.rows[table+" "+key]; ok {
		var id, size int
		fmt.Sscan(was, &id, &size)
		m.gone = append(m.gone, id)
	}
	if m.rng.IntN(3) == 0 {
		m.exec("DELETE FROM "+table+" WHERE k = ?", key)
		delete(m.rows, table+" "+key)
		return
	}
	size := 16 * (1 + m.rng.IntN([]int{4, 40, 400, 1200}[m.rng.IntN(4)]))
	m.next++
	value := fmt.Appendf(nil, "<%014d>", m.next)
	value = append(bytes.Repeat(value, size/16+1)[:size], strings.Repeat("z", m.rng.IntN(16))...)
	if m.rng.IntN(2) == 0 { // in its place
		m.exec("UPDATE "+table+" SET id = ?, v = ? WHERE k = ?", int64(m.next), value, key)
	}
	m.exec("DELETE FROM "+table+" WHERE k = ? AND id <> ?", key, int64(m.next))
	m.exec("INSERT INTO "+table+" (k, id, v) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM "+table+" WHERE k = ?)", key, int64(m.next), value, key)
	m.rows[table+" "+key] = fmt.Sprint(m.next, " ", len(value))
}

// stored returns the rows that are in the database, and fails if one is not whole.
func (m *machine) stored() map[string]string {
	m.t.Helper()
	rows := make(map[string]string)
	for _, table := range machineTables {
		testkit.Must(m.t, m.c.Each(func(f *row.Fields) error {
			key, id, v := f.Text(), f.Int(), f.Bytes()
			want := fmt.Appendf(nil, "<%014d>", id)
			for whole := v; len(whole) >= 16; whole = whole[16:] {
				if !bytes.Equal(whole[:16], want) {
					m.t.Fatalf("row %d is damaged: %q", id, whole[:16])
				}
			}
			rows[table+" "+key] = fmt.Sprint(id, " ", len(v))
			return f.Err("row", key)
		}, "SELECT k, id, v FROM "+table))
	}
	return rows
}

func (m *machine) pages() map[uint32][]byte {
	m.t.Helper()
	all := make(map[uint32][]byte)
	testkit.Must(m.t, m.c.Each(func(f *row.Fields) error {
		n := f.Int()
		all[uint32(n)] = bytes.Clone(f.Bytes())
		return f.Err("page", "of the database")
	}, "SELECT pgno, data FROM sqlite_dbpage"))
	return all
}

// pass runs a pass in small steps. Between two of them others write, and the pass is told
// which pages they have changed.
func (m *machine) pass(between func()) {
	m.t.Helper()
	m.exec("BEGIN IMMEDIATE")
	p, err := NewPass(m.c)
	testkit.Must(m.t, err)
	m.exec("COMMIT")
	for steps := 0; !p.Done; steps++ {
		if steps > 10_000 {
			m.t.Fatal("the pass has no end")
		}
		if steps < 20 {
			before := m.pages()
			between()
			for n, page := range m.pages() {
				if !bytes.Equal(page, before[n]) {
					p.Add(n)
				}
			}
		}
		m.exec("BEGIN IMMEDIATE")
		p.most = 10
		testkit.Must(m.t, p.Step())
		m.exec("COMMIT")
	}
	if p.Unreached != 0 {
		m.t.Errorf("the pass has not reached %d pages", p.Unreached)
	}
}

// check fails if the database is damaged, if a row is not as it was written, or if there
// is anything left of the rows that were removed before the pass.
func (m *machine) check(removed []int) {
	m.t.Helper()
	testkit.Must(m.t, m.c.Each(func(f *row.Fields) error {
		if said := f.Next(); said != "ok" {
			m.t.Errorf("integrity_check says: %v", said)
		}
		return nil
	}, "PRAGMA integrity_check"))
	if got := m.stored(); !maps.Equal(got, m.rows) {
		m.t.Errorf("%d rows are stored, and not as %d were written", len(got), len(m.rows))
	}
	left := make(map[int]bool)
	for _, page := range m.pages() {
		for at := bytes.IndexByte(page, '<'); at >= 0 && at+16 <= len(page); {
			var id int
			if _, err := fmt.Sscanf(string(page[at:at+16]), "<%014d>", &id); err == nil && page[at+15] == '>' {
				left[id] = true
			}
			next := bytes.IndexByte(page[at+1:], '<')
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	for _, id := range removed {
		if left[id] {
			m.t.Errorf("parts of row %d are still in the file, which was removed before the pass", id)
			return
		}
	}
	if len(left) == 0 || len(removed) == 0 {
		m.t.Error("nothing was tested")
	}
}

// At every size of a page, also with bytes that SQLite leaves to extensions, a pass takes
// nothing that is in use and leaves nothing that was removed before it, while others
// write between its steps.
func TestPass(t *testing.T) {
	for size := 512; size <= 65536; size *= 2 {
		for _, reserved := range []int{0, 24} {
			t.Run(fmt.Sprint("size=", size, ",reserved=", reserved), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(testkit.Pick(1, 2, 30)) {
					m := newMachine(t, seed, size, reserved)
					for range 250 {
						m.step()
					}
					removed := slices.Clone(m.gone)
					m.pass(m.step)
					m.check(removed)
				}
			})
		}
	}
}
