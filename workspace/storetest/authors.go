package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// authors returns names that a client may give itself.
func authors() []workspace.Author {
	long := strings.Repeat("x", 256)
	return []workspace.Author{
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

func fileAuthors(t testing.TB, s workspace.Store) {
	for i, a := range authors() {
		n := int64(i + 1)
		v := version(n, i, "x")
		v.Author = a
		update(t, s, alice, func(tx workspace.Tx) error {
			return tx.SaveFile(workspace.FileChange{Head: workspace.FileHead{Path: "a", Version: n, Sizes: make([]int64, n)}, New: &v})
		})
	}
	for i, v := range view(t, s, alice, readFile("a")).Versions {
		equal(t, "an author in Versions", v.Author, authors()[i])
		whole := view(t, s, alice, readVersion("a", v.Number))
		equal(t, "an author in Version", whole.Author, authors()[i])
	}
}

// first returns a function that reads the first page of a list.
func first[T any](list func(workspace.Reader, string, string, int) ([]T, error), limit int) func(workspace.Reader) ([]T, error) {
	return func(r workspace.Reader) ([]T, error) { return list(r, "", "", limit) }
}

// fileAuthored writes each file several times, and each time as another author. Another
// owner has the same paths.
func fileAuthored(t testing.TB, s workspace.Store) {
	var want []workspace.AuthoredFile
	paths := []string{"a", "a/b", "b", "gone"}
	for i, path := range paths {
		for n := int64(1); n <= 3; n++ {
			v := version(n, int(n), "x")
			v.Author = authors()[(i*3+int(n))%len(authors())]
			head := workspace.FileHead{Path: path, Version: n, Sizes: []int64{1}, Created: at(1), Updated: at(int(n))}
			update(t, s, alice, func(tx workspace.Tx) error {
				return tx.SaveFile(workspace.FileChange{Head: head, New: &v, Prune: n - 1})
			})
			other := v
			other.Author = workspace.Author{Client: "of another owner"}
			update(t, s, bob, func(tx workspace.Tx) error {
				return tx.SaveFile(workspace.FileChange{Head: head, New: &other, Prune: n - 1})
			})
			if n == 3 {
				want = append(want, workspace.AuthoredFile{FileHead: head, Author: v.Author})
			}
		}
	}
	update(t, s, alice, func(tx workspace.Tx) error {
		return tx.SaveFile(workspace.FileChange{Head: workspace.FileHead{Path: "gone", Version: 3, Deleted: true, Created: at(1), Updated: at(4)}, Prune: 3})
	})
	equal(t, "AuthoredFiles", view(t, s, alice, first(workspace.Reader.AuthoredFiles, 10)), want[:3])
	update(t, s, alice, func(tx workspace.Tx) error {
		v := version(4, 4, "back")
		v.Author = authors()[1]
		want[0] = workspace.AuthoredFile{FileHead: workspace.FileHead{Path: "a", Version: 4, Sizes: []int64{1, 4}, Created: at(1), Updated: at(4)}, Author: v.Author}
		return tx.SaveFile(workspace.FileChange{Head: want[0].FileHead, New: &v}) // version 3 is kept
	})
	equal(t, "AuthoredFiles after another write", view(t, s, alice, first(workspace.Reader.AuthoredFiles, 2)), want[:2])
	equal(t, "AuthoredFiles of an owner that never wrote", view(t, s, workspace.Owner{Tenant: "local", Agent: "nobody"}, first(workspace.Reader.AuthoredFiles, 10)), []workspace.AuthoredFile(nil))
}

func fileAuthoredList(t testing.TB, s workspace.Store) {
	testList(t, s, write1, listed(workspace.Reader.AuthoredFiles, func(f workspace.AuthoredFile) string { return f.Path }))
}

// fileAuthorMissing looks at a file whose current version is not there.
func fileAuthorMissing(t testing.TB, s workspace.Store) {
	lost := workspace.FileHead{Path: "lost", Version: 7, Sizes: []int64{5}}
	update(t, s, alice, func(tx workspace.Tx) error {
		v := version(6, 1, "old")
		v.Author = workspace.Author{Client: "of an older version"}
		return errors.Join(tx.SaveFile(workspace.FileChange{Head: lost, New: &v}), write(tx, 2, "sound", "x"))
	})
	sound := view(t, s, alice, readFile("sound"))
	equal(t, "AuthoredFiles without a version", view(t, s, alice, first(workspace.Reader.AuthoredFiles, 10)),
		[]workspace.AuthoredFile{{FileHead: lost}, {FileHead: sound.Head, Author: sound.Current.Author}})
}
