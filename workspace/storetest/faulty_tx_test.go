package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// bent replaces the Tx of an Update and the Reader of a View.
type bent struct {
	store.Store
	with func(plain.Calls) plain.Calls
}

// readsOnly makes Calls of a Reader. Its writes panic.
type readsOnly struct {
	plain.Reads
	plain.Saves
}

func bend(with func(plain.Calls) plain.Calls) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return bent{s, with} }
}

func (s bent) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, o, func(r store.Reader) error { return fn(plain.Join(s.with(readsOnly{Reads: plain.Read(r)}))) })
}

func (s bent) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx store.Tx) error { return fn(plain.Join(s.with(plain.Split(tx)))) })
}

func sharedRequests(s store.Store) store.Store {
	var mu sync.Mutex // guards all
	all := map[string]store.Request{}
	return bent{s, func(tx plain.Calls) plain.Calls { return requestsOfAll{tx, &mu, all} }}
}

type requestsOfAll struct {
	plain.Calls
	mu  *sync.Mutex
	all map[string]store.Request
}

func (tx requestsOfAll) SaveRequest(q store.Request) error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.all[q.Key] = q
	return nil
}

func (tx requestsOfAll) Request(key string) (store.Request, error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if q, ok := tx.all[key]; ok {
		return q, nil
	}
	return store.Request{}, store.ErrNotFound
}

type deletedListed struct{ plain.Calls }

func (tx deletedListed) Files(prefix, after string, limit int) ([]store.FileHead, error) {
	heads, err := tx.Calls.Files(prefix, after, 1<<20)
	for _, path := range []string{"b", "d"} {
		if h, _, _ := tx.File(path); h.Deleted {
			heads = append(heads, h)
		}
	}
	slices.SortFunc(heads, func(a, b store.FileHead) int { return cmp.Compare(a.Path, b.Path) })
	return heads[:min(limit, len(heads))], err
}

type deletedAuthored struct{ plain.Calls }

func (tx deletedAuthored) AuthoredFiles(prefix, after string, limit int) ([]store.File, error) {
	files, err := tx.Calls.AuthoredFiles(prefix, after, limit)
	if h, _, _ := tx.File("gone"); h.Deleted {
		files = append(files, store.File{FileHead: h})
	}
	return files, err
}

// oldestAuthors joins heads with the wrong version.
type oldestAuthors struct{ plain.Calls }

func (tx oldestAuthors) AuthoredFiles(prefix, after string, limit int) ([]store.File, error) {
	files, err := tx.Calls.AuthoredFiles(prefix, after, limit)
	for i, f := range files {
		if all, _ := tx.Versions(f.Path); len(all) > 0 {
			files[i].Current.Author = all[0].Author
		}
	}
	return files, err
}

// innerJoin leaves out the files whose version is missing.
type innerJoin struct{ plain.Calls }

func (tx innerJoin) AuthoredFiles(prefix, after string, limit int) ([]store.File, error) {
	files, err := tx.Calls.AuthoredFiles(prefix, after, limit)
	return slices.DeleteFunc(files, func(f store.File) bool {
		_, _, err := tx.Current(f.Path)
		return err != nil
	}), err
}

// joinedTwice has a row for each version.
type joinedTwice struct{ plain.Calls }

func (tx joinedTwice) AuthoredFiles(prefix, after string, limit int) (list []store.File, err error) {
	files, err := tx.Calls.AuthoredFiles(prefix, after, limit)
	for _, f := range files {
		for range f.Sizes {
			list = append(list, f)
		}
	}
	return list[:min(limit, len(list))], err
}

// unprefixed has the files of any path.
type unprefixed struct{ plain.Calls }

func (tx unprefixed) AuthoredFiles(_, after string, limit int) ([]store.File, error) {
	return tx.Calls.AuthoredFiles("", after, limit)
}

type staleCurrent struct{ plain.Calls }

func (tx staleCurrent) Current(path string) (store.FileHead, store.Version, error) {
	h, v, err := tx.Calls.Current(path)
	if err == nil && h.Exists() {
		v, err = tx.Version(path, h.Oldest())
	}
	return h, v, err
}

type foldedList struct{ plain.Calls }

func (tx foldedList) Files(prefix, after string, limit int) ([]store.FileHead, error) {
	heads, err := tx.Calls.Files(prefix, after, limit)
	slices.SortFunc(heads, func(a, b store.FileHead) int {
		return cmp.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path))
	})
	return heads, err
}

type patternList struct{ plain.Calls }

func (tx patternList) Files(prefix, after string, limit int) (list []store.FileHead, err error) {
	heads, err := tx.Calls.Files("", after, 1<<20)
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

type inclusiveLogs struct{ plain.Calls }

func (tx inclusiveLogs) Logs(prefix, after string, limit int) ([]store.LogHead, error) {
	heads, err := tx.Calls.Logs(prefix, after, limit)
	if h, _, _ := tx.Log(after); h.Exists() && strings.HasPrefix(after, prefix) {
		heads = slices.Insert(heads, 0, h)
	}
	return heads[:min(limit, len(heads))], err
}

type cutAtNUL struct{ plain.Calls }

func cut(content []byte) []byte {
	before, _, _ := bytes.Cut(content, []byte{0})
	return before
}

func (tx cutAtNUL) SaveFile(c store.FileChange) error {
	if c.New != nil {
		v := *c.New
		v.Content = cut(v.Content)
		c.New = &v
	}
	return tx.Calls.SaveFile(c)
}

func (tx cutAtNUL) SaveLog(c store.LogChange) error {
	c.New = slices.Clone(c.New)
	for i := range c.New {
		c.New[i].Content = cut(c.New[i].Content)
	}
	return tx.Calls.SaveLog(c)
}

type neverPrunes struct{ plain.Calls }

func (tx neverPrunes) SaveFile(c store.FileChange) error {
	c.Prune = 0
	return tx.Calls.SaveFile(c)
}

// prunesLogs removes other entries than it was asked to.
type prunesLogs struct {
	plain.Calls
	upTo func(asked int64) int64
}

func (tx prunesLogs) SaveLog(c store.LogChange) error {
	c.Prune = tx.upTo(c.Prune)
	return tx.Calls.SaveLog(c)
}

func pruningLogs(upTo func(asked int64) int64) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return prunesLogs{tx, upTo} })
}

// charBytes counts characters, as LENGTH does in SQL.
type charBytes struct{ plain.Calls }

func (tx charBytes) EntryBytes(path string, through int64) (n int64, err error) {
	entries, err := tx.Entries(path, store.EntryQuery{})
	for _, e := range entries {
		if e.ID <= through {
			n += int64(len([]rune(string(cut(e.Content)))))
		}
	}
	return n, err
}

// laterBytes also counts the entry after the last one.
type laterBytes struct{ plain.Calls }

func (tx laterBytes) EntryBytes(path string, through int64) (int64, error) {
	return tx.Calls.EntryBytes(path, through+1)
}

type forgetsState struct{ plain.Calls }

func (tx forgetsState) SaveFile(c store.FileChange) error {
	c.Owner, _ = tx.Owner()
	return tx.Calls.SaveFile(c)
}

func (tx forgetsState) SaveLog(c store.LogChange) error {
	c.Owner, _ = tx.Owner()
	return tx.Calls.SaveLog(c)
}

type wholeSeconds struct{ plain.Calls }

func (tx wholeSeconds) SaveFile(c store.FileChange) error {
	c.Head.Updated = c.Head.Updated.Truncate(time.Second)
	return tx.Calls.SaveFile(c)
}

func (tx wholeSeconds) SaveLog(c store.LogChange) error {
	c.Head.Created = c.Head.Created.Truncate(time.Second)
	return tx.Calls.SaveLog(c)
}

func (tx wholeSeconds) SaveRequest(q store.Request) error {
	q.Time = q.Time.Truncate(time.Second)
	return tx.Calls.SaveRequest(q)
}

type localTimes struct{ plain.Calls }

func (tx localTimes) Versions(path string) ([]store.Version, error) {
	list, err := tx.Calls.Versions(path)
	for i := range list {
		list[i].Time = list[i].Time.In(time.FixedZone("here", 3600))
	}
	return list, err
}

type anonymous struct{ plain.Calls }

func (tx anonymous) SaveFile(c store.FileChange) error {
	if c.New != nil {
		v := *c.New
		v.Author.Key = ""
		c.New = &v
	}
	return tx.Calls.SaveFile(c)
}

func (tx anonymous) SaveLog(c store.LogChange) error {
	c.New = slices.Clone(c.New)
	for i := range c.New {
		c.New[i].Author.Version = ""
	}
	return tx.Calls.SaveLog(c)
}

type floats struct{ plain.Calls }

func (tx floats) SaveFile(c store.FileChange) error {
	c.Head.Sizes = slices.Clone(c.Head.Sizes)
	for i, size := range c.Head.Sizes {
		c.Head.Sizes[i] = int64(float64(size))
	}
	return tx.Calls.SaveFile(c)
}

func (tx floats) SaveLog(c store.LogChange) error {
	c.Head.Bytes = int64(float64(c.Head.Bytes))
	return tx.Calls.SaveLog(c)
}

type insertsOrIgnores struct{ plain.Calls }

func (tx insertsOrIgnores) SaveFile(c store.FileChange) error {
	if err := tx.Calls.SaveFile(c); !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	return nil
}

func (tx insertsOrIgnores) SaveLog(c store.LogChange) error {
	if err := tx.Calls.SaveLog(c); !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	return nil
}

type hidesCorruption struct{ plain.Calls }

func (tx hidesCorruption) Current(path string) (store.FileHead, store.Version, error) {
	h, v, err := tx.Calls.Current(path)
	if errors.Is(err, store.ErrCorrupt) {
		h, _, err = tx.File(path)
	}
	return h, v, err
}

type tailFirst struct{ plain.Calls }

func (tx tailFirst) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	list, err := tx.Calls.Entries(path, q)
	if q.Tail {
		slices.Reverse(list)
	}
	return list, err
}

type oneByteMore struct{ plain.Calls }

func (tx oneByteMore) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	if q.MaxBytes > 0 {
		q.MaxBytes++
	}
	return tx.Calls.Entries(path, q)
}

type forgetsMore struct{ plain.Calls }

func (tx forgetsMore) ForgetFiles(n int) (int64, error) { return tx.Calls.ForgetFiles(n + 1) }
func (tx forgetsMore) ForgetLogs(n int) (int64, error)  { return tx.Calls.ForgetLogs(n + 1) }

type forgetsSilently struct{ plain.Calls }

func (tx forgetsSilently) ForgetFiles(n int) (int64, error) {
	_, err := tx.Calls.ForgetFiles(n)
	return 0, err
}

func (tx forgetsSilently) ForgetLogs(n int) (int64, error) {
	_, err := tx.Calls.ForgetLogs(n)
	return 0, err
}

type dropsEqual struct{ plain.Calls }

type keepsAhead struct{ plain.Calls }

func (tx keepsAhead) DropRequests(from, _ time.Time, n int) error {
	return tx.Calls.DropRequests(from, time.Unix(1<<40, 0), n)
}

func (tx dropsEqual) DropRequests(from, to time.Time, n int) error {
	return tx.Calls.DropRequests(from.Add(time.Microsecond), to, n)
}

type keepsRequest struct{ plain.Calls }

func (tx keepsRequest) SaveRequest(q store.Request) error {
	if _, err := tx.Request(q.Key); err == nil {
		return nil
	}
	return tx.Calls.SaveRequest(q)
}

// sharesResults gives every caller the same bytes.
func sharesResults(s store.Store) store.Store {
	contents := map[string][]byte{}
	return bent{s, func(tx plain.Calls) plain.Calls { return sharedContent{tx, contents} }}
}

type sharedContent struct {
	plain.Calls
	contents map[string][]byte
}

func (tx sharedContent) Version(path string, n int64) (store.Version, error) {
	v, err := tx.Calls.Version(path, n)
	key := fmt.Sprint(path, n)
	if _, ok := tx.contents[key]; !ok {
		tx.contents[key] = v.Content
	}
	v.Content = tx.contents[key]
	return v, err
}
