package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var loads = []check{
	{"Load/Alone", loadAlone},
	{"Load/Random", loadRandom},
	{"Load/CurrentMissing", loadMissing},
	{"Load/OwnWritesAreRead", loadOwnWrites},
	{"Load/ResultsAreOwn", loadResultsOwn},
}

func readLoad(q store.Query) func(store.Reader) (store.Loaded, error) {
	return func(r store.Reader) (store.Loaded, error) { return r.Load(q) }
}

// sameLoad compares a Load with that of the model.
func sameLoad(r store.Reader, model *plain.Tx, q store.Query) (diff string, err error) {
	got, err1 := r.Load(q)
	want, err2 := model.Load(q)
	return difference(want, got), errors.Join(err1, err2)
}

func drawLoad(rnd *rand.Rand) store.Query {
	name := func(names ...string) string { return names[rnd.IntN(len(names))] }
	number := func() int64 { return max(0, rnd.Int64N(9)-2) }
	paths := []string{"", "plan.md", "src/a.go", "src/b.go", "gone", "gone too", "new", "src/log", "never", "PLAN.md"}
	q := store.Query{
		File: name(paths...), To: name(paths...), Log: name(paths...), Request: name("", "key 1", "key 2", "KEY 1",
			"never"),
		Current: rnd.IntN(2) == 0, History: rnd.IntN(2) == 0, Version: number(), Since: number(),
		DueBefore: at(rnd.IntN(30)), DueAfter: at(rnd.IntN(30)), MaxDue: rnd.IntN(4),
	}
	if rnd.IntN(3) > 0 {
		q.Version = 0 // as in most calls
	}
	if q.Log != "" {
		q.Through = number()
		if rnd.IntN(2) == 0 {
			q.Entries = &store.EntryQuery{After: number(), Limit: rnd.IntN(4), MaxBytes: int64(rnd.IntN(40))}
			if rnd.IntN(3) == 0 {
				q.Entries.After, q.Entries.Tail = 0, true
			}
		}
	}
	return q
}

// loadAlone asks for each thing alone.
func loadAlone(t testing.TB, s store.Store) {
	update(t, s, alice, fillAs("alice"))
	whole := view(t, s, alice, everything)
	plan, entries := whole.File[0], whole.Log[0]
	key := whole.Requests[0]
	four := plan.Retained[2]
	for i, v := range plan.Retained {
		plan.Versions[i] = bare(v)
	}
	for _, c := range []struct {
		q    store.Query
		want store.Loaded
	}{
		{store.Query{}, store.Loaded{}},
		{store.Query{File: "plan.md"}, store.Loaded{File: plan.Head}},
		{store.Query{File: "plan.md", Current: true}, store.Loaded{File: plan.Head, Version: four}},
		{store.Query{File: "plan.md", Current: true, Since: 3}, store.Loaded{File: plan.Head, Version: four,
			Old: plan.Retained[1]}},
		{store.Query{File: "plan.md", Current: true, Since: 1}, store.Loaded{File: plan.Head, Version: four}},
		{store.Query{File: "plan.md", Current: true, Since: 5}, store.Loaded{File: plan.Head, Version: four}},
		{store.Query{File: "plan.md", Since: 2}, store.Loaded{File: plan.Head, Old: plan.Retained[0]}},
		{store.Query{File: "plan.md", Version: 2}, store.Loaded{File: plan.Head, Version: plan.Retained[0]}},
		{store.Query{File: "plan.md", Version: 2, Since: 2}, store.Loaded{File: plan.Head, Version: plan.Retained[0],
			Old: plan.Retained[0]}},
		{store.Query{File: "plan.md", Version: 1}, store.Loaded{File: plan.Head}},
		{store.Query{File: "plan.md", Version: 5}, store.Loaded{File: plan.Head}},
		{store.Query{File: "plan.md", History: true}, store.Loaded{File: plan.Head, Versions: plan.Versions}},
		{store.Query{File: "gone", Current: true, History: true, Since: 1}, store.Loaded{File: whole.File[4].Head}},
		{store.Query{File: "never", Current: true, History: true}, store.Loaded{File: store.FileHead{Path: "never"}}},
		{store.Query{To: "gone"}, store.Loaded{To: whole.File[4].Head}},
		{store.Query{File: "never", To: "plan.md"}, store.Loaded{File: store.FileHead{Path: "never"}, To: plan.Head}},
		{store.Query{Log: "plan.md"}, store.Loaded{Log: entries.Head}},
		{store.Query{Log: "plan.md", Entries: &store.EntryQuery{}},
			store.Loaded{Log: entries.Head, Entries: entries.Entries}},
		{store.Query{Log: "plan.md", Entries: &store.EntryQuery{Tail: true, Limit: 2}},
			store.Loaded{Log: entries.Head, Entries: entries.Tail}},
		{store.Query{Log: "plan.md", Through: 1}, store.Loaded{Log: entries.Head, Bytes: int64(len("alice first"))}},
		{store.Query{Log: "gone", Entries: &store.EntryQuery{}, Through: 9}, store.Loaded{Log: whole.Log[4].Head}},
		{store.Query{Log: "never", Entries: &store.EntryQuery{}, Through: 9},
			store.Loaded{Log: store.LogHead{Path: "never"}}},
		{store.Query{Request: "key 1"}, store.Loaded{Request: &key}},
		{store.Query{Request: "never"}, store.Loaded{}},
		{store.Query{DueBefore: at(16), DueAfter: at(100), MaxDue: 10}, store.Loaded{Due: 1}},
		{store.Query{DueBefore: at(17), DueAfter: at(100), MaxDue: 10}, store.Loaded{Due: 2}},
		{store.Query{DueBefore: at(0), DueAfter: at(15), MaxDue: 10}, store.Loaded{Due: 1}},
		{store.Query{DueBefore: at(17), DueAfter: at(100), MaxDue: 1}, store.Loaded{Due: 1}},
		{store.Query{DueBefore: at(17), DueAfter: at(100)}, store.Loaded{}},
	} {
		c.want.Owner = whole.State
		if diff := difference(c.want, view(t, s, alice, readLoad(c.q))); diff != "" {
			t.Errorf("Load(%+v) (-want +got):\n%s", c.q, diff)
		}
	}
	equal(t, "Load of an owner that never wrote", view(t, s, bob, readLoad(store.Query{
		File: "a", Current: true, History: true, To: "b", Log: "c", Entries: &store.EntryQuery{}, Request: "d",
		DueBefore: at(100), DueAfter: time.Time{}, MaxDue: 3,
	})), store.Loaded{File: store.FileHead{Path: "a"}, To: store.FileHead{Path: "b"}, Log: store.LogHead{Path: "c"}})
}

// loadRandom compares Load with that of the model, for random queries.
func loadRandom(t testing.TB, s store.Store) {
	fills := []func(store.Tx) error{fillAs("alice"), func(tx store.Tx) error {
		return errors.Join(fill(tx, "bob"), trim(tx, 30, "plan.md", 1), write(tx, 31, "gone", "again"),
			remove(tx, 32, "src/b.go"))
	}, func(store.Tx) error { return nil }}
	owners := []store.Owner{alice, bob, {Tenant: "local", Agent: "nobody"}}
	var models []*plain.Tx
	for i, o := range owners {
		models = append(models, plain.New())
		if err := fills[i](models[i]); err != nil {
			t.Fatal(err)
		}
		update(t, s, o, fills[i])
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range rounds(10_000, 1000, 300, 100) {
		q, i := drawLoad(rnd), rnd.IntN(3)
		diff, err := try(t, s, owners[i], func(r store.Reader) (string, error) { return sameLoad(r, models[i], q) })
		if diff != "" || err != nil {
			t.Fatalf("Load(%+v) of %s: %v (-model +Load):\n%s", q, owners[i], err, diff)
		}
	}
}

func loadMissing(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: store.FileHead{Path: "a", Version: 7, Sizes: []int64{4, 5}}})
	})
	for _, q := range []store.Query{{File: "a", Current: true}, {File: "a", Version: 6}, {File: "a", Since: 6},
		{File: "a", Current: true, Since: 7}} {
		if l, err := try(t, s, alice, readLoad(q)); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("Load(%+v) of a version that is not there = %+v, %v, want ErrCorrupt", q, l, err)
		}
	}
}

func loadOwnWrites(t testing.TB, s store.Store) {
	diffs := ""
	update(t, s, alice, func(tx store.Tx) error {
		if err := errors.Join(fill(tx, "alice"), spoil(tx)); err != nil {
			return err
		}
		model := plain.New()
		if err := errors.Join(fill(model, "alice"), spoil(model)); err != nil {
			return err
		}
		diffs = ""
		rnd := rand.New(rand.NewPCG(3, 4))
		for range 100 {
			diff, err := sameLoad(tx, model, drawLoad(rnd))
			if err != nil {
				return err
			}
			diffs += diff
		}
		return nil
	})
	if diffs != "" {
		t.Errorf("Load in an Update (-model +Load):\n%.2000s", diffs)
	}
}

func loadResultsOwn(t testing.TB, s store.Store) {
	update(t, s, alice, fillAs("alice"))
	q := store.Query{
		File: "plan.md", To: "src/a.go", Current: true, Since: 3, History: true, Log: "plan.md",
		Entries: &store.EntryQuery{}, Request: "key 1",
	}
	var texts []string // a result of the store's may change with another
	for range 3 {
		got := view(t, s, alice, readLoad(q))
		kept, redaction := *got.Request, *got.Versions[0].Redacted
		bare := got
		bare.Request, bare.Versions = nil, slices.Clone(got.Versions)
		bare.Versions[0].Redacted = nil
		texts = append(texts, fmt.Sprintf("%+v %+v %+v", bare, kept, redaction))
		if texts[0] != texts[len(texts)-1] {
			t.Errorf("Load after its caller wrote into what it got = %.500s, want %.500s", texts[1], texts[0])
		}
		got.File.Sizes[0], got.To.Sizes[0], got.Version.Content[0], got.Old.Content[0] = 99, 99, 'X', 'X'
		got.Versions[0].Number, got.Entries[0].Content[0], got.Entries[1].ID = 99, 'X', 99
		got.Request.Key, *got.Versions[0].Redacted = "X", store.Redaction{}
	}
}
