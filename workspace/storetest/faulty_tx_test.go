package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// bent replaces the Tx of an Update and the Reader of a View.
type bent struct {
	workspace.Store
	with func(workspace.Tx) workspace.Tx
}

type writer interface {
	SaveFile(workspace.FileChange) error
	SaveLog(workspace.LogChange) error
	RedactVersion(workspace.VersionRedaction) error
	SaveSummary(workspace.SummaryChange) error
	FoldFiles(n int) (int64, error)
	FoldLogs(n int) (int64, error)
	SaveRequest(workspace.Request) error
	DropRequests(from, to time.Time, n int) error
	DropChanges(through int64) error
	MoveFile(workspace.FileMove) error
	SaveOwner(workspace.OwnerState) error
}

// readsOnly makes a Tx of a Reader. Its writes panic.
type readsOnly struct {
	workspace.Reader
	writer
}

func bend(with func(workspace.Tx) workspace.Tx) func(workspace.Store) workspace.Store {
	return func(s workspace.Store) workspace.Store { return bent{s, with} }
}

func (s bent) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	return s.Store.View(ctx, o, func(r workspace.Reader) error { return fn(s.with(readsOnly{Reader: r})) })
}

func (s bent) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx workspace.Tx) error { return fn(s.with(tx)) })
}

func sharedRequests(s workspace.Store) workspace.Store {
	var mu sync.Mutex // guards all
	all := map[string]workspace.Request{}
	return bent{s, func(tx workspace.Tx) workspace.Tx { return requestsOfAll{tx, &mu, all} }}
}

type requestsOfAll struct {
	workspace.Tx
	mu  *sync.Mutex
	all map[string]workspace.Request
}

func (tx requestsOfAll) SaveRequest(q workspace.Request) error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.all[q.Key] = q
	return nil
}

func (tx requestsOfAll) Request(key string) (workspace.Request, error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if q, ok := tx.all[key]; ok {
		return q, nil
	}
	return workspace.Request{}, workspace.ErrNotFound
}

type deletedListed struct{ workspace.Tx }

func (tx deletedListed) Files(prefix, after string, limit int) ([]workspace.FileHead, error) {
	heads, err := tx.Tx.Files(prefix, after, math.MaxInt)
	for _, path := range []string{"b", "d"} {
		if h, _, _ := tx.File(path); h.Deleted {
			heads = append(heads, h)
		}
	}
	slices.SortFunc(heads, func(a, b workspace.FileHead) int { return cmp.Compare(a.Path, b.Path) })
	return heads[:min(limit, len(heads))], err
}

type deletedAuthored struct{ workspace.Tx }

func (tx deletedAuthored) AuthoredFiles(prefix, after string, limit int) ([]workspace.AuthoredFile, error) {
	files, err := tx.Tx.AuthoredFiles(prefix, after, limit)
	if h, _, _ := tx.File("gone"); h.Deleted {
		files = append(files, workspace.AuthoredFile{FileHead: h})
	}
	return files, err
}

// oldestAuthors joins heads with the wrong version.
type oldestAuthors struct{ workspace.Tx }

func (tx oldestAuthors) AuthoredFiles(prefix, after string, limit int) ([]workspace.AuthoredFile, error) {
	files, err := tx.Tx.AuthoredFiles(prefix, after, limit)
	for i, f := range files {
		if all, _ := tx.Versions(f.Path); len(all) > 0 {
			files[i].Author = all[0].Author
		}
	}
	return files, err
}

// innerJoin leaves out the files whose version is missing.
type innerJoin struct{ workspace.Tx }

func (tx innerJoin) AuthoredFiles(prefix, after string, limit int) ([]workspace.AuthoredFile, error) {
	files, err := tx.Tx.AuthoredFiles(prefix, after, limit)
	return slices.DeleteFunc(files, func(f workspace.AuthoredFile) bool {
		_, _, err := tx.Current(f.Path)
		return err != nil
	}), err
}

// joinedTwice has a row for each version.
type joinedTwice struct{ workspace.Tx }

func (tx joinedTwice) AuthoredFiles(prefix, after string, limit int) (list []workspace.AuthoredFile, err error) {
	files, err := tx.Tx.AuthoredFiles(prefix, after, limit)
	for _, f := range files {
		for range f.Sizes {
			list = append(list, f)
		}
	}
	return list[:min(limit, len(list))], err
}

// unprefixed has the files of any path.
type unprefixed struct{ workspace.Tx }

func (tx unprefixed) AuthoredFiles(_, after string, limit int) ([]workspace.AuthoredFile, error) {
	return tx.Tx.AuthoredFiles("", after, limit)
}

type staleCurrent struct{ workspace.Tx }

func (tx staleCurrent) Current(path string) (workspace.FileHead, workspace.Version, error) {
	h, v, err := tx.Tx.Current(path)
	if err == nil && h.Exists() {
		v, err = tx.Version(path, h.Oldest())
	}
	return h, v, err
}

type foldedList struct{ workspace.Tx }

func (tx foldedList) Files(prefix, after string, limit int) ([]workspace.FileHead, error) {
	heads, err := tx.Tx.Files(prefix, after, limit)
	slices.SortFunc(heads, func(a, b workspace.FileHead) int {
		return cmp.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path))
	})
	return heads, err
}

type patternList struct{ workspace.Tx }

func (tx patternList) Files(prefix, after string, limit int) (list []workspace.FileHead, err error) {
	heads, err := tx.Tx.Files("", after, math.MaxInt)
	for _, h := range heads {
		if len(list) < limit && matches(h.Path, prefix) {
			list = append(list, h)
		}
	}
	return list, err
}

// matches does what LIKE does with a % at the end.
func matches(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] != '_' && !strings.EqualFold(s[i:i+1], pattern[i:i+1]) {
			return false
		}
	}
	return true
}

type inclusiveLogs struct{ workspace.Tx }

func (tx inclusiveLogs) Logs(prefix, after string, limit int) ([]workspace.LogHead, error) {
	heads, err := tx.Tx.Logs(prefix, after, limit)
	if h, _, _ := tx.Log(after); h.Exists() && strings.HasPrefix(after, prefix) {
		heads = slices.Insert(heads, 0, h)
	}
	return heads[:min(limit, len(heads))], err
}

type cutAtNUL struct{ workspace.Tx }

func cut(content []byte) []byte {
	before, _, _ := bytes.Cut(content, []byte{0})
	return before
}

func (tx cutAtNUL) SaveFile(c workspace.FileChange) error {
	if c.New != nil {
		v := *c.New
		v.Content = cut(v.Content)
		c.New = &v
	}
	return tx.Tx.SaveFile(c)
}

func (tx cutAtNUL) SaveLog(c workspace.LogChange) error {
	c.New = slices.Clone(c.New)
	for i := range c.New {
		c.New[i].Content = cut(c.New[i].Content)
	}
	return tx.Tx.SaveLog(c)
}

type neverPrunes struct{ workspace.Tx }

func (tx neverPrunes) SaveFile(c workspace.FileChange) error {
	c.Prune = 0
	return tx.Tx.SaveFile(c)
}

// prunesLogs removes other entries than it was asked to.
type prunesLogs struct {
	workspace.Tx
	upTo func(asked int64) int64
}

func (tx prunesLogs) SaveLog(c workspace.LogChange) error {
	c.Prune = tx.upTo(c.Prune)
	return tx.Tx.SaveLog(c)
}

func pruningLogs(upTo func(asked int64) int64) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return prunesLogs{tx, upTo} })
}

// charBytes counts characters, as LENGTH does in SQL.
type charBytes struct{ workspace.Tx }

func (tx charBytes) EntryBytes(path string, through int64) (n int64, err error) {
	entries, err := tx.Entries(path, workspace.EntryQuery{})
	for _, e := range entries {
		if e.ID <= through {
			n += int64(len([]rune(string(cut(e.Content)))))
		}
	}
	return n, err
}

// laterBytes also counts the entry after the last one.
type laterBytes struct{ workspace.Tx }

func (tx laterBytes) EntryBytes(path string, through int64) (int64, error) {
	return tx.Tx.EntryBytes(path, through+1)
}

type forgetsState struct{ workspace.Tx }

func (tx forgetsState) SaveFile(c workspace.FileChange) error {
	c.Owner, _ = tx.Owner()
	return tx.Tx.SaveFile(c)
}

func (tx forgetsState) SaveLog(c workspace.LogChange) error {
	c.Owner, _ = tx.Owner()
	return tx.Tx.SaveLog(c)
}

type wholeSeconds struct{ workspace.Tx }

func (tx wholeSeconds) SaveFile(c workspace.FileChange) error {
	c.Head.Updated = c.Head.Updated.Truncate(time.Second)
	return tx.Tx.SaveFile(c)
}

func (tx wholeSeconds) SaveLog(c workspace.LogChange) error {
	c.Head.Created = c.Head.Created.Truncate(time.Second)
	return tx.Tx.SaveLog(c)
}

func (tx wholeSeconds) SaveRequest(q workspace.Request) error {
	q.Time = q.Time.Truncate(time.Second)
	return tx.Tx.SaveRequest(q)
}

type localTimes struct{ workspace.Tx }

func (tx localTimes) Versions(path string) ([]workspace.Version, error) {
	list, err := tx.Tx.Versions(path)
	for i := range list {
		list[i].Time = list[i].Time.In(time.FixedZone("here", 3600))
	}
	return list, err
}

type anonymous struct{ workspace.Tx }

func (tx anonymous) SaveFile(c workspace.FileChange) error {
	if c.New != nil {
		v := *c.New
		v.Author.Key = ""
		c.New = &v
	}
	return tx.Tx.SaveFile(c)
}

func (tx anonymous) SaveLog(c workspace.LogChange) error {
	c.New = slices.Clone(c.New)
	for i := range c.New {
		c.New[i].Author.Version = ""
	}
	return tx.Tx.SaveLog(c)
}

type floats struct{ workspace.Tx }

func (tx floats) SaveFile(c workspace.FileChange) error {
	c.Head.Sizes = slices.Clone(c.Head.Sizes)
	for i, size := range c.Head.Sizes {
		c.Head.Sizes[i] = int64(float64(size))
	}
	return tx.Tx.SaveFile(c)
}

func (tx floats) SaveLog(c workspace.LogChange) error {
	c.Head.Bytes = int64(float64(c.Head.Bytes))
	return tx.Tx.SaveLog(c)
}

type insertsOrIgnores struct{ workspace.Tx }

func (tx insertsOrIgnores) SaveFile(c workspace.FileChange) error {
	if err := tx.Tx.SaveFile(c); !errors.Is(err, workspace.ErrCorrupt) {
		return err
	}
	return nil
}

func (tx insertsOrIgnores) SaveLog(c workspace.LogChange) error {
	if err := tx.Tx.SaveLog(c); !errors.Is(err, workspace.ErrCorrupt) {
		return err
	}
	return nil
}

type hidesCorruption struct{ workspace.Tx }

func (tx hidesCorruption) Current(path string) (workspace.FileHead, workspace.Version, error) {
	h, v, err := tx.Tx.Current(path)
	if errors.Is(err, workspace.ErrCorrupt) {
		h, _, err = tx.File(path)
	}
	return h, v, err
}

type tailFirst struct{ workspace.Tx }

func (tx tailFirst) Entries(path string, q workspace.EntryQuery) ([]workspace.Entry, error) {
	list, err := tx.Tx.Entries(path, q)
	if q.Tail {
		slices.Reverse(list)
	}
	return list, err
}

type oneByteMore struct{ workspace.Tx }

func (tx oneByteMore) Entries(path string, q workspace.EntryQuery) ([]workspace.Entry, error) {
	if q.MaxBytes > 0 {
		q.MaxBytes++
	}
	return tx.Tx.Entries(path, q)
}

type foldsMore struct{ workspace.Tx }

func (tx foldsMore) FoldFiles(n int) (int64, error) { return tx.Tx.FoldFiles(n + 1) }
func (tx foldsMore) FoldLogs(n int) (int64, error)  { return tx.Tx.FoldLogs(n + 1) }

type foldsSilently struct{ workspace.Tx }

func (tx foldsSilently) FoldFiles(n int) (int64, error) {
	_, err := tx.Tx.FoldFiles(n)
	return 0, err
}

func (tx foldsSilently) FoldLogs(n int) (int64, error) {
	_, err := tx.Tx.FoldLogs(n)
	return 0, err
}

type dropsEqual struct{ workspace.Tx }

type keepsAhead struct{ workspace.Tx }

func (tx keepsAhead) DropRequests(from, _ time.Time, n int) error {
	return tx.Tx.DropRequests(from, time.Unix(1<<40, 0), n)
}

func (tx dropsEqual) DropRequests(from, to time.Time, n int) error {
	return tx.Tx.DropRequests(from.Add(time.Microsecond), to, n)
}

type keepsRequest struct{ workspace.Tx }

func (tx keepsRequest) SaveRequest(q workspace.Request) error {
	if _, err := tx.Request(q.Key); err == nil {
		return nil
	}
	return tx.Tx.SaveRequest(q)
}

// sharesResults gives every caller the same bytes.
func sharesResults(s workspace.Store) workspace.Store {
	contents := map[string][]byte{}
	return bent{s, func(tx workspace.Tx) workspace.Tx { return sharedContent{tx, contents} }}
}

type sharedContent struct {
	workspace.Tx
	contents map[string][]byte
}

func (tx sharedContent) Version(path string, n int64) (workspace.Version, error) {
	v, err := tx.Tx.Version(path, n)
	key := fmt.Sprint(path, n)
	if _, ok := tx.contents[key]; !ok {
		tx.contents[key] = v.Content
	}
	v.Content = tx.contents[key]
	return v, err
}
