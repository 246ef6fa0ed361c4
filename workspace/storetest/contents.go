package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// fill gives an owner some of everything. All of the content has the tag.
func fill(tx store.Tx, tag string) error {
	return errors.Join(
		write(tx, 1, "plan.md", tag+" 1"),
		write(tx, 2, "plan.md", tag+" 22"),
		write(tx, 3, "plan.md", tag+" 333"),
		write(tx, 4, "plan.md", tag+" 4444"),
		redact(tx, 4, "plan.md", 2),
		write(tx, 5, "src/a.go", tag+"\x00after NUL"),
		write(tx, 6, "src/b.go", ""),
		write(tx, 7, "gone", tag+" gone"),
		remove(tx, 8, "gone"),
		write(tx, 9, "gone too", tag),
		remove(tx, 10, "gone too"),
		add(tx, 11, "plan.md", tag+" first", tag+" second\x00", ""),
		add(tx, 12, "src/log", tag),
		add(tx, 13, "gone", tag+" gone", tag),
		drop(tx, 14, "gone"),
		keepRequest(tx, 15, "key 1"),
		keepRequest(tx, 16, "key 2"),
		summarise(tx, 17, "plan.md", 0, tag+" outline"),
		summarise(tx, 18, "plan.md", 1, tag+" summary\x00"),
		summarise(tx, 19, "src/a.go", 2, tag+" summary"),
	)
}

// fillDeleted gives an owner deleted files that retain versions: back with two lives and a gap
// between its numbers, held with a redacted version, and what a move left. A log has a redacted
// entry.
func fillDeleted(tx store.Tx, tag string) error {
	return errors.Join(
		write(tx, 51, "back", tag+" 1"),
		retire(tx, 52, "back"),
		write(tx, 53, "far", tag+" 1"), write(tx, 53, "far", tag+" 2"), write(tx, 54, "far", tag+" 333"),
		moveKeeping(tx, 55, "far", "back"),
		bringBack(tx, 56, "back", 1),
		retire(tx, 57, "back"),
		write(tx, 58, "held", tag), write(tx, 59, "held", tag+" 22"),
		retire(tx, 60, "held"),
		redact(tx, 61, "held", 0),
		add(tx, 62, "told", tag, tag+" 22", tag),
		redactEntry(tx, 63, "told", 1),
	)
}

// spoil changes some of everything that fill has made, and adds some more.
func spoil(tx store.Tx) error {
	if err := errors.Join(
		summarise(tx, 20, "plan.md", 1, "spoiled"),
		summarise(tx, 20, "src/b.go", 1, "spoiled"),
		write(tx, 20, "plan.md", "spoiled"),
		redact(tx, 20, "plan.md", 1),
		write(tx, 21, "new", "spoiled"),
		write(tx, 22, "gone", "spoiled"),
		remove(tx, 23, "src/a.go"),
		add(tx, 24, "plan.md", "spoiled"),
		add(tx, 25, "new", "spoiled"),
		drop(tx, 26, "src/log"),
		keepRequest(tx, 27, "key 1"),
		keepRequest(tx, 28, "new"),
		move(tx, 29, "src/b.go", "src/moved"),
		dropChanges(tx, 3),
	); err != nil {
		return err
	}
	_, err1 := tx.ForgetDeleted(store.KindFile, 1)
	_, err2 := tx.ForgetDeleted(store.KindLog, 1)
	err3 := tx.Forget(store.Old{Requests: 1, DueBefore: at(17), DueAfter: at(100)})
	state, err4 := tx.Owner()
	state = store.OwnerState{FileFloor: 99, Requests: state.Requests, Revision: state.Revision, Changes: state.Changes}
	return errors.Join(err1, err2, err3, err4, tx.Apply(state))
}

// contents is what a Reader shows of an owner.
type contents struct {
	State    store.OwnerState
	Files    []store.FileHead
	Authored []store.File
	Currents []store.File
	Deleted  store.Scanned
	Logs     []store.LogHead
	File     []file
	Log      []log
	Requests []store.Request
	Changes  []store.Change
}

type file struct {
	Head     store.FileHead
	Current  store.Version
	Versions []store.Version
	Retained []store.Version // with content
	Made     []store.Summary
}

type log struct {
	Head    store.LogHead
	Entries []store.Entry
	Tail    []store.Entry
}

// everything returns what the lists show, and what is under the paths and keys that fill
// and spoil use.
func everything(r store.Reader) (contents, error) {
	return contentsOf(r,
		[]string{"plan.md", "src/a.go", "src/b.go", "src/log", "gone", "gone too", "new", "src/moved", "back", "held"},
		[]string{"key 1", "key 2", "new"})
}

// contentsOf returns what the lists show, and what is under some paths and keys.
func contentsOf(r store.Reader, paths, keys []string) (c contents, err error) {
	var errs [7]error
	c.State, errs[0] = r.Owner()
	c.Files, errs[1] = plain.Read(r).Files("", "", 1000)
	c.Authored, errs[2] = plain.Read(r).AuthoredFiles("", "", 1000)
	c.Currents, errs[3] = currents(r, "", "", 1000)
	c.Logs, errs[4] = plain.Read(r).Logs("", "", 1000)
	c.Changes, errs[5] = r.Changes(0, 1000)
	c.Deleted, errs[6] = r.Scan(store.ScanQuery{Kind: store.KindFile, Deleted: true, Limit: 1000})
	if err := errors.Join(errs[:]...); err != nil {
		return c, err
	}
	for _, path := range paths {
		f, err := dumpFile(r, path, c.State)
		if err != nil {
			return c, err
		}
		l, err := dumpLog(r, path, c.State)
		if err != nil {
			return c, err
		}
		c.File, c.Log = append(c.File, f), append(c.Log, l)
	}
	for _, key := range keys {
		q, err := plain.Read(r).Request(key)
		switch {
		case err == nil:
			c.Requests = append(c.Requests, q)
		case !errors.Is(err, store.ErrNotFound):
			return c, err
		}
	}
	return c, nil
}

func dumpFile(r store.Reader, path string, state store.OwnerState) (f file, err error) {
	head, beside, err := plain.Read(r).File(path)
	if err != nil {
		return f, err
	}
	if beside != state {
		return f, fmt.Errorf("File(%q) gives the owner's state %+v, Owner() %+v", path, beside, state)
	}
	if f.Head, f.Current, err = plain.Read(r).Current(path); err != nil {
		return f, err
	}
	if !slices.Equal(head.Sizes, f.Head.Sizes) || head.Version != f.Head.Version || head.Deleted != f.Head.Deleted {
		return f, fmt.Errorf("File(%q) gives the head %+v, Current %+v", path, head, f.Head)
	}
	if f.Versions, err = plain.Read(r).Versions(path); err != nil {
		return f, err
	}
	for _, v := range f.Versions {
		whole, err := plain.Read(r).Version(path, v.Number)
		if err != nil {
			return f, err
		}
		f.Retained = append(f.Retained, whole)
	}
	f.Made, err = dumpSummaries(r, path, head.Version)
	return f, err
}

// dumpSummaries returns the summaries of the last versions, and of the first versions,
// which another file may have.
func dumpSummaries(r store.Reader, path string, last int64) (made []store.Summary, err error) {
	for n := max(1, last-retained); n <= max(last, retained+1); n++ {
		for _, k := range summaryKeys(n) {
			s, err := plain.Read(r).Summary(path, k)
			switch {
			case err == nil:
				made = append(made, s)
			case !errors.Is(err, store.ErrNotFound):
				return nil, err
			}
		}
	}
	return made, nil
}

func dumpLog(r store.Reader, path string, state store.OwnerState) (l log, err error) {
	head, beside, err := plain.Read(r).Log(path)
	if err != nil {
		return l, err
	}
	if beside != state {
		return l, fmt.Errorf("Log(%q) gives the owner's state %+v, Owner() %+v", path, beside, state)
	}
	l.Head = head
	if l.Entries, err = r.Entries(path, store.EntryQuery{}); err != nil {
		return l, err
	}
	l.Tail, err = r.Entries(path, store.EntryQuery{Tail: true, Limit: 2})
	return l, err
}
