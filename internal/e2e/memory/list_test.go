package memory

import (
	"slices"

	"github.com/google/go-cmp/cmp"
)

// list lists the memories of a store by pages, folders and depth.
func (s *session) list() {
	store := s.newStore()
	tree := []string{"/a.md", "/b/c.md", "/b/d/e.md", "/b/d/f.md", "/b/g/h.md", "/b-i.md", "/j/k.md", "/é/日本.md"}
	for _, path := range tree {
		s.write(store, path, "of "+path)
	}
	check := func(params m, want ...string) []m {
		s.Helper()
		got := s.all("memories.all", store, params)
		if diff := cmp.Diff(want, paths(got)); diff != "" {
			s.Errorf("%v (-want +got)\n%s", params, diff)
		}
		return got
	}
	sorted := slices.Sorted(slices.Values(tree))
	check(nil, sorted...)
	s.front.take()
	check(m{"limit": 3}, sorted...)
	if n := len(s.front.take()); n != 3 {
		s.Errorf("%d requests for 8 memories with limit 3, want 3", n)
	}
	for _, item := range check(m{"view": "full", "limit": 5}, sorted...) {
		if item["content"] != "of "+item["path"].(string) || item["type"] != "memory" {
			s.Errorf("full view: %v", item)
		}
	}
	for _, item := range check(m{"path_prefix": "/b/"}, "/b/c.md", "/b/d/e.md", "/b/d/f.md", "/b/g/h.md") {
		if item["content"] != nil || item["content_sha256"] != sum("of "+item["path"].(string)) {
			s.Errorf("basic view: %v", item)
		}
	}
	check(m{"path_prefix": "/nothing/"})
	check(m{"path_prefix": "/é/"}, "/é/日本.md")
	check(m{"path_prefix": "/"}, sorted...)
	check(m{"depth": 0}, sorted...)
	folders := check(m{"depth": 1}, "/a.md", "/b-i.md", "/b/", "/j/", "/é/")
	for _, item := range folders[2:] {
		s.like(item, m{"type": "memory_prefix", "path": item["path"]})
	}
	check(m{"depth": 1, "limit": 1}, "/a.md", "/b-i.md", "/b/", "/j/", "/é/")
	check(m{"depth": 1, "path_prefix": "/b/", "limit": 2}, "/b/c.md", "/b/d/", "/b/g/")
}
