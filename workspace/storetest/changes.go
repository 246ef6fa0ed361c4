package storetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// The functions in this file do with a Tx what the workspace does, so that a backend
// gets such records as it will get in use.

var (
	alice = store.Owner{Tenant: "local", Agent: "alice"}
	bob   = store.Owner{Tenant: "local", Agent: "bob"}
)

const retained = 3 // versions of a file

// at returns the n-th moment of a check, to the microsecond.
func at(n int) time.Time {
	return time.Date(2026, 11, 21, 4, 50, 0, 123456000, time.UTC).Add(time.Duration(n) * 1000001 * time.Microsecond)
}

func author(n int) store.Author {
	return store.Author{Client: fmt.Sprintf("client %d", n), Version: "1.0", Key: "key"}
}

// project returns the project of a version of a moment.
func project(moment int) string { return []string{"", "shop", "'\"\x00\u00e9"}[moment%3] }

func version(n int64, moment int, content string) store.Version {
	return store.Version{
		Number: n, Size: int64(len(content)), SHA256: sha256.Sum256([]byte(content)),
		Author: author(moment), Time: at(moment), Content: []byte(content),
		Project: project(moment),
	}
}

func entry(id int64, moment int, content string) store.Entry {
	return store.Entry{
		ID: id, SHA256: sha256.Sum256([]byte(content)),
		Author: author(moment), Time: at(moment), Content: []byte(content),
	}
}

// change gives the owner's journal one more row.
func change(state *store.OwnerState, moment int, c store.Change) store.Change {
	state.Revision++
	state.Changes++
	c.Revision, c.Author, c.Time = state.Revision, author(moment), at(moment)
	c.Author.Session = fmt.Sprintf("session %d", moment)
	return c
}

// opFor returns what the write of a file is called.
func opFor(exists bool) store.ChangeOp {
	if exists {
		return store.OpEdit
	}
	return store.OpCreate
}

// silent is a Tx that adds no row to the journal.
type silent struct{ store.Tx }

func (tx silent) Apply(w store.Write) error {
	if c, ok := w.(store.FileChange); ok {
		c.Change = store.Change{}
		w = c
	}
	return tx.Tx.Apply(w)
}

// write stores the next version of a file.
func write(tx store.Tx, moment int, path, content string) error {
	head, state, err := plain.Read(tx).File(path)
	if err != nil {
		return err
	}
	row := store.Change{Op: opFor(head.Exists()), Kind: store.KindFile, Path: path, Before: head.Version}
	if !head.Exists() {
		if head.Deleted {
			state.DeletedFiles--
		}
		state.Files++
		row.Before = 0
		head = store.FileHead{Path: path, Version: max(head.Version, state.FileFloor), Created: at(moment)}
	}
	head.Version++
	head.Updated = at(moment)
	head.Sizes = append(head.Sizes, int64(len(content)))
	state.Bytes += int64(len(content))
	state.Versions++
	state.Operations++
	c := store.FileChange{New: new(version(head.Version, moment, content)), Forget: head.Summary > 0}
	state.Bytes -= head.Summary
	head.Summary = 0
	if len(head.Sizes) > retained {
		state.Bytes -= head.Sizes[0]
		state.Versions--
		head.Sizes = head.Sizes[1:]
		c.Prune = head.Oldest() - 1
	}
	row.After = head.Version
	c.Change = change(&state, moment, row)
	c.Head, c.Owner = head, state
	return tx.Apply(c)
}

// move moves a file to a path where none is. Its versions go along if the number of the
// new one is next to them.
func move(tx store.Tx, moment int, path, to string) error {
	from, _, err := plain.Read(tx).File(path)
	if err != nil || !from.Exists() {
		return err
	}
	_, current, err := plain.Read(tx).Current(path)
	if err != nil {
		return err
	}
	target, state, err := plain.Read(tx).File(to)
	if err != nil || target.Exists() {
		return err
	}
	if target.Deleted {
		state.DeletedFiles--
	}
	state.DeletedFiles++
	m := store.FileMove{New: current, Above: from.Oldest() - 1, Forget: from.Summary > 0}
	m.To = store.FileHead{Path: to, Version: max(from.Version, target.Version, state.FileFloor) + 1, Sizes: from.Sizes,
		Created: from.Created, Updated: at(moment)}
	m.New.Number, m.New.Author, m.New.Time = m.To.Version, author(moment), at(moment)
	m.New.Project = project(moment)
	if m.To.Version != from.Version+1 {
		m.Above, m.To.Sizes = from.Version, nil
	}
	m.To.Sizes = append(m.To.Sizes, current.Size)
	if len(m.To.Sizes) > retained {
		m.To.Sizes = m.To.Sizes[1:]
		m.Prune = m.To.Oldest() - 1
	}
	for _, size := range from.Sizes {
		state.Bytes -= size
	}
	for _, size := range m.To.Sizes {
		state.Bytes += size
	}
	state.Versions += int64(len(m.To.Sizes) - len(from.Sizes))
	state.Bytes -= from.Summary
	state.Operations++
	m.Change = change(&state, moment, store.Change{
		Op: store.OpMove, Kind: store.KindFile, Path: to, From: path, Before: from.Version, After: m.To.Version,
	})
	m.From = store.FileHead{Path: path, Version: from.Version, Deleted: true, Created: from.Created,
		Updated: at(moment)}
	m.Owner = state
	return tx.Apply(m)
}

// remove deletes a file.
func remove(tx store.Tx, moment int, path string) error {
	head, state, err := plain.Read(tx).File(path)
	if err != nil || !head.Exists() {
		return err
	}
	for _, size := range head.Sizes {
		state.Bytes -= size
	}
	state.Bytes -= head.Summary
	state.Versions -= int64(len(head.Sizes))
	state.Files--
	state.DeletedFiles++
	state.Operations++
	c := store.FileChange{Prune: head.Version, Forget: head.Summary > 0}
	c.Change = change(&state, moment, store.Change{Op: store.OpDelete, Kind: store.KindFile, Path: path,
		Before: head.Version})
	head.Sizes, head.Summary, head.Deleted, head.Updated = nil, 0, true, at(moment)
	c.Head, c.Owner = head, state
	return tx.Apply(c)
}

// summaryKeys are the keys under which fill, spoil and the model keep summaries of a
// version.
func summaryKeys(n int64) []store.SummaryKey {
	return []store.SummaryKey{
		{Version: n, Method: "outline", Prompt: "1"},
		{Version: n, Method: "anthropic", Model: "model", Prompt: "1"},
		{Version: n, Method: "anthropic", Model: "model", Prompt: "2"},
	}
}

func summary(k store.SummaryKey, moment int, content string) store.Summary {
	return store.Summary{
		SummaryKey: k, SHA256: sha256.Sum256([]byte(content)), Tokens: int64(moment) +
			1, Time: at(moment), Content: []byte(content),
	}
}

// summarise keeps a summary of a file's current version, under the n-th key.
func summarise(tx store.Tx, moment int, path string, n int, content string) error {
	head, state, err := plain.Read(tx).File(path)
	if err != nil || !head.Exists() {
		return err
	}
	k := summaryKeys(head.Version)[n]
	size := int64(len(content))
	switch old, err := plain.Read(tx).Summary(path, k); {
	case err == nil:
		size -= int64(len(old.Content))
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	head.Summary += size
	state.Bytes += size
	return tx.Apply(store.SummaryChange{Head: head, New: summary(k, moment, content), Owner: state})
}

// add appends entries to a log.
func add(tx store.Tx, moment int, path string, contents ...string) error {
	head, state, err := plain.Read(tx).Log(path)
	if err != nil {
		return err
	}
	row := store.Change{Op: store.OpAppend, Kind: store.KindLog, Path: path, Before: head.Last,
		Entries: int64(len(contents))}
	if !head.Exists() {
		row.Before = 0
		if head.Deleted {
			state.DeletedLogs--
		}
		state.Logs++
		last := max(head.Last, state.LogFloor)
		head = store.LogHead{Path: path, First: last + 1, Last: last, Created: at(moment)}
	}
	c := store.LogChange{}
	for _, content := range contents {
		head.Last++
		head.Bytes += int64(len(content))
		state.Bytes += int64(len(content))
		c.New = append(c.New, entry(head.Last, moment, content))
	}
	head.Updated = at(moment)
	state.Entries += int64(len(contents))
	state.Operations++
	row.After = head.Last
	c.Change = change(&state, moment, row)
	c.Head, c.Owner = head, state
	return tx.Apply(c)
}

// drop deletes a log.
func drop(tx store.Tx, moment int, path string) error {
	head, state, err := plain.Read(tx).Log(path)
	if err != nil || !head.Exists() {
		return err
	}
	state.Logs--
	state.DeletedLogs++
	state.Entries -= head.Entries()
	state.Bytes -= head.Bytes
	state.Operations++
	row := change(&state, moment, store.Change{Op: store.OpDelete, Kind: store.KindLog, Path: path, Before: head.Last})
	head.First, head.Bytes, head.Deleted, head.Updated = head.Last+1, 0, true, at(moment)
	return tx.Apply(store.LogChange{Head: head, Prune: head.Last, Change: row, Owner: state})
}

// trim removes the n oldest entries of a log, or all if there are fewer.
func trim(tx store.Tx, moment int, path string, n int) error {
	head, state, err := plain.Read(tx).Log(path)
	if err != nil || !head.Exists() || n == 0 {
		return err
	}
	through := min(head.First+int64(n)-1, head.Last)
	size, err := plain.Read(tx).EntryBytes(path, through)
	if err != nil {
		return err
	}
	state.Entries -= through - head.First + 1
	state.Bytes -= size
	state.Operations++
	row := change(&state, moment, store.Change{Op: store.OpTrim, Kind: store.KindLog, Path: path, Before: head.Last,
		After: head.Last})
	head.First, head.Bytes, head.Updated = through+1, head.Bytes-size, at(moment)
	return tx.Apply(store.LogChange{Head: head, Prune: through, Change: row, Owner: state})
}

// dropChanges removes the n oldest rows of the journal, or all if there are fewer.
func dropChanges(tx store.Tx, n int) error {
	state, err := tx.Owner()
	if err != nil {
		return err
	}
	drop := min(int64(n), state.Changes)
	oldest := state.Revision - state.Changes
	state.Changes -= drop
	return errors.Join(tx.Forget(store.Old{Changes: oldest + drop}), tx.Apply(state))
}

// keepRequest keeps a request.
func keepRequest(tx store.Tx, moment int, key string) error {
	state, err := tx.Owner()
	if err != nil {
		return err
	}
	state.Requests++
	if err := tx.Apply(request(moment, key)); err != nil {
		return err
	}
	return tx.Apply(state)
}

func request(moment int, key string) store.Request {
	return store.Request{
		Key: key, Hash: sha256.Sum256([]byte(key)), Time: at(moment),
		Outcome: store.Outcome{Number: int64(moment) + 1, Count: 2, Bytes: 3},
	}
}
