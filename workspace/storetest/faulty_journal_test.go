package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// faultyPorts are more of faultyStores: the journal of changes, moves, Load, the lists of
// owners and records, and Watch.
var faultyPorts = slices.Concat(faultyJournals, faultyMoves, faultyLoads, faultyOwners, faultyWatches)

var faultyJournals = []faultyStore{
	{"rows come the newest first", bendRows(func(rows []workspace.Change) []workspace.Change { slices.Reverse(rows); return rows }), []string{"Changes/SavedIsRead", "Changes/Pages"}},
	{"rows begin at the given one", bendChanges(func(tx workspace.Tx, after int64, limit int) ([]workspace.Change, error) {
		return tx.Changes(after-1, limit)
	}), []string{"Changes/Pages", "Changes/Absent"}},
	{"the limit of rows is ignored", bendChanges(func(tx workspace.Tx, after int64, _ int) ([]workspace.Change, error) {
		return tx.Changes(after, 1<<20)
	}), []string{"Changes/Pages"}},
	{"a page of rows is one row short", bendChanges(func(tx workspace.Tx, after int64, limit int) ([]workspace.Change, error) {
		rows, err := tx.Changes(after, limit)
		return rows[:min(len(rows), max(1, limit-1))], err
	}), []string{"Changes/Pages"}},
	{"a row without a revision is kept", bend(func(tx workspace.Tx) workspace.Tx { return rowForAll{tx} }), []string{"Changes/Absent"}},
	{"a row that exists is let be", bend(func(tx workspace.Tx) workspace.Tx { return rowOnce{tx} }), []string{"Changes/RevisionThatExists"}},
	{"logs add no row", bend(func(tx workspace.Tx) workspace.Tx { return noLogRows{tx} }), []string{"Changes/SavedIsRead"}},
	{"the last row to drop stays", bend(func(tx workspace.Tx) workspace.Tx { return drops{tx, -1} }), []string{"Changes/Drop"}},
	{"one row more is dropped", bend(func(tx workspace.Tx) workspace.Tx { return drops{tx, 1} }), []string{"Changes/Drop"}},
	{"rows are everybody's and never undone", sharedRows, []string{"Isolation/NothingIsSeen", "Changes/OwnersAreApart", "Changes/Undone", "Transactions/Error", "Model"}},
	{"rows and moves outlive an error", updating(keepsOnError), []string{"Changes/Undone", "Moves/Undone"}},
	{"rows and moves outlive a panic", updating(keepsOnPanic), []string{"Changes/Undone", "Moves/Undone"}},
	{"the path before a move is forgotten", bendRow(func(c *workspace.Change) { c.From = "" }), []string{"Changes/SavedIsRead", "Moves/Saved"}},
	{"the kind of a row is forgotten", bendRow(func(c *workspace.Change) { c.Kind = workspace.KindFile }), []string{"Changes/SavedIsRead"}},
	{"the count of entries is forgotten", bendRow(func(c *workspace.Change) { c.Entries = 0 }), []string{"Changes/SavedIsRead"}},
	{"sessions are forgotten", bendRow(func(c *workspace.Change) { c.Author.Session = "" }), []string{"Changes/Authors", "Changes/SessionIsOnlyHere"}},
	{"sessions end at NUL", bendRow(func(c *workspace.Change) { c.Author.Session = cutText(c.Author.Session) }), []string{"Changes/Authors"}},
	{"authors of rows end at NUL", bendRow(func(c *workspace.Change) { c.Author.Version = cutText(c.Author.Version) }), []string{"Changes/Authors"}},
	{"authors of rows are cut at 255 bytes", bendRow(func(c *workspace.Change) { c.Author.Key = c.Author.Key[:min(255, len(c.Author.Key))] }), []string{"Changes/Authors"}},
	{"rows have times of seconds", bendRow(func(c *workspace.Change) { c.Time = c.Time.Truncate(time.Second) }), []string{"Changes/Times"}},
	{"numbers of rows are floats", bendRow(func(c *workspace.Change) { c.Before, c.After = int64(float64(c.Before)), int64(float64(c.After)) }), []string{"Changes/Numbers"}},
	{"rows are shared", sharesRows, []string{"Changes/ResultsAreOwn"}},
	{"a version keeps a session", bendVersion(func(a workspace.Author) workspace.Author { a.Session = "session"; return a }), []string{"Changes/SessionIsOnlyHere"}},
	{"an entry keeps a session", bendEntry(func(a workspace.Author) workspace.Author { a.Session = "session"; return a }), []string{"Changes/SessionIsOnlyHere"}},
	{"the author of a version ends at NUL", bendVersion(func(a workspace.Author) workspace.Author { a.Client = cutText(a.Client); return a }), []string{"Files/Authors", "Moves/Authors"}},
	{"the author of an entry ends at NUL", bendEntry(func(a workspace.Author) workspace.Author { a.Key = cutText(a.Key); return a }), []string{"Logs/Authors"}},
}

func cutText(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// bentChanges replaces Changes.
type bentChanges struct {
	workspace.Tx
	with func(tx workspace.Tx, after int64, limit int) ([]workspace.Change, error)
}

func (tx bentChanges) Changes(after int64, limit int) ([]workspace.Change, error) {
	return tx.with(tx.Tx, after, limit)
}

func bendChanges(with func(tx workspace.Tx, after int64, limit int) ([]workspace.Change, error)) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return bentChanges{tx, with} })
}

func bendRows(with func([]workspace.Change) []workspace.Change) func(workspace.Store) workspace.Store {
	return bendChanges(func(tx workspace.Tx, after int64, limit int) ([]workspace.Change, error) {
		rows, err := tx.Changes(after, limit)
		return with(rows), err
	})
}

func bendRow(with func(*workspace.Change)) func(workspace.Store) workspace.Store {
	return bendRows(func(rows []workspace.Change) []workspace.Change {
		for i := range rows {
			with(&rows[i])
		}
		return rows
	})
}

type rowForAll struct{ workspace.Tx }

func (tx rowForAll) SaveFile(c workspace.FileChange) error {
	if c.Change.Revision == 0 {
		c.Change = row(1)
	}
	return tx.Tx.SaveFile(c)
}

type rowOnce struct{ workspace.Tx }

func (tx rowOnce) SaveFile(c workspace.FileChange) error {
	if rows, _ := tx.Changes(c.Change.Revision-1, 1); len(rows) > 0 && rows[0].Revision == c.Change.Revision {
		c.Change = workspace.Change{}
	}
	return tx.Tx.SaveFile(c)
}

type noLogRows struct{ workspace.Tx }

func (tx noLogRows) SaveLog(c workspace.LogChange) error {
	c.Change = workspace.Change{}
	return tx.Tx.SaveLog(c)
}

type drops struct {
	workspace.Tx
	more int64
}

func (tx drops) DropChanges(through int64) error { return tx.Tx.DropChanges(through + tx.more) }

func sharedRows(s workspace.Store) workspace.Store {
	all := &rowsOfAll{}
	return bent{s, func(tx workspace.Tx) workspace.Tx { return withRowsOfAll{tx, all} }}
}

type rowsOfAll struct {
	mu   sync.Mutex // guards rows
	rows []workspace.Change
}

func (r *rowsOfAll) add(c *workspace.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Revision > 0 {
		r.rows = append(r.rows, *c)
	}
	*c = workspace.Change{}
}

type withRowsOfAll struct {
	workspace.Tx
	all *rowsOfAll
}

func (tx withRowsOfAll) SaveFile(c workspace.FileChange) error {
	tx.all.add(&c.Change)
	return tx.Tx.SaveFile(c)
}

func (tx withRowsOfAll) SaveLog(c workspace.LogChange) error {
	tx.all.add(&c.Change)
	return tx.Tx.SaveLog(c)
}

func (tx withRowsOfAll) Changes(after int64, limit int) (rows []workspace.Change, err error) {
	tx.all.mu.Lock()
	defer tx.all.mu.Unlock()
	for _, c := range tx.all.rows {
		if c.Revision > after && len(rows) < limit {
			rows = append(rows, c)
		}
	}
	return rows, nil
}

func sharesRows(s workspace.Store) workspace.Store {
	var mu sync.Mutex // guards given
	given := map[string][]workspace.Change{}
	return bendChanges(func(tx workspace.Tx, after int64, limit int) ([]workspace.Change, error) {
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
	workspace.Tx
	with func(workspace.Author) workspace.Author
}

func bendVersion(with func(workspace.Author) workspace.Author) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return bentVersion{tx, with} })
}

func (tx bentVersion) Version(path string, n int64) (workspace.Version, error) {
	v, err := tx.Tx.Version(path, n)
	v.Author = tx.with(v.Author)
	return v, err
}

type bentEntry struct {
	workspace.Tx
	with func(workspace.Author) workspace.Author
}

func bendEntry(with func(workspace.Author) workspace.Author) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return bentEntry{tx, with} })
}

func (tx bentEntry) Entries(path string, q workspace.EntryQuery) ([]workspace.Entry, error) {
	list, err := tx.Tx.Entries(path, q)
	for i := range list {
		list[i].Author = tx.with(list[i].Author)
	}
	return list, err
}

var faultyMoves = []faultyStore{
	{"a move takes all versions along", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		m.Above = 0
		return tx.MoveFile(m)
	}), []string{"Moves/Above"}},
	{"a move prunes nothing", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		m.Prune = 0
		return tx.MoveFile(m)
	}), []string{"Moves/Prune"}},
	{"a move copies", bendMove(moveCopies), []string{"Moves/VersionsGoAlong"}},
	{"a move takes no version along", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		m.Above = m.From.Version
		return tx.MoveFile(m)
	}), []string{"Moves/VersionsGoAlong", "Moves/Chain", "Moves/OthersStay"}},
	{"moved versions get another author", bendMove(moveAs(func(v, last workspace.Version) workspace.Version { v.Author = last.Author; return v })), []string{"Moves/VersionsGoAlong", "Moves/Chain", "Moves/Authors"}},
	{"moved versions get another time", bendMove(moveAs(func(v, last workspace.Version) workspace.Version { v.Time = last.Time; return v })), []string{"Moves/VersionsGoAlong", "Moves/Authors"}},
	{"moved versions lose their content", bendMove(moveAs(func(v, _ workspace.Version) workspace.Version { v.Content = nil; return v })), []string{"Moves/VersionsGoAlong", "Moves/Chain"}},
	{"a move forgets what authors have after NUL", bendMove(moveAs(func(v, _ workspace.Version) workspace.Version { v.Author.Key = cutText(v.Author.Key); return v })), []string{"Moves/Authors"}},
	{"a move takes summaries along", bendMove(moveKeepsSummaries), []string{"Moves/Summaries"}},
	{"a move adds no row", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		m.Change = workspace.Change{}
		return tx.MoveFile(m)
	}), []string{"Moves/Saved", "Model"}},
	{"a move does not save the owner's state", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		m.Owner, _ = tx.Owner()
		return tx.MoveFile(m)
	}), []string{"Moves/Saved"}},
	{"a move does not save the old path", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		old, _, _ := tx.File(m.From.Path)
		old.Sizes = nil
		m.From = old
		return tx.MoveFile(m)
	}), []string{"Moves/VersionsGoAlong", "Moves/Above", "Moves/ToDeleted"}},
	{"a path that was used is never moved to", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		if old, _, _ := tx.File(m.To.Path); old.Version > 0 {
			return errors.New("it was used before")
		}
		return tx.MoveFile(m)
	}), []string{"Moves/ToDeleted", "Moves/Chain"}},
	{"a move takes the log of the path along", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		_, state, _ := tx.Log(m.From.Path)
		return errors.Join(tx.SaveLog(workspace.LogChange{Head: workspace.LogHead{Path: m.From.Path, First: 2, Last: 1, Deleted: true}, Prune: 1 << 62, Owner: state}), tx.MoveFile(m))
	}), []string{"Moves/OthersStay"}},
	{"a move forgets summaries by prefix", bendMove(func(tx workspace.Tx, m workspace.FileMove) error {
		heads, err := tx.Files(m.From.Path, m.From.Path, 10)
		for _, h := range heads {
			err = errors.Join(err, tx.SaveFile(workspace.FileChange{Head: h, Forget: true}))
		}
		return errors.Join(err, tx.MoveFile(m))
	}), []string{"Moves/OthersStay"}},
}

type bentMove struct {
	workspace.Tx
	with func(workspace.Tx, workspace.FileMove) error
}

func (tx bentMove) MoveFile(m workspace.FileMove) error { return tx.with(tx.Tx, m) }

func bendMove(with func(workspace.Tx, workspace.FileMove) error) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return bentMove{tx, with} })
}

// retainedOf returns the retained versions of a file, with content.
func retainedOf(tx workspace.Tx, path string) (list []workspace.Version) {
	versions, _ := tx.Versions(path)
	for _, v := range versions {
		whole, _ := tx.Version(path, v.Number)
		list = append(list, whole)
	}
	return list
}

// moveCopies leaves the versions at the old path too.
func moveCopies(tx workspace.Tx, m workspace.FileMove) error {
	versions := retainedOf(tx, m.From.Path)
	if err := tx.MoveFile(m); err != nil {
		return err
	}
	for i := range versions {
		if err := tx.SaveFile(workspace.FileChange{Head: m.From, New: &versions[i], Owner: m.Owner}); err != nil {
			return err
		}
	}
	return nil
}

// moveAs writes the versions again instead of moving them.
func moveAs(with func(v, last workspace.Version) workspace.Version) func(workspace.Tx, workspace.FileMove) error {
	return func(tx workspace.Tx, m workspace.FileMove) error {
		versions := retainedOf(tx, m.From.Path)
		if err := tx.SaveFile(workspace.FileChange{Head: m.From, Prune: m.From.Version, Forget: true, Owner: m.Owner}); err != nil {
			return err
		}
		for _, v := range versions {
			if v.Number <= max(m.Above, m.Prune) {
				continue
			}
			v = with(v, m.New)
			if err := tx.SaveFile(workspace.FileChange{Head: m.To, New: &v, Owner: m.Owner}); err != nil {
				return err
			}
		}
		return tx.SaveFile(workspace.FileChange{Head: m.To, New: &m.New, Change: m.Change, Owner: m.Owner})
	}
}

func moveKeepsSummaries(tx workspace.Tx, m workspace.FileMove) error {
	made, err := dumpSummaries(tx, m.From.Path, m.From.Version)
	if err := errors.Join(err, tx.MoveFile(m)); err != nil {
		return err
	}
	for _, s := range made {
		if err := tx.SaveSummary(workspace.SummaryChange{Head: m.To, New: s, Owner: m.Owner}); err != nil {
			return err
		}
	}
	return nil
}
