package memorystores_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The lists of memories are those of a plain model, whatever the paths, the prefix, the depth
// and the limit are.
func TestMemories(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		g := rand.New(rand.NewPCG(1, 2))
		names := []string{"a", "a-", "a0", "a00", "b", ".x", "é", "日", "a1"}
		has := map[string]bool{}
		for range 220 {
			parts := make([]string, 1+g.IntN(3))
			for i := range parts {
				parts[i] = names[g.IntN(len(names))]
			}
			if path := "/" + strings.Join(parts, "/"); c.post(memories, object{"path": path, "content": ""}).status == 200 {
				has[path] = true
			}
		}
		if len(has) < 60 {
			t.Fatalf("only %d memories", len(has))
		}
		for range testkit.Pick(60, 200, 2000) {
			prefix, depth, limit := "/", g.IntN(2), 1+g.IntN(30)
			for range g.IntN(3) {
				prefix += names[g.IntN(len(names))] + "/"
			}
			var want []string
			for path := range has {
				rest, ok := strings.CutPrefix(path, prefix)
				if dir, _, deeper := strings.Cut(rest, "/"); deeper && depth == 1 {
					path = prefix + dir + "/"
				}
				if ok && !slices.Contains(want, path) {
					want = append(want, path)
				}
			}
			slices.Sort(want)
			query := fmt.Sprintf("?path_prefix=%s&depth=%d&limit=%d", url.QueryEscape(prefix), depth, limit)
			got, pages := c.pages(memories+query, "path")
			if !slices.Equal(got, want) || pages != max(1, (len(want)+limit-1)/limit) {
				t.Fatalf("%s: %q in %d pages, want %q", query, got, pages, want)
			}
		}
	})
}

// A page with contents has 20 items at most, and fewer if they are large.
func TestFullPages(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		ws := must(w.svc.Agent("a"))(t)
		for i := range 30 {
			size := 10
			if i < 9 {
				size = 1 << 20
			}
			testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), fmt.Sprintf("f%02d", i), []byte(strings.Repeat("x", size)), workspace.WriteOptions{})))
		}
		for _, path := range []string{memories + "?view=full&limit=100", "/memstore_a/memory_versions?view=full&limit=100"} {
			a := c.get(path)
			if n := len(a.data("path")); a.body["next_page"] == nil || n > 20 || len(a.text) > 6<<20 || slices.Contains(a.data("content"), "<nil>") {
				t.Errorf("%s has %d items in %d bytes", path, n, len(a.text))
			}
			paths, _ := c.pages(path, "path")
			if slices.Sort(paths); len(slices.Compact(paths)) != 30 {
				t.Errorf("%s has %q", path, paths)
			}
		}
		if got := c.get(memories + "?limit=100").data("content"); len(got) != 30 || got[0] != "<nil>" {
			t.Errorf("the list without contents has %d", len(got))
		}
		large := c.get(memories + "/" + c.get(memories).data("id")[0]).ok()
		if len(large.str("content")) != 1<<20 {
			t.Errorf("a large memory is read as %d bytes", len(large.text))
		}
	})
}

// A cursor is good for its own list alone.
func TestCursor(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		other := w.in(t, "other", both, "*")
		for _, one := range []*client{c, other} {
			if one == other {
				one.made("", object{"name": "a"})
			}
			one.made("", object{"name": "b"})
			for i := range 3 {
				one.memory(fmt.Sprintf("/d/%d", i), "x")
			}
		}
		lists := []string{"?limit=1", "?limit=1&include_archived=true", memories + "?limit=1", memories + "?limit=1&path_prefix=/d/", memories + "?limit=1&view=full", "/memstore_a/memory_versions?limit=1", "/memstore_a/memory_versions?limit=1&operation=created"}
		for i, list := range lists {
			token := c.get(list).ok().str("next_page")
			for j, another := range lists {
				for _, one := range []*client{c, other} {
					a := one.get(another + "&page=" + token)
					if i == j && one == c {
						a.ok()
					} else {
						a.fails(400, "invalid_request_error", "not the next_page")
					}
				}
			}
			last := token[len(token)-1:]
			for _, wrong := range []string{"", "x", "page_", token[5:], token[:len(token)-1], token + "A", token + "=", strings.ToUpper(token), token[:8] + "_" + token[9:], "page_" + strings.Repeat("A", 5000), strings.TrimSuffix(token, last) + "%0A" + last} {
				c.get(list+"&page="+wrong).fails(400, "invalid_request_error", "not the next_page")
			}
			if got := len(c.get(strings.Replace(list, "limit=1", "limit=2", 1) + "&page=" + token).data("id")); got < 1 {
				t.Errorf("%s: the next page with another limit has %d items", list, got)
			}
		}
	})
}

// Parameters are read strictly.
func TestWrongQuery(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		at := memories + "/" + c.memory("/m", "").str("id")
		const versions = "/memstore_a/memory_versions"
		for _, path := range []string{
			"?limit=0", "?limit=101", "?limit=x", "?limit=1.0", "?limit=", "?limit=1&limit=1", "?Limit=1", "?x=1", "?include_archived=1", "?include_archived=", "?created_at[gte]=2026", "?created_at[lte]=2026-01-02", "?created_at=2026-01-02T03:04:05Z",
			"?limit=%zz", "?limit=1;page=x", "?page=%ff",
			memories + "?depth=2", memories + "?depth=-1", memories + "?depth=", memories + "?view=Full", memories + "?view=", memories + "?path_prefix=", memories + "?path_prefix=/a", memories + "?path_prefix=a/", memories + "?path_prefix=//", memories + "?path_prefix=/../", memories + "?path_prefix=/%00/",
			at + "?view=x", at + "?limit=1", versions + "?operation=x", versions + "?operation=", versions + "?memory_id=x", versions + "?memory_id=", versions + "?view=x", versions + "/x?limit=1",
		} {
			c.get(path).fails(400, "invalid_request_error", "")
		}
		for _, path := range []string{"?beta=true", "?created_at[gte]=2026-01-02T03:04:05Z", "?created_at%5Blte%5D=2026-01-02T03:04:05.123456789%2B02:00", memories + "?path_prefix=/", memories + "?depth=0&view=basic", memories + "?path_prefix=/none/"} {
			c.get(path).ok()
		}
	})
}
