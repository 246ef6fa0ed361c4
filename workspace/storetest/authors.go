package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// authors returns names that a client may give itself.
func authors() []store.Author {
	long := strings.Repeat("x", 256)
	return []store.Author{
		{},
		{Client: "only"},
		{Version: "only"},
		{Key: "only"},
		{Client: `'"\`, Version: "a\tb\r\nc", Key: "\u00e9\U0001f600"},
		{Client: "{\"Client\":\"x\"}", Version: "null", Key: " "},
		{Client: "a|b", Version: "/", Key: "a,b"},
		{Client: long, Version: long, Key: long},
		{Client: "a\x00b"},
		{Version: "\x00"},
		{Key: "k\x00\x00"},
		{Client: "\x00", Version: "x\x00y", Key: "\x00z"},
		{Client: "\ufffd\ufeff\u202e", Version: "\x7f\x1b[0m", Key: strings.Repeat("\U0010ffff", 64)},
	}
}

func fileAuthors(t testing.TB, s store.Store) {
	for i, a := range authors() {
		n := int64(i + 1)
		v := version(n, i, "x")
		v.Author = a
		update(t, s, alice, func(tx store.Tx) error {
			return tx.Apply(store.FileChange{Head: store.FileHead{Path: "a", Version: n, Sizes: make([]int64, n)},
				New: &v})
		})
	}
	for i, v := range view(t, s, alice, readFile("a")).Versions {
		equal(t, "an author in Versions", v.Author, authors()[i])
		whole := view(t, s, alice, readVersion("a", v.Number))
		equal(t, "an author in Version", whole.Author, authors()[i])
	}
}

func readAuthored(r store.Reader, prefix, after string, limit int) ([]store.File, error) {
	return plain.Read(r).AuthoredFiles(prefix, after, limit)
}

// first returns a function that reads the first page of a list.
func first[T any](
	list func(store.Reader, string, string, int) ([]T, error), limit int,
) func(store.Reader) ([]T, error) {
	return func(r store.Reader) ([]T, error) { return list(r, "", "", limit) }
}

// fileAuthored writes each file several times, and each time as another author. Another
// owner has the same paths.
func fileAuthored(t testing.TB, s store.Store) {
	var want []store.File
	paths := []string{"a", "a/b", "b", "gone"}
	for i, path := range paths {
		for n := int64(1); n <= 3; n++ {
			v := version(n, int(n), "x")
			v.Author = authors()[(i*3+int(n))%len(authors())]
			head := store.FileHead{Path: path, Version: n, Sizes: []int64{1}, Created: at(1), Updated: at(int(n))}
			update(t, s, alice, func(tx store.Tx) error {
				return tx.Apply(store.FileChange{Head: head, New: &v, Prune: n - 1})
			})
			other := v
			other.Author = store.Author{Client: "of another owner"}
			update(t, s, bob, func(tx store.Tx) error {
				return tx.Apply(store.FileChange{Head: head, New: &other, Prune: n - 1})
			})
			if n == 3 {
				want = append(want, store.File{FileHead: head, Current: store.Version{Author: v.Author}})
			}
		}
	}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: store.FileHead{Path: "gone", Version: 3, Deleted: true, Created: at(1),
			Updated: at(4)}, Prune: 3})
	})
	equal(t, "AuthoredFiles", view(t, s, alice, first(readAuthored, 10)), want[:3])
	update(t, s, alice, func(tx store.Tx) error {
		v := version(4, 4, "back")
		v.Author = authors()[1]
		want[0] = store.File{FileHead: store.FileHead{Path: "a", Version: 4, Sizes: []int64{1, 4}, Created: at(1),
			Updated: at(4)}, Current: store.Version{Author: v.Author}}
		return tx.Apply(store.FileChange{Head: want[0].FileHead, New: &v}) // version 3 is kept
	})
	equal(t, "AuthoredFiles after another write", view(t, s, alice, first(readAuthored, 2)), want[:2])
	equal(t, "AuthoredFiles of an owner that never wrote", view(t, s, store.Owner{Tenant: "local", Agent: "nobody"},
		first(readAuthored, 10)), []store.File(nil))
}

func fileAuthoredList(t testing.TB, s store.Store) {
	testList(t, s, write1, listed(readAuthored, func(f store.File) string { return f.Path }))
}

// fileAuthorMissing looks at a file whose current version is not there.
func fileAuthorMissing(t testing.TB, s store.Store) {
	lost := store.FileHead{Path: "lost", Version: 7, Sizes: []int64{5}}
	update(t, s, alice, func(tx store.Tx) error {
		v := version(6, 1, "old")
		v.Author = store.Author{Client: "of an older version"}
		return errors.Join(tx.Apply(store.FileChange{Head: lost, New: &v}), write(tx, 2, "sound", "x"))
	})
	sound := view(t, s, alice, readFile("sound"))
	equal(t, "AuthoredFiles without a version", view(t, s, alice, first(readAuthored, 10)),
		[]store.File{{FileHead: lost}, {FileHead: sound.Head, Current: store.Version{Author: sound.Current.Author}}})
}
