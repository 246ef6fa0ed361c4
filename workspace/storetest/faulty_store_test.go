package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

type faultyStore struct {
	name   string
	open   func(store.Store) store.Store
	caught []string
}

// faultyStores have one bug each. The checks that are named must find it.
var faultyStores = []faultyStore{
	{"an error undoes nothing", updating(keepsOnError), []string{"Transactions/Error", "Transactions/FirstIsUndone", "Concurrency/OneOfManyFails"}},
	{"a panic undoes nothing", updating(keepsOnPanic), []string{"Transactions/Panic"}},
	{"a Goexit undoes nothing", updating(keepsOnGoexit), []string{"Transactions/Goexit"}},
	{"a panic becomes an error", updating(swallowsPanic), []string{"Transactions/Panic"}},
	{"a Goexit becomes an error", updating(swallowsGoexit), []string{"Transactions/Goexit"}},
	{"the function's error is wrapped", updating(wrapsError), []string{"Transactions/Error"}},
	{"a function runs twice without an undo", updating(runsTwice), []string{"Concurrency/NoUpdateIsLost"}},
	{"the context is not looked at", updating(ignoresContext), []string{"Contexts/CancelledBefore", "Contexts/DeadlineBefore"}},
	{"a deadline is not busy", updating(deadlineOnly), []string{"Contexts/DeadlineBefore"}},
	{"a stored write is said to be cancelled", updating(saysCancelled), []string{"Contexts/EndsInTheFunction"}},
	{"the state is read before the turn", updating(readsEarly), []string{"Concurrency/NoUpdateIsLost"}},
	{"a cancelled caller takes another along", clumsy(context.Canceled), []string{"Concurrency/OneOfManyCancelled"}},
	{"a function that fails takes another along", clumsy(errFn), []string{"Concurrency/OneOfManyFails"}},
	{"a View is many moments", looseView, []string{"Concurrency/ViewIsOneMoment"}},
	{"Close leaves it open", func(s store.Store) store.Store { return kept{s} }, []string{"Transactions/Closed"}},
	{"Close does not wait", func(s store.Store) store.Store { return hasty{s} }, []string{"Transactions/CloseWaits"}},

	{"tenants are one", ownedBy(func(o store.Owner) string { return o.Agent }), []string{"Isolation/NothingIsSeen", "Isolation/NothingIsChanged", "Isolation/SamePaths"}},
	{"tenant and agent run together", ownedBy(func(o store.Owner) string { return o.Tenant + o.Agent }), []string{"Isolation/NothingIsSeen"}},
	{"owners are folded in case", ownedBy(func(o store.Owner) string { return strings.ToLower(o.String()) }), []string{"Isolation/NothingIsSeen"}},
	{"owners match by a pattern", ownedBy(func(o store.Owner) string { return strings.ReplaceAll(o.String(), "-", "_") }), []string{"Isolation/NothingIsSeen"}},
	{"requests are everybody's", sharedRequests, []string{"Isolation/NothingIsSeen"}},
	{"Owners is of all tenants", listsOwners(allTenants), []string{"Owners/ListIsOfOneTenant"}},
	{"Owners has those without usage", listsOwners(emptyOwners), []string{"Owners/ListLeavesEmptyOut"}},
	{"Owners begins at the given one", listsOwners(fromOwner), []string{"Owners/List"}},

	{"Totals has those without usage", func(s store.Store) store.Store { return miscounts{s} }, []string{"Owners/Totals"}},
	{"Deleted is of any time", func(s store.Store) store.Store { return sweepsEarly{s} }, []string{"Owners/Deleted"}},

	{"deleted paths are listed", bend(func(tx plain.Calls) plain.Calls { return deletedListed{tx} }), []string{"Files/ListLeavesDeletedOut"}},
	{"deleted paths are listed with authors", bend(func(tx plain.Calls) plain.Calls { return deletedAuthored{tx} }), []string{"Files/Authored"}},
	{"an author is that of the oldest version", bend(func(tx plain.Calls) plain.Calls { return oldestAuthors{tx} }), []string{"Files/Authored", "Files/AuthorMissing"}},
	{"a file without its version is not listed", bend(func(tx plain.Calls) plain.Calls { return innerJoin{tx} }), []string{"Files/AuthorMissing"}},
	{"a file is listed once for each version", bend(func(tx plain.Calls) plain.Calls { return joinedTwice{tx} }), []string{"Files/Authored"}},
	{"a list with authors has any path", bend(func(tx plain.Calls) plain.Calls { return unprefixed{tx} }), []string{"Files/AuthoredList"}},
	{"deleted paths are listed with content", currentsOf(deletedCurrents), []string{"Files/Currents"}},
	{"the content of a list is that of the oldest version", currentsOf(oldestCurrents), []string{"Files/Currents"}},
	{"a file without its version has no content", currentsOf(missingCurrents), []string{"Files/Currents"}},
	{"a list with content has any path", currentsOf(anyCurrents), []string{"Files/CurrentList"}},
	{"a list with content has one file more", currentsOf(oneMoreCurrent), []string{"Files/Currents", "Files/CurrentList"}},
	{"bytes of a list are looked at too late", currentsOf(lateCurrents), []string{"Files/Currents"}},
	{"a list with content leaves a large file out", currentsOf(smallCurrents), []string{"Files/Currents"}},
	{"a list with content does not say that it ends early", currentsOf(lastCurrents), []string{"Files/Currents"}},
	{"versions of deleted files are left out", keptOf(sameQuery, keptWithoutDeleted), []string{"Files/KeptVersions"}},
	{"versions begin with the oldest", keptOf(sameQuery, func(s *store.Scanned) { slices.Reverse(s.Files) }), []string{"Files/KeptVersions"}},
	{"a page of versions begins at the given one", keptOf(func(q *store.ScanQuery) { q.Before++ }, sameVersions), []string{"Files/KeptVersions"}},
	{"versions have any bytes", keptOf(func(q *store.ScanQuery) { q.MaxBytes = 1 << 40 }, sameVersions), []string{"Files/KeptVersions"}},
	{"versions do not say that there are more", keptOf(sameQuery, func(s *store.Scanned) { s.More = false }), []string{"Files/KeptVersions"}},
	{"the current version is stale", bend(func(tx plain.Calls) plain.Calls { return staleCurrent{tx} }), []string{"Files/VersionsAscend", "Transactions/OwnWritesAreRead"}},
	{"lists are folded in case", bend(func(tx plain.Calls) plain.Calls { return foldedList{tx} }), []string{"Files/List"}},
	{"a prefix is a pattern", bend(func(tx plain.Calls) plain.Calls { return patternList{tx} }), []string{"Files/List"}},
	{"a page begins at the given path", bend(func(tx plain.Calls) plain.Calls { return inclusiveLogs{tx} }), []string{"Logs/List"}},
	{"content ends at NUL", bend(func(tx plain.Calls) plain.Calls { return cutAtNUL{tx} }), []string{"Files/Content", "Logs/Content"}},
	{"nothing is pruned", bend(func(tx plain.Calls) plain.Calls { return neverPrunes{tx} }), []string{"Files/Prune", "Files/Deleted"}},
	{"no entry is pruned", pruningLogs(func(int64) int64 { return 0 }), []string{"Logs/Deleted", "Logs/Trimmed", "Logs/PruneAndNew"}},
	{"one entry more is pruned", pruningLogs(func(n int64) int64 { return n + min(n, 1) }), []string{"Logs/Trimmed"}},
	{"the last pruned entry stays", pruningLogs(func(n int64) int64 { return n - 1 }), []string{"Logs/Deleted", "Logs/Trimmed"}},
	{"a trim takes all entries", pruningLogs(func(n int64) int64 { return min(n, 1) << 62 }), []string{"Logs/Trimmed"}},
	{"entries are counted in characters", bend(func(tx plain.Calls) plain.Calls { return charBytes{tx} }), []string{"Logs/EntryBytes"}},
	{"the entry after the last is counted too", bend(func(tx plain.Calls) plain.Calls { return laterBytes{tx} }), []string{"Logs/EntryBytes"}},
	{"the owner's state is forgotten", bend(func(tx plain.Calls) plain.Calls { return forgetsState{tx} }), []string{"Files/OwnerStateIsSavedToo", "Logs/OwnerStateIsSavedToo"}},
	{"times are of seconds", bend(func(tx plain.Calls) plain.Calls { return wholeSeconds{tx} }), []string{"Files/Times", "Logs/Times", "Requests/Times"}},
	{"times are local", bend(func(tx plain.Calls) plain.Calls { return localTimes{tx} }), []string{"Files/Times"}},
	{"authors are forgotten", bend(func(tx plain.Calls) plain.Calls { return anonymous{tx} }), []string{"Files/Authors", "Logs/Authors"}},
	{"numbers are floats", bend(func(tx plain.Calls) plain.Calls { return floats{tx} }), []string{"Files/Numbers", "Logs/Numbers"}},
	{"a version that exists is let be", bend(func(tx plain.Calls) plain.Calls { return insertsOrIgnores{tx} }), []string{"Files/VersionThatExists", "Logs/EntryThatExists"}},
	{"a missing version is none", bend(func(tx plain.Calls) plain.Calls { return hidesCorruption{tx} }), []string{"Files/CurrentMissing"}},
	{"the tail is the newest first", bend(func(tx plain.Calls) plain.Calls { return tailFirst{tx} }), []string{"Logs/SavedIsRead", "Logs/Query"}},
	{"bytes are looked at too late", bend(func(tx plain.Calls) plain.Calls { return oneByteMore{tx} }), []string{"Logs/QueryBytes"}},
	{"forgetting takes one more", bend(func(tx plain.Calls) plain.Calls { return forgetsMore{tx} }), []string{"Files/ForgetDeleted", "Logs/ForgetDeleted"}},
	{"forgetting says no number", bend(func(tx plain.Calls) plain.Calls { return forgetsSilently{tx} }), []string{"Files/ForgetDeleted", "Files/ForgetDeletedTies", "Logs/ForgetDeleted"}},
	{"requests of the very time are dropped", bend(func(tx plain.Calls) plain.Calls { return dropsEqual{tx} }), []string{"Requests/Drop"}},
	{"requests that are ahead stay", bend(func(tx plain.Calls) plain.Calls { return keepsAhead{tx} }), []string{"Requests/Drop"}},
	{"a request stays as it was", bend(func(tx plain.Calls) plain.Calls { return keepsRequest{tx} }), []string{"Requests/Replaced"}},
	{"results are shared", sharesResults, []string{"Files/ResultsAreOwn"}},

	{"summaries are everybody's", sharedSummaries, []string{"Isolation/NothingIsSeen", "Summaries/OwnersAreApart"}},
	{"summaries outlive an error", stickySummaries, []string{"Summaries/Undone", "Transactions/Error"}},
	{"summaries are not forgotten", bend(func(tx plain.Calls) plain.Calls { return neverForgets{tx} }), []string{"Summaries/Forgotten"}},
	{"summaries are always forgotten", bend(func(tx plain.Calls) plain.Calls { return alwaysForgets{tx} }), []string{"Summaries/Kept"}},
	{"a summary is of any version", summaryKeysWithout(func(k *store.SummaryKey) { k.Version = 1 }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"a summary is of any method", summaryKeysWithout(func(k *store.SummaryKey) { k.Method = "" }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"a summary is of any model", summaryKeysWithout(func(k *store.SummaryKey) { k.Model = "" }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"a summary is of any prompt", summaryKeysWithout(func(k *store.SummaryKey) { k.Prompt = "" }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"summary keys are folded in case", summaryKeysWithout(func(k *store.SummaryKey) { k.Model = strings.ToLower(k.Model) }), []string{"Summaries/KeysDiffer"}},
	{"a summary is of any file", summaryKeysWithout(nil), []string{"Summaries/Absent", "Summaries/Forgotten"}},
	{"the list of summaries is of any file", bend(func(tx plain.Calls) plain.Calls { return listsSummaries{tx, listOfOthers} }), []string{"Summaries/List"}},
	{"the list of summaries is not in order", bend(func(tx plain.Calls) plain.Calls { return listsSummaries{tx, listReversed} }), []string{"Summaries/List"}},
	{"the list of summaries has content", bend(func(tx plain.Calls) plain.Calls { return listsSummaries{tx, listWithContent} }), []string{"Summaries/List"}},
	{"a summary stays as it was", bend(func(tx plain.Calls) plain.Calls { return keepsSummary{tx} }), []string{"Summaries/Replaced"}},
	{"a summary ends at NUL", bend(func(tx plain.Calls) plain.Calls { return cutSummary{tx} }), []string{"Summaries/Content"}},
	{"a summary does not save the head", bend(func(tx plain.Calls) plain.Calls { return summaryAlone{tx, true} }), []string{"Summaries/SavedIsRead"}},
	{"a summary does not save the owner's state", bend(func(tx plain.Calls) plain.Calls { return summaryAlone{tx, false} }), []string{"Summaries/SavedIsRead"}},
	{"a summary's time is of seconds", bend(func(tx plain.Calls) plain.Calls { return summarySeconds{tx} }), []string{"Summaries/Times"}},
	{"summaries are shared results", sharesSummaries, []string{"Summaries/ResultsAreOwn"}},

	{"revisions count from 1", systemOf(func() *counting { return &counting{} }), []string{"Records/RevisionsNeverRepeat"}},
	{"Put looks at no revision", systemOf(func() *counting { return &counting{careless: true} }), []string{"Records/PutAtRevision", "Records/OneWinner"}},
	{"a prefix of records is a pattern", systemOf(func() *counting { return &counting{folded: true} }), []string{"Records/List"}},
}

// An updater takes the place of a store's Update.
type updater func(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error

type updates struct {
	store.Store
	with updater
}

func (s updates) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.with(s.Store, ctx, o, fn)
}

func updating(with updater) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return updates{s, with} }
}

func keepsOnError(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	var own error
	if err := s.Update(ctx, o, func(tx store.Tx) error {
		own = fn(tx)
		return nil
	}); err != nil {
		return err
	}
	return own
}

func keepsOnPanic(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	var value any
	err := s.Update(ctx, o, func(tx store.Tx) (err error) {
		defer func() { value = recover() }()
		return fn(tx)
	})
	if value != nil {
		panic(value)
	}
	return err
}

func keepsOnGoexit(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	gone := false
	err := s.Update(ctx, o, func(tx store.Tx) (err error) {
		gone = exited(func() { err = fn(tx) })
		return err
	})
	if gone {
		runtime.Goexit()
	}
	return err
}

func swallowsPanic(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return s.Update(ctx, o, fn)
}

func swallowsGoexit(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) (err error) {
	if exited(func() { err = s.Update(ctx, o, fn) }) {
		return errors.New("goexit")
	}
	return err
}

func wrapsError(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	if err := s.Update(ctx, o, fn); err != nil {
		return fmt.Errorf("update %s: %w", o, err)
	}
	return nil
}

func runsTwice(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Update(ctx, o, func(tx store.Tx) error { return cmp.Or(fn(tx), fn(tx)) })
}

func ignoresContext(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Update(context.WithoutCancel(ctx), o, fn)
}

func deadlineOnly(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Update(ctx, o, fn)
}

func saysCancelled(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return cmp.Or(s.Update(ctx, o, fn), ctx.Err())
}

func readsEarly(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	var early store.OwnerState
	if err := s.View(ctx, o, func(r store.Reader) (err error) {
		early, err = r.Owner()
		return err
	}); err != nil {
		return err
	}
	runtime.Gosched()
	return s.Update(ctx, o, func(tx store.Tx) error { return fn(plain.Join(earlyState{plain.Split(tx), early})) })
}

type earlyState struct {
	plain.Calls
	state store.OwnerState
}

func (tx earlyState) Owner() (store.OwnerState, error) { return tx.state, nil }

// clumsy undoes the next Update after one that has failed, and says that it is stored. A
// backend that groups Updates could do that.
func clumsy(with error) func(store.Store) store.Store {
	return func(s store.Store) store.Store {
		var hurt atomic.Bool
		lost := errors.New("lost")
		return updates{s, func(s store.Store, ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
			err := s.Update(ctx, o, func(tx store.Tx) error {
				if err := fn(tx); err != nil {
					return err
				}
				if hurt.Swap(false) {
					return lost
				}
				return nil
			})
			if err == lost {
				return nil
			}
			if errors.Is(cmp.Or(err, ctx.Err()), with) {
				hurt.Store(true)
			}
			return err
		}}
	}
}

// looseView gives every call inside a View a snapshot of its own.
func looseView(s store.Store) store.Store { return loose{s} }

type loose struct{ store.Store }

func (s loose) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return fn(looseReader{store: s.Store, ctx: ctx, owner: o})
}

type looseReader struct {
	store.Reader // nil: these checks call what follows
	store        store.Store
	ctx          context.Context
	owner        store.Owner
}

func (r looseReader) view(fn func(store.Reader) error) error {
	return r.store.View(r.ctx, r.owner, fn)
}

func (r looseReader) Load(q store.Query) (l store.Loaded, err error) {
	err = r.view(func(r store.Reader) (err error) { l, err = r.Load(q); return err })
	return l, err
}

func (r looseReader) Changes(after int64, limit int) (rows []store.Change, err error) {
	err = r.view(func(r store.Reader) (err error) { rows, err = r.Changes(after, limit); return err })
	return rows, err
}

func (r looseReader) Owner() (s store.OwnerState, err error) {
	err = r.view(func(r store.Reader) (err error) { s, err = r.Owner(); return err })
	return s, err
}

func (r looseReader) Entries(path string, q store.EntryQuery) (list []store.Entry, err error) {
	err = r.view(func(r store.Reader) (err error) { list, err = r.Entries(path, q); return err })
	return list, err
}

// hasty closes without waiting for the transactions that are running.
type hasty struct{ store.Store }

func (s hasty) Close() error {
	go s.Store.Close()
	return nil
}

// owned keeps each owner under a key that it computes from the owner.
type owned struct {
	store.Store
	key func(store.Owner) string
}

func ownedBy(key func(store.Owner) string) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return owned{s, key} }
}

func (s owned) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, store.Owner{Agent: s.key(o)}, fn)
}

func (s owned) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, store.Owner{Agent: s.key(o)}, fn)
}

func (s owned) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	return s.Store.Dump(ctx, store.Owner{Agent: s.key(o)}, fn)
}

func (s owned) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	return s.Store.Restore(ctx, store.Owner{Agent: s.key(o)}, rows)
}

// A lister takes the place of a store's Owners.
type lister func(all []store.OwnerUsage, tenant, after string) []store.OwnerUsage

type lists struct {
	store.Store
	with   lister
	owners map[store.Owner]bool
}

func listsOwners(with lister) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return lists{s, with, map[store.Owner]bool{}} }
}

func (s lists) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	s.owners[o] = true
	return s.Store.Update(ctx, o, fn)
}

func (s lists) Owners(ctx context.Context, q store.OwnersQuery) (l store.OwnerList, err error) {
	if q.Which != store.UsedOwners {
		return s.Store.Owners(ctx, q)
	}
	var all []store.OwnerUsage
	for o := range s.owners {
		var state store.OwnerState
		if err := s.View(ctx, o, func(r store.Reader) (err error) {
			state, err = r.Owner()
			return err
		}); err != nil {
			return l, err
		}
		all = append(all, store.OwnerUsage{Owner: o, Usage: state.Usage})
	}
	slices.SortFunc(all, func(a, b store.OwnerUsage) int { return cmp.Compare(a.Owner.Agent, b.Owner.Agent) })
	after := ""
	if q.After != nil {
		after = q.After.Owner.Agent
	}
	all = s.with(all, q.Tenant, after)
	l.Owners = all[:min(q.Limit, len(all))]
	return l, nil
}

// miscounts counts deleted owners as agents.
type miscounts struct{ store.Store }

func (s miscounts) Owners(ctx context.Context, q store.OwnersQuery) (store.OwnerList, error) {
	l, err := s.Store.Owners(ctx, q)
	if q.Which != store.OwnerTotals || err != nil {
		return l, err
	}
	gone, err := sweepsEarly(s).Owners(ctx, store.OwnersQuery{Which: store.DeletedOwners, Tenant: q.Tenant, Limit: 1000})
	l.Totals.Agents += int64(len(gone.Owners))
	return l, err
}

// sweepsEarly ignores the times.
type sweepsEarly struct{ store.Store }

func (s sweepsEarly) Owners(ctx context.Context, q store.OwnersQuery) (store.OwnerList, error) {
	q.UpdatedBefore = time.Unix(1<<40, 0)
	return s.Store.Owners(ctx, q)
}

func allTenants(all []store.OwnerUsage, tenant, after string) []store.OwnerUsage {
	return slices.DeleteFunc(all, func(u store.OwnerUsage) bool {
		return u.Owner.Agent <= after || u.Usage == store.Usage{}
	})
}

func emptyOwners(all []store.OwnerUsage, tenant, after string) []store.OwnerUsage {
	return slices.DeleteFunc(all, func(u store.OwnerUsage) bool {
		return u.Owner.Agent <= after || u.Owner.Tenant != tenant
	})
}

func fromOwner(all []store.OwnerUsage, tenant, after string) []store.OwnerUsage {
	return slices.DeleteFunc(all, func(u store.OwnerUsage) bool {
		return u.Owner.Agent < after || u.Owner.Tenant != tenant || u.Usage == store.Usage{}
	})
}

// counting is Records whose revisions count the Puts since the record was made.
type counting struct {
	mu               sync.Mutex // guards rows
	rows             map[string]store.Record
	careless, folded bool
}

type system struct {
	store.Store
	records *counting
}

func systemOf(open func() *counting) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return system{s, open()} }
}

func (s system) System(context.Context) store.Records { return s.records }

func (r *counting) Get(key string) (store.Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, ok := r.rows[key]; ok {
		return found, nil
	}
	return store.Record{}, store.ErrNotFound
}

func (r *counting) Put(key string, value []byte, revision int64) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.rows[key].Revision
	if old != revision && !r.careless {
		return 0, store.ErrConflict
	}
	if r.rows == nil {
		r.rows = map[string]store.Record{}
	}
	r.rows[key] = store.Record{Key: key, Value: value, Revision: old + 1, Updated: time.Now().UTC()}
	return old + 1, nil
}

func (r *counting) Restore(store.Record) error { return store.ErrUnsupported }

func (r *counting) Delete(key string, revision int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rows, key)
	return nil
}

func (r *counting) Now() (time.Time, error) { return time.Now().UTC(), nil }

func (r *counting) List(prefix, after string, limit int) (list []store.Record, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(r.rows)) {
		if key <= after || len(list) == limit {
			continue
		}
		if strings.HasPrefix(key, prefix) || r.folded && matches(key, prefix) {
			list = append(list, r.rows[key])
		}
	}
	return list, nil
}
