package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// faultyPorts are more of faultyStores: the journal of changes, moves, Load, the lists of
// owners and records, and Watch.
var faultyPorts = slices.Concat(faultyJournals, faultyMoves, faultyLoads, faultyOwners, faultyWatches)

var faultyJournals = []faultyStore{
	{"rows come the newest first", bendRows(func(rows []store.Change) []store.Change { slices.Reverse(rows); return rows }), []string{"Changes/SavedIsRead", "Changes/Pages"}},
	{"rows begin at the given one", bendChanges(func(tx plain.Calls, after int64, limit int) ([]store.Change, error) {
		return tx.Changes(after-1, limit)
	}), []string{"Changes/Pages", "Changes/Absent"}},
	{"the limit of rows is ignored", bendChanges(func(tx plain.Calls, after int64, _ int) ([]store.Change, error) {
		return tx.Changes(after, 1<<20)
	}), []string{"Changes/Pages"}},
	{"a page of rows is one row short", bendChanges(func(tx plain.Calls, after int64, limit int) ([]store.Change, error) {
		rows, err := tx.Changes(after, limit)
		return rows[:min(len(rows), max(1, limit-1))], err
	}), []string{"Changes/Pages"}},
	{"a row without a revision is kept", bend(func(tx plain.Calls) plain.Calls { return rowForAll{tx} }), []string{"Changes/Absent"}},
	{"a row that exists is let be", bend(func(tx plain.Calls) plain.Calls { return rowOnce{tx} }), []string{"Changes/RevisionThatExists"}},
	{"logs add no row", bend(func(tx plain.Calls) plain.Calls { return noLogRows{tx} }), []string{"Changes/SavedIsRead"}},
	{"the last row to drop stays", bend(func(tx plain.Calls) plain.Calls { return drops{tx, -1} }), []string{"Changes/Drop"}},
	{"one row more is dropped", bend(func(tx plain.Calls) plain.Calls { return drops{tx, 1} }), []string{"Changes/Drop"}},
	{"rows are everybody's and never undone", sharedRows, []string{"Isolation/NothingIsSeen", "Changes/OwnersAreApart", "Changes/Undone", "Transactions/Error", "Model"}},
	{"rows and moves outlive an error", updating(keepsOnError), []string{"Changes/Undone", "Moves/Undone"}},
	{"rows and moves outlive a panic", updating(keepsOnPanic), []string{"Changes/Undone", "Moves/Undone"}},
	{"the path before a move is forgotten", bendRow(func(c *store.Change) { c.From = "" }), []string{"Changes/SavedIsRead", "Moves/Saved"}},
	{"the kind of a row is forgotten", bendRow(func(c *store.Change) { c.Kind = store.KindFile }), []string{"Changes/SavedIsRead"}},
	{"the count of entries is forgotten", bendRow(func(c *store.Change) { c.Entries = 0 }), []string{"Changes/SavedIsRead"}},
	{"sessions are forgotten", bendRow(func(c *store.Change) { c.Author.Session = "" }), []string{"Changes/Authors", "Changes/SessionIsOnlyHere"}},
	{"sessions end at NUL", bendRow(func(c *store.Change) { c.Author.Session = cutText(c.Author.Session) }), []string{"Changes/Authors"}},
	{"authors of rows end at NUL", bendRow(func(c *store.Change) { c.Author.Version = cutText(c.Author.Version) }), []string{"Changes/Authors"}},
	{"authors of rows are cut at 255 bytes", bendRow(func(c *store.Change) { c.Author.Key = c.Author.Key[:min(255, len(c.Author.Key))] }), []string{"Changes/Authors"}},
	{"rows have times of seconds", bendRow(func(c *store.Change) { c.Time = c.Time.Truncate(time.Second) }), []string{"Changes/Times"}},
	{"numbers of rows are floats", bendRow(func(c *store.Change) { c.Before, c.After = int64(float64(c.Before)), int64(float64(c.After)) }), []string{"Changes/Numbers"}},
	{"rows are shared", sharesRows, []string{"Changes/ResultsAreOwn"}},
	{"a version keeps a session", bendVersion(func(a store.Author) store.Author { a.Session = "session"; return a }), []string{"Changes/SessionIsOnlyHere"}},
	{"an entry keeps a session", bendEntry(func(a store.Author) store.Author { a.Session = "session"; return a }), []string{"Changes/SessionIsOnlyHere"}},
	{"the author of a version ends at NUL", bendVersion(func(a store.Author) store.Author { a.Client = cutText(a.Client); return a }), []string{"Files/Authors", "Moves/Authors"}},
	{"the author of an entry ends at NUL", bendEntry(func(a store.Author) store.Author { a.Key = cutText(a.Key); return a }), []string{"Logs/Authors"}},
}

func cutText(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// bentChanges replaces Changes.
type bentChanges struct {
	plain.Calls
	with func(tx plain.Calls, after int64, limit int) ([]store.Change, error)
}

func (tx bentChanges) Changes(after int64, limit int) ([]store.Change, error) {
	return tx.with(tx.Calls, after, limit)
}

func bendChanges(with func(tx plain.Calls, after int64, limit int) ([]store.Change, error)) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentChanges{tx, with} })
}

func bendRows(with func([]store.Change) []store.Change) func(store.Store) store.Store {
	return bendChanges(func(tx plain.Calls, after int64, limit int) ([]store.Change, error) {
		rows, err := tx.Changes(after, limit)
		return with(rows), err
	})
}

func bendRow(with func(*store.Change)) func(store.Store) store.Store {
	return bendRows(func(rows []store.Change) []store.Change {
		for i := range rows {
			with(&rows[i])
		}
		return rows
	})
}

type rowForAll struct{ plain.Calls }

func (tx rowForAll) SaveFile(c store.FileChange) error {
	if c.Change.Revision == 0 {
		c.Change = row(1)
	}
	return tx.Calls.SaveFile(c)
}

type rowOnce struct{ plain.Calls }

func (tx rowOnce) SaveFile(c store.FileChange) error {
	if rows, _ := tx.Changes(c.Change.Revision-1, 1); len(rows) > 0 && rows[0].Revision == c.Change.Revision {
		c.Change = store.Change{}
	}
	return tx.Calls.SaveFile(c)
}

type noLogRows struct{ plain.Calls }

func (tx noLogRows) SaveLog(c store.LogChange) error {
	c.Change = store.Change{}
	return tx.Calls.SaveLog(c)
}

type drops struct {
	plain.Calls
	more int64
}

func (tx drops) DropChanges(through int64) error { return tx.Calls.DropChanges(through + tx.more) }

func sharedRows(s store.Store) store.Store {
	all := &rowsOfAll{}
	return bent{s, func(tx plain.Calls) plain.Calls { return withRowsOfAll{tx, all} }}
}

type rowsOfAll struct {
	mu   sync.Mutex // guards rows
	rows []store.Change
}

func (r *rowsOfAll) add(c *store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Revision > 0 {
		r.rows = append(r.rows, *c)
	}
	*c = store.Change{}
}

type withRowsOfAll struct {
	plain.Calls
	all *rowsOfAll
}

func (tx withRowsOfAll) SaveFile(c store.FileChange) error {
	tx.all.add(&c.Change)
	return tx.Calls.SaveFile(c)
}

func (tx withRowsOfAll) SaveLog(c store.LogChange) error {
	tx.all.add(&c.Change)
	return tx.Calls.SaveLog(c)
}

func (tx withRowsOfAll) Changes(after int64, limit int) (rows []store.Change, err error) {
	tx.all.mu.Lock()
	defer tx.all.mu.Unlock()
	for _, c := range tx.all.rows {
		if c.Revision > after && len(rows) < limit {
			rows = append(rows, c)
		}
	}
	return rows, nil
}

func sharesRows(s store.Store) store.Store {
	var mu sync.Mutex // guards given
	given := map[string][]store.Change{}
	return bendChanges(func(tx plain.Calls, after int64, limit int) ([]store.Change, error) {
		rows, err := tx.Changes(after, limit)
		mu.Lock()
		defer mu.Unlock()
		key := fmt.Sprint(after, limit, len(rows))
		if given[key] == nil {
			given[key] = rows
		}
		return given[key], err
	})(s)
}

type bentVersion struct {
	plain.Calls
	with func(store.Author) store.Author
}

func bendVersion(with func(store.Author) store.Author) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentVersion{tx, with} })
}

func (tx bentVersion) Version(path string, n int64) (store.Version, error) {
	v, err := tx.Calls.Version(path, n)
	v.Author = tx.with(v.Author)
	return v, err
}

type bentEntry struct {
	plain.Calls
	with func(store.Author) store.Author
}

func bendEntry(with func(store.Author) store.Author) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentEntry{tx, with} })
}

func (tx bentEntry) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	list, err := tx.Calls.Entries(path, q)
	for i := range list {
		list[i].Author = tx.with(list[i].Author)
	}
	return list, err
}

var faultyMoves = []faultyStore{
	{"a move takes all versions along", bendMove(func(tx plain.Calls, m store.FileMove) error {
		m.Above = 0
		return tx.MoveFile(m)
	}), []string{"Moves/Above"}},
	{"a move prunes nothing", bendMove(func(tx plain.Calls, m store.FileMove) error {
		m.Prune = 0
		return tx.MoveFile(m)
	}), []string{"Moves/Prune"}},
	{"a move copies", bendMove(moveCopies), []string{"Moves/VersionsGoAlong"}},
	{"a move takes no version along", bendMove(func(tx plain.Calls, m store.FileMove) error {
		m.Above = m.From.Version
		return tx.MoveFile(m)
	}), []string{"Moves/VersionsGoAlong", "Moves/Chain", "Moves/OthersStay"}},
	{"moved versions get another author", bendMove(moveAs(func(v, last store.Version) store.Version { v.Author = last.Author; return v })), []string{"Moves/VersionsGoAlong", "Moves/Chain", "Moves/Authors"}},
	{"moved versions get another time", bendMove(moveAs(func(v, last store.Version) store.Version { v.Time = last.Time; return v })), []string{"Moves/VersionsGoAlong", "Moves/Authors"}},
	{"moved versions lose their content", bendMove(moveAs(func(v, _ store.Version) store.Version { v.Content = nil; return v })), []string{"Moves/VersionsGoAlong", "Moves/Chain"}},
	{"a move forgets what authors have after NUL", bendMove(moveAs(func(v, _ store.Version) store.Version { v.Author.Key = cutText(v.Author.Key); return v })), []string{"Moves/Authors"}},
	{"a move takes summaries along", bendMove(moveKeepsSummaries), []string{"Moves/Summaries"}},
	{"a move adds no row", bendMove(func(tx plain.Calls, m store.FileMove) error {
		m.Change = store.Change{}
		return tx.MoveFile(m)
	}), []string{"Moves/Saved", "Model"}},
	{"a move does not save the owner's state", bendMove(func(tx plain.Calls, m store.FileMove) error {
		m.Owner, _ = tx.Owner()
		return tx.MoveFile(m)
	}), []string{"Moves/Saved"}},
	{"a move does not save the old path", bendMove(func(tx plain.Calls, m store.FileMove) error {
		old, _, _ := tx.File(m.From.Path)
		old.Sizes = nil
		m.From = old
		return tx.MoveFile(m)
	}), []string{"Moves/VersionsGoAlong", "Moves/Above", "Moves/ToDeleted"}},
	{"a path that was used is never moved to", bendMove(func(tx plain.Calls, m store.FileMove) error {
		if old, _, _ := tx.File(m.To.Path); old.Version > 0 {
			return errors.New("it was used before")
		}
		return tx.MoveFile(m)
	}), []string{"Moves/ToDeleted", "Moves/Chain"}},
	{"a move takes the log of the path along", bendMove(func(tx plain.Calls, m store.FileMove) error {
		_, state, _ := tx.Log(m.From.Path)
		return errors.Join(tx.SaveLog(store.LogChange{Head: store.LogHead{Path: m.From.Path, First: 2, Last: 1, Deleted: true}, Prune: 1 << 62, Owner: state}), tx.MoveFile(m))
	}), []string{"Moves/OthersStay"}},
	{"a move forgets summaries by prefix", bendMove(func(tx plain.Calls, m store.FileMove) error {
		heads, err := tx.Files(m.From.Path, m.From.Path, 10)
		for _, h := range heads {
			err = errors.Join(err, tx.SaveFile(store.FileChange{Head: h, Forget: true}))
		}
		return errors.Join(err, tx.MoveFile(m))
	}), []string{"Moves/OthersStay"}},
}

type bentMove struct {
	plain.Calls
	with func(plain.Calls, store.FileMove) error
}

func (tx bentMove) MoveFile(m store.FileMove) error { return tx.with(tx.Calls, m) }

func bendMove(with func(plain.Calls, store.FileMove) error) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentMove{tx, with} })
}

// retainedOf returns the retained versions of a file, with content.
func retainedOf(tx plain.Calls, path string) (list []store.Version) {
	versions, _ := tx.Versions(path)
	for _, v := range versions {
		whole, _ := tx.Version(path, v.Number)
		list = append(list, whole)
	}
	return list
}

// moveCopies leaves the versions at the old path too.
func moveCopies(tx plain.Calls, m store.FileMove) error {
	versions := retainedOf(tx, m.From.Path)
	if err := tx.MoveFile(m); err != nil {
		return err
	}
	for i := range versions {
		if err := tx.SaveFile(store.FileChange{Head: m.From, New: &versions[i], Owner: m.Owner}); err != nil {
			return err
		}
	}
	return nil
}

// moveAs writes the versions again instead of moving them.
func moveAs(with func(v, last store.Version) store.Version) func(plain.Calls, store.FileMove) error {
	return func(tx plain.Calls, m store.FileMove) error {
		versions := retainedOf(tx, m.From.Path)
		if err := tx.SaveFile(store.FileChange{Head: m.From, Prune: m.From.Version, Forget: true, Owner: m.Owner}); err != nil {
			return err
		}
		for _, v := range versions {
			if v.Number <= max(m.Above, m.Prune) {
				continue
			}
			v = with(v, m.New)
			if err := tx.SaveFile(store.FileChange{Head: m.To, New: &v, Owner: m.Owner}); err != nil {
				return err
			}
		}
		return tx.SaveFile(store.FileChange{Head: m.To, New: &m.New, Change: m.Change, Owner: m.Owner})
	}
}

func moveKeepsSummaries(tx plain.Calls, m store.FileMove) error {
	made, err := dumpSummaries(plain.Join(tx), m.From.Path, m.From.Version)
	if err := errors.Join(err, tx.MoveFile(m)); err != nil {
		return err
	}
	for _, s := range made {
		if err := tx.SaveSummary(store.SummaryChange{Head: m.To, New: s, Owner: m.Owner}); err != nil {
			return err
		}
	}
	return nil
}
