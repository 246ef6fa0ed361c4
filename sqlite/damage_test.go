package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// damageSeed is the seed of what the databases hold and where they are damaged. Tests
// log it. The name of a case says what is damaged.
const damageSeed = 20260917

const planWrites = 90 // few enough for SQLite not to run a checkpoint by itself

func init() {
	roles["damage-fill"] = func(args []string) error {
		return fillAndCrash(context.Background(), args[0], damagePlan(), len(args) > 1)
	}
}

// fillAndCrash leaves the write-ahead log as a crash does. With copied, the first half
// of the log is in the database already.
func fillAndCrash(ctx context.Context, path string, p *plan, copied bool) error {
	s, err := sqlite.Open(ctx, path, quiet)
	if err != nil {
		return err
	}
	half := 0
	if copied {
		half = len(p.writes) / 2
	}
	if err := p.run(ctx, s, 0, half); err != nil {
		return err
	}
	// A reader keeps the log from being begun anew.
	err = s.View(ctx, store.Owner{}, func(r store.Reader) error {
		_, err := r.Owner()
		if copied {
			err = errors.Join(err, copyLog(ctx, path))
		}
		return errors.Join(err, p.run(ctx, s, half, len(p.writes)))
	})
	if err != nil {
		return err
	}
	return killSelf()
}

// killSelf ends this process as a crash does.
func killSelf() error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := self.Kill(); err != nil {
		return err
	}
	select {}
}

// copyLog runs a checkpoint on a connection of its own.
func copyLog(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	var busy, frames, copied int
	err = db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &frames, &copied)
	if err == nil && (copied == 0 || copied != frames) {
		err = fmt.Errorf("of %d frames %d were copied", frames, copied)
	}
	return errors.Join(err, db.Close())
}

var quiet = sqlite.Options{Logger: slog.New(slog.DiscardHandler)}

// damaged is a database that is copied and damaged again and again.
type damaged struct {
	plan    *plan
	db, wal []byte
}

// The files are made once. Each test damages copies of them.
var (
	damagePlan = sync.OnceValue(func() *plan { return makePlan(damageSeed, planWrites) })

	onceCrashed      = sync.OnceValues(func() (damaged, error) { return crash() })
	onceCopied       = sync.OnceValues(func() (damaged, error) { return crash("copied") })
	onceCheckpointed = sync.OnceValues(checkpoint)
)

// crashed returns the files of a process that was killed after the writes of the plan,
// all of which are in the log.
func crashed(t *testing.T) damaged {
	t.Helper()
	d, err := onceCrashed()
	testkit.Must(t, err)
	return d
}

// crashedCopied returns the same with the first half of the log in the database too.
func crashedCopied(t *testing.T) damaged {
	t.Helper()
	d, err := onceCopied()
	testkit.Must(t, err)
	return d
}

// checkpointed returns a database that was closed after the writes of the plan.
func checkpointed(t *testing.T) damaged {
	t.Helper()
	d, err := onceCheckpointed()
	testkit.Must(t, err)
	return d
}

func crash(how ...string) (d damaged, err error) {
	dir, err := os.MkdirTemp("", "crashed-")
	if err != nil {
		return d, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "crashed.db")
	cmd := roleCommand(context.Background(), "damage-fill", append([]string{path}, how...)...)
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() == 1 {
		return d, fmt.Errorf("the filling process was not killed: %v", err)
	}
	db, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	wal, err := os.ReadFile(path + "-wal")
	if frames := len(wal) / (pageSize + 24); err == nil && (frames < 300 || frames >= 1000) {
		err = fmt.Errorf("the log has %d frames: a checkpoint ran, here or in SQLite", frames)
	}
	return damaged{damagePlan(), db, wal}, err
}

func checkpoint() (d damaged, err error) {
	dir, err := os.MkdirTemp("", "checkpointed-")
	if err != nil {
		return d, err
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "checkpointed.db")
	s, err := sqlite.Open(ctx, path, quiet)
	if err != nil {
		return d, err
	}
	if err := errors.Join(damagePlan().run(ctx, s, 0, planWrites), s.Close()); err != nil {
		return d, err
	}
	db, err := os.ReadFile(path)
	return damaged{plan: damagePlan(), db: db}, err
}

func readBytes(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	testkit.Must(t, err)
	return b
}

// open writes the files to a new folder and opens them. If that is refused, the files
// must not have changed.
func (d damaged) open(t *testing.T) (*sqlite.Store, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "damaged.db")
	files := map[string][]byte{path: d.db}
	if d.wal != nil {
		files[path+"-wal"] = d.wal
	}
	for name, content := range files {
		testkit.Must(t, os.WriteFile(name, content, 0o600))
	}
	s, err := sqlite.Open(t.Context(), path, quiet)
	if err == nil {
		return s, nil
	}
	if !hasKind(err) || !strings.Contains(err.Error(), path) {
		t.Errorf("Open = %v; want an error with a kind that names the path", err)
	}
	for name, content := range files {
		if sha256.Sum256(readBytes(t, name)) != sha256.Sum256(content) {
			t.Errorf("Open = %v, and it has changed %s", err, filepath.Base(name))
		}
	}
	return nil, err
}

// read opens the files and reads everything.
func (d damaged) read(t *testing.T, want answers) (*reading, error) {
	t.Helper()
	s, err := d.open(t)
	if err != nil {
		return nil, err
	}
	defer s.Close() // may fail on what is damaged
	r, err := readAll(t.Context(), s, want)
	testkit.Must(t, err)
	return r, nil
}

// flip returns a copy with one bit flipped or one byte changed.
func flip(r *rand.Rand, b []byte, at int) (string, []byte) {
	b = bytes.Clone(b)
	mask := byte(1) << r.IntN(8)
	kind := "bit"
	if r.IntN(4) == 0 {
		kind, mask = "byte", byte(1+r.IntN(255))
	}
	b[at] ^= mask
	return fmt.Sprintf("%s-%d-%02x", kind, at, mask), b
}

// cut returns a copy that ends early, half of the time at the end of a frame or within
// 30 bytes of it.
func cut(r *rand.Rand, wal []byte) (string, []byte) {
	const header, frame = 32, 24 + pageSize
	at := r.IntN(len(wal))
	if r.IntN(2) == 0 {
		at = header + r.IntN((len(wal)-header)/frame)*frame
		if r.IntN(2) == 0 {
			at += r.IntN(60) - 30
		}
	}
	return fmt.Sprintf("cut-%d", at), bytes.Clone(wal[:at])
}

func (d damaged) hurtLog(r *rand.Rand) (name string, hurt damaged) {
	hurt = d
	if r.IntN(2) == 0 {
		name, hurt.wal = flip(r, d.wal, r.IntN(len(d.wal)))
	} else {
		name, hurt.wal = cut(r, d.wal)
	}
	return name, hurt
}

// tally counts the outcomes of cases.
type tally map[string]int

// If the log is cut off or something in it is flipped, a prefix of the committed writes
// remains, and nothing after it.
func TestDamagedLogIsReported(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	d := crashed(t)
	r := rand.New(rand.NewPCG(damageSeed, 1))
	t.Logf("seed %d, database %d bytes, log %d bytes", damageSeed, len(d.db), len(d.wal))
	c := tally{}
	for range testkit.Pick(4, 60, 1000) {
		name, hurt := d.hurtLog(r)
		t.Run(name, func(t *testing.T) {
			got, err := hurt.read(t, nil)
			if err != nil {
				c["Open refused"]++
				return
			}
			for q, err := range got.errs {
				t.Errorf("%s: %v", q, err)
			}
			n := d.plan.prefix(got.answers)
			switch {
			case n < 0:
				t.Errorf("what is there is no committed prefix: %s", got.judge(d.plan.last()))
			case n == len(d.plan.writes):
				c["everything was there"]++
			default:
				c["a prefix was there"]++
			}
		})
	}
	t.Logf("cases: %v", c)
}

// prefix returns the number of writes after which the answers were right, and -1 if
// there is none.
func (p *plan) prefix(got answers) int {
	for n := len(p.writes); n >= 0; n-- {
		if maps.Equal(p.states[n], got) {
			return n
		}
	}
	return -1
}

// If a part of the log was copied into the database before the crash, and that part of
// the log is then damaged, some pages go back to an older state. SQLite cannot notice.
// Each answer is still one that was right at some time, or an error.
func TestDamagedCopiedLog(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	d := crashedCopied(t)
	r := rand.New(rand.NewPCG(damageSeed, 3))
	ever := map[string]map[string]bool{}
	for _, state := range d.plan.states {
		for q, answer := range state {
			if ever[q] == nil {
				ever[q] = map[string]bool{}
			}
			ever[q][answer] = true
		}
	}
	c := tally{}
	for range testkit.Pick(3, 40, 200) {
		name, hurt := d.hurtLog(r)
		t.Run(name, func(t *testing.T) {
			got, err := hurt.read(t, d.plan.last())
			if err != nil {
				c["Open refused"]++
				return
			}
			for q, answer := range got.answers {
				if !ever[q][answer] {
					t.Errorf("%s = %s, which it never was", q, answer)
				}
			}
			for q, err := range got.errs {
				if !hasKind(err) {
					t.Errorf("%s: error without a kind: %v", q, err)
				}
			}
			switch {
			case d.plan.prefix(got.answers) == len(d.plan.writes):
				c["everything was there"]++
			case d.plan.prefix(got.answers) >= 0:
				c["a prefix was there"]++
			default:
				c["a mixture or errors"]++
			}
		})
	}
	t.Logf("seed %d, database %d bytes, log %d bytes; cases: %v", damageSeed, len(d.db), len(d.wal), c)
}

func (v verdict) String() string {
	return fmt.Sprintf("%d wrong, %d refused, %d omitted\n%s", len(v.wrong), v.open, len(v.omitted), strings.Join(v.wrong[:min(3, len(v.wrong))], "\n"))
}

// Whatever bit of the database is flipped, an answer is right, or an error with a kind.
// Without the hashes some answers would be wrong.
func TestDamagedBytesAreReported(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	d := checkpointed(t)
	r := rand.New(rand.NewPCG(damageSeed, 2))
	trees := treePages(d.db)
	c := tally{}
	for i := range testkit.Pick(6, 60, 300) {
		hurt := d
		var name string
		switch i % 6 { // most of the bytes are content, which is the easy part
		case 0:
			name, hurt.db = flip(r, d.db, r.IntN(100))
		case 1, 2:
			name, hurt.db = flip(r, d.db, r.IntN(len(d.db)))
		default:
			name, hurt.db = flip(r, d.db, trees[r.IntN(len(trees))]+r.IntN(pageSize))
		}
		t.Run(name, func(t *testing.T) {
			hurt.judge(t, c)
		})
	}
	t.Logf("seed %d, database %d bytes, %d of %d pages are of trees; %d answers each", damageSeed, len(d.db), len(trees), len(d.db)/pageSize, len(d.plan.last()))
	t.Logf("cases: %v", c)
	// The proof can fail: the bytes below the hashes are wrong.
	if testkit.Long() && c["contents wrong below the hashes"] == 0 {
		t.Error("no flip reached any content, so that this proves nothing")
	}
}

const pageSize = 4096

// treePages returns the offsets of the pages that look like those of a B-tree:
// https://www.sqlite.org/fileformat2.html, part 1.6.
func treePages(db []byte) (at []int) {
	for i := 0; i < len(db); i += pageSize {
		if i == 0 || slices.Contains([]byte{2, 5, 10, 13}, db[i]) && binary.BigEndian.Uint16(db[i+3:]) < pageSize/4 {
			at = append(at, i)
		}
	}
	return at
}

// A damaged key may lead to another row, or end a search too early because it is out of
// order. That is found too, although the row's own checksum is right.
func TestDamagedKeys(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	d := checkpointed(t)
	r := rand.New(rand.NewPCG(damageSeed, 4))
	keys := leafKeys(d.db)
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:min(len(keys), testkit.Pick(3, 60, 300))]
	c := tally{}
	for _, key := range keys {
		at, mask := key.owner, byte(0x10)
		if r.IntN(3) == 0 {
			at, mask = key.end-1, byte(1+r.IntN(63))
		}
		hurt := d
		hurt.db = bytes.Clone(d.db)
		hurt.db[at] ^= mask
		t.Run(fmt.Sprintf("bit-%d-%02x", at, mask), func(t *testing.T) {
			hurt.judge(t, c)
		})
	}
	t.Logf("seed %d; %d cases: %v", damageSeed, len(keys), c)
}

// leafKey is a key on a leaf of an index or of a table without rowids.
type leafKey struct {
	owner int // where the last letters of its owner stand
	end   int // in an index of a table with rowids, after the rowid's low byte
}

func leafKeys(db []byte) (keys []leafKey) {
	for _, page := range treePages(db) {
		if db[page] != 10 {
			continue
		}
		for i := range int(binary.BigEndian.Uint16(db[page+3:])) {
			cell := page + int(binary.BigEndian.Uint16(db[page+8+2*i:]))
			size, n := int(db[cell]), 1
			if size >= 0x80 {
				size, n = size&0x7f<<7|int(db[cell+1]), 2
			}
			end := cell + n + size
			if size >= 1000 || end > page+pageSize { // it goes on elsewhere
				continue
			}
			if owner := bytes.Index(db[cell:end], []byte("local/")); owner >= 0 {
				keys = append(keys, leafKey{cell + owner + len("local/") + 1, end})
			}
		}
	}
	return keys
}

// judge reads everything and fails on a wrong answer.
func (d damaged) judge(t *testing.T, c tally) {
	s, err := d.open(t)
	if err != nil {
		c["Open refused"]++
		return
	}
	defer s.Close() // may fail on what is damaged
	got, err := readAll(t.Context(), s, d.plan.last())
	testkit.Must(t, err)
	v := got.judge(d.plan.last())
	if len(v.wrong) > 0 {
		t.Errorf("wrong answers: %s", v)
	}
	switch {
	case v.open+len(v.omitted) == 0:
		c["no trace"]++ // free space, or what no answer depends on
	case len(v.omitted) > 0:
		c["something omitted"]++
	case v.open == 1:
		c["one answer refused"]++
	default:
		c["several answers refused"]++
	}
	c["answers refused"] += v.open
	c["logs that promise more and never end"] += got.stuck
	for _, q := range v.omitted {
		c["omitted without an error: "+strings.Fields(q)[0]]++
	}
	c["contents wrong below the hashes"] += rawErrors(t, s, d.plan.last())
}

// rawErrors counts the versions for which the store itself returns wrong bytes and no
// error.
func rawErrors(t *testing.T, s store.Store, want answers) (n int) {
	for q, answer := range want {
		words := strings.Fields(q)
		if words[0] != "version" {
			continue
		}
		number, _ := strconv.ParseInt(words[3], 10, 64)
		var v store.Version
		err := s.View(t.Context(), store.Owner{Tenant: "local", Agent: words[1]}, func(r store.Reader) (err error) {
			l, err := r.Load(store.Query{File: words[2], Version: number})
			v = l.Version
			return err
		})
		if err == nil && strings.Fields(answer)[3] != fmt.Sprintf("%x", sha256.Sum256(v.Content)) {
			n++
		}
	}
	return n
}

// Without damage, everything that was written is read, from each kind of files.
func TestUndamaged(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for name, d := range map[string]damaged{"crashed": crashed(t), "copied": crashedCopied(t), "checkpointed": checkpointed(t)} {
		t.Run(name, func(t *testing.T) {
			got, err := d.read(t, d.plan.last())
			testkit.Must(t, err)
			if v := got.judge(d.plan.last()); len(v.wrong)+v.open+len(v.omitted) > 0 {
				t.Errorf("%s\n%v\n%v", v, v.omitted, got.errs)
			}
		})
	}
}
