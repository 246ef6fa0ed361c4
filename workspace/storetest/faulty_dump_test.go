package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var faultyDumps = slices.Concat([]faultyStore{
	{"Dump leaves deleted paths out", dumpRows(func(r *store.Row) bool {
		return (r.File == nil || !r.File.Deleted) && (r.Log == nil || !r.Log.Deleted)
	}), []string{"Dump/Everything", "Dump/Model"}},
	{"Dump leaves summaries out", dumpRows(func(r *store.Row) bool { return r.Summary == nil }), []string{"Dump/Everything", "Dump/Odd"}},
	{"Dump leaves requests out", dumpRows(func(r *store.Row) bool { return r.Request == nil }), []string{"Dump/Everything", "Dump/WithoutHead"}},
	{"Dump leaves the journal out", dumpRows(func(r *store.Row) bool { return r.Change == nil }), []string{"Dump/Everything", "Dump/Model"}},
	{"Dump forgets sessions", dumpRows(func(r *store.Row) bool {
		if r.Change != nil {
			r.Change.Author.Session = ""
		}
		return true
	}), []string{"Dump/Everything"}},
	{"Dump forgets authors", dumpRows(func(r *store.Row) bool {
		if r.Entry != nil {
			r.Entry.Author = store.Author{}
		}
		return true
	}), []string{"Dump/Everything", "Dump/Odd"}},
	{"Dump ends content at NUL", dumpRows(func(r *store.Row) bool {
		if r.Version != nil {
			r.Version.Content, _, _ = bytes.Cut(r.Version.Content, []byte{0})
		}
		return true
	}), []string{"Dump/Everything", "Dump/Odd"}},
	{"Dump rounds numbers", dumpRows(func(r *store.Row) bool {
		if r.File != nil {
			r.File.Version = int64(float64(r.File.Version))
		}
		return true
	}), []string{"Dump/Odd"}},
	{"Dump leaves floors out", dumpRows(func(r *store.Row) bool {
		if r.State != nil {
			r.State.FileFloor, r.State.LogFloor = 0, 0
		}
		return true
	}), []string{"Dump/OnlyNumbers", "Dump/Odd"}},
	{"Dump is in another order", dumping(dumpsReversed), []string{"Dump/Everything", "Dump/Model"}},
	{"Dump is many moments", dumping(dumpsEarlyState), []string{"Dump/OneMoment"}},
	{"Dump leaves out owners without a state", dumping(dumpsWithState), []string{"Dump/WithoutHead"}},
	{"Dump wraps the function's error", dumping(dumpsWrapped), []string{"Dump/FunctionFails"}},
	{"Dump swallows a panic", dumping(dumpsCalm), []string{"Dump/FunctionFails"}},
	{"Dump goes on after an error", dumping(dumpsOn), []string{"Dump/FunctionFails"}},
	{"Dump does not look at the context", dumping(func(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
		return s.Dump(context.WithoutCancel(ctx), o, fn)
	}), []string{"Dump/Contexts"}},
	{"Dump looks at the context too early", dumping(func(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
		if ctx.Err() != nil {
			return s.Dump(ctx, o, fn)
		}
		return s.Dump(context.WithoutCancel(ctx), o, fn)
	}), []string{"Dump/Contexts"}},
	{"rows of Dump are shared", sharesDump, []string{"Dump/RowsAreOwn"}},

	{"AllOwners is of one tenant", allOwning(func(o store.Owner, _ store.Owner) bool { return o.Tenant == "a" }), []string{"Dump/AllOwners"}},
	{"AllOwners begins after the tenant", allOwning(func(o, after store.Owner) bool { return after.Tenant == "" || o.Tenant != after.Tenant }), []string{"Dump/AllOwners"}},
	{"AllOwners begins each page anew", bendAllOwners(sameOwners), []string{"Dump/AllOwners"}},
	{"AllOwners is in order of tenant", bendAllOwners(tenantsFirst), []string{"Dump/AllOwners"}},
	{"AllOwners has those with usage alone", usersOnly, []string{"Dump/AllOwners", "Dump/OnlyNumbers"}},
}, faultyRestores)

var faultyRestores = []faultyStore{
	{"Restore calls a conflict done", restoring(func(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
		if err := s.Restore(ctx, o, rows); !errors.Is(err, store.ErrConflict) {
			return err
		}
		return nil
	}), []string{"Restore/Conflict", "Restore/BesideOthers"}},
	{"Restore looks at the state alone", restoring(restoresOver), []string{"Restore/Conflict"}},
	{"Restore keeps what came before an error", restoring(restoresPart), []string{"Restore/RowsFail"}},
	{"Restore wraps an error of the rows", restoring(restoresWrapped), []string{"Restore/RowsFail"}},
	{"Restore swallows a panic", restoring(func(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return s.Restore(ctx, o, rows)
	}), []string{"Restore/RowsFail"}},
	{"Restore repairs counters", restoring(restoresRepaired), []string{"Restore/DoesNotFit", "Dump/WithoutHead"}},
	{"Restore believes contents", restoreRows(func(r *store.Row) {
		if r.Entry != nil {
			r.Entry.SHA256 = sha256.Sum256(r.Entry.Content)
		}
	}), []string{"Restore/DoesNotFit"}},
	{"Restore does not look at the context", restoring(func(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
		return s.Restore(context.WithoutCancel(ctx), o, rows)
	}), []string{"Restore/Contexts", "Restore/ContextInRows"}},
	{"Restore leaves its rows behind", restoring(restoresBehind), []string{"Restore/ContextInRows"}},
	{"Restore takes times anew", restoreRows(func(r *store.Row) {
		if r.Version != nil {
			r.Version.Time = time.Now()
		}
	}), []string{"Dump/Everything", "Dump/Model"}},
	{"Restore counts a write", restoreRows(func(r *store.Row) {
		if r.State != nil {
			r.State.Operations++
		}
	}), []string{"Dump/Everything", "Dump/Model"}},
	{"Restore keeps the rows that it is given", restoresGiven, []string{"Dump/RowsAreOwn"}},
	{"Restore is of everybody", ownedBy(func(o store.Owner) string { return o.Agent }), []string{"Restore/OthersAreApart"}},
	{"Restore is not told", tells(func(c chan<- store.Owner, o store.Owner, _ int64) { offer(c, o) }), []string{"Restore/IsTold"}},

	{"a restored record gets another revision", restoringRecord(func(r store.Records, rec store.Record) error {
		_, err := r.Put(rec.Key, rec.Value, 0)
		return err
	}), []string{"Records/Restore", "Records/RestoreConflict"}},
	{"a restored record gets another time", restoringRecord(func(r store.Records, rec store.Record) error {
		rec.Updated = time.Now()
		return r.Restore(rec)
	}), []string{"Records/Restore"}},
	{"a restored record replaces another", restoringRecord(func(r store.Records, rec store.Record) error {
		if old, err := r.Get(rec.Key); err == nil {
			if err := r.Delete(rec.Key, old.Revision); err != nil {
				return err
			}
		}
		return r.Restore(rec)
	}), []string{"Records/RestoreConflict"}},
}

// dumping puts a function in the place of a store's Dump.
func dumping(with func(store.Store, context.Context, store.Owner, func(store.Row) error) error) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return dumpStore{s, with} }
}

type dumpStore struct {
	store.Store
	with func(store.Store, context.Context, store.Owner, func(store.Row) error) error
}

func (s dumpStore) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	return s.with(s.Store, ctx, o, fn)
}

// dumpRows changes rows of Dump, and leaves out those for which keep is false.
func dumpRows(keep func(*store.Row) bool) func(store.Store) store.Store {
	return dumping(func(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
		return s.Dump(ctx, o, func(r store.Row) error {
			if !keep(&r) {
				return nil
			}
			return fn(r)
		})
	})
}

func collect(s store.Store, ctx context.Context, o store.Owner) (rows []store.Row, err error) {
	err = s.Dump(ctx, o, func(r store.Row) error {
		rows = append(rows, r)
		return nil
	})
	return rows, err
}

func giveAll(rows []store.Row, fn func(store.Row) error) error {
	for _, r := range rows {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

func dumpsReversed(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	rows, err := collect(s, ctx, o)
	slices.Reverse(rows)
	return errors.Join(err, giveAll(rows, fn))
}

func dumpsEarlyState(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	early, err := collect(s, ctx, o)
	if err != nil {
		return err
	}
	time.Sleep(5 * time.Millisecond)
	late, err := collect(s, ctx, o)
	if err != nil {
		return err
	}
	return giveAll(append(early[:1:1], late[1:]...), fn)
}

func dumpsWithState(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	rows, err := collect(s, ctx, o)
	if err != nil || len(rows) == 0 || rows[0].State == nil {
		return err
	}
	return giveAll(rows, fn)
}

func dumpsWrapped(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	if err := s.Dump(ctx, o, fn); err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	return nil
}

func dumpsCalm(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return s.Dump(ctx, o, fn)
}

func dumpsOn(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	var first error
	err := s.Dump(ctx, o, func(r store.Row) error {
		if err := fn(r); first == nil {
			first = err
		}
		return nil
	})
	if first != nil {
		return first
	}
	return err
}

// dumpsAtOnce collects all rows before it gives the first.
type dumpsAtOnce struct{ store.Store }

func (s dumpsAtOnce) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	rows, err := collect(s.Store, ctx, o)
	for i := range rows {
		if err := fn(rows[i]); err != nil {
			return err
		}
	}
	return err
}

func sharesDump(s store.Store) store.Store {
	var rows []store.Row
	return dumping(func(s store.Store, ctx context.Context, o store.Owner, fn func(store.Row) error) (err error) {
		if rows == nil {
			rows, err = collect(s, ctx, o)
		}
		return errors.Join(err, giveAll(rows, fn))
	})(s)
}

type owningAll struct {
	store.Store
	with func(s store.Store, q store.OwnersQuery) (store.OwnerList, error)
}

func (s owningAll) Owners(ctx context.Context, q store.OwnersQuery) (store.OwnerList, error) {
	if q.Which != store.AllOwners {
		return s.Store.Owners(ctx, q)
	}
	return s.with(s.Store, q)
}

func bendAllOwners(with func(s store.Store, q store.OwnersQuery) (store.OwnerList, error)) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return owningAll{s, with} }
}

// allOwning leaves out owners for which keep is false.
func allOwning(keep func(o, after store.Owner) bool) func(store.Store) store.Store {
	return bendAllOwners(func(s store.Store, q store.OwnersQuery) (store.OwnerList, error) {
		var after store.Owner
		if q.After != nil {
			after = q.After.Owner
		}
		limit := q.Limit
		q.Limit = 1000
		l, err := s.Owners(context.Background(), q)
		l.Owners = slices.DeleteFunc(l.Owners, func(u store.OwnerUsage) bool { return !keep(u.Owner, after) })
		l.Owners = l.Owners[:min(limit, len(l.Owners))]
		return l, err
	})
}

func sameOwners(s store.Store, q store.OwnersQuery) (store.OwnerList, error) {
	q.After = nil
	return s.Owners(context.Background(), q)
}

func tenantsFirst(s store.Store, q store.OwnersQuery) (store.OwnerList, error) {
	key := func(u store.OwnerUsage) string { return u.Owner.Tenant + "\x00" + u.Owner.Agent }
	l, err := s.Owners(context.Background(), store.OwnersQuery{Which: q.Which, Limit: 1000})
	slices.SortFunc(l.Owners, func(a, b store.OwnerUsage) int { return strings.Compare(key(a), key(b)) })
	l.Owners = slices.DeleteFunc(l.Owners, func(u store.OwnerUsage) bool { return q.After != nil && key(u) <= key(*q.After) })
	l.Owners = l.Owners[:min(q.Limit, len(l.Owners))]
	return l, err
}

func usersOnly(s store.Store) store.Store {
	return allOwning(func(o, _ store.Owner) bool {
		idle := false
		err := s.View(context.Background(), o, func(r store.Reader) error {
			state, err := r.Owner()
			idle = state.Usage == store.Usage{}
			return err
		})
		return err == nil && !idle
	})(s)
}

type restorer func(store.Store, context.Context, store.Owner, iter.Seq2[store.Row, error]) error

// restoring puts a function in the place of a store's Restore.
func restoring(with restorer) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return restoreStore{s, with} }
}

type restoreStore struct {
	store.Store
	with restorer
}

func (s restoreStore) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	return s.with(s.Store, ctx, o, rows)
}

// restoreRows changes copies of the rows.
func restoreRows(change func(*store.Row)) func(store.Store) store.Store {
	return restoring(func(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
		return s.Restore(ctx, o, func(yield func(store.Row, error) bool) {
			for r, err := range rows {
				switch {
				case r.State != nil:
					r.State = new(*r.State)
				case r.Version != nil:
					r.Version = new(*r.Version)
				case r.Entry != nil:
					r.Entry = new(*r.Entry)
				}
				change(&r)
				if !yield(r, err) {
					return
				}
			}
		})
	})
}

func restoresOver(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	err := s.Restore(ctx, o, rows)
	if !errors.Is(err, store.ErrConflict) {
		return err
	}
	there, _ := collect(s, ctx, o)
	if len(there) > 0 && there[0].State != nil {
		return err
	}
	return nil
}

func restoresPart(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	var part []store.Row
	var first error
	err := s.Restore(ctx, o, func(yield func(store.Row, error) bool) {
		part = nil
		for r, err := range rows {
			if err != nil {
				first = err
			} else {
				part = append(part, r)
			}
			if !yield(r, err) {
				return
			}
		}
	})
	if first != nil && len(part) > 0 && part[0].State != nil {
		_ = s.Restore(ctx, o, given(part[:1], nil))
		_ = s.Update(ctx, o, func(tx store.Tx) error { return tx.Apply(*part[0].State) })
	}
	return err
}

func restoresWrapped(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	if err := s.Restore(ctx, o, rows); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

func restoresRepaired(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	var all []store.Row
	for r, err := range rows {
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	return s.Restore(ctx, o, given(fittingRows(all), nil))
}

func restoresBehind(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	done := make(chan error, 1)
	go func() { done <- s.Restore(ctx, o, rows) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restoresGiven keeps the contents that it was given, and dumps them.
func restoresGiven(s store.Store) store.Store {
	kept := map[[sha256.Size]byte][]byte{}
	s = restoreRows(func(r *store.Row) {
		if r.Entry != nil {
			kept[r.Entry.SHA256] = r.Entry.Content
		}
	})(s)
	return dumpRows(func(r *store.Row) bool {
		if r.Entry != nil && kept[r.Entry.SHA256] != nil {
			r.Entry.Content = kept[r.Entry.SHA256]
		}
		return true
	})(s)
}

type recordRestorer struct {
	store.Records
	with func(store.Records, store.Record) error
}

func (r recordRestorer) Restore(rec store.Record) error { return r.with(r.Records, rec) }

type recordRestores struct {
	store.Store
	with func(store.Records, store.Record) error
}

func (s recordRestores) System(ctx context.Context) store.Records {
	return recordRestorer{s.Store.System(ctx), s.with}
}

func restoringRecord(with func(store.Records, store.Record) error) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return recordRestores{s, with} }
}
