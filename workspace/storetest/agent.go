package storetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// This file does what the workspace does with a Tx, so that the records
// of a check are such as a backend will meet.

var (
	alice = workspace.Owner{Tenant: "local", Agent: "alice"}
	bob   = workspace.Owner{Tenant: "local", Agent: "bob"}
)

const keep = 3 // versions of a file

// at returns the n-th moment of a check, to the microsecond.
func at(n int) time.Time {
	return time.Date(2026, 11, 21, 4, 50, 0, 123456000, time.UTC).Add(time.Duration(n) * 1000001 * time.Microsecond)
}

func author(n int) workspace.Author {
	return workspace.Author{Client: fmt.Sprintf("client %d", n), Version: "1.0", Key: "key"}
}

func version(n int64, moment int, content string) workspace.Version {
	return workspace.Version{
		Number: n, Size: int64(len(content)), SHA256: sha256.Sum256([]byte(content)),
		Author: author(moment), Time: at(moment), Content: []byte(content),
	}
}

func entry(id int64, moment int, content string) workspace.Entry {
	return workspace.Entry{
		ID: id, SHA256: sha256.Sum256([]byte(content)),
		Author: author(moment), Time: at(moment), Content: []byte(content),
	}
}

// write stores the next version of a file.
func write(tx workspace.Tx, moment int, path, content string) error {
	head, state, err := tx.File(path)
	if err != nil {
		return err
	}
	if !head.Exists() {
		if head.Deleted {
			state.DeletedFiles--
		}
		state.Files++
		head = workspace.FileHead{Path: path, Version: max(head.Version, state.FileFloor), Created: at(moment)}
	}
	head.Version++
	head.Updated = at(moment)
	head.Sizes = append(head.Sizes, int64(len(content)))
	state.Bytes += int64(len(content))
	state.Operations++
	c := workspace.FileChange{New: new(version(head.Version, moment, content)), Forget: head.Summary > 0}
	state.Bytes -= head.Summary
	head.Summary = 0
	if len(head.Sizes) > keep {
		state.Bytes -= head.Sizes[0]
		head.Sizes = head.Sizes[1:]
		c.Prune = head.Oldest() - 1
	}
	c.Head, c.Owner = head, state
	return tx.SaveFile(c)
}

// remove deletes a file.
func remove(tx workspace.Tx, moment int, path string) error {
	head, state, err := tx.File(path)
	if err != nil || !head.Exists() {
		return err
	}
	for _, size := range head.Sizes {
		state.Bytes -= size
	}
	state.Bytes -= head.Summary
	state.Files--
	state.DeletedFiles++
	state.Operations++
	c := workspace.FileChange{Prune: head.Version, Forget: head.Summary > 0}
	head.Sizes, head.Summary, head.Deleted, head.Updated = nil, 0, true, at(moment)
	c.Head, c.Owner = head, state
	return tx.SaveFile(c)
}

// summaryKeys are those under which fill, spoil and the model keep summaries of
// a version.
func summaryKeys(n int64) []workspace.SummaryKey {
	return []workspace.SummaryKey{
		{Version: n, Method: "outline", Prompt: "1"},
		{Version: n, Method: "anthropic", Model: "model", Prompt: "1"},
		{Version: n, Method: "anthropic", Model: "model", Prompt: "2"},
	}
}

func summary(k workspace.SummaryKey, moment int, content string) workspace.Summary {
	return workspace.Summary{
		SummaryKey: k, SHA256: sha256.Sum256([]byte(content)), Tokens: int64(moment) + 1, Time: at(moment), Content: []byte(content),
	}
}

// summarise keeps a summary of a file's current version, under the n-th key.
func summarise(tx workspace.Tx, moment int, path string, n int, content string) error {
	head, state, err := tx.File(path)
	if err != nil || !head.Exists() {
		return err
	}
	k := summaryKeys(head.Version)[n]
	size := int64(len(content))
	switch old, err := tx.Summary(path, k); {
	case err == nil:
		size -= int64(len(old.Content))
	case !errors.Is(err, workspace.ErrNotFound):
		return err
	}
	head.Summary += size
	state.Bytes += size
	return tx.SaveSummary(workspace.SummaryChange{Head: head, New: summary(k, moment, content), Owner: state})
}

// add appends entries to a log.
func add(tx workspace.Tx, moment int, path string, contents ...string) error {
	head, state, err := tx.Log(path)
	if err != nil {
		return err
	}
	if !head.Exists() {
		if head.Deleted {
			state.DeletedLogs--
		}
		state.Logs++
		last := max(head.Last, state.LogFloor)
		head = workspace.LogHead{Path: path, First: last + 1, Last: last, Created: at(moment)}
	}
	c := workspace.LogChange{}
	for _, content := range contents {
		head.Last++
		head.Bytes += int64(len(content))
		state.Bytes += int64(len(content))
		c.New = append(c.New, entry(head.Last, moment, content))
	}
	head.Updated = at(moment)
	state.Entries += int64(len(contents))
	state.Operations++
	c.Head, c.Owner = head, state
	return tx.SaveLog(c)
}

// drop deletes a log.
func drop(tx workspace.Tx, moment int, path string) error {
	head, state, err := tx.Log(path)
	if err != nil || !head.Exists() {
		return err
	}
	state.Logs--
	state.DeletedLogs++
	state.Entries -= head.Entries()
	state.Bytes -= head.Bytes
	state.Operations++
	head.First, head.Bytes, head.Deleted, head.Updated = head.Last+1, 0, true, at(moment)
	return tx.SaveLog(workspace.LogChange{Head: head, Prune: head.Last, Owner: state})
}

// trim removes the n oldest entries of a log, or all where it has fewer.
func trim(tx workspace.Tx, moment int, path string, n int) error {
	head, state, err := tx.Log(path)
	if err != nil || !head.Exists() || n == 0 {
		return err
	}
	through := min(head.First+int64(n)-1, head.Last)
	size, err := tx.EntryBytes(path, through)
	if err != nil {
		return err
	}
	state.Entries -= through - head.First + 1
	state.Bytes -= size
	state.Operations++
	head.First, head.Bytes, head.Updated = through+1, head.Bytes-size, at(moment)
	return tx.SaveLog(workspace.LogChange{Head: head, Prune: through, Owner: state})
}

// note keeps a request.
func note(tx workspace.Tx, moment int, key string) error {
	state, err := tx.Owner()
	if err != nil {
		return err
	}
	state.Requests++
	if err := tx.SaveRequest(request(moment, key)); err != nil {
		return err
	}
	return tx.SaveOwner(state)
}

func request(moment int, key string) workspace.Request {
	return workspace.Request{
		Key: key, Hash: sha256.Sum256([]byte(key)), Time: at(moment),
		Outcome: workspace.Outcome{Number: int64(moment) + 1, Count: 2, Bytes: 3},
	}
}

// fill gives an owner some of everything; the tag is in all of its content.
func fill(tx workspace.Tx, tag string) error {
	return errors.Join(
		write(tx, 1, "plan.md", tag+" 1"),
		write(tx, 2, "plan.md", tag+" 22"),
		write(tx, 3, "plan.md", tag+" 333"),
		write(tx, 4, "plan.md", tag+" 4444"),
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
		note(tx, 15, "key 1"),
		note(tx, 16, "key 2"),
		summarise(tx, 17, "plan.md", 0, tag+" outline"),
		summarise(tx, 18, "plan.md", 1, tag+" summary\x00"),
		summarise(tx, 19, "src/a.go", 2, tag+" summary"),
	)
}

// spoil changes some of everything that fill made, and adds some more.
func spoil(tx workspace.Tx) error {
	if err := errors.Join(
		summarise(tx, 20, "plan.md", 1, "spoiled"),
		summarise(tx, 20, "src/b.go", 1, "spoiled"),
		write(tx, 20, "plan.md", "spoiled"),
		write(tx, 21, "new", "spoiled"),
		write(tx, 22, "gone", "spoiled"),
		remove(tx, 23, "src/a.go"),
		add(tx, 24, "plan.md", "spoiled"),
		add(tx, 25, "new", "spoiled"),
		drop(tx, 26, "src/log"),
		note(tx, 27, "key 1"),
		note(tx, 28, "new"),
	); err != nil {
		return err
	}
	_, err1 := tx.FoldFiles(1)
	_, err2 := tx.FoldLogs(1)
	_, err3 := tx.DropRequests(at(17), at(100), 1)
	return errors.Join(err1, err2, err3, tx.SaveOwner(workspace.OwnerState{FileFloor: 99}))
}

// contents is all that an owner has, as far as a Reader tells.
type contents struct {
	State    workspace.OwnerState
	Files    []workspace.FileHead
	Logs     []workspace.LogHead
	File     []file
	Log      []log
	Requests []workspace.Request
}

type file struct {
	Head     workspace.FileHead
	Current  workspace.Version
	Versions []workspace.Version
	Retained []workspace.Version // with content
	Made     []workspace.Summary
}

type log struct {
	Head    workspace.LogHead
	Entries []workspace.Entry
	Tail    []workspace.Entry
}

// everything returns the contents: what the lists show, and what is under the
// names that fill and spoil use.
func everything(r workspace.Reader) (contents, error) {
	return dump(r,
		[]string{"plan.md", "src/a.go", "src/b.go", "src/log", "gone", "gone too", "new"},
		[]string{"key 1", "key 2", "new"})
}

// dump returns the contents as seen in the lists and under some paths and keys.
func dump(r workspace.Reader, paths, keys []string) (c contents, err error) {
	if c.State, err = r.Owner(); err != nil {
		return c, err
	}
	if c.Files, err = r.Files("", "", 1000); err != nil {
		return c, err
	}
	if c.Logs, err = r.Logs("", "", 1000); err != nil {
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
		q, err := r.Request(key)
		switch {
		case err == nil:
			c.Requests = append(c.Requests, q)
		case !errors.Is(err, workspace.ErrNotFound):
			return c, err
		}
	}
	return c, nil
}

func dumpFile(r workspace.Reader, path string, state workspace.OwnerState) (f file, err error) {
	head, beside, err := r.File(path)
	if err != nil {
		return f, err
	}
	if beside != state {
		return f, fmt.Errorf("File(%q) gives the owner's state %+v, Owner() %+v", path, beside, state)
	}
	if f.Head, f.Current, err = r.Current(path); err != nil {
		return f, err
	}
	if !slices.Equal(head.Sizes, f.Head.Sizes) || head.Version != f.Head.Version || head.Deleted != f.Head.Deleted {
		return f, fmt.Errorf("File(%q) gives the head %+v, Current %+v", path, head, f.Head)
	}
	if f.Versions, err = r.Versions(path); err != nil {
		return f, err
	}
	for _, v := range f.Versions {
		whole, err := r.Version(path, v.Number)
		if err != nil {
			return f, err
		}
		f.Retained = append(f.Retained, whole)
	}
	f.Made, err = dumpSummaries(r, path, head.Version)
	return f, err
}

// dumpSummaries returns those of the last versions, and of the first, which a
// neighbour may have.
func dumpSummaries(r workspace.Reader, path string, last int64) (made []workspace.Summary, err error) {
	for n := max(1, last-keep); n <= max(last, keep+1); n++ {
		for _, k := range summaryKeys(n) {
			s, err := r.Summary(path, k)
			switch {
			case err == nil:
				made = append(made, s)
			case !errors.Is(err, workspace.ErrNotFound):
				return nil, err
			}
		}
	}
	return made, nil
}

func dumpLog(r workspace.Reader, path string, state workspace.OwnerState) (l log, err error) {
	head, beside, err := r.Log(path)
	if err != nil {
		return l, err
	}
	if beside != state {
		return l, fmt.Errorf("Log(%q) gives the owner's state %+v, Owner() %+v", path, beside, state)
	}
	l.Head = head
	if l.Entries, err = r.Entries(path, workspace.EntryQuery{}); err != nil {
		return l, err
	}
	l.Tail, err = r.Entries(path, workspace.EntryQuery{Tail: true, Limit: 2})
	return l, err
}
