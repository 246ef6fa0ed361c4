package memory

import (
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
)

// history makes a memory of four versions beside another, and returns the versions of the
// memory, oldest first, as the answers told them.
func (s *session) history(store string) (id string, versions []string) {
	memory := s.write(store, "/plan.md", "one")
	s.write(store, "/other.md", "other")
	id = memory["id"].(string)
	versions = []string{memory["memory_version_id"].(string)}
	for _, change := range []m{{"content": "two"}, {"path": "/plans/plan.md"}, {"content": "four"}} {
		change["memory_store_id"] = store
		versions = append(versions, s.do("memories.update", id, change)["memory_version_id"].(string))
	}
	return id, versions
}

func ids(items []m) (list []string) {
	for _, item := range items {
		list = append(list, item["id"].(string))
	}
	return list
}

// versions reads and lists the versions of memories.
func (s *session) versions() {
	store := s.newStore()
	id, versions := s.history(store)
	newest := slices.Clone(versions)
	slices.Reverse(newest)
	check := func(params m, want ...string) []m {
		s.Helper()
		got := s.all("memoryVersions.all", store, params)
		if diff := cmp.Diff(want, ids(got)); diff != "" {
			s.Errorf("%v (-want +got)\n%s", params, diff)
		}
		return got
	}
	all := s.all("memoryVersions.all", store, nil)
	if len(all) != 5 {
		s.Fatalf("versions: %v", all)
	}
	check(m{"limit": 2}, ids(all)...)
	check(m{"memory_id": id}, newest...)
	check(m{"memory_id": id, "limit": 1}, newest...)
	check(m{"memory_id": id, "operation": "created"}, versions[0])
	check(m{"memory_id": id, "operation": "modified"}, newest[:3]...)
	check(m{"operation": "deleted"})
	check(m{"memory_id": id, "api_key_id": s.key}, newest...)
	check(m{"api_key_id": "nobody"})
	check(m{"session_id": "nobody"})
	check(m{"service_account_id": "nobody"})
	check(m{"created_at[gte]": time.Now().Add(time.Hour)})
	check(m{"created_at[lte]": time.Now().Add(-time.Hour)})
	check(m{"memory_id": id, "created_at[gte]": time.Now().Add(-time.Hour), "created_at[lte]": time.Now().Add(time.Hour)}, newest...)

	// The API gives the path that a memory had at the time. Versions here move with their
	// file, so all have the path of now.
	contents := []string{"one", "two", "two", "four"}
	for i, version := range versions {
		want := m{"id": version, "type": "memory_version", "memory_id": id, "memory_store_id": store, "operation": "modified", "path": "/plans/plan.md",
			"content": contents[i], "content_sha256": sum(contents[i]), "content_size_bytes": float64(len(contents[i])),
			"created_by": m{"type": "api_actor", "api_key_id": s.key}, "redacted_at": nil, "redacted_by": nil}
		if i == 0 {
			want["operation"] = "created"
		}
		s.like(s.do("memoryVersions.retrieve", version, m{"memory_store_id": store}), want)
		want["content"] = nil
		s.like(s.do("memoryVersions.retrieve", version, m{"memory_store_id": store, "view": "basic"}), want)
		listed := check(m{"memory_id": id, "view": "full"}, newest...)[3-i]
		want["content"] = contents[i]
		s.like(listed, want)
	}
	s.do("memories.delete", id, m{"memory_store_id": store})
	s.fails(404, "not_found_error", "memoryVersions.retrieve", versions[0], m{"memory_store_id": store})
}
