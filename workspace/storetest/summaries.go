package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var summaries = []check{
	{"Summaries/Absent", summaryAbsent},
	{"Summaries/SavedIsRead", summarySaved},
	{"Summaries/KeysDiffer", summaryKeysDiffer},
	{"Summaries/List", summaryList},
	{"Summaries/Replaced", summaryReplaced},
	{"Summaries/Kept", summaryKept},
	{"Summaries/Forgotten", summaryForgotten},
	{"Summaries/Undone", summaryUndone},
	{"Summaries/OwnersAreApart", summaryOwners},
	{"Summaries/Content", summaryContent},
	{"Summaries/Times", summaryTimes},
	{"Summaries/ResultsAreOwn", summaryResultsOwn},
}

func readSummary(path string, k store.SummaryKey) func(store.Reader) (store.Summary, error) {
	return func(r store.Reader) (store.Summary, error) { return plain.Read(r).Summary(path, k) }
}

// noSummary tests that nothing is kept of a file under a key.
func noSummary(t testing.TB, s store.Store, o store.Owner, path string, k store.SummaryKey) {
	t.Helper()
	if got, err := try(t, s, o, readSummary(path, k)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s: Summary(%q, %+v) = %+v, %v, want ErrNotFound", o, path, k, got, err)
	}
}

// saveSummary keeps a summary, and its size in the head and the owner's state.
func saveSummary(path string, made store.Summary) func(store.Tx) error {
	return func(tx store.Tx) error {
		head, state, err := plain.Read(tx).File(path)
		head.Summary += int64(len(made.Content))
		state.Bytes += int64(len(made.Content))
		return errors.Join(err, tx.Apply(store.SummaryChange{Head: head, New: made, Owner: state}))
	}
}

// sampleKey has a value in every field.
var sampleKey = store.SummaryKey{Version: 2, Method: "method", Model: "model", Prompt: "prompt"}

// otherKeys returns keys that differ from sampleKey in one field each.
func otherKeys() []store.SummaryKey {
	var keys []store.SummaryKey
	for _, change := range []func(*store.SummaryKey){
		func(k *store.SummaryKey) { k.Version = 1 },
		func(k *store.SummaryKey) { k.Version = 3 },
		func(k *store.SummaryKey) { k.Method = "" },
		func(k *store.SummaryKey) { k.Method = "METHOD" },
		func(k *store.SummaryKey) { k.Method = "metho_" },
		func(k *store.SummaryKey) { k.Model = "" },
		func(k *store.SummaryKey) { k.Model = "Model" },
		func(k *store.SummaryKey) { k.Model = "model " },
		func(k *store.SummaryKey) { k.Prompt = "" },
		func(k *store.SummaryKey) { k.Prompt = "PROMPT" },
		func(k *store.SummaryKey) { k.Prompt = "prompt%" },
		func(k *store.SummaryKey) { k.Method, k.Model = "methodm", "odel" },
		func(k *store.SummaryKey) { k.Model, k.Prompt = k.Prompt, k.Model },
	} {
		k := sampleKey
		change(&k)
		keys = append(keys, k)
	}
	return keys
}

// twice gives a file two versions.
func twice(path string) func(store.Tx) error {
	return func(tx store.Tx) error { return errors.Join(write(tx, 1, path, "one"), write(tx, 2, path, "two")) }
}

func summaryAbsent(t testing.TB, s store.Store) {
	noSummary(t, s, alice, "a", sampleKey)
	update(t, s, alice, twice("a"))
	update(t, s, alice, twice("A"))
	noSummary(t, s, alice, "a", sampleKey)
	update(t, s, alice, saveSummary("a", summary(sampleKey, 3, "made")))
	for _, path := range []string{"A", "b", "a/b", "a_", "a%"} {
		noSummary(t, s, alice, path, sampleKey)
	}
	for _, k := range otherKeys() {
		noSummary(t, s, alice, "a", k)
	}
}

func summarySaved(t testing.TB, s store.Store) {
	update(t, s, alice, twice("a"))
	head, before, err := fileOf(t, s, "a")
	if err != nil {
		t.Fatal(err)
	}
	want := summary(sampleKey, 3, "made")
	want.Tokens = 1<<53 + 1
	head.Summary, before.Bytes = 1<<53+3, before.Bytes+4
	var inside store.Summary
	update(t, s, alice, func(tx store.Tx) (err error) {
		if err := tx.Apply(store.SummaryChange{Head: head, New: want, Owner: before}); err != nil {
			return err
		}
		inside, err = plain.Read(tx).Summary("a", sampleKey)
		return err
	})
	equal(t, "SaveSummary then Summary in the transaction", inside, want)
	equal(t, "SaveSummary then Summary", view(t, s, alice, readSummary("a", sampleKey)), want)
	after, state, _ := fileOf(t, s, "a")
	equal(t, "the head after SaveSummary", after, head)
	equal(t, "the owner's state after SaveSummary", state, before)
	f := view(t, s, alice, readFile("a"))
	equal(t, "the current version after SaveSummary", f.Current, version(2, 2, "two"))
	if len(f.Retained) != 2 {
		t.Errorf("after SaveSummary %d versions are retained, want 2", len(f.Retained))
	}
	list := filesOf(t, s, alice, "", 1)
	equal(t, "Files after SaveSummary", list, []store.FileHead{head})
}

func fileOf(t testing.TB, s store.Store, path string) (h store.FileHead, o store.OwnerState, err error) {
	err = s.View(t.Context(), alice, func(r store.Reader) (err error) {
		h, o, err = plain.Read(r).File(path)
		return err
	})
	return h, o, err
}

func summaryKeysDiffer(t testing.TB, s store.Store) {
	update(t, s, alice, twice("a"))
	keys := append(otherKeys(), sampleKey)
	for i, k := range keys {
		update(t, s, alice, saveSummary("a", summary(k, i, fmt.Sprint("made ", i))))
	}
	for i, k := range keys {
		equal(t, fmt.Sprintf("the summary under %+v", k), view(t, s, alice, readSummary("a", k)),
			summary(k, i, fmt.Sprint("made ", i)))
	}
}

// summaryList reads the summaries of a file among those of others.
func summaryList(t testing.TB, s store.Store) {
	listOf := func(path string) func(store.Reader) ([]store.Summary, error) {
		return func(r store.Reader) ([]store.Summary, error) { return r.Summaries(path) }
	}
	keys := append(otherKeys(), sampleKey)
	var want []store.Summary
	for _, path := range []string{"A", "a", "a/b", "ab"} {
		update(t, s, alice, twice(path))
		equal(t, "Summaries of a file that has none", view(t, s, alice, listOf(path)), []store.Summary{})
		for i, k := range keys {
			made := summary(k, i, path)
			update(t, s, alice, saveSummary(path, made))
			if made.Content = nil; path == "a" {
				want = append(want, made)
			}
		}
	}
	slices.SortFunc(want, func(a, b store.Summary) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Prompt, b.Prompt))
	})
	equal(t, "Summaries", view(t, s, alice, listOf("a")), want)
	equal(t, "Summaries of no file", view(t, s, alice, listOf("none")), []store.Summary{})
	equal(t, "Summaries of another owner", view(t, s, bob, listOf("a")), []store.Summary{})
	var inside []store.Summary
	update(t, s, alice, func(tx store.Tx) (err error) {
		if err := remove(tx, 9, "a"); err != nil {
			return err
		}
		inside, err = tx.Summaries("a")
		return err
	})
	if len(inside) > 0 {
		t.Errorf("Summaries in the transaction that deleted the file = %v, want none", inside)
	}
}

func summaryReplaced(t testing.TB, s store.Store) {
	update(t, s, alice, twice("a"))
	other := otherKeys()[0]
	update(t, s, alice, saveSummary("a", summary(other, 3, "other")))
	for i, text := range []string{"first", "second, which is longer", "3"} {
		update(t, s, alice, saveSummary("a", summary(sampleKey, 4+i, text)))
		equal(t, "SaveSummary in place of another", view(t, s, alice, readSummary("a", sampleKey)),
			summary(sampleKey, 4+i, text))
	}
	equal(t, "the summary beside it", view(t, s, alice, readSummary("a", other)), summary(other, 3, "other"))
}

// summaryKept makes changes that must not remove a file's summaries.
func summaryKept(t testing.TB, s store.Store) {
	update(t, s, alice, twice("a"))
	want := summary(sampleKey, 3, "made")
	update(t, s, alice, saveSummary("a", want))
	update(t, s, alice, func(tx store.Tx) error {
		head, state, err := plain.Read(tx).File("a")
		head.Version++
		head.Sizes = append(head.Sizes, 1)
		return errors.Join(err,
			tx.Apply(store.FileChange{Head: head, New: new(version(3, 4, "3")), Prune: 1, Pruned: 1, Owner: state}),
			write(tx, 5, "b", "x"), remove(tx, 6, "b"), add(tx, 7, "a", "x"), drop(tx, 8, "a"))
	})
	equal(t, "a summary after a change without Forget", view(t, s, alice, readSummary("a", sampleKey)), want)
	head, _, _ := fileOf(t, s, "a")
	if head.Summary != int64(len(want.Content)) {
		t.Errorf("the head after a change without Forget says %d bytes of summaries, want %d", head.Summary,
			len(want.Content))
	}
}

func summaryForgotten(t testing.TB, s store.Store) {
	keys := append(otherKeys(), sampleKey)
	forget := map[string]func(store.Tx, store.FileHead, store.OwnerState) error{
		"a": func(tx store.Tx, h store.FileHead, o store.OwnerState) error {
			h.Version++
			h.Sizes = append(h.Sizes, 1)
			return tx.Apply(store.FileChange{Head: h, New: new(version(3, 4, "3")), Forget: true, Owner: o})
		},
		"a/b": func(tx store.Tx, h store.FileHead, o store.OwnerState) error {
			return tx.Apply(store.FileChange{Head: h, Forget: true, Owner: o})
		},
		"a.b": func(tx store.Tx, h store.FileHead, o store.OwnerState) error {
			h.Deleted, h.Sizes = true, nil
			return tx.Apply(store.FileChange{Head: h, Prune: h.Version, Forget: true, Owner: o})
		},
	}
	paths := []string{"a", "a/b", "a.b", "A", "ab"}
	for _, path := range paths {
		update(t, s, alice, twice(path))
		for i, k := range keys {
			update(t, s, alice, saveSummary(path, summary(k, i, path)))
		}
	}
	for _, path := range []string{"a", "a/b", "a.b"} {
		var inside error
		update(t, s, alice, func(tx store.Tx) error {
			head, state, err := plain.Read(tx).File(path)
			head.Summary = 0
			err = errors.Join(err, forget[path](tx, head, state))
			_, inside = plain.Read(tx).Summary(path, sampleKey)
			return err
		})
		if !errors.Is(inside, store.ErrNotFound) {
			t.Errorf("Summary(%q) in the transaction that forgot it = %v, want ErrNotFound", path, inside)
		}
		paths = paths[1:]
		for _, k := range keys {
			noSummary(t, s, alice, path, k)
			for i, other := range paths {
				if _, err := try(t, s, alice, readSummary(other, k)); err != nil {
					t.Fatalf("%q was forgotten, then Summary(%q), %d = %v, want it", path, other, i, err)
				}
			}
		}
	}
	f := view(t, s, alice, readFile("a/b"))
	equal(t, "a file whose summaries alone were forgotten", f.Current, version(2, 2, "two"))
}

func summaryUndone(t testing.TB, s store.Store) {
	update(t, s, alice, twice("a"))
	kept := summary(sampleKey, 3, "kept")
	other := otherKeys()[0]
	update(t, s, alice, saveSummary("a", kept))
	head, _, _ := fileOf(t, s, "a")
	for name, fn := range map[string]func(store.Tx) error{
		"replaced":  saveSummary("a", summary(sampleKey, 4, "replaced")),
		"added":     saveSummary("a", summary(other, 4, "added")),
		"forgotten": func(tx store.Tx) error { return tx.Apply(store.FileChange{Head: head, Forget: true}) },
		"deleted":   func(tx store.Tx) error { return remove(tx, 4, "a") },
	} {
		err := s.Update(t.Context(), alice, func(tx store.Tx) error { return errors.Join(fn(tx), errFn) })
		if !errors.Is(err, errFn) {
			t.Errorf("Update = %v, want the function's error", err)
		}
		equal(t, "a summary that was "+name+" in an Update with an error",
			view(t, s, alice, readSummary("a", sampleKey)), kept)
		noSummary(t, s, alice, "a", other)
		after, _, _ := fileOf(t, s, "a")
		equal(t, "the head of a file whose summary was "+name+" in an Update with an error", after, head)
	}
}

func summaryOwners(t testing.TB, s store.Store) {
	for _, o := range neighbours() {
		update(t, s, o, twice("a"))
		update(t, s, o, saveSummary("a", summary(sampleKey, 3, o.String())))
	}
	for i, o := range neighbours() {
		equal(t, "the summary of "+o.String(), view(t, s, o, readSummary("a", sampleKey)),
			summary(sampleKey, 3, o.String()))
		update(t, s, o, func(tx store.Tx) error {
			head, state, err := plain.Read(tx).File("a")
			head.Summary = 0
			return errors.Join(err, tx.Apply(store.FileChange{Head: head, Forget: true, Owner: state}))
		})
		noSummary(t, s, o, "a", sampleKey)
		for _, other := range neighbours()[i+1:] {
			if _, err := try(t, s, other, readSummary("a", sampleKey)); err != nil {
				t.Fatalf("%s forgot its summary, then that of %s = %v, want it", o, other, err)
			}
		}
	}
}

func summaryContent(t testing.TB, s store.Store) {
	for _, c := range texts() {
		want := summary(sampleKey, 3, c.text)
		update(t, s, alice, twice(c.name))
		update(t, s, alice, saveSummary(c.name, want))
		if got := view(t, s, alice, readSummary(c.name, sampleKey)); difference(want, got) != "" {
			t.Errorf("%s: Summary gives %d bytes %.40q, want %d bytes %.40q", c.name, len(got.Content), got.Content,
				len(c.text), c.text)
		}
	}
	for i, a := range authors() {
		k := store.SummaryKey{Version: int64(i + 1), Method: a.Client, Model: a.Version, Prompt: a.Key}
		update(t, s, alice, saveSummary("nul", summary(k, i, "x")))
		equal(t, "a summary under an odd key", view(t, s, alice, readSummary("nul", k)), summary(k, i, "x"))
	}
}

func summaryTimes(t testing.TB, s store.Store) {
	update(t, s, alice, twice("a"))
	for _, given := range times() {
		made := summary(sampleKey, 3, "made")
		made.Time = given
		update(t, s, alice, saveSummary("a", made))
		sameTime(t, "Time of a summary", view(t, s, alice, readSummary("a", sampleKey)).Time, given)
	}
}

func summaryResultsOwn(t testing.TB, s store.Store) {
	update(t, s, alice, twice("a"))
	given := summary(sampleKey, 3, "made")
	update(t, s, alice, saveSummary("a", given))
	given.Content[0] = 'X'
	for range 2 {
		got := view(t, s, alice, readSummary("a", sampleKey))
		equal(t, "a summary after its caller wrote into what it gave and got", got, summary(sampleKey, 3, "made"))
		got.Content[0] = 'X'
	}
}
