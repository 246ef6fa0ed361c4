package torture_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tools/internal/torture"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// mutants are stores with one bug each, by name. A check must find each of them.
var mutants = map[string]func(workspace.Store) workspace.Store{
	"stale read": func(s workspace.Store) workspace.Store {
		return &staleStore{Store: s, old: map[string]store.Loaded{}}
	},
	"missed tombstone": func(s workspace.Store) workspace.Store {
		return &tombstoneStore{Store: s, old: map[string]store.Loaded{}}
	},
	"lost update":        func(s workspace.Store) workspace.Store { return lostStore{s} },
	"version reuse":      updating(func(tx store.Tx) store.Tx { return versionTx{tx} }),
	"quota race":         func(s workspace.Store) workspace.Store { return quotaStore{s} },
	"cursor gap":         func(s workspace.Store) workspace.Store { return cursorStore{s} },
	"half a restore":     updating(func(tx store.Tx) store.Tx { return restoreTx{tx} }),
	"lost with its file": updating(func(tx store.Tx) store.Tx { return forgetfulTx{tx} }),
	"journal gap":        updating(func(tx store.Tx) store.Tx { return gapTx{tx} }),
	"revision reuse":     updating(func(tx store.Tx) store.Tx { return revisionTx{tx} }),

	"answer before the commit": func(s workspace.Store) workspace.Store { return &earlyStore{Store: s} },
	"forgotten key":            updating(func(tx store.Tx) store.Tx { return keyTx{tx} }),
	"owners folded in case":    func(s workspace.Store) workspace.Store { return foldedStore{s} },
}

func mutate(name string, s workspace.Store) workspace.Store {
	if name == crashing {
		return crashes(s)
	}
	if mutant, ok := mutants[name]; ok {
		return mutant(s)
	}
	return s
}

const crashing = "crash"

// Each mutant is caught in a bounded number of histories.
func TestMutants(t *testing.T) {
	for name := range mutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			catches(t, name, t.TempDir())
		})
	}
}

func catches(t *testing.T, mutant, database string) {
	t.Helper()
	const most = 60
	report, err := torture.Run(t.Context(), torture.Options{
		Program: program(mutant), Database: database, Rounds: most, For: time.Hour, Stop: 50 * time.Millisecond, Servers: 3,
	})
	testkit.Must(t, err)
	if len(report.Failures) == 0 {
		t.Fatalf("%d histories passed all checks, expected one to fail", report.Histories)
	}
	t.Logf("after %d histories: %.300s", report.Histories, report.Failures[0].Problem)
}

// updating returns a store whose transactions that write have a bug.
func updating(bend func(store.Tx) store.Tx) func(workspace.Store) workspace.Store {
	return func(s workspace.Store) workspace.Store { return bentStore{s, bend} }
}

type bentStore struct {
	workspace.Store
	bend func(store.Tx) store.Tx
}

func (s bentStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx store.Tx) error { return fn(s.bend(tx)) })
}

// staleStore answers a read of a file with what the read before saw, now and then.
type staleStore struct {
	workspace.Store
	mu  sync.Mutex // guards the following
	old map[string]store.Loaded
	n   int
}

func (s *staleStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, o, func(r store.Reader) error { return fn(staleReader{r, s, o.String() + " "}) })
}

type staleReader struct {
	store.Reader
	s     *staleStore
	owner string
}

func (r staleReader) Load(q store.Query) (store.Loaded, error) {
	l, err := r.Reader.Load(q)
	if q.File == "" || err != nil {
		return l, err
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	old, ok := r.s.old[r.owner+q.File]
	r.s.old[r.owner+q.File] = l
	if r.s.n++; ok && r.s.n%8 == 0 {
		return old, nil
	}
	return l, nil
}

// tombstoneStore answers a read of a deleted file with what it was.
type tombstoneStore struct {
	workspace.Store
	mu  sync.Mutex // guards the following
	old map[string]store.Loaded
}

func (s *tombstoneStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, o, func(r store.Reader) error { return fn(tombstoneReader{r, s, o.String() + " "}) })
}

type tombstoneReader struct {
	store.Reader
	s     *tombstoneStore
	owner string
}

func (r tombstoneReader) Load(q store.Query) (store.Loaded, error) {
	l, err := r.Reader.Load(q)
	if q.File == "" || err != nil {
		return l, err
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if old, ok := r.s.old[r.owner+q.File]; ok && l.File.Deleted {
		delete(r.s.old, r.owner+q.File) // an edit that reads this tries again
		return old, nil
	}
	if l.File.Exists() {
		r.s.old[r.owner+q.File] = l
	}
	return l, nil
}

// lostStore reads the version outside of the transaction, so that the last one of two
// writers wins.
type lostStore struct{ workspace.Store }

func (s lostStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx store.Tx) error { return fn(lostTx{tx, s.Store, o}) })
}

type lostTx struct {
	store.Tx
	store workspace.Store
	owner store.Owner
}

func (tx lostTx) Load(q store.Query) (l store.Loaded, err error) {
	err = tx.store.View(context.Background(), tx.owner, func(r store.Reader) (err error) {
		l, err = r.Load(q)
		return err
	})
	if err == nil {
		l.Owner, err = tx.Owner()
	}
	return l, err
}

func (tx lostTx) Apply(w store.Write) error {
	ch, ok := w.(store.FileChange)
	if !ok {
		return tx.Tx.Apply(w)
	}
	l, err := tx.Tx.Load(store.Query{File: ch.Head.Path})
	if err != nil {
		return err
	}
	switch real := l.File; {
	case ch.New == nil:
		ch.Head.Version = max(ch.Head.Version, real.Version)
		ch.Prune = ch.Head.Version
	case real.Version >= ch.Head.Version:
		ch.Prune, ch.Head.Sizes = real.Version, []int64{ch.New.Size}
	}
	u := &ch.Owner
	u.Files, u.Bytes, u.DeletedFiles = max(0, u.Files), max(0, u.Bytes), max(0, u.DeletedFiles)
	return tx.Tx.Apply(ch)
}

// versionTx forgets the number of a deleted path.
type versionTx struct{ store.Tx }

func (tx versionTx) Load(q store.Query) (store.Loaded, error) {
	l, err := tx.Tx.Load(q)
	for _, head := range []*workspace.FileHead{&l.File, &l.To} {
		if head.Deleted {
			*head = workspace.FileHead{Path: head.Path}
		}
	}
	return l, err
}

// quotaStore checks the limit of files with a count from before the transaction.
type quotaStore struct{ workspace.Store }

func (s quotaStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	var before store.OwnerState
	err := s.View(ctx, o, func(r store.Reader) (err error) {
		before, err = r.Owner()
		return err
	})
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, o, func(tx store.Tx) error { return fn(&quotaTx{Tx: tx, before: before.Files}) })
}

type quotaTx struct {
	store.Tx
	before, missing int64
}

func (tx *quotaTx) Load(q store.Query) (store.Loaded, error) {
	l, err := tx.Tx.Load(q)
	if tx.missing = l.Owner.Files - tx.before; tx.missing > 0 {
		l.Owner.Files -= tx.missing
	} else {
		tx.missing = 0
	}
	return l, err
}

func (tx *quotaTx) Apply(w store.Write) error {
	switch c := w.(type) {
	case store.FileChange:
		c.Owner.Files += tx.missing
		w = c
	case store.LogChange:
		c.Owner.Files += tx.missing
		w = c
	case store.FileMove:
		c.Owner.Files += tx.missing
		w = c
	case store.OwnerState:
		if c != (store.OwnerState{}) {
			c.Files += tx.missing
			w = c
		}
	}
	return tx.Tx.Apply(w)
}

// cursorStore tells a reader who follows the changes the last one but one in place of the
// last: its cursor passes a change that it was not told.
type cursorStore struct{ workspace.Store }

func (s cursorStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, o, func(r store.Reader) error { return fn(cursorReader{r}) })
}

type cursorReader struct{ store.Reader }

func (r cursorReader) Changes(after int64, limit int) ([]workspace.Change, error) {
	rows, err := r.Reader.Changes(after, limit)
	if n := len(rows); after > 0 && n >= 2 && n <= 6 && rows[n-1].Revision%4 == 0 {
		last := rows[n-1].Revision
		rows[n-1] = rows[n-2]
		rows[n-1].Revision = last
	}
	return rows, err
}

// gapTx leaves a change out of the journal now and then.
type gapTx struct{ store.Tx }

func (tx gapTx) Apply(w store.Write) error {
	if ch, ok := w.(store.FileChange); ok && ch.Change.Revision%16 == 15 {
		ch.Change = workspace.Change{}
		ch.Owner.Revision--
		ch.Owner.Changes--
		w = ch
	}
	return tx.Tx.Apply(w)
}

// restoreTx brings a file back with the versions that it had, and without the new one.
type restoreTx struct{ store.Tx }

func (tx restoreTx) Apply(w store.Write) error {
	if ch, ok := w.(store.FileChange); ok && ch.Change.Op == workspace.OpRestore {
		ch.New, ch.Prune = nil, 0
		w = ch
	}
	return tx.Tx.Apply(w)
}

// forgetfulTx drops the oldest version of a file that is deleted and keeps several.
type forgetfulTx struct{ store.Tx }

func (tx forgetfulTx) Apply(w store.Write) error {
	if ch, ok := w.(store.FileChange); ok && ch.Head.Deleted && len(ch.Head.Sizes) > 1 {
		ch.Prune = ch.Head.Oldest()
		size := ch.Head.SizeOf(ch.Prune)
		ch.Head.Retain(func(n int64) bool { return n > ch.Prune })
		ch.Owner.Versions, ch.Owner.Bytes, ch.Owner.DeletedBytes = ch.Owner.Versions-1, ch.Owner.Bytes-size,
			ch.Owner.DeletedBytes-size
		w = ch
	}
	return tx.Tx.Apply(w)
}

// revisionTx gives the number of a change again now and then.
type revisionTx struct{ store.Tx }

func (tx revisionTx) Apply(w store.Write) error {
	if ch, ok := w.(store.FileChange); ok && (ch.Change.Revision-1)%16 == 15 {
		last := ch.Change.Revision - 1
		if err := tx.Forget(store.Old{Changes: last}); err != nil {
			return err
		}
		ch.Change.Revision, ch.Owner.Revision, ch.Owner.Changes = last, last, 1
		w = ch
	}
	return tx.Tx.Apply(w)
}

// earlyStore answers after the function has run and before the commit. Its reads wait for
// the commits, so that only a kill shows the bug.
type earlyStore struct {
	workspace.Store
	under sync.RWMutex // held for reading while a commit is under way
}

func (s *earlyStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	answer := make(chan error, 2)
	s.under.RLock()
	go func() {
		defer s.under.RUnlock()
		answer <- s.Store.Update(ctx, o, func(tx store.Tx) error {
			err := fn(tx)
			answer <- err
			return err
		})
	}()
	return <-answer
}

func (s *earlyStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	s.under.Lock()
	defer s.under.Unlock()
	return s.Store.View(ctx, o, fn)
}

// keyTx does not keep requests.
type keyTx struct{ store.Tx }

func (tx keyTx) Apply(w store.Write) error {
	if _, ok := w.(store.Request); ok {
		return nil
	}
	return tx.Tx.Apply(w)
}

// foldedStore takes agents for the same whose names differ in case.
type foldedStore struct{ workspace.Store }

func folded(o store.Owner) store.Owner {
	return store.Owner{Tenant: o.Tenant, Agent: strings.ToLower(o.Agent)}
}

func (s foldedStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, folded(o), fn)
}

func (s foldedStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, folded(o), fn)
}

// crashes ends the process after a while.
func crashes(s workspace.Store) workspace.Store {
	time.AfterFunc(300*time.Millisecond, func() { panic("a planted crash") })
	return s
}
