package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var model = []check{{"Model", modelAgrees}}

// modelAgrees runs transactions drawn at random on the store and on plain maps, for
// two owners, some of which fail.
func modelAgrees(t testing.TB, s workspace.Store) {
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		owners := []workspace.Owner{
			{Tenant: "model", Agent: fmt.Sprintf("case-%d", cases)},
			{Tenant: "model", Agent: fmt.Sprintf("case-%d-", cases)},
		}
		plains := []*plain{newPlain(), newPlain()}
		for range rapid.IntRange(1, 12).Draw(t, "transactions") {
			i := rapid.IntRange(0, 1).Draw(t, "owner")
			ops := rapid.SliceOfN(rapid.Custom(drawOp), 1, 6).Draw(t, "ops")
			end := rapid.SampledFrom([]string{"return", "return", "return", "error", "panic"}).Draw(t, "end")
			plains[i] = modelStep(t, s, owners[i], plains[i], ops, end)
		}
		q := drawQuery(t)
		for i, o := range owners {
			var got answer
			err1 := s.View(t.Context(), o, func(r workspace.Reader) (err error) {
				got, err = q.run(r)
				return err
			})
			want, err2 := q.run(plains[i])
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			equal(t, fmt.Sprintf("the answer to %+v", q), got, want)
		}
	})
}

// modelStep runs one transaction on both, and returns the model after it.
func modelStep(t *rapid.T, s workspace.Store, o workspace.Owner, p *plain, ops []op, end string) *plain {
	after := p.copy()
	var want []string
	for _, op := range ops {
		want = append(want, op.run(after))
	}
	var got []string
	var inside contents
	value := panicked(func() {
		err := s.Update(t.Context(), o, func(tx workspace.Tx) (err error) {
			got = nil
			for _, op := range ops {
				got = append(got, op.run(tx))
			}
			if inside, err = dump(tx, modelPaths, modelKeys); err != nil {
				return err
			}
			switch end {
			case "error":
				return errFn
			case "panic":
				panic(errFn)
			}
			return nil
		})
		if end == "return" && err != nil || end == "error" && err != errFn {
			t.Fatalf("Update that ends with %s = %v", end, err)
		}
	})
	if (end == "panic") != (value != nil) || value != nil && value != errFn {
		t.Fatalf("Update that ends with %s panics with %v", end, value)
	}
	equal(t, "what the calls returned", got, want)
	equal(t, "what the transaction saw at its end", inside, mustDump(t, after))
	if end != "return" {
		after = p
	}
	var seen contents
	if err := s.View(t.Context(), o, func(r workspace.Reader) (err error) {
		seen, err = dump(r, modelPaths, modelKeys)
		return err
	}); err != nil {
		t.Fatalf("View = %v, want nil", err)
	}
	equal(t, "what a View sees after "+end, seen, mustDump(t, after))
	return after
}

func mustDump(t *rapid.T, p *plain) contents {
	c, err := dump(p, modelPaths, modelKeys)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	modelPaths = []string{"a", "a/b", "a.b", "A", "b"}
	modelKeys  = []string{"k", "K", "l"}
)

// op is one call, or several that belong together.
type op struct {
	Kind, Path, Key, Text string
	N, Moment             int
}

func drawOp(t *rapid.T) op {
	return op{
		Kind: rapid.SampledFrom([]string{
			"write", "write", "write", "remove", "add", "add", "drop", "trim", "note", "fold files", "fold logs", "drop requests", "floor",
			"summarise", "summarise",
		}).Draw(t, "kind"),
		Path:   rapid.SampledFrom(modelPaths).Draw(t, "path"),
		Key:    rapid.SampledFrom(modelKeys).Draw(t, "key"),
		Text:   rapid.SampledFrom([]string{"", "x", "\x00", "a\x00b", "longer text"}).Draw(t, "text"),
		N:      rapid.IntRange(0, 3).Draw(t, "n"),
		Moment: rapid.IntRange(0, 9).Draw(t, "moment"), // often the same, so that there are ties
	}
}

// run does it, and says what came of it.
func (o op) run(tx workspace.Tx) string {
	var n int64
	var err error
	switch o.Kind {
	case "write":
		err = write(tx, o.Moment, o.Path, o.Text)
	case "remove":
		err = remove(tx, o.Moment, o.Path)
	case "add":
		err = add(tx, o.Moment, o.Path, slices.Repeat([]string{o.Text}, o.N+1)...)
	case "drop":
		err = drop(tx, o.Moment, o.Path)
	case "trim":
		err = trim(tx, o.Moment, o.Path, o.N)
	case "note":
		err = note(tx, o.Moment, o.Key)
	case "fold files":
		n, err = tx.FoldFiles(o.N)
	case "summarise":
		err = summarise(tx, o.Moment, o.Path, o.N%3, "in short: "+o.Text) // no summary is empty: its bytes tell that there is one
	case "fold logs":
		n, err = tx.FoldLogs(o.N)
	case "drop requests":
		var dropped int
		dropped, err = tx.DropRequests(at(o.Moment), at(o.Moment+4), o.N)
		n = int64(dropped)
	case "floor":
		var state workspace.OwnerState
		state, err = tx.Owner()
		state.FileFloor = max(state.FileFloor, int64(o.N))
		err = errors.Join(err, tx.SaveOwner(state))
	}
	return fmt.Sprintf("%s %d %v", o.Kind, n, err)
}

// query is a page of each list.
type query struct {
	Prefix, After, Path string
	Limit               int
	Entries             workspace.EntryQuery
}

func drawQuery(t *rapid.T) query {
	names := append([]string{"", "a/", "B", "z"}, modelPaths...)
	return query{
		Prefix: rapid.SampledFrom(names).Draw(t, "prefix"),
		After:  rapid.SampledFrom(names).Draw(t, "after"),
		Path:   rapid.SampledFrom(modelPaths).Draw(t, "path"),
		Limit:  rapid.IntRange(1, 4).Draw(t, "limit"),
		Entries: workspace.EntryQuery{
			After:    rapid.Int64Range(0, 5).Draw(t, "after entry"),
			Limit:    rapid.IntRange(0, 4).Draw(t, "entries"),
			MaxBytes: rapid.Int64Range(0, 20).Draw(t, "bytes"),
		},
	}
}

type answer struct {
	Files   []workspace.FileHead
	Logs    []workspace.LogHead
	Entries []workspace.Entry
	Tail    []workspace.Entry
	Bytes   int64 // of the entries up to the first after the cursor
}

func (q query) run(r workspace.Reader) (a answer, err error) {
	var errs [5]error
	a.Files, errs[0] = r.Files(q.Prefix, q.After, q.Limit)
	a.Logs, errs[1] = r.Logs(q.Prefix, q.After, q.Limit)
	a.Entries, errs[2] = r.Entries(q.Path, q.Entries)
	tail := q.Entries
	tail.After, tail.Tail = 0, true
	a.Tail, errs[3] = r.Entries(q.Path, tail)
	a.Bytes, errs[4] = r.EntryBytes(q.Path, q.Entries.After+1)
	return a, errors.Join(errs[:]...)
}

// plain is a [workspace.Tx] of maps, with no thought of speed.
type plain struct {
	state    workspace.OwnerState
	files    map[string]file // Head and Retained
	logs     map[string]log  // Head and Entries
	requests map[string]workspace.Request
	made     map[string]map[workspace.SummaryKey]workspace.Summary
}

func newPlain() *plain {
	return &plain{files: map[string]file{}, logs: map[string]log{}, requests: map[string]workspace.Request{},
		made: map[string]map[workspace.SummaryKey]workspace.Summary{}}
}

func (p *plain) copy() *plain {
	c := &plain{state: p.state, files: maps.Clone(p.files), logs: maps.Clone(p.logs), requests: maps.Clone(p.requests), made: maps.Clone(p.made)}
	for path, made := range c.made {
		c.made[path] = maps.Clone(made)
	}
	return c
}

func (p *plain) Owner() (workspace.OwnerState, error) { return p.state, nil }

func (p *plain) File(path string) (workspace.FileHead, workspace.OwnerState, error) {
	h := p.files[path].Head
	h.Path, h.Sizes = path, slices.Clone(h.Sizes)
	return h, p.state, nil
}

func (p *plain) Current(path string) (workspace.FileHead, workspace.Version, error) {
	h, _, _ := p.File(path)
	if !h.Exists() {
		return h, workspace.Version{}, nil
	}
	v, err := p.Version(path, h.Version)
	return h, v, err
}

func (p *plain) Version(path string, n int64) (workspace.Version, error) {
	for _, v := range p.files[path].Retained {
		if v.Number == n {
			return v, nil
		}
	}
	return workspace.Version{}, workspace.ErrNotFound
}

func (p *plain) Versions(path string) (list []workspace.Version, err error) {
	for _, v := range p.files[path].Retained {
		list = append(list, bare(v))
	}
	return list, nil
}

func (p *plain) Files(prefix, after string, limit int) (list []workspace.FileHead, err error) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		if h := p.files[path].Head; h.Exists() && strings.HasPrefix(path, prefix) && path > after && len(list) < limit {
			list = append(list, h)
		}
	}
	return list, nil
}

func (p *plain) Log(path string) (workspace.LogHead, workspace.OwnerState, error) {
	h := p.logs[path].Head
	h.Path = path
	return h, p.state, nil
}

func (p *plain) Entries(path string, q workspace.EntryQuery) (list []workspace.Entry, err error) {
	all := slices.Clone(p.logs[path].Entries)
	if q.Tail {
		slices.Reverse(all)
	}
	bytes := int64(0)
	for _, e := range all {
		if !q.Tail && e.ID <= q.After {
			continue
		}
		bytes += int64(len(e.Content))
		if q.Limit > 0 && len(list) == q.Limit || q.MaxBytes > 0 && len(list) > 0 && bytes > q.MaxBytes {
			break
		}
		list = append(list, e)
	}
	if q.Tail {
		slices.Reverse(list)
	}
	return list, nil
}

func (p *plain) EntryBytes(path string, through int64) (bytes int64, err error) {
	for _, e := range p.logs[path].Entries {
		if e.ID <= through {
			bytes += int64(len(e.Content))
		}
	}
	return bytes, nil
}

func (p *plain) Logs(prefix, after string, limit int) (list []workspace.LogHead, err error) {
	for _, path := range slices.Sorted(maps.Keys(p.logs)) {
		if h := p.logs[path].Head; h.Exists() && strings.HasPrefix(path, prefix) && path > after && len(list) < limit {
			list = append(list, h)
		}
	}
	return list, nil
}

func (p *plain) Request(key string) (workspace.Request, error) {
	if q, ok := p.requests[key]; ok {
		return q, nil
	}
	return workspace.Request{}, workspace.ErrNotFound
}

func (p *plain) Summary(path string, k workspace.SummaryKey) (workspace.Summary, error) {
	if s, ok := p.made[path][k]; ok {
		return s, nil
	}
	return workspace.Summary{}, workspace.ErrNotFound
}

func (p *plain) SaveSummary(c workspace.SummaryChange) error {
	f := p.files[c.Head.Path]
	f.Head = c.Head
	p.files[c.Head.Path] = f
	if p.made[c.Head.Path] == nil {
		p.made[c.Head.Path] = map[workspace.SummaryKey]workspace.Summary{}
	}
	p.made[c.Head.Path][c.New.SummaryKey] = c.New
	return p.SaveOwner(c.Owner)
}

func (p *plain) SaveFile(c workspace.FileChange) error {
	if c.Forget {
		delete(p.made, c.Head.Path)
	}
	f := file{Head: c.Head}
	for _, v := range p.files[c.Head.Path].Retained {
		if v.Number > c.Prune {
			f.Retained = append(f.Retained, v)
		}
	}
	if c.New != nil {
		f.Retained = append(f.Retained, *c.New)
	}
	p.files[c.Head.Path] = f
	return p.SaveOwner(c.Owner)
}

func (p *plain) SaveLog(c workspace.LogChange) error {
	l := log{Head: c.Head}
	for _, e := range p.logs[c.Head.Path].Entries {
		if e.ID > c.Prune {
			l.Entries = append(l.Entries, e)
		}
	}
	l.Entries = append(l.Entries, c.New...)
	p.logs[c.Head.Path] = l
	return p.SaveOwner(c.Owner)
}

func (p *plain) FoldFiles(n int) (highest int64, err error) {
	var gone []workspace.FileHead
	for _, f := range p.files {
		if f.Head.Deleted {
			gone = append(gone, f.Head)
		}
	}
	slices.SortFunc(gone, func(a, b workspace.FileHead) int {
		return cmp.Or(a.Updated.Compare(b.Updated), strings.Compare(a.Path, b.Path))
	})
	for _, h := range gone[:min(n, len(gone))] {
		highest = max(highest, h.Version)
		delete(p.files, h.Path)
	}
	return highest, nil
}

func (p *plain) FoldLogs(n int) (highest int64, err error) {
	var gone []workspace.LogHead
	for _, l := range p.logs {
		if l.Head.Deleted {
			gone = append(gone, l.Head)
		}
	}
	slices.SortFunc(gone, func(a, b workspace.LogHead) int {
		return cmp.Or(a.Updated.Compare(b.Updated), strings.Compare(a.Path, b.Path))
	})
	for _, h := range gone[:min(n, len(gone))] {
		highest = max(highest, h.Last)
		delete(p.logs, h.Path)
	}
	return highest, nil
}

func (p *plain) SaveRequest(q workspace.Request) error {
	p.requests[q.Key] = q
	return nil
}

func (p *plain) DropRequests(from, to time.Time, n int) (dropped int, err error) {
	for dropped < n {
		oldest, found := workspace.Request{}, false
		for _, q := range p.requests {
			if !q.Time.Before(from) && !q.Time.After(to) {
				continue
			}
			if !found || q.Time.Before(oldest.Time) || q.Time.Equal(oldest.Time) && q.Key < oldest.Key {
				oldest, found = q, true
			}
		}
		if !found {
			break
		}
		delete(p.requests, oldest.Key)
		dropped++
	}
	return dropped, nil
}

func (p *plain) SaveOwner(s workspace.OwnerState) error {
	p.state = s
	return nil
}
