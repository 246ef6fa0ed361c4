package sqlite_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	followWriters   = 8
	followProcesses = 3
	followFollowers = 4 // two page with Changes, two Watch
)

var (
	_ = register("follow-write", followWrite)
	_ = register("follow-read", followRead)
)

// followService returns a service that keeps all rows, and the workspace that is followed.
func followService(db store.Store) (*workspace.Service, *workspace.Workspace, error) {
	svc, err := workspace.New(db, workspace.Options{Limits: workspace.Limits{Changes: 1 << 20}})
	if err != nil {
		return nil, nil, err
	}
	ws, err := svc.Agent("followed")
	return svc, ws, err
}

// openFollowed opens a database: a file, or the URL of one in PostgreSQL.
func openFollowed(ctx context.Context, database string) (store.Store, error) {
	if strings.HasPrefix(database, "postgres://") {
		return postgres.Open(ctx, database, postgres.Options{})
	}
	return sqlite.Open(ctx, database, sqlite.Options{})
}

// withFollowed runs fn on the workspace in a database.
func withFollowed(database string, fn func(*workspace.Workspace) error) error {
	store, err := openFollowed(context.Background(), database)
	if err != nil {
		return err
	}
	svc, ws, err := followService(store)
	if err == nil {
		err = errors.Join(fn(ws), svc.Close(context.Background()))
	}
	return errors.Join(err, store.Close())
}

// followWrite has the arguments: the database, the rows of each writer, the process. It
// runs the writers whose number fits.
func followWrite(args []string) error {
	rows, process := atoi(args[1]), atoi(args[2])
	return withFollowed(args[0], func(ws *workspace.Workspace) error {
		var all sync.WaitGroup
		errs := make([]error, followWriters)
		for n := process; n < followWriters; n += followProcesses {
			all.Go(func() { errs[n] = writeRows(ws, n, rows) })
		}
		all.Wait()
		return errors.Join(errs...)
	})
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// writeRows makes changes, each of which adds a row, until there are so many. Files and
// logs come and go.
func writeRows(ws *workspace.Workspace, writer, rows int) error {
	ctx, r := context.Background(), rand.New(rand.NewPCG(uint64(writer), 1))
	for n := 0; n < rows; {
		path := fmt.Sprintf("w%d/%d", writer, r.IntN(5))
		if r.IntN(4) == 0 {
			path = fmt.Sprintf("shared/%d", r.IntN(3))
		}
		added := true
		var err error
		switch r.IntN(8) {
		case 0:
			var d workspace.DeleteResult
			d, err = ws.DeleteFile(ctx, path, workspace.DeleteOptions{})
			added = d.Deleted
		case 1:
			var d workspace.DeleteResult
			d, err = ws.DeleteLog(ctx, path, workspace.DeleteLogOptions{})
			added = d.Deleted
		case 2, 3:
			_, err = ws.AppendLog(ctx, path, []byte("entry"), []byte("entry"))
		default:
			_, err = ws.WriteFile(ctx, path, []byte("content"), workspace.WriteOptions{})
		}
		if err != nil {
			return fmt.Errorf("writer %d: %w", writer, err)
		}
		if added {
			n++
		}
	}
	return nil
}

// A followedPage is what a follower has got and will not ask for again: the rows after From
// up to To, coalesced unless it watches.
type followedPage struct {
	From, To int64
	Watched  bool
	Rows     []store.Change
}

// followRead has the arguments: the database, the cursor, the last revision, whether to
// watch, the seed. It prints each page before it asks for the next.
func followRead(args []string) error {
	from, last, watch, seed := int64(atoi(args[1])), int64(atoi(args[2])), args[3] == "true", uint64(atoi(args[4]))
	return withFollowed(args[0], func(ws *workspace.Workspace) error {
		return follow(context.Background(), ws, from, last, watch, seed, func(p followedPage) {
			line, err := json.Marshal(p)
			if err != nil {
				panic(err)
			}
			tell("%s", line)
		})
	})
}

// follow gives pages up to the last revision.
func follow(ctx context.Context, ws *workspace.Workspace, from, last int64, watch bool, seed uint64, give func(followedPage)) error {
	if watch {
		for row, err := range ws.Watch(ctx, from) {
			if err != nil {
				return err
			}
			give(followedPage{From: from, To: row.Revision, Watched: true, Rows: []store.Change{row}})
			if from = row.Revision; from >= last {
				return nil
			}
		}
		return ctx.Err()
	}
	r := rand.New(rand.NewPCG(seed, 2))
	for from < last {
		c, err := ws.Changes(ctx, workspace.ChangesOptions{Since: from, Limit: 1 + r.IntN(100)>>r.IntN(6)})
		if err != nil {
			return err
		}
		if c.Cursor == from {
			time.Sleep(time.Millisecond)
			continue
		}
		give(followedPage{From: from, To: c.Cursor, Rows: c.Paths})
		from = c.Cursor
	}
	return nil
}

// checkFollowed compares pages with all rows of the journal.
func checkFollowed(truth []store.Change, pages []followedPage) error {
	var at int64
	for _, p := range pages {
		if p.From != at || p.To <= at || p.To > int64(len(truth)) {
			return fmt.Errorf("a page from %d to %d comes after revision %d of %d", p.From, p.To, at, len(truth))
		}
		want := truth[p.From:p.To]
		if !p.Watched {
			want = lastOfEach(want)
		}
		if got, want := tellRows(p.Rows), tellRows(want); got != want {
			return fmt.Errorf("the page from %d to %d is\n%s\nwant\n%s", p.From, p.To, got, want)
		}
		at = p.To
	}
	if at != int64(len(truth)) {
		return fmt.Errorf("the last page ends at %d of %d", at, len(truth))
	}
	return nil
}

// lastOfEach makes one row of all those of a path, where nothing is moved.
func lastOfEach(rows []store.Change) (few []store.Change) {
	type place struct{ kind, path string }
	before, last := map[place]int64{}, map[place]store.Change{}
	for _, r := range rows {
		at := place{string(r.Kind), r.Path}
		if _, seen := last[at]; !seen {
			before[at] = r.Before
		}
		last[at] = r
	}
	for at, r := range last {
		r.Before = before[at]
		switch {
		case r.Before == 0 && r.After == 0:
			continue
		case r.Before == 0 && r.Kind == store.KindFile:
			r.Op = store.OpCreate
		case r.Op == store.OpCreate: // deleted, and written again
			r.Op = store.OpEdit
		}
		few = append(few, r)
	}
	slices.SortFunc(few, func(a, b store.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return few
}

func tellRows(rows []store.Change) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%d %s %s %s %d-%d %d\n", r.Revision, r.Op, r.Kind, r.Path, r.Before, r.After, r.Time.UnixMicro())
	}
	return b.String()
}

// allRows returns the journal as the store has it.
func allRows(t testing.TB, db store.Store) (rows []store.Change) {
	t.Helper()
	err := db.View(t.Context(), store.Owner{Tenant: "local", Agent: "followed"}, func(r store.Reader) (err error) {
		rows, err = r.Changes(0, 1<<30)
		return err
	})
	testkit.Must(t, err)
	for i, r := range rows {
		if r.Revision != int64(i+1) {
			t.Fatalf("row %d has revision %d", i+1, r.Revision)
		}
	}
	return rows
}

// Writers in three processes, and followers that are killed and begin again where the last
// whole page ended: each gets every change once, in order, and none is missing. It takes
// 5,000 rows with SCRATCHPAD_TEST=all, and 100,000 with SCRATCHPAD_TEST=full.
func TestFollow(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	followAll(t, filepath.Join(t.TempDir(), "scratchpad.db"), testkit.Pick(400, 5000, 100_000), testkit.Pick(1, 6, 40))
}

// TestFollowOnPostgres is TestFollow on PostgreSQL, where an agent's writes are slower.
func TestFollowOnPostgres(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	followAll(t, pgtest.URL(t), testkit.Pick(240, 480, 100_000), testkit.Pick(1, 3, 40))
}

func followAll(t *testing.T, path string, rows, kills int) {
	store, err := openFollowed(t.Context(), path)
	testkit.Must(t, err)
	defer store.Close()
	writers := startChildren(t, followProcesses, "follow-write", path, fmt.Sprint(rows/followWriters))
	pages := make([][]followedPage, followFollowers)
	killed := make([]int, followFollowers)
	var all sync.WaitGroup
	for i := range followFollowers {
		all.Go(func() { pages[i], killed[i] = followAndDie(t, path, int64(rows), i, kills) })
	}
	for _, w := range writers {
		w.finish(t)
	}
	all.Wait()
	truth := allRows(t, store)
	if len(truth) != rows {
		t.Fatalf("the journal has %d rows, want %d", len(truth), rows)
	}
	for i := range followFollowers {
		if err := checkFollowed(truth, pages[i]); err != nil {
			t.Errorf("follower %d: %v", i, err)
		}
		t.Logf("follower %d: %d pages, killed %d times", i, len(pages[i]), killed[i])
		if killed[i] == 0 {
			t.Errorf("follower %d was never killed", i)
		}
	}
}

// followAndDie returns the whole pages of a follower that is killed again and again.
func followAndDie(t *testing.T, path string, last int64, n, kills int) (pages []followedPage, killed int) {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	var at int64
	for at < last && !t.Failed() {
		c := startChild(t, "follow-read", path, fmt.Sprint(at), fmt.Sprint(last), fmt.Sprint(n%2 == 0), fmt.Sprint(r.IntN(1000)))
		most := int(last) / kills
		if n%2 != 0 {
			most /= 50 // rows of a page
		}
		left := 1 + r.IntN(most)
		if killed >= kills {
			left = -1
		}
		for line := range c.lines {
			var p followedPage
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Errorf("follower %d: %v in %.100q", n, err, line)
			}
			pages, at = append(pages, p), p.To
			if left--; left == 0 {
				c.cmd.Process.Kill() // the lines that it has written still come
				killed++
			}
		}
		if err := c.reap(); err != nil && left > 0 {
			t.Errorf("follower %d: %v", n, err)
		}
	}
	return pages, killed
}

// lateStore is a store with a bug: some changes become visible after a later one was
// answered, under a revision that another one had until then.
type lateStore struct{ store.Store }

func (s lateStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, o, func(r store.Reader) error {
		state, err := r.Owner()
		if err != nil {
			return err
		}
		late := &lateReader{Reader: r}
		if over := state.Revision % 50; state.Revision > 50 && (over == 1 || over == 2) {
			late.hidden = state.Revision - over
		}
		return fn(late)
	})
}

type lateReader struct {
	store.Reader
	hidden int64 // the change that is not visible yet; 0: none
}

func (r *lateReader) Owner() (store.OwnerState, error) {
	state, err := r.Reader.Owner()
	if r.hidden > 0 {
		state.Revision--
		state.Changes--
	}
	return state, err
}

func (r *lateReader) Changes(after int64, limit int) ([]store.Change, error) {
	if r.hidden > 0 && after >= r.hidden {
		after++
	}
	rows, err := r.Reader.Changes(after, limit+1)
	if r.hidden == 0 {
		return rows[:min(limit, len(rows))], err
	}
	var shown []store.Change
	for _, row := range rows {
		if row.Revision > r.hidden {
			row.Revision--
		} else if row.Revision == r.hidden {
			continue
		}
		shown = append(shown, row)
	}
	return shown[:min(limit, len(shown))], err
}

// The check finds a change that became visible after a later one was answered.
func TestFollowFindsLateChanges(t *testing.T) {
	testkit.SkipInShort(t)
	const rows = 150
	for _, watch := range []bool{false, true} {
		for _, faulty := range []bool{false, true} {
			t.Run(fmt.Sprintf("watch=%v/faulty=%v", watch, faulty), func(t *testing.T) {
				t.Parallel()
				store := store.Store(memstore.New())
				defer store.Close()
				_, writer, err := followService(store)
				testkit.Must(t, err)
				if faulty {
					store = lateStore{store}
				}
				svc, reader, err := followService(store)
				testkit.Must(t, err)
				defer svc.Close(t.Context())
				var pages []followedPage
				got := make(chan struct{}, rows)
				ended := make(chan error, 1)
				go func() {
					ended <- follow(t.Context(), reader, 0, rows, watch, 1, func(p followedPage) { pages = append(pages, p); got <- struct{}{} })
				}()
				for range rows {
					testkit.Must(t, writeRows(writer, 0, 1))
					select { // so that the follower reads between the writes
					case <-got:
					case <-time.After(200 * time.Millisecond): // it is not to see the last one yet
					}
				}
				err = errors.Join(<-ended, checkFollowed(allRows(t, store), pages))
				if faulty == (err == nil) {
					t.Errorf("the check says %v", err)
				}
				t.Logf("the check says %.200v", err)
			})
		}
	}
}
