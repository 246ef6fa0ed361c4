package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var model = []check{{"Model", modelAgrees}}

// modelAgrees runs random transactions of two owners on the store and on plain maps. Some
// of the transactions fail.
func modelAgrees(t testing.TB, s store.Store) {
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		owners := []store.Owner{
			{Tenant: "model", Agent: fmt.Sprintf("case-%d", cases)},
			{Tenant: "model", Agent: fmt.Sprintf("case-%d-", cases)},
		}
		plains := []*plain.Tx{plain.New(), plain.New()}
		for range rapid.IntRange(1, 12).Draw(t, "transactions") {
			i := rapid.IntRange(0, 1).Draw(t, "owner")
			ops := rapid.SliceOfN(rapid.Custom(drawOp), 1, 6).Draw(t, "ops")
			end := rapid.SampledFrom([]string{"return", "return", "return", "error", "panic"}).Draw(t, "end")
			plains[i] = modelStep(t, s, owners[i], plains[i], ops, end)
		}
		q := drawQuery(t)
		for i, o := range owners {
			var got answer
			err1 := s.View(t.Context(), o, func(r store.Reader) (err error) { got, err = q.run(r); return err })
			want, err2 := q.run(plains[i])
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			equal(t, fmt.Sprintf("the answer to %+v", q), got, want)
		}
	})
}

// modelStep runs one transaction on the store and on the model, and returns the model
// after it.
func modelStep(t *rapid.T, s store.Store, o store.Owner, p *plain.Tx, ops []op, end string) *plain.Tx {
	after := p.Copy()
	var want []string
	for _, op := range ops {
		want = append(want, op.run(after))
	}
	var got []string
	var inside contents
	value := panicked(func() {
		err := s.Update(t.Context(), o, func(tx store.Tx) (err error) {
			got = nil
			for _, op := range ops {
				got = append(got, op.run(tx))
			}
			if inside, err = contentsOf(tx, modelPaths, modelKeys); err != nil {
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
	if err := s.View(t.Context(), o, func(r store.Reader) (err error) {
		seen, err = contentsOf(r, modelPaths, modelKeys)
		return err
	}); err != nil {
		t.Fatalf("View = %v, want nil", err)
	}
	equal(t, "what a View sees after "+end, seen, mustDump(t, after))
	return after
}

func mustDump(t *rapid.T, p *plain.Tx) contents {
	c, err := contentsOf(p, modelPaths, modelKeys)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	modelPaths = []string{"a", "a/b", "a.b", "A", "b"}
	modelKeys  = []string{"k", "K", "l"}
)

// An op is one call of a transaction, or a few that belong together.
type op struct {
	Kind, Path, Key, Text string
	N, Moment             int
}

func drawOp(t *rapid.T) op {
	return op{
		Kind: rapid.SampledFrom([]string{
			"write", "write", "write", "remove", "add", "add", "drop", "trim", "note", "forget files", "forget logs",
			"drop requests", "floor",
			"retire", "retire", "bring back", "bring back", "expire", "move keeping", "redact entry",
			"summarise", "summarise", "move", "move", "redact", "redact", "drop changes",
		}).Draw(t, "kind"),
		Path:   rapid.SampledFrom(modelPaths).Draw(t, "path"),
		Key:    rapid.SampledFrom(modelKeys).Draw(t, "key"),
		Text:   rapid.SampledFrom([]string{"", "x", "\x00", "a\x00b", "longer text"}).Draw(t, "text"),
		N:      rapid.IntRange(0, 3).Draw(t, "n"),
		Moment: rapid.IntRange(0, 9).Draw(t, "moment"), // often the same, so that there are ties
	}
}

// run makes the calls, and says what they returned.
func (o op) run(tx store.Tx) string {
	var n int64
	var err error
	switch o.Kind {
	case "write":
		err = write(tx, o.Moment, o.Path, o.Text)
	case "remove":
		err = remove(tx, o.Moment, o.Path)
	case "retire":
		err = retire(tx, o.Moment, o.Path)
	case "bring back":
		var head store.FileHead
		if head, _, err = plain.Read(tx).File(o.Path); o.N < len(head.Sizes) {
			err = errors.Join(err, bringBack(tx, o.Moment, o.Path, head.Numbers()[o.N]))
		}
	case "expire":
		err = expire(tx, o.Path)
	case "redact entry":
		err = redactEntry(tx, o.Moment, o.Path, o.N)
	case "redact":
		for range o.N { // few files have a version before the current one
			err = errors.Join(err, write(tx, o.Moment, o.Path, o.Text))
		}
		err = errors.Join(err, redact(tx, o.Moment, o.Path, o.N%3))
	case "add":
		err = add(tx, o.Moment, o.Path, slices.Repeat([]string{o.Text}, o.N+1)...)
	case "drop":
		err = drop(tx, o.Moment, o.Path)
	case "trim":
		err = trim(tx, o.Moment, o.Path, o.N)
	case "note":
		err = keepRequest(tx, o.Moment, o.Key)
	case "forget files":
		n, err = tx.ForgetDeleted(store.KindFile, o.N)
	case "summarise":
		// A summary is never empty, because the head has only its bytes.
		err = summarise(tx, o.Moment, o.Path, o.N%3, "in short: "+o.Text)
	case "forget logs":
		n, err = tx.ForgetDeleted(store.KindLog, o.N)
	case "drop requests":
		var dropped int
		dropped, err = dropRequests(tx, at(o.Moment), at(o.Moment+4), o.N)
		n = int64(dropped)
	case "move", "move keeping":
		with := map[string]func(store.Tx, int, string, string) error{"move": move, "move keeping": moveKeeping}
		err = with[o.Kind](tx, o.Moment, o.Path, modelPaths[(slices.Index(modelPaths, o.Path)+1+o.N)%len(modelPaths)])
	case "drop changes":
		err = dropChanges(tx, o.N)
	case "floor":
		var state store.OwnerState
		state, err = tx.Owner()
		state.FileFloor = max(state.FileFloor, int64(o.N))
		err = errors.Join(err, tx.Apply(state))
	}
	return fmt.Sprintf("%s %d %v", o.Kind, n, err)
}

// A query asks for a page of each list.
type query struct {
	Prefix, After, Path string
	Limit               int
	Entries             store.EntryQuery
	Load                store.Query
}

func drawQuery(t *rapid.T) query {
	names := append([]string{"", "a/", "B", "z"}, modelPaths...)
	load := store.Query{
		File:      rapid.SampledFrom(append(slices.Clone(modelPaths), "", "never")).Draw(t, "load"),
		Current:   rapid.Bool().Draw(t, "current"),
		Version:   rapid.SampledFrom([]int64{0, 0, 0, 1, 2, 3, 4}).Draw(t, "version"),
		Since:     rapid.Int64Range(0, 5).Draw(t, "since"),
		History:   rapid.Bool().Draw(t, "history"),
		To:        rapid.SampledFrom(append(slices.Clone(modelPaths), "")).Draw(t, "to"),
		Log:       rapid.SampledFrom(modelPaths).Draw(t, "log"),
		Through:   rapid.Int64Range(0, 5).Draw(t, "through"),
		Request:   rapid.SampledFrom(append(slices.Clone(modelKeys), "")).Draw(t, "request"),
		DueBefore: at(rapid.IntRange(0, 9).Draw(t, "from")),
		DueAfter:  at(rapid.IntRange(0, 9).Draw(t, "until")),
		MaxDue:    rapid.IntRange(0, 3).Draw(t, "due"),
	}
	if rapid.Bool().Draw(t, "with entries") {
		load.Entries = &store.EntryQuery{After: rapid.Int64Range(0, 5).Draw(t, "load after"),
			Limit: rapid.IntRange(0, 3).Draw(t, "load limit")}
	}
	return query{
		Load:   load,
		Prefix: rapid.SampledFrom(names).Draw(t, "prefix"),
		After:  rapid.SampledFrom(names).Draw(t, "after"),
		Path:   rapid.SampledFrom(modelPaths).Draw(t, "path"),
		Limit:  rapid.IntRange(1, 4).Draw(t, "limit"),
		Entries: store.EntryQuery{
			After:    rapid.Int64Range(0, 5).Draw(t, "after entry"),
			Limit:    rapid.IntRange(0, 4).Draw(t, "entries"),
			MaxBytes: rapid.Int64Range(0, 20).Draw(t, "bytes"),
		},
	}
}

type answer struct {
	Files   []store.FileHead
	Current []store.File
	More    bool
	Logs    []store.LogHead
	Entries []store.Entry
	Tail    []store.Entry
	Bytes   int64 // of the entries up to the first after the cursor
	Changes []store.Change
	Loaded  store.Loaded
	Deleted store.Scanned
	Kept    store.Scanned
}

func (q query) run(r store.Reader) (a answer, err error) {
	var errs [10]error
	a.Files, errs[0] = plain.Read(r).Files(q.Prefix, q.After, q.Limit)
	a.Logs, errs[1] = plain.Read(r).Logs(q.Prefix, q.After, q.Limit)
	a.Entries, errs[2] = r.Entries(q.Path, q.Entries)
	tail := q.Entries
	tail.After, tail.Tail = 0, true
	a.Tail, errs[3] = r.Entries(q.Path, tail)
	a.Bytes, errs[4] = plain.Read(r).EntryBytes(q.Path, q.Entries.After+1)
	a.Changes, errs[5] = r.Changes(q.Entries.After, q.Limit)
	a.Loaded, errs[6] = r.Load(q.Load)
	a.Current, a.More, errs[7] = plain.Read(r).CurrentFiles(q.Prefix, q.After, q.Limit, q.Entries.MaxBytes)
	a.Deleted, errs[8] = r.Scan(store.ScanQuery{Kind: store.KindFile, Deleted: true, Limit: q.Limit})
	a.Kept, errs[9] = r.Scan(store.ScanQuery{Kind: store.KindFile, Versions: true, Prefix: q.Prefix, After: q.After,
		Before: q.Entries.After, Limit: q.Limit, MaxBytes: q.Entries.MaxBytes})
	return a, errors.Join(errs[:]...)
}
