package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// currentFiles returns the paths that CurrentFiles lists, and "more" if there are more. All
// else in the list is what Current gives.
func currentFiles(r store.Reader, prefix, after string, limit int, maxBytes int64) (paths []string, err error) {
	files, more, err := plain.Read(r).CurrentFiles(prefix, after, limit, maxBytes)
	for _, f := range files {
		head, v, err := plain.Read(r).Current(f.Path)
		if diff := difference(store.File{FileHead: head, Current: v}, f); diff != "" || err != nil {
			return nil, fmt.Errorf("Current(%q) and CurrentFiles differ (%v):\n%s", f.Path, err, diff)
		}
		paths = append(paths, f.Path)
	}
	if more {
		paths = append(paths, "more")
	}
	return paths, err
}

func currents(r store.Reader, prefix, after string, limit int) ([]store.File, error) {
	files, _, err := plain.Read(r).CurrentFiles(prefix, after, limit, 1<<40)
	return files, err
}

func fileCurrentList(t testing.TB, s store.Store) {
	testList(t, s, write1, listed(currents, func(f store.File) string { return f.Path }))
}

// fileCurrents has files of 10, 5, 0, 300,000 and 1 bytes, one that is deleted, and one whose
// current version is missing. Another owner has the same paths.
func fileCurrents(t testing.TB, s store.Store) {
	for o, text := range map[store.Owner]string{alice: "0123456789", bob: "of another owner"} {
		update(t, s, o, func(tx store.Tx) error {
			return errors.Join(write(tx, 1, "a", strings.Repeat("x", 100)), write(tx, 2, "a", text),
				write(tx, 3, "b", text[:5]),
				write(tx, 4, "b-", "gone"), remove(tx, 5, "b-"), write(tx, 6, "c", ""), write(tx, 7, "d",
					strings.Repeat(text, 30_000)), write(tx, 8, "e", "x"),
				tx.Apply(store.FileChange{Head: store.FileHead{Path: "f", Version: 7, Sizes: []int64{5}}}))
		})
	}
	for _, c := range []struct {
		after    string
		limit    int
		maxBytes int64
		want     string
	}{
		{"", 5, 1 << 40, "[a b c d e more]"}, {"", 2, 1 << 40, "[a b more]"}, {"", 9, 15, "[a b c more]"}, {"", 9, 14,
			"[a more]"}, {"", 9, 0, "[a more]"},
		{"a", 9, 5, "[b c more]"}, {"b", 9, 300_000, "[c d more]"}, {"c", 9, 1, "[d more]"}, {"d", 1, 0,
			"[e more]"}, {"f", 9, 9, "[]"},
	} {
		got := view(t, s, alice, func(r store.Reader) ([]string, error) {
			return currentFiles(r, "", c.after, c.limit,
				c.maxBytes)
		})
		equal(t, fmt.Sprintf("CurrentFiles(after %q, limit %d, maxBytes %d)", c.after, c.limit, c.maxBytes),
			fmt.Sprint(got), c.want)
	}
	if _, err := try(t, s, alice, func(r store.Reader) ([]string, error) {
		return currentFiles(r, "", "d", 2, 9)
	}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("CurrentFiles with a version that is not there = %v, want ErrCorrupt", err)
	}
}
