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
	return save(tx, moment, path, content, 0)
}

// bringBack stores the content of version n again, if it is retained and has its content.
func bringBack(tx store.Tx, moment int, path string, n int64) error {
	v, err := plain.Read(tx).Version(path, n)
	if errors.Is(err, store.ErrNotFound) || v.Redacted != nil {
		return nil
	}
	return errors.Join(err, save(tx, moment, path, string(v.Content), n))
}

// save stores the next version of a file. from is the version that it brings back, 0: none.
func save(tx store.Tx, moment int, path, content string, from int64) error {
	head, state, err := plain.Read(tx).File(path)
	if err != nil {
		return err
	}
	row := store.Change{Op: opFor(head.Exists()), Kind: store.KindFile, Path: path, Before: head.Version}
	next, created, was := head.Version+1, head.Created, head
	if !head.Exists() {
		if head.Deleted {
			state.DeletedFiles--
		}
		state.Files++
		row.Before = 0
		next, created = max(head.Version, state.FileFloor)+1, at(moment)
		head.Deleted, head.Deleter, head.Expires = false, store.Author{}, time.Time{}
	}
	if from != 0 {
		row.Op, created = store.OpRestore, head.CreatedOf(from)
	}
	head.Keep(next, int64(len(content)), created)
	head.Updated = at(moment)
	state.Bytes += int64(len(content))
	state.Versions++
	state.Operations++
	c := store.FileChange{New: new(version(head.Version, moment, content)), Forget: head.Summary > 0}
	state.Bytes -= head.Summary
	head.Summary = 0
	if len(head.Sizes) > retained {
		state.Bytes -= head.Sizes[0]
		state.Versions--
		c.Prune = head.Oldest()
		head.Retain(func(n int64) bool { return n > c.Prune })
	}
	if was.Deleted && len(was.Sizes) > 0 {
		if err := countDeleted(tx, &state, head); err != nil {
			return err
		}
	}
	row.After = head.Version
	c.Change = change(&state, moment, row)
	c.Head, c.Owner = head, state
	return tx.Apply(c)
}

// countDeleted counts the deleted files that retain versions, after heads were stored.
func countDeleted(tx store.Tx, state *store.OwnerState, heads ...store.FileHead) error {
	page, err := tx.Scan(store.ScanQuery{Kind: store.KindFile, Deleted: true, Limit: 1000})
	all := map[string]store.FileHead{}
	for _, f := range page.Files {
		all[f.Path] = f.FileHead
	}
	state.Restorable, state.DeletedBytes, state.NextExpiry = 0, 0, time.Time{}
	for _, h := range heads {
		all[h.Path] = h
	}
	for _, h := range all {
		if !h.Deleted || len(h.Sizes) == 0 {
			continue
		}
		state.Restorable++
		state.DeletedBytes += h.Kept()
		if state.NextExpiry.IsZero() || h.Expires.Before(state.NextExpiry) {
			state.NextExpiry = h.Expires
		}
	}
	return err
}

// move moves a file to a path where none is. Its versions go along if the number of the
// new one is next to them.
func move(tx store.Tx, moment int, path, to string) error {
	return moveFile(tx, moment, path, to, false)
}

// moveKeeping moves a file, and leaves the versions that cannot go along at its path.
func moveKeeping(tx store.Tx, moment int, path, to string) error {
	return moveFile(tx, moment, path, to, true)
}

func moveFile(tx store.Tx, moment int, path, to string, keep bool) error {
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
	m := store.FileMove{New: current, Above: from.Oldest() - 1, Forget: from.Summary > 0, To: target, From: from}
	next := max(from.Version, target.Version, state.FileFloor) + 1
	m.New.Number, m.New.Author, m.New.Time = next, author(moment), at(moment)
	m.New.Project = project(moment)
	switch keep = keep || len(target.Sizes) > 0; {
	case keep:
		m.Above = target.Version
	case next != from.Version+1:
		m.Above = from.Version
	}
	for _, n := range from.Numbers() {
		if n > m.Above {
			m.To.Keep(n, from.SizeOf(n), from.CreatedOf(n))
		}
	}
	m.To.Keep(next, current.Size, from.Created)
	for len(m.To.Sizes) > retained {
		m.Prune = m.To.Oldest()
		m.To.Retain(func(n int64) bool { return n > m.Prune })
	}
	m.To.Deleted, m.To.Deleter, m.To.Expires, m.To.Updated = false, store.Author{}, time.Time{}, at(moment)
	m.From.Retain(func(n int64) bool { return keep && n <= m.Above })
	m.From.Deleted, m.From.Summary, m.From.Updated = true, 0, at(moment)
	if len(m.From.Sizes) > 0 {
		m.From.Deleter, m.From.Expires = author(moment), expiry(moment)
	}
	if keep {
		if err := countDeleted(tx, &state, m.From, m.To); err != nil {
			return err
		}
	}
	state.Bytes += m.To.Kept() + m.From.Kept() - from.Kept() - target.Kept() - from.Summary
	state.Versions += int64(len(m.To.Sizes) + len(m.From.Sizes) - len(from.Sizes) - len(target.Sizes))
	state.Operations++
	m.Change = change(&state, moment, store.Change{
		Op: store.OpMove, Kind: store.KindFile, Path: to, From: path, Before: from.Version, After: m.To.Version,
	})
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
	head.Sizes, head.Runs, head.Summary, head.Deleted, head.Updated = nil, nil, 0, true, at(moment)
	c.Head, c.Owner = head, state
	return tx.Apply(c)
}

// expiry returns until when what is deleted at a moment can be restored. It is not in the order
// of the moments.
func expiry(moment int) time.Time { return at(1000 - moment%7) }

// retire deletes a file, and keeps its versions.
func retire(tx store.Tx, moment int, path string) error {
	head, state, err := plain.Read(tx).File(path)
	if err != nil || !head.Exists() {
		return err
	}
	state.Bytes -= head.Summary
	state.Files--
	state.DeletedFiles++
	state.Operations++
	c := store.FileChange{Forget: head.Summary > 0}
	c.Change = change(&state, moment, store.Change{Op: store.OpDelete, Kind: store.KindFile, Path: path,
		Before: head.Version})
	head.Summary, head.Deleted, head.Updated = 0, true, at(moment)
	head.Deleter, head.Expires = author(moment), expiry(moment)
	if err := countDeleted(tx, &state, head); err != nil {
		return err
	}
	c.Head, c.Owner = head, state
	return tx.Apply(c)
}

// expire removes the versions of a deleted file.
func expire(tx store.Tx, path string) error {
	head, state, err := plain.Read(tx).File(path)
	if err != nil || !head.Deleted || len(head.Sizes) == 0 {
		return err
	}
	state.Bytes -= head.Kept()
	state.Versions -= int64(len(head.Sizes))
	c := store.FileChange{Prune: head.Version, Scrub: true}
	head.Sizes, head.Runs, head.Expires = nil, nil, time.Time{}
	if err := countDeleted(tx, &state, head); err != nil {
		return err
	}
	c.Head, c.Owner = head, state
	return tx.Apply(c)
}

// redactEntry removes the content of the entry that is i after the first one, if it is there and
// has content.
func redactEntry(tx store.Tx, moment int, path string, i int) error {
	head, state, err := plain.Read(tx).Log(path)
	if err != nil || int64(i) >= head.Entries() {
		return err
	}
	list, err := tx.Entries(path, store.EntryQuery{After: head.First + int64(i) - 1, Limit: 1})
	if err != nil || list[0].Redacted != nil {
		return err
	}
	head.Bytes -= int64(len(list[0].Content))
	state.Bytes -= int64(len(list[0].Content))
	state.Operations++
	row := change(&state, moment, store.Change{Op: store.OpRedact, Kind: store.KindLog, Path: path,
		Before: list[0].ID, After: head.Last})
	return tx.Apply(store.EntryRedaction{Head: head, ID: list[0].ID, Redaction: receipt(moment), Change: row,
		Owner: state})
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
