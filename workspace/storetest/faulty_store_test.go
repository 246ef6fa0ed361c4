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

	"github.com/agent-scratchpad/scratchpad/workspace"
)

type faultyStore struct {
	name   string
	open   func(workspace.Store) workspace.Store
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
	{"Close leaves it open", func(s workspace.Store) workspace.Store { return kept{s} }, []string{"Transactions/Closed"}},
	{"Close does not wait", func(s workspace.Store) workspace.Store { return hasty{s} }, []string{"Transactions/CloseWaits"}},

	{"tenants are one", ownedBy(func(o workspace.Owner) string { return o.Agent }), []string{"Isolation/NothingIsSeen", "Isolation/NothingIsChanged", "Isolation/SamePaths"}},
	{"tenant and agent run together", ownedBy(func(o workspace.Owner) string { return o.Tenant + o.Agent }), []string{"Isolation/NothingIsSeen"}},
	{"owners are folded in case", ownedBy(func(o workspace.Owner) string { return strings.ToLower(o.String()) }), []string{"Isolation/NothingIsSeen"}},
	{"owners match by a pattern", ownedBy(func(o workspace.Owner) string { return strings.ReplaceAll(o.String(), "-", "_") }), []string{"Isolation/NothingIsSeen"}},
	{"requests are everybody's", sharedRequests, []string{"Isolation/NothingIsSeen"}},
	{"Owners is of all tenants", listsOwners(allTenants), []string{"Owners/ListIsOfOneTenant"}},
	{"Owners has those without usage", listsOwners(emptyOwners), []string{"Owners/ListLeavesEmptyOut"}},
	{"Owners begins at the given one", listsOwners(fromOwner), []string{"Owners/List"}},

	{"Totals has those without usage", func(s workspace.Store) workspace.Store { return miscounts{s} }, []string{"Owners/Totals"}},
	{"Deleted is of any time", func(s workspace.Store) workspace.Store { return sweepsEarly{s} }, []string{"Owners/Deleted"}},

	{"deleted paths are listed", bend(func(tx workspace.Tx) workspace.Tx { return deletedListed{tx} }), []string{"Files/ListLeavesDeletedOut"}},
	{"deleted paths are listed with authors", bend(func(tx workspace.Tx) workspace.Tx { return deletedAuthored{tx} }), []string{"Files/Authored"}},
	{"an author is that of the oldest version", bend(func(tx workspace.Tx) workspace.Tx { return oldestAuthors{tx} }), []string{"Files/Authored", "Files/AuthorMissing"}},
	{"a file without its version is not listed", bend(func(tx workspace.Tx) workspace.Tx { return innerJoin{tx} }), []string{"Files/AuthorMissing"}},
	{"a file is listed once for each version", bend(func(tx workspace.Tx) workspace.Tx { return joinedTwice{tx} }), []string{"Files/Authored"}},
	{"a list with authors has any path", bend(func(tx workspace.Tx) workspace.Tx { return unprefixed{tx} }), []string{"Files/AuthoredList"}},
	{"deleted paths are listed with content", currentsOf(deletedCurrents), []string{"Files/Currents"}},
	{"the content of a list is that of the oldest version", currentsOf(oldestCurrents), []string{"Files/Currents"}},
	{"a file without its version has no content", currentsOf(missingCurrents), []string{"Files/Currents"}},
	{"a list with content has any path", currentsOf(anyCurrents), []string{"Files/CurrentList"}},
	{"a list with content has one file more", currentsOf(oneMoreCurrent), []string{"Files/Currents", "Files/CurrentList"}},
	{"bytes of a list are looked at too late", currentsOf(lateCurrents), []string{"Files/Currents"}},
	{"a list with content leaves a large file out", currentsOf(smallCurrents), []string{"Files/Currents"}},
	{"a list with content does not say that it ends early", currentsOf(lastCurrents), []string{"Files/Currents"}},
	{"the current version is stale", bend(func(tx workspace.Tx) workspace.Tx { return staleCurrent{tx} }), []string{"Files/VersionsAscend", "Transactions/OwnWritesAreRead"}},
	{"lists are folded in case", bend(func(tx workspace.Tx) workspace.Tx { return foldedList{tx} }), []string{"Files/List"}},
	{"a prefix is a pattern", bend(func(tx workspace.Tx) workspace.Tx { return patternList{tx} }), []string{"Files/List"}},
	{"a page begins at the given path", bend(func(tx workspace.Tx) workspace.Tx { return inclusiveLogs{tx} }), []string{"Logs/List"}},
	{"content ends at NUL", bend(func(tx workspace.Tx) workspace.Tx { return cutAtNUL{tx} }), []string{"Files/Content", "Logs/Content"}},
	{"nothing is pruned", bend(func(tx workspace.Tx) workspace.Tx { return neverPrunes{tx} }), []string{"Files/Prune", "Files/Deleted"}},
	{"no entry is pruned", pruningLogs(func(int64) int64 { return 0 }), []string{"Logs/Deleted", "Logs/Trimmed", "Logs/PruneAndNew"}},
	{"one entry more is pruned", pruningLogs(func(n int64) int64 { return n + min(n, 1) }), []string{"Logs/Trimmed"}},
	{"the last pruned entry stays", pruningLogs(func(n int64) int64 { return n - 1 }), []string{"Logs/Deleted", "Logs/Trimmed"}},
	{"a trim takes all entries", pruningLogs(func(n int64) int64 { return min(n, 1) << 62 }), []string{"Logs/Trimmed"}},
	{"entries are counted in characters", bend(func(tx workspace.Tx) workspace.Tx { return charBytes{tx} }), []string{"Logs/EntryBytes"}},
	{"the entry after the last is counted too", bend(func(tx workspace.Tx) workspace.Tx { return laterBytes{tx} }), []string{"Logs/EntryBytes"}},
	{"the owner's state is forgotten", bend(func(tx workspace.Tx) workspace.Tx { return forgetsState{tx} }), []string{"Files/OwnerStateIsSavedToo", "Logs/OwnerStateIsSavedToo"}},
	{"times are of seconds", bend(func(tx workspace.Tx) workspace.Tx { return wholeSeconds{tx} }), []string{"Files/Times", "Logs/Times", "Requests/Times"}},
	{"times are local", bend(func(tx workspace.Tx) workspace.Tx { return localTimes{tx} }), []string{"Files/Times"}},
	{"authors are forgotten", bend(func(tx workspace.Tx) workspace.Tx { return anonymous{tx} }), []string{"Files/Authors", "Logs/Authors"}},
	{"numbers are floats", bend(func(tx workspace.Tx) workspace.Tx { return floats{tx} }), []string{"Files/Numbers", "Logs/Numbers"}},
	{"a version that exists is let be", bend(func(tx workspace.Tx) workspace.Tx { return insertsOrIgnores{tx} }), []string{"Files/VersionThatExists", "Logs/EntryThatExists"}},
	{"a missing version is none", bend(func(tx workspace.Tx) workspace.Tx { return hidesCorruption{tx} }), []string{"Files/CurrentMissing"}},
	{"the tail is the newest first", bend(func(tx workspace.Tx) workspace.Tx { return tailFirst{tx} }), []string{"Logs/SavedIsRead", "Logs/Query"}},
	{"bytes are looked at too late", bend(func(tx workspace.Tx) workspace.Tx { return oneByteMore{tx} }), []string{"Logs/QueryBytes"}},
	{"fold takes one more", bend(func(tx workspace.Tx) workspace.Tx { return foldsMore{tx} }), []string{"Files/Fold", "Logs/Fold"}},
	{"fold says no number", bend(func(tx workspace.Tx) workspace.Tx { return foldsSilently{tx} }), []string{"Files/Fold", "Files/FoldTies", "Logs/Fold"}},
	{"requests of the very time are dropped", bend(func(tx workspace.Tx) workspace.Tx { return dropsEqual{tx} }), []string{"Requests/Drop"}},
	{"requests that are ahead stay", bend(func(tx workspace.Tx) workspace.Tx { return keepsAhead{tx} }), []string{"Requests/Drop"}},
	{"a request stays as it was", bend(func(tx workspace.Tx) workspace.Tx { return keepsRequest{tx} }), []string{"Requests/Replaced"}},
	{"results are shared", sharesResults, []string{"Files/ResultsAreOwn"}},

	{"summaries are everybody's", sharedSummaries, []string{"Isolation/NothingIsSeen", "Summaries/OwnersAreApart"}},
	{"summaries outlive an error", stickySummaries, []string{"Summaries/Undone", "Transactions/Error"}},
	{"summaries are not forgotten", bend(func(tx workspace.Tx) workspace.Tx { return neverForgets{tx} }), []string{"Summaries/Forgotten"}},
	{"summaries are always forgotten", bend(func(tx workspace.Tx) workspace.Tx { return alwaysForgets{tx} }), []string{"Summaries/Kept"}},
	{"a summary is of any version", summaryKeysWithout(func(k *workspace.SummaryKey) { k.Version = 1 }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"a summary is of any method", summaryKeysWithout(func(k *workspace.SummaryKey) { k.Method = "" }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"a summary is of any model", summaryKeysWithout(func(k *workspace.SummaryKey) { k.Model = "" }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"a summary is of any prompt", summaryKeysWithout(func(k *workspace.SummaryKey) { k.Prompt = "" }), []string{"Summaries/KeysDiffer", "Summaries/Absent"}},
	{"summary keys are folded in case", summaryKeysWithout(func(k *workspace.SummaryKey) { k.Model = strings.ToLower(k.Model) }), []string{"Summaries/KeysDiffer"}},
	{"a summary is of any file", summaryKeysWithout(nil), []string{"Summaries/Absent", "Summaries/Forgotten"}},
	{"the list of summaries is of any file", bend(func(tx workspace.Tx) workspace.Tx { return listsSummaries{tx, listOfOthers} }), []string{"Summaries/List"}},
	{"the list of summaries is not in order", bend(func(tx workspace.Tx) workspace.Tx { return listsSummaries{tx, listReversed} }), []string{"Summaries/List"}},
	{"the list of summaries has content", bend(func(tx workspace.Tx) workspace.Tx { return listsSummaries{tx, listWithContent} }), []string{"Summaries/List"}},
	{"a summary stays as it was", bend(func(tx workspace.Tx) workspace.Tx { return keepsSummary{tx} }), []string{"Summaries/Replaced"}},
	{"a summary ends at NUL", bend(func(tx workspace.Tx) workspace.Tx { return cutSummary{tx} }), []string{"Summaries/Content"}},
	{"a summary does not save the head", bend(func(tx workspace.Tx) workspace.Tx { return summaryAlone{tx, true} }), []string{"Summaries/SavedIsRead"}},
	{"a summary does not save the owner's state", bend(func(tx workspace.Tx) workspace.Tx { return summaryAlone{tx, false} }), []string{"Summaries/SavedIsRead"}},
	{"a summary's time is of seconds", bend(func(tx workspace.Tx) workspace.Tx { return summarySeconds{tx} }), []string{"Summaries/Times"}},
	{"summaries are shared results", sharesSummaries, []string{"Summaries/ResultsAreOwn"}},

	{"revisions count from 1", systemOf(func() *counting { return &counting{} }), []string{"Records/RevisionsNeverRepeat"}},
	{"Put looks at no revision", systemOf(func() *counting { return &counting{careless: true} }), []string{"Records/PutAtRevision", "Records/OneWinner"}},
	{"a prefix of records is a pattern", systemOf(func() *counting { return &counting{folded: true} }), []string{"Records/List"}},
}

// An updater takes the place of a store's Update.
type updater func(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error

type updates struct {
	workspace.Store
	with updater
}

func (s updates) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.with(s.Store, ctx, o, fn)
}

func updating(with updater) func(workspace.Store) workspace.Store {
	return func(s workspace.Store) workspace.Store { return updates{s, with} }
}

func keepsOnError(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	var own error
	if err := s.Update(ctx, o, func(tx workspace.Tx) error {
		own = fn(tx)
		return nil
	}); err != nil {
		return err
	}
	return own
}

func keepsOnPanic(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	var value any
	err := s.Update(ctx, o, func(tx workspace.Tx) (err error) {
		defer func() { value = recover() }()
		return fn(tx)
	})
	if value != nil {
		panic(value)
	}
	return err
}

func keepsOnGoexit(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	gone := false
	err := s.Update(ctx, o, func(tx workspace.Tx) (err error) {
		gone = exited(func() { err = fn(tx) })
		return err
	})
	if gone {
		runtime.Goexit()
	}
	return err
}

func swallowsPanic(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return s.Update(ctx, o, fn)
}

func swallowsGoexit(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) (err error) {
	if exited(func() { err = s.Update(ctx, o, fn) }) {
		return errors.New("goexit")
	}
	return err
}

func wrapsError(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	if err := s.Update(ctx, o, fn); err != nil {
		return fmt.Errorf("update %s: %w", o, err)
	}
	return nil
}

func runsTwice(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.Update(ctx, o, func(tx workspace.Tx) error { return cmp.Or(fn(tx), fn(tx)) })
}

func ignoresContext(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.Update(context.WithoutCancel(ctx), o, fn)
}

func deadlineOnly(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Update(ctx, o, fn)
}

func saysCancelled(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return cmp.Or(s.Update(ctx, o, fn), ctx.Err())
}

func readsEarly(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	var early workspace.OwnerState
	if err := s.View(ctx, o, func(r workspace.Reader) (err error) {
		early, err = r.Owner()
		return err
	}); err != nil {
		return err
	}
	runtime.Gosched()
	return s.Update(ctx, o, func(tx workspace.Tx) error { return fn(earlyState{tx, early}) })
}

type earlyState struct {
	workspace.Tx
	state workspace.OwnerState
}

func (tx earlyState) Owner() (workspace.OwnerState, error) { return tx.state, nil }

// clumsy undoes the next Update after one that has failed, and says that it is stored. A
// backend that groups Updates could do that.
func clumsy(with error) func(workspace.Store) workspace.Store {
	return func(s workspace.Store) workspace.Store {
		var hurt atomic.Bool
		lost := errors.New("lost")
		return updates{s, func(s workspace.Store, ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
			err := s.Update(ctx, o, func(tx workspace.Tx) error {
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
func looseView(s workspace.Store) workspace.Store { return loose{s} }

type loose struct{ workspace.Store }

func (s loose) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	return fn(looseReader{store: s.Store, ctx: ctx, owner: o})
}

type looseReader struct {
	workspace.Reader // nil: these checks call what follows
	store            workspace.Store
	ctx              context.Context
	owner            workspace.Owner
}

func (r looseReader) view(fn func(workspace.Reader) error) error {
	return r.store.View(r.ctx, r.owner, fn)
}

func (r looseReader) Load(q workspace.Query) (l workspace.Loaded, err error) {
	err = r.view(func(r workspace.Reader) (err error) { l, err = r.Load(q); return err })
	return l, err
}

func (r looseReader) Changes(after int64, limit int) (rows []workspace.Change, err error) {
	err = r.view(func(r workspace.Reader) (err error) { rows, err = r.Changes(after, limit); return err })
	return rows, err
}

func (r looseReader) Owner() (s workspace.OwnerState, err error) {
	err = r.view(func(r workspace.Reader) (err error) { s, err = r.Owner(); return err })
	return s, err
}

func (r looseReader) Current(path string) (h workspace.FileHead, v workspace.Version, err error) {
	err = r.view(func(r workspace.Reader) (err error) { h, v, err = r.Current(path); return err })
	return h, v, err
}

func (r looseReader) Entries(path string, q workspace.EntryQuery) (list []workspace.Entry, err error) {
	err = r.view(func(r workspace.Reader) (err error) { list, err = r.Entries(path, q); return err })
	return list, err
}

func (r looseReader) Request(key string) (q workspace.Request, err error) {
	err = r.view(func(r workspace.Reader) (err error) { q, err = r.Request(key); return err })
	return q, err
}

// hasty closes without waiting for the transactions that are running.
type hasty struct{ workspace.Store }

func (s hasty) Close() error {
	go s.Store.Close()
	return nil
}

// owned keeps each owner under a key that it computes from the owner.
type owned struct {
	workspace.Store
	key func(workspace.Owner) string
}

func ownedBy(key func(workspace.Owner) string) func(workspace.Store) workspace.Store {
	return func(s workspace.Store) workspace.Store { return owned{s, key} }
}

func (s owned) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	return s.Store.View(ctx, workspace.Owner{Agent: s.key(o)}, fn)
}

func (s owned) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.Store.Update(ctx, workspace.Owner{Agent: s.key(o)}, fn)
}

func (s owned) Dump(ctx context.Context, o workspace.Owner, fn func(workspace.Row) error) error {
	return s.Store.Dump(ctx, workspace.Owner{Agent: s.key(o)}, fn)
}

func (s owned) Restore(ctx context.Context, o workspace.Owner, rows iter.Seq2[workspace.Row, error]) error {
	return s.Store.Restore(ctx, workspace.Owner{Agent: s.key(o)}, rows)
}

// A lister takes the place of a store's Owners.
type lister func(all []workspace.OwnerUsage, tenant, after string) []workspace.OwnerUsage

type lists struct {
	workspace.Store
	with   lister
	owners map[workspace.Owner]bool
}

func listsOwners(with lister) func(workspace.Store) workspace.Store {
	return func(s workspace.Store) workspace.Store { return lists{s, with, map[workspace.Owner]bool{}} }
}

func (s lists) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	s.owners[o] = true
	return s.Store.Update(ctx, o, fn)
}

func (s lists) Owners(ctx context.Context, q workspace.OwnersQuery) ([]workspace.OwnerUsage, error) {
	var all []workspace.OwnerUsage
	for o := range s.owners {
		var state workspace.OwnerState
		if err := s.View(ctx, o, func(r workspace.Reader) (err error) {
			state, err = r.Owner()
			return err
		}); err != nil {
			return nil, err
		}
		all = append(all, workspace.OwnerUsage{Owner: o, Usage: state.Usage})
	}
	slices.SortFunc(all, func(a, b workspace.OwnerUsage) int { return cmp.Compare(a.Owner.Agent, b.Owner.Agent) })
	after := ""
	if q.After != nil {
		after = q.After.Owner.Agent
	}
	all = s.with(all, q.Tenant, after)
	return all[:min(q.Limit, len(all))], nil
}

// miscounts counts deleted owners as agents.
type miscounts struct{ workspace.Store }

func (s miscounts) Totals(ctx context.Context, tenant string) (workspace.Totals, error) {
	sum, err := s.Store.Totals(ctx, tenant)
	if err != nil {
		return sum, err
	}
	gone, err := s.Store.Deleted(ctx, tenant, time.Unix(1<<40, 0), time.Unix(1<<40, 0), 1000)
	sum.Agents += int64(len(gone))
	return sum, err
}

// sweepsEarly ignores the times.
type sweepsEarly struct{ workspace.Store }

func (s sweepsEarly) Deleted(ctx context.Context, tenant string, _, _ time.Time, limit int) ([]workspace.Owner, error) {
	return s.Store.Deleted(ctx, tenant, time.Unix(1<<40, 0), time.Unix(1<<40, 0), limit)
}

func allTenants(all []workspace.OwnerUsage, tenant, after string) []workspace.OwnerUsage {
	return slices.DeleteFunc(all, func(u workspace.OwnerUsage) bool {
		return u.Owner.Agent <= after || u.Usage == workspace.Usage{}
	})
}

func emptyOwners(all []workspace.OwnerUsage, tenant, after string) []workspace.OwnerUsage {
	return slices.DeleteFunc(all, func(u workspace.OwnerUsage) bool {
		return u.Owner.Agent <= after || u.Owner.Tenant != tenant
	})
}

func fromOwner(all []workspace.OwnerUsage, tenant, after string) []workspace.OwnerUsage {
	return slices.DeleteFunc(all, func(u workspace.OwnerUsage) bool {
		return u.Owner.Agent < after || u.Owner.Tenant != tenant || u.Usage == workspace.Usage{}
	})
}

// counting is Records whose revisions count the Puts since the record was made.
type counting struct {
	mu               sync.Mutex // guards rows
	rows             map[string]workspace.Record
	careless, folded bool
}

type system struct {
	workspace.Store
	records *counting
}

func systemOf(open func() *counting) func(workspace.Store) workspace.Store {
	return func(s workspace.Store) workspace.Store { return system{s, open()} }
}

func (s system) System(context.Context) workspace.Records { return s.records }

func (r *counting) Get(key string) (workspace.Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, ok := r.rows[key]; ok {
		return found, nil
	}
	return workspace.Record{}, workspace.ErrNotFound
}

func (r *counting) Put(key string, value []byte, revision int64) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.rows[key].Revision
	if old != revision && !r.careless {
		return 0, workspace.ErrConflict
	}
	if r.rows == nil {
		r.rows = map[string]workspace.Record{}
	}
	r.rows[key] = workspace.Record{Key: key, Value: value, Revision: old + 1, Updated: time.Now().UTC()}
	return old + 1, nil
}

func (r *counting) Restore(workspace.Record) error { return workspace.ErrUnsupported }

func (r *counting) Delete(key string, revision int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rows, key)
	return nil
}

func (r *counting) Now() (time.Time, error) { return time.Now().UTC(), nil }

func (r *counting) List(prefix, after string, limit int) (list []workspace.Record, err error) {
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
