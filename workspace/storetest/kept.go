package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// keptVersions returns the versions that a scan lists, and "more" if there are more. A version is
// followed by "!" if its file is deleted, and by its content.
func keptVersions(q store.ScanQuery) func(store.Reader) ([]string, error) {
	return func(r store.Reader) (list []string, err error) {
		q.Kind, q.Versions = store.KindFile, true
		page, err := r.Scan(q)
		for _, f := range page.Files {
			l, err := r.Load(store.Query{File: f.Path, Version: f.Current.Number})
			if diff := difference(store.File{FileHead: l.File, Current: l.Version}, f); diff != "" || err != nil {
				return nil, fmt.Errorf("what Load and Scan return differs (%v):\n%s", err, diff)
			}
			deleted := map[bool]string{true: "!"}[f.Deleted]
			list = append(list, fmt.Sprintf("%s@%d%s=%s", f.Path, f.Current.Number, deleted, f.Current.Content))
		}
		if page.More {
			list = append(list, "more")
		}
		return list, err
	}
}

// fileKeptVersions has a file with a redacted version, a deleted file, and one of another owner.
func fileKeptVersions(t testing.TB, s store.Store) {
	update(t, s, bob, threeVersions("a"))
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(threeVersions("a")(tx), threeVersions("ab")(tx), retire(tx, 4, "ab"),
			write(tx, 5, "b", "five!"), redact(tx, 6, "a", 1), write(tx, 7, "c", "gone"), remove(tx, 8, "c"))
	})
	for _, c := range []struct {
		q    store.ScanQuery
		want string
	}{
		{store.ScanQuery{Limit: 9, MaxBytes: 100},
			"b@1=five! ab@3!=three ab@2!=two, longer ab@1!=one a@3=three a@2= a@1=one"},
		{store.ScanQuery{Limit: 3, MaxBytes: 100}, "b@1=five! ab@3!=three ab@2!=two, longer more"},
		{store.ScanQuery{Limit: 9, MaxBytes: 100, After: "ab", Before: 2}, "ab@1!=one a@3=three a@2= a@1=one"},
		{store.ScanQuery{Limit: 9, MaxBytes: 100, After: "aa", Before: 2}, "a@3=three a@2= a@1=one"},
		{store.ScanQuery{Limit: 9, MaxBytes: 8, After: "ab", Before: 2}, "ab@1!=one a@3=three a@2= more"},
		{store.ScanQuery{Limit: 9, MaxBytes: 7}, "b@1=five! more"},
		{store.ScanQuery{Limit: 9, After: "ab", Before: 3}, "ab@2!=two, longer more"},
		{store.ScanQuery{Limit: 9, MaxBytes: 100, Prefix: "ab"}, "ab@3!=three ab@2!=two, longer ab@1!=one"},
		{store.ScanQuery{Limit: 9, MaxBytes: 100, Prefix: "ab", After: "ab", Before: 1}, ""},
		{store.ScanQuery{Limit: 1, MaxBytes: 100, After: "a", Before: 2}, "a@1=one"},
	} {
		got := view(t, s, alice, keptVersions(c.q))
		equal(t, fmt.Sprintf("Scan(%+v)", c.q), strings.Join(got, " "), c.want)
	}
}
