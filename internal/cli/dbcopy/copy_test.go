package dbcopy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// openFile opens a database in a file.
func openFile(t testing.TB, path string) workspace.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, quiet)
	testkit.Must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func newFile(t testing.TB) workspace.Store { return openFile(t, filepath.Join(t.TempDir(), "test.db")) }

// fill makes owners of several tenants up, by what agents do, and records. The seed makes
// the difference between two databases.
func fill(t testing.TB, s workspace.Store, owners, calls int, seed uint64) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	for n := range owners {
		tenant := []string{"local", "a-", "a", "team"}[n%4]
		work(t, s, tenant, fmt.Sprintf("agent-%03d", n), calls, rnd)
	}
	// An owner that an older version deleted has kept its numbers.
	testkit.Must(t, s.Update(t.Context(), store.Owner{Tenant: "local", Agent: "deleted"}, func(tx store.Tx) error {
		return tx.Apply(store.OwnerState{FileFloor: 3, LogFloor: 4, Revision: 5})
	}))
	for i := range 20 {
		testkit.Must(t, testkit.Err(s.System(t.Context()).Put(fmt.Sprintf("auth/key/%02d", i), []byte(fmt.Sprint("value\x00", rnd.Int64())), 0)))
	}
	for _, key := range []string{"lease/summary/local/x", "spend/summary/local/2026-11", "auth/generation"} {
		testkit.Must(t, testkit.Err(s.System(t.Context()).Put(key, []byte("1"), 0)))
	}
}

func service(t testing.TB, s workspace.Store, tenant string) *workspace.Service {
	t.Helper()
	svc, err := workspace.New(s, workspace.Options{Tenant: tenant, KeepDeleted: 720 * time.Hour, Summarizer: &workspace.Summarizer{
		Method: "short", Prompt: "1",
		Summarize: func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: "short of " + r.Path}, nil
		},
	}})
	testkit.Must(t, err)
	return svc
}

// work lets an agent make calls of every kind.
func work(t testing.TB, s workspace.Store, tenant, agent string, calls int, rnd *rand.Rand) {
	t.Helper()
	svc := service(t, s, tenant)
	defer func() { testkit.Must(t, svc.Close(t.Context())) }() // it counts the last reads
	ws, err := svc.Agent(agent)
	testkit.Must(t, err)
	ws = ws.As(workspace.Author{Client: "client é", Version: "1.0", Key: "key", Session: fmt.Sprint("session ", rnd.IntN(9))})
	ctx := t.Context()
	for i := range calls {
		path := fmt.Sprintf("folder-%d/file-%d.md", rnd.IntN(3), rnd.IntN(5))
		text := strings.Repeat(fmt.Sprintf("%s %d \x00 %d\n", agent, i, rnd.Int64()), rnd.IntN(300))
		var err error
		switch rnd.IntN(12) {
		case 0:
			_, err = ws.DeleteFile(ctx, path, workspace.DeleteOptions{})
		case 1:
			_, err = ws.DeleteLog(ctx, path, workspace.DeleteLogOptions{})
		case 2, 3, 4:
			_, err = ws.AppendLog(ctx, path, []byte(text[:min(len(text), 1<<16)]), []byte("x"))
		case 5:
			if _, err = ws.Summarize(ctx, path, workspace.SummarizeOptions{}); errors.Is(err, workspace.ErrInvalid) {
				err = nil // the file is too short
			}
		case 6:
			_, err = ws.ReadFile(ctx, path, workspace.ReadOptions{})
		case 7:
			_, err = ws.WriteFile(ctx, path, []byte(text), workspace.WriteOptions{IdempotencyKey: fmt.Sprint("key ", i, rnd.Int64())})
		default:
			_, err = ws.From("shop").WriteFile(ctx, path, []byte(text), workspace.WriteOptions{})
		}
		if err != nil && !errors.Is(err, workspace.ErrNotFound) {
			t.Fatal(err)
		}
	}
}

// everything returns the digests of all owners, and all records.
func everything(t testing.TB, s workspace.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	owners, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.AllOwners, Limit: 1 << 20})
	testkit.Must(t, err)
	for _, u := range owners.Owners {
		o := u.Owner
		r, err := dump.Check(t.Context(), s, o)
		testkit.Must(t, err)
		if r.Problems != nil {
			t.Errorf("%s has the problem %s", o, r.Problems[0])
		}
		all[o.String()] = fmt.Sprintf("%d rows %x", r.Rows, r.Digest)
	}
	records, err := s.System(t.Context()).List("", "", 1<<20)
	testkit.Must(t, err)
	for _, r := range records {
		all["record "+r.Key] = fmt.Sprintf("%d %q %v", r.Revision, r.Value, r.Updated)
	}
	return all
}

// same tests that two databases hold the same.
func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for _, m := range []map[string]string{got, want} {
		for key := range m {
			if got[key] != want[key] {
				t.Errorf("%s: %s is %q, want %q", what, key, got[key], want[key])
			}
		}
	}
}

func TestCopyThereAndBack(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, open func(testing.TB) workspace.Store) {
		from, there, back := newFile(t), open(t), newFile(t)
		fill(t, from, testkit.Pick(6, 12, 100), testkit.Pick(20, 40, 300), 1)
		want := everything(t, from)
		var progress [2][]int64
		report, err := dbcopy.Copy(t.Context(), from, there, dbcopy.Options{From: "first.db",
			Copying:   func(done, total int64) { progress[0] = append(progress[0], done, total) },
			Verifying: func(done, total int64) { progress[1] = append(progress[1], done, total) },
		})
		testkit.Must(t, err)
		same(t, "the source after a copy", everything(t, from), want)
		same(t, "a copy", everything(t, there), want)
		if int(report.Agents+report.Deleted+report.Records) != len(want) || report.Deleted != 1 || report.Resumed || report.Bytes == 0 {
			t.Errorf("Copy = %+v, want the counts of %d owners and records", report, len(want))
		}
		for i, p := range progress {
			if n := len(p); n < 2 || p[n-1] != report.Bytes || p[n-2] != report.Bytes {
				t.Errorf("progress %d ends with %v, want %d of as many bytes", i, p[max(0, n-2):], report.Bytes)
			}
		}
		again, err := dbcopy.Copy(t.Context(), there, back, dbcopy.Options{From: "copy"})
		testkit.Must(t, err)
		same(t, "a copy back", everything(t, back), want)
		if again.Digest != report.Digest {
			t.Errorf("the digest is %s there and %s back, want the same", report.Digest, again.Digest)
		}
		rowByRow(t, from, there, back)
		// Work goes on in the copy as in the source.
		for _, s := range []workspace.Store{from, there} {
			work(t, s, "team", "agent-003", 20, rand.New(rand.NewPCG(7, 7)))
		}
		if a, b := files(t, from), files(t, there); a != b {
			t.Errorf("the files after more work are\n%s\nin the source and\n%s\nin the copy", a, b)
		}
	})
}

// files returns the versions and hashes of the files of an agent.
func files(t testing.TB, s workspace.Store) (text string) {
	testkit.Must(t, s.Dump(t.Context(), store.Owner{Tenant: "team", Agent: "agent-003"}, func(r store.Row) error {
		if r.Version != nil {
			text += fmt.Sprintf("%s %d %x\n", r.Path, r.Version.Number, r.Version.SHA256)
		}
		return nil
	}))
	return text
}

// rowByRow compares all rows of databases with those of the first one.
func rowByRow(t testing.TB, first workspace.Store, others ...workspace.Store) {
	t.Helper()
	owners, err := first.Owners(t.Context(), store.OwnersQuery{Which: store.AllOwners, Limit: 1 << 20})
	testkit.Must(t, err)
	for _, u := range owners.Owners {
		o := u.Owner
		want := rowsOf(t, first, o)
		for _, s := range others {
			if diff := cmp.Diff(want, rowsOf(t, s, o)); diff != "" {
				t.Errorf("the rows of %s (-want +got):\n%s", o, diff)
			}
		}
	}
}

func rowsOf(t testing.TB, s workspace.Store, o store.Owner) (rows []string) {
	testkit.Must(t, s.Dump(t.Context(), o, func(r store.Row) error {
		rows = append(rows, strings.Join([]string{
			r.Path, show(r.State), show(r.Change), show(r.File), show(r.Version), show(r.Summary), show(r.Log), show(r.Entry), show(r.Request),
		}, "|"))
		return nil
	}))
	return rows
}

func show[T any](p *T) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%+v", *p)
}

// A target that holds anything is refused and stays as it is.
func TestCopyIntoWhatIsNotEmpty(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachEngine(t, func(t *testing.T, open func(testing.TB) workspace.Store) {
		from := memstore.New()
		fill(t, from, 2, 10, 1)
		for name, put := range map[string]func(workspace.Store) error{
			"an agent": func(s workspace.Store) error {
				work(t, s, "local", "there", 5, rand.New(rand.NewPCG(1, 1)))
				return nil
			},
			"numbers alone": func(s workspace.Store) error {
				return s.Update(t.Context(), store.Owner{Tenant: "t", Agent: "a"}, func(tx store.Tx) error {
					return tx.Apply(store.OwnerState{FileFloor: 3})
				})
			},
			"a record": func(s workspace.Store) error {
				_, err := s.System(t.Context()).Put("z", nil, 0)
				return err
			},
		} {
			to := open(t)
			testkit.Must(t, put(to))
			before := everything(t, to)
			report, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "x"})
			if !errors.Is(err, workspace.ErrConflict) || !strings.Contains(err.Error(), "not empty") {
				t.Errorf("Copy into a database with %s = %+v, %v, want ErrConflict", name, report, err)
			}
			same(t, name, everything(t, to), before)
		}
		to := open(t)
		_, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "x"})
		testkit.Must(t, err)
		before := everything(t, to)
		if _, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "x"}); !errors.Is(err, workspace.ErrConflict) {
			t.Errorf("Copy into a complete copy = %v, want ErrConflict", err)
		}
		same(t, "a complete copy", everything(t, to), before)
	})
}

func TestCopyOntoItself(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	if _, err := dbcopy.Copy(t.Context(), openFile(t, path), openFile(t, path), dbcopy.Options{From: path}); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("Copy of an empty database onto itself = %v, want ErrInvalid", err)
	}
	s := openFile(t, path)
	if err := dbcopy.Unfinished(t.Context(), s); err != nil {
		t.Errorf("Unfinished after a Copy onto itself = %v, want nil", err)
	}
	fill(t, s, 2, 5, 1)
	if _, err := dbcopy.Copy(t.Context(), s, openFile(t, path), dbcopy.Options{From: path}); !errors.Is(err, workspace.ErrConflict) {
		t.Errorf("Copy of a database onto itself = %v, want ErrConflict", err)
	}
}

// A copy is unfinished from its first owner to its last. An unfinished copy is no source.
// A copy of another source does not complete it.
func TestUnfinished(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachEngine(t, func(t *testing.T, open func(testing.TB) workspace.Store) {
		from, to := memstore.New(), open(t)
		fill(t, from, 6, 10, 1)
		owners, err := from.Owners(t.Context(), store.OwnersQuery{Which: store.AllOwners, Limit: 100})
		testkit.Must(t, err)
		if err := dbcopy.Unfinished(t.Context(), to); err != nil {
			t.Errorf("Unfinished of an empty database = %v, want nil", err)
		}
		for n := range owners.Owners {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := dbcopy.Copy(ctx, dumped{from, func(o store.Owner) {
				if o == owners.Owners[n].Owner {
					cancel()
				}
			}}, to, dbcopy.Options{From: "source"})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Copy that is cancelled at owner %d = %v, want context.Canceled", n, err)
			}
			if err := dbcopy.Unfinished(t.Context(), to); !errors.Is(err, workspace.ErrUnsupported) || !strings.Contains(err.Error(), "--from source") {
				t.Errorf("Unfinished of a copy that was cancelled at owner %d = %v, want ErrUnsupported with the way out", n, err)
			}
		}
		if _, err := dbcopy.Copy(t.Context(), to, memstore.New(), dbcopy.Options{From: "copy"}); !errors.Is(err, workspace.ErrUnsupported) {
			t.Errorf("Copy of an unfinished copy = %v, want ErrUnsupported", err)
		}
		if _, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "another"}); !errors.Is(err, workspace.ErrConflict) || !strings.Contains(err.Error(), "copy of source") {
			t.Errorf("Copy of another source = %v, want ErrConflict", err)
		}
		report, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "source"})
		if err != nil || !report.Resumed {
			t.Errorf("Copy that completes another = %+v, %v, want nil", report, err)
		}
		if err := dbcopy.Unfinished(t.Context(), to); err != nil {
			t.Errorf("Unfinished of a complete copy = %v, want nil", err)
		}
		same(t, "the copy", everything(t, to), everything(t, from))
	})
}

// dumped calls at before each Dump.
type dumped struct {
	workspace.Store
	at func(store.Owner)
}

func (s dumped) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	s.at(o)
	return s.Store.Dump(ctx, o, fn)
}

// listed calls at before each list of owners, with its number: the first one before owners
// are copied, the second one before they are compared.
type listed struct {
	workspace.Store
	n  *int
	at func(n int)
}

func (s listed) Owners(ctx context.Context, q store.OwnersQuery) (store.OwnerList, error) {
	*s.n++
	s.at(*s.n)
	return s.Store.Owners(ctx, q)
}

// What changes in the source after it was copied is named, and the copy stays unfinished: an owner
// that has more, one of whom only reads were counted, one that is new, one that is gone, and records.
func TestCopyOfWhatChanges(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for name, change := range map[string]func(from workspace.Store, o store.Owner) error{
		"team/agent-003": func(from workspace.Store, o store.Owner) error {
			work(t, from, o.Tenant, o.Agent, 2, rand.New(rand.NewPCG(3, 3)))
			return nil
		},
		"a/agent-002": func(from workspace.Store, o store.Owner) error {
			return from.Count(t.Context(), map[store.Owner]int64{o: 1})
		},
		"team/new": func(from workspace.Store, o store.Owner) error {
			work(t, from, o.Tenant, o.Agent, 3, rand.New(rand.NewPCG(3, 3)))
			return nil
		},
		"local/deleted": func(from workspace.Store, o store.Owner) error {
			return from.Update(t.Context(), o, func(tx store.Tx) error { return tx.Apply(store.OwnerState{}) })
		},
		"record new": func(from workspace.Store, _ store.Owner) error {
			return testkit.Err(from.System(t.Context()).Put("new", nil, 0))
		},
		"record auth/generation": func(from workspace.Store, _ store.Owner) error {
			r, err := from.System(t.Context()).Get("auth/generation")
			return errors.Join(err, testkit.Err(from.System(t.Context()).Put(r.Key, []byte("2"), r.Revision)))
		},
		"record lease/summary/local/x": func(from workspace.Store, _ store.Owner) error {
			r, err := from.System(t.Context()).Get("lease/summary/local/x")
			return errors.Join(err, from.System(t.Context()).Delete(r.Key, r.Revision))
		},
	} {
		for _, list := range []int{2, 3} { // before the copy is compared, and before it is looked at once more
			from, to := memstore.New(), newFile(t)
			fill(t, from, 8, 12, 1)
			tenant, agent, _ := strings.Cut(name, "/")
			report, err := dbcopy.Copy(t.Context(), listed{from, new(int), func(n int) {
				if n == list {
					testkit.Must(t, change(from, store.Owner{Tenant: tenant, Agent: agent}))
				}
			}}, to, dbcopy.Options{From: "source"})
			if !errors.Is(err, workspace.ErrConflict) || !strings.Contains(err.Error(), ": "+name+"; stop the servers") {
				t.Errorf("Copy of a source that changes at list %d = %+v, %v, want ErrConflict that names %s alone", list, report, err, name)
			}
			if err := dbcopy.Unfinished(t.Context(), to); !errors.Is(err, workspace.ErrUnsupported) {
				t.Errorf("Unfinished = %v, want ErrUnsupported", err)
			}
			if strings.HasPrefix(name, "record ") { // the next Copy copies all records again
				_, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "source"})
				testkit.Must(t, err)
				same(t, "the copy", everything(t, to), everything(t, from))
			}
		}
	}
}

// A damaged source is named and not copied.
func TestCopyOfDamage(t *testing.T) {
	t.Parallel()
	from, to := memstore.New(), memstore.New()
	fill(t, from, 3, 10, 1)
	o := store.Owner{Tenant: "a-", Agent: "agent-001"}
	testkit.Must(t, from.Update(t.Context(), o, func(tx store.Tx) error {
		s, err := tx.Owner()
		s.Bytes++
		return errors.Join(err, tx.Apply(s))
	}))
	if _, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "x"}); !errors.Is(err, workspace.ErrCorrupt) || !strings.Contains(err.Error(), o.String()) {
		t.Errorf("Copy of a damaged owner = %v, want ErrCorrupt that names it", err)
	}
	if err := dbcopy.Unfinished(t.Context(), to); err == nil {
		t.Error("Unfinished = nil after a Copy that failed")
	}
}

// What somebody else writes to the target meanwhile is found, and never thrown away.
func TestCopyBesideWriterOfTarget(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, o := range []store.Owner{{Tenant: "a", Agent: "agent-002"}, {Tenant: "zz", Agent: "own"}} {
		from, to := memstore.New(), newFile(t)
		fill(t, from, 4, 6, 1)
		var written []string
		_, err := dbcopy.Copy(t.Context(), listed{from, new(int), func(n int) {
			if n == 2 {
				work(t, to, o.Tenant, o.Agent, 12, rand.New(rand.NewPCG(5, 5)))
				written = rowsOf(t, to, o)
			}
		}}, to, dbcopy.Options{From: "source"})
		if !errors.Is(err, workspace.ErrConflict) || !strings.Contains(err.Error(), o.String()) {
			t.Errorf("Copy = %v, want ErrConflict that names %s", err, o)
		}
		if len(written) == 0 || !slices.Equal(written, rowsOf(t, to, o)) {
			t.Errorf("what was written to %s in the target is gone", o)
		}
	}
}

// Of two Copies into one target, the last one that begins wins.
func TestCopyTwice(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for at := 1; at <= 3; at++ {
		from, to := memstore.New(), newFile(t)
		fill(t, from, 4, 6, 1)
		var second error
		_, first := dbcopy.Copy(t.Context(), listed{from, new(int), func(n int) {
			if n == at {
				_, second = dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: "source"})
			}
		}}, to, dbcopy.Options{From: "source"})
		if second != nil || !errors.Is(first, workspace.ErrConflict) {
			t.Errorf("a Copy, and another at its list %d = %v and %v, want ErrConflict and nil", at, first, second)
		}
		same(t, "the copy", everything(t, to), everything(t, from))
		if err := dbcopy.Unfinished(t.Context(), to); err != nil {
			t.Errorf("Unfinished = %v, want nil", err)
		}
	}
}
