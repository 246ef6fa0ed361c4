package storetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var faultyLoads = []faultyStore{
	{"Load gives the current version for one that is gone", bendLoad(func(tx plain.Calls, q store.Query, l *store.Loaded) {
		if q.Version != 0 && l.Version.Number == 0 && l.File.Exists() {
			_, l.Version, _ = tx.Current(q.File)
		}
	}), []string{"Load/Alone", "Load/Random"}},
	{"Load gives no older version", bendLoad(func(_ plain.Calls, _ store.Query, l *store.Loaded) { l.Old = store.Version{} }), []string{"Load/Alone", "Load/Random"}},
	{"Load gives content that the caller has", bendLoad(func(tx plain.Calls, q store.Query, l *store.Loaded) {
		if q.Current && l.File.Exists() && q.Version == 0 {
			_, l.Version, _ = tx.Current(q.File)
		}
	}), []string{"Load/Random", "Load/OwnWritesAreRead"}},
	{"Load gives only the number of what the caller has", bendLoad(func(_ plain.Calls, q store.Query, l *store.Loaded) {
		if q.Version == 0 && q.Since == l.Version.Number {
			l.Version = store.Version{Number: q.Since}
		}
	}), []string{"Load/Random", "Load/OwnWritesAreRead"}},
	{"Load leaves deleted heads out", bendLoad(func(_ plain.Calls, q store.Query, l *store.Loaded) {
		if l.To.Deleted {
			l.To = store.FileHead{Path: q.To}
		}
	}), []string{"Load/Alone", "Load/Random"}},
	{"Load gives no path for what never was", bendLoad(func(_ plain.Calls, _ store.Query, l *store.Loaded) {
		if l.Log.Last == 0 {
			l.Log = store.LogHead{}
		}
	}), []string{"Load/Alone", "Load/Random"}},
	{"Load counts all requests that are due", bendLoad(func(tx plain.Calls, q store.Query, l *store.Loaded) {
		l.Due, _ = tx.DueRequests(q.DueBefore, q.DueAfter, 1000)
	}), []string{"Load/Alone", "Load/Random"}},
	{"Load ignores the entries' query", bendLoad(func(tx plain.Calls, q store.Query, l *store.Loaded) {
		if q.Entries != nil && l.Log.Exists() {
			l.Entries, _ = tx.Entries(q.Log, store.EntryQuery{})
		}
	}), []string{"Load/Alone", "Load/Random"}},
	{"Load adds up the bytes of all entries", bendLoad(func(_ plain.Calls, q store.Query, l *store.Loaded) {
		if q.Through > 0 {
			l.Bytes = l.Log.Bytes
		}
	}), []string{"Load/Alone", "Load/Random"}},
	{"Load gives versions with their content", bendLoad(func(tx plain.Calls, q store.Query, l *store.Loaded) {
		for i, v := range l.Versions {
			l.Versions[i], _ = tx.Version(q.File, v.Number)
		}
	}), []string{"Load/Alone", "Load/Random"}},
	{"Load finds requests in any case", bendLoad(func(tx plain.Calls, q store.Query, l *store.Loaded) {
		if kept, err := tx.Request(strings.ToLower(q.Request)); err == nil {
			l.Request = &kept
		}
	}), []string{"Load/Random"}},
	{"Load sees the state of the beginning", loadsEarly, []string{"Load/OwnWritesAreRead"}},
	{"Load hides a version that is missing", bend(func(tx plain.Calls) plain.Calls { return hidesMissing{tx} }), []string{"Load/CurrentMissing"}},
	{"what Load gives is shared", sharesLoads, []string{"Load/ResultsAreOwn"}},
	{"Load is of another moment", looseView, []string{"Concurrency/ViewIsOneMoment"}},
}

type bentLoad struct {
	plain.Calls
	with func(plain.Calls, store.Query, *store.Loaded)
}

func (tx bentLoad) Load(q store.Query) (store.Loaded, error) {
	l, err := plain.Join(tx.Calls).Load(q)
	if err == nil {
		tx.with(tx.Calls, q, &l)
	}
	return l, err
}

func bendLoad(with func(plain.Calls, store.Query, *store.Loaded)) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentLoad{tx, with} })
}

func loadsEarly(s store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls {
		early, _ := tx.Owner()
		return bentLoad{tx, func(_ plain.Calls, _ store.Query, l *store.Loaded) { l.Owner = early }}
	})(s)
}

type hidesMissing struct{ plain.Calls }

func (tx hidesMissing) Load(q store.Query) (store.Loaded, error) {
	l, err := plain.Join(tx.Calls).Load(q)
	if errors.Is(err, store.ErrCorrupt) {
		err = nil
	}
	return l, err
}

func sharesLoads(s store.Store) store.Store {
	var given *store.Loaded
	return bendLoad(func(_ plain.Calls, _ store.Query, l *store.Loaded) {
		if given == nil {
			given = new(*l)
		}
		*l = *given
	})(s)
}

var faultyOwners = []faultyStore{
	{"Owners knows no order", bendOwners(func(q *store.OwnersQuery) { q.Order = store.ByName }), []string{"Owners/Query"}},
	{"Owners ignores a part", bendOwners(func(q *store.OwnersQuery) { q.Part = "" }), []string{"Owners/Query"}},
	{"Owners ignores a prefix", bendOwners(func(q *store.OwnersQuery) { q.Prefix = "" }), []string{"Owners/Query"}},
	{"Owners takes a prefix for a part", bendOwners(func(q *store.OwnersQuery) { q.Part, q.Prefix = cmp.Or(q.Part, q.Prefix), "" }), []string{"Owners/Query"}},
	{"Owners begins each page anew", bendOwners(func(q *store.OwnersQuery) { q.After = nil }), []string{"Owners/Query", "Owners/List"}},
	{"Owners ignores the limit", bendOwners(func(q *store.OwnersQuery) { q.Limit = 1000 }), []string{"Owners/Query", "Owners/List"}},
	{"Owners looks at case", keepOwners(func(q store.OwnersQuery, u store.OwnerUsage) bool {
		return strings.Contains(u.Owner.Agent, q.Part)
	}), []string{"Owners/Query"}},
	{"Owners leaves out those that tie with the last", keepOwners(func(q store.OwnersQuery, u store.OwnerUsage) bool {
		return q.Order != store.ByBytes || q.After == nil || u.Usage.Bytes < q.After.Usage.Bytes
	}), []string{"Owners/Query"}},
	{"Owners leaves out those whose last write is not known", keepOwners(func(q store.OwnersQuery, u store.OwnerUsage) bool {
		return q.Order != store.ByUpdated || !u.Updated.IsZero()
	}), []string{"Owners/Query"}},

	{"Count counts those that hold nothing", bendCount(countsEmpty), []string{"Owners/Count"}},
	{"Count is a write", bendCount(countsAsWrite), []string{"Owners/Count"}},
	{"Count loses Updates", bendCount(countsEarly), []string{"Concurrency/Count"}},
	{"Count is many moments", bendCount(countsEach), []string{"Concurrency/CountIsOneMoment"}},
	{"Count forgets some of many", bendCount(countsFew), []string{"Owners/Count"}},
	{"Count does not look at the context", bendCount(func(s store.Store, ctx context.Context, reads map[store.Owner]int64) error {
		return s.Count(context.WithoutCancel(ctx), reads)
	}), []string{"Owners/CountUndone"}},
	{"Deleted has those with a journal", func(s store.Store) store.Store { return forgetsRows{s} }, []string{"Owners/Deleted"}},

	{"each page of records is the first", bendRecords(func(r bentRecords, prefix, _ string, limit int) ([]store.Record, error) {
		return r.Records.List(prefix, "", limit)
	}), []string{"Records/Pages"}},
	{"records ignore the limit", bendRecords(func(r bentRecords, prefix, after string, _ int) ([]store.Record, error) {
		return r.Records.List(prefix, after, 1000)
	}), []string{"Records/Pages"}},
	{"a page of records begins at the given one", bendRecords(func(r bentRecords, prefix, after string, limit int) ([]store.Record, error) {
		list, err := r.Records.List(prefix, after, limit)
		if at, err := r.Records.Get(after); err == nil && strings.HasPrefix(after, prefix) {
			list = append([]store.Record{at}, list...)
		}
		return list[:min(limit, len(list))], err
	}), []string{"Records/Pages"}},
	{"the clock is behind that of Put", bendClock(func(t time.Time) time.Time { return t.Add(-time.Second) }), []string{"Records/Now"}},
	{"the clock is ahead of that of Put", bendClock(func(t time.Time) time.Time { return t.Add(time.Second) }), []string{"Records/Now"}},
	{"the clock is of seconds", bendClock(func(t time.Time) time.Time { return t.Truncate(time.Second) }), []string{"Records/Now"}},
	{"the clock is local", bendClock(func(t time.Time) time.Time { return t.In(time.FixedZone("east", 3600)) }), []string{"Records/Now"}},
}

type bentOwners struct {
	store.Store
	with func(*store.OwnersQuery)
}

func bendOwners(with func(*store.OwnersQuery)) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return bentOwners{s, with} }
}

func (s bentOwners) Owners(ctx context.Context, q store.OwnersQuery) (store.OwnerList, error) {
	if q.Which == store.UsedOwners {
		s.with(&q)
	}
	return s.Store.Owners(ctx, q)
}

type keptOwners struct {
	store.Store
	keep func(store.OwnersQuery, store.OwnerUsage) bool
}

func keepOwners(keep func(store.OwnersQuery, store.OwnerUsage) bool) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return keptOwners{s, keep} }
}

func (s keptOwners) Owners(ctx context.Context, q store.OwnersQuery) (store.OwnerList, error) {
	list, err := s.Store.Owners(ctx, q)
	list.Owners = slices.DeleteFunc(list.Owners, func(u store.OwnerUsage) bool { return q.Which == store.UsedOwners && !s.keep(q, u) })
	return list, err
}

// A counter takes the place of a store's Count.
type counter func(s store.Store, ctx context.Context, reads map[store.Owner]int64) error

type counts struct {
	store.Store
	with counter
}

func bendCount(with counter) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return counts{s, with} }
}

func (s counts) Count(ctx context.Context, reads map[store.Owner]int64) error {
	return s.with(s.Store, ctx, reads)
}

func countsEmpty(s store.Store, ctx context.Context, reads map[store.Owner]int64) error {
	for o, n := range reads {
		if err := s.Update(ctx, o, func(tx store.Tx) error {
			state, err := tx.Owner()
			state.Operations += n
			return errors.Join(err, tx.Apply(state))
		}); err != nil {
			return err
		}
	}
	return nil
}

func countsAsWrite(s store.Store, ctx context.Context, reads map[store.Owner]int64) error {
	if err := s.Count(ctx, reads); err != nil {
		return err
	}
	for o := range reads {
		if err := s.Update(ctx, o, func(tx store.Tx) error {
			state, err := tx.Owner()
			if err != nil || state.Usage == (store.Usage{}) {
				return err
			}
			state.Updated = time.Now()
			return tx.Apply(state)
		}); err != nil {
			return err
		}
	}
	return nil
}

func countsEarly(s store.Store, ctx context.Context, reads map[store.Owner]int64) error {
	for o, n := range reads {
		var state store.OwnerState
		if err := s.View(ctx, o, func(r store.Reader) (err error) { state, err = r.Owner(); return err }); err != nil {
			return err
		}
		state.Operations += n
		time.Sleep(time.Millisecond)
		if err := s.Update(ctx, o, func(tx store.Tx) error { return tx.Apply(state) }); err != nil {
			return err
		}
	}
	return nil
}

func countsEach(s store.Store, ctx context.Context, reads map[store.Owner]int64) error {
	for o, n := range reads {
		if err := s.Count(ctx, map[store.Owner]int64{o: n}); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

func countsFew(s store.Store, ctx context.Context, reads map[store.Owner]int64) error {
	few := map[store.Owner]int64{}
	for o, n := range reads {
		if len(few) < 400 {
			few[o] = n
		}
	}
	return s.Count(ctx, few)
}

// forgetsRows takes an owner with a journal for a deleted one.
type forgetsRows struct{ store.Store }

func (s forgetsRows) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx store.Tx) error { return fn(plain.Join(withoutRows{plain.Split(tx)})) })
}

type withoutRows struct{ plain.Calls }

func (tx withoutRows) SaveOwner(s store.OwnerState) error {
	s.Changes = 0
	return tx.Calls.SaveOwner(s)
}

type bentRecords struct {
	store.Records
	list func(r bentRecords, prefix, after string, limit int) ([]store.Record, error)
	now  func(time.Time) time.Time
}

func (r bentRecords) List(prefix, after string, limit int) ([]store.Record, error) {
	return r.list(r, prefix, after, limit)
}

func (r bentRecords) Now() (time.Time, error) {
	now, err := r.Records.Now()
	return r.now(now), err
}

type bentSystem struct {
	store.Store
	with bentRecords
}

func (s bentSystem) System(ctx context.Context) store.Records {
	r := s.with
	r.Records = s.Store.System(ctx)
	return r
}

func bendRecords(list func(r bentRecords, prefix, after string, limit int) ([]store.Record, error)) func(store.Store) store.Store {
	return func(s store.Store) store.Store {
		return bentSystem{s, bentRecords{list: list, now: func(t time.Time) time.Time { return t }}}
	}
}

func bendClock(now func(time.Time) time.Time) func(store.Store) store.Store {
	return func(s store.Store) store.Store {
		return bentSystem{s, bentRecords{list: func(r bentRecords, prefix, after string, limit int) ([]store.Record, error) {
			return r.Records.List(prefix, after, limit)
		}, now: now}}
	}
}

var faultyWatches = []faultyStore{
	{"nobody is told", tells(func(chan<- store.Owner, store.Owner, int64) {}), []string{"Watch/OwnWrites", "Watch/NothingIsLost", "Watch/SlowWatcher"}},
	{"only the first writes are told", tells(func(c chan<- store.Owner, o store.Owner, n int64) {
		if n < 8 {
			offer(c, o)
		}
	}), []string{"Watch/OwnWrites", "Watch/NothingIsLost"}},
	{"who is slow is told of some alone", tells(func(c chan<- store.Owner, o store.Owner, _ int64) { offer(c, o) }), []string{"Watch/SlowWatcher"}},
	{"a slow watcher holds up writers", func(s store.Store) store.Store { return holdsUp{s, make(chan store.Owner, 8)} }, []string{"Watch/SlowWatcher"}},
	{"another owner is told", tells(func(c chan<- store.Owner, o store.Owner, _ int64) {
		offer(c, store.Owner{Tenant: o.Tenant, Agent: "x"})
	}), []string{"Watch/OwnWrites"}},
	{"a channel outlives its context", func(s store.Store) store.Store { return watchesOn{s} }, []string{"Watch/EndsWithContext", "Watch/NotAfterTheEnd"}},
	{"a channel outlives the store", tells(func(c chan<- store.Owner, o store.Owner, _ int64) { offer(c, o) }), []string{"Watch/EndsWithClose", "Watch/NotAfterTheEnd"}},
	{"one that ends takes the others along", endsTogether, []string{"Watch/EndsWithContext"}},
}

// offer tells an owner if there is room.
func offer(c chan<- store.Owner, o store.Owner) {
	select {
	case c <- o:
	default:
	}
}

// tells tells watchers itself, of the n-th write. It never closes their channels.
func tells(with func(c chan<- store.Owner, o store.Owner, n int64)) func(store.Store) store.Store {
	return func(s store.Store) store.Store {
		return &teller{Store: s, with: with}
	}
}

type teller struct {
	store.Store
	with func(chan<- store.Owner, store.Owner, int64)
	n    atomic.Int64
	mu   sync.Mutex // guards all
	all  []chan store.Owner
}

func (s *teller) Watch(context.Context) (<-chan store.Owner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan store.Owner, 8)
	s.all = append(s.all, c)
	return c, nil
}

func (s *teller) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	err := s.Store.Update(ctx, o, fn)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all {
		s.with(c, o, s.n.Load())
	}
	s.n.Add(1)
	return err
}

// holdsUp lets an Update wait until its watcher has room.
type holdsUp struct {
	store.Store
	told chan store.Owner
}

func (s holdsUp) Watch(context.Context) (<-chan store.Owner, error) { return s.told, nil }

func (s holdsUp) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	err := s.Store.Update(ctx, o, fn)
	select {
	case s.told <- o:
	case <-ctx.Done():
	}
	return err
}

type watchesOn struct{ store.Store }

func (s watchesOn) Watch(ctx context.Context) (<-chan store.Owner, error) {
	return s.Store.Watch(context.WithoutCancel(ctx))
}

// endsTogether gives all watchers the context of the first.
func endsTogether(s store.Store) store.Store { return &togetherStore{Store: s} }

type togetherStore struct {
	store.Store
	first context.Context
}

func (s *togetherStore) Watch(ctx context.Context) (<-chan store.Owner, error) {
	if s.first == nil {
		s.first = ctx
	}
	return s.Store.Watch(s.first)
}

// faultyShared have one bug each. The check that is named must find it.
var faultyShared = []struct {
	name   string
	open   func(store.Store) (a, b store.Store)
	caught string
}{
	{"an error of one undoes nothing", func(s store.Store) (a, b store.Store) { return updates{s, keepsOnError}, s }, "UndoneIsNotSeen"},
	{"one reads the state before its turn", func(s store.Store) (a, b store.Store) { return updates{s, readsEarly}, s }, "NoUpdateIsLost"},
	{"one sees a row before an earlier one", func(s store.Store) (a, b store.Store) {
		return s, bendRows(func(rows []store.Change) []store.Change {
			if n := len(rows); n > 2 {
				rows = slices.Delete(rows, n-2, n-1)
			}
			return rows
		})(s)
	}, "RevisionsWithoutGaps"},
	{"one is not told of the other's writes", func(s store.Store) (a, b store.Store) {
		return s, &teller{Store: s, with: func(c chan<- store.Owner, o store.Owner, _ int64) { offer(c, o) }}
	}, "Watch"},
	{"one looks at no revision of records", func(s store.Store) (a, b store.Store) {
		r := &counting{careless: true}
		return system{s, r}, system{s, r}
	}, "Records"},
	{"one closes both", func(s store.Store) (a, b store.Store) { return s, s }, "CloseLeavesOther"},
	{"one sees an old version", func(s store.Store) (a, b store.Store) {
		return s, bend(func(tx plain.Calls) plain.Calls { return staleCurrent{tx} })(s)
	}, "WritesAreSeen"},
}
