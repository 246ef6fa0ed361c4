package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stores creates, reads, changes, lists and deletes stores.
func (s *session) stores() {
	store := s.do("create", "", m{"name": "Plans", "description": "what we want", "metadata": m{"team": "a", "old": "1"}})
	id := store["id"].(string)
	want := m{"id": id, "type": "memory_store", "name": "Plans", "description": "what we want", "metadata": m{"team": "a", "old": "1"}, "archived_at": nil}
	s.like(store, want)
	s.like(s.do("retrieve", id, nil), want)

	want["metadata"], want["name"] = m{"team": "a", "new": "2"}, "Plans 2"
	s.like(s.do("update", id, m{"name": "Plans 2", "metadata": m{"old": nil, "new": "2"}}), want)
	want["description"] = ""
	updated := s.do("update", id, m{"description": ""})
	s.like(updated, want)
	if from, to := s.parse(updated["created_at"]), s.parse(updated["updated_at"]); !to.After(from) {
		s.Errorf("created %v, updated %v: want a later time", from, to)
	}
	s.write(id, "/a.md", "x")
	want["updated_at"] = updated["updated_at"] // memories do not change a store
	s.like(s.do("retrieve", id, nil), want)

	bare := s.do("create", "", m{"name": "bare"})
	s.like(bare, m{"id": bare["id"], "type": "memory_store", "name": "bare", "description": "", "metadata": m{}, "archived_at": nil})
	s.listStores(id, bare["id"].(string))
	archived := s.do("archive", bare["id"].(string), nil)
	s.like(s.do("retrieve", bare["id"].(string), nil), archived)

	s.like(s.do("delete", id, nil), m{"id": id, "type": "memory_store_deleted"})
	s.fails(404, "not_found_error", "retrieve", id, nil)
	s.fails(404, "not_found_error", "delete", id, nil)
	s.fails(404, "not_found_error", "memories.list", id, nil)
}

// listStores lists stores by pages. The two given ones are among them.
func (s *session) listStores(ids ...string) {
	s.front.take()
	whole := s.all("all", "", m{"limit": 100})
	if n := len(s.front.take()); n != 1 {
		s.Errorf("%d requests for a single page", n)
	}
	paged := s.all("all", "", m{"limit": 1})
	if n := len(s.front.take()); n != len(whole) {
		s.Errorf("%d requests for %d stores with limit 1", n, len(whole))
	}
	if len(paged) != len(whole) {
		s.Fatalf("%d stores page by page, %d at once", len(paged), len(whole))
	}
	found := 0
	for i := range whole {
		s.like(paged[i], whole[i])
		if whole[i]["id"] == ids[0] || whole[i]["id"] == ids[1] {
			found++
		}
	}
	if found != 2 {
		s.Errorf("%d of the two stores are listed: %v", found, whole)
	}
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, none := range []m{{"created_at[gte]": future}, {"created_at[lte]": past}} {
		if got := s.all("all", "", none); len(got) > 0 {
			s.Errorf("stores with %v: %v, want none", none, got)
		}
	}
	if got := s.all("all", "", m{"created_at[gte]": past, "created_at[lte]": future}); len(got) != len(whole) {
		s.Errorf("%d stores of now, want %d", len(got), len(whole))
	}
}

// awkward is a content that a client or a server might change, of the largest size of a memory.
var awkward = "\ufeffa\r\nb\rc\U0001f600 e\u0301 \u2028 \u0085" + `<b>&amp; "x" \n </script>` + "\x00\x01\x02\x7f \t " +
	strings.Repeat("0123456789abcde\n", 102400/16-4)

// memories creates, reads, changes and deletes memories.
func (s *session) memories() {
	store := s.newStore()
	in := func(params m) m { params["memory_store_id"] = store; return params }
	memory := s.do("memories.create", store, m{"path": "/plans/first.md", "content": "one\n"})
	id := memory["id"].(string)
	want := m{"id": id, "type": "memory", "path": "/plans/first.md", "content": nil, "content_sha256": sum("one\n"), "content_size_bytes": 4.0,
		"memory_store_id": store, "memory_version_id": memory["memory_version_id"]}
	s.like(memory, want)
	want["content"] = "one\n"
	s.like(s.do("memories.retrieve", id, in(m{})), want)

	changed := s.do("memories.update", id, in(m{"content": "two", "view": "full"}))
	if changed["memory_version_id"] == memory["memory_version_id"] || changed["created_at"] != memory["created_at"] {
		s.Errorf("%v became %v", memory, changed)
	}
	want["content"], want["content_sha256"], want["content_size_bytes"], want["memory_version_id"] = "two", sum("two"), 3.0, changed["memory_version_id"]
	s.like(changed, want)

	moved := s.do("memories.update", id, in(m{"path": "/done/é 日本.md", "view": "full"}))
	want["path"], want["memory_version_id"] = "/done/é 日本.md", moved["memory_version_id"]
	s.like(moved, want)
	for _, content := range []string{"", awkward} {
		made := s.write(store, "/awkward", content)
		read := s.do("memories.retrieve", made["id"].(string), in(m{}))
		s.like(read, made)
		if read["content"] != content || read["content_sha256"] != sum(content) || read["content_size_bytes"] != float64(len(content)) {
			s.Errorf("content %.40q became %.300v", content, read)
		}
		s.do("memories.delete", made["id"].(string), in(m{}))
	}
	s.like(s.do("memories.delete", id, in(m{})), m{"id": id, "type": "memory_deleted"})
	s.fails(404, "not_found_error", "memories.retrieve", id, in(m{}))
}

// preconditions change and delete a memory only if it is as the client believes.
func (s *session) preconditions() {
	store := s.newStore()
	in := func(params m) m { params["memory_store_id"] = store; return params }
	id := s.write(store, "/a.md", "one")["id"].(string)
	s.do("memories.update", id, in(m{"content": "two", "precondition": expect("one")}))
	s.fails(409, "memory_precondition_failed_error", "memories.update", id, in(m{"content": "three", "precondition": expect("one")}))
	s.fails(409, "memory_precondition_failed_error", "memories.delete", id, in(m{"expected_content_sha256": sum("one")}))
	s.do("memories.delete", id, in(m{"expected_content_sha256": sum("two")}))
}

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
	check(m{"path_prefix": "/é/"}, "/é/日本.md")
	folders := check(m{"depth": 1}, "/a.md", "/b-i.md", "/b/", "/j/", "/é/")
	for _, item := range folders[2:] {
		s.like(item, m{"type": "memory_prefix", "path": item["path"]})
	}
	check(m{"depth": 1, "path_prefix": "/b/", "limit": 2}, "/b/c.md", "/b/d/", "/b/g/")
}

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
	check(m{"memory_id": id, "limit": 1}, newest...)
	check(m{"memory_id": id, "operation": "modified", "api_key_id": s.key}, newest[:3]...)
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
	redacted := s.do("memoryVersions.redact", versions[0], m{"memory_store_id": store})
	s.like(s.do("memoryVersions.retrieve", versions[0], m{"memory_store_id": store}), redacted)
}

// lost lets the answers to changes get lost. Each SDK repeats what it repeats,
// and nothing happens twice.
func (s *session) lost() {
	store := s.newStore()
	in := func(params m) m { params["memory_store_id"] = store; return params }
	memory := s.write(store, "/a.md", "one")
	id := memory["id"].(string)
	lose := func() { s.front.take(); s.front.loseNext() }
	repeated := func(what string, statuses ...int) {
		s.Helper()
		var got []int
		for _, r := range s.front.take() {
			got = append(got, r.status)
		}
		if len(got) != len(statuses) || got[0] != statuses[0] || got[len(got)-1] != statuses[len(statuses)-1] {
			s.Errorf("%s: answers %v, want %v", what, got, statuses)
		}
	}
	lose()
	if got := s.do("memories.update", id, in(m{"content": "two", "precondition": expect("one"), "view": "full"})); got["content"] != "two" {
		s.Errorf("update: %v", got)
	}
	repeated("update", 200, 200)
	if n := len(s.all("memoryVersions.all", store, nil)); n != 2 {
		s.Errorf("%d versions after an update, want 2", n)
	}
	s.lostCreate(store, lose)
	s.lostStore(lose)

	lose()
	_, err := s.call(s.T, "memories.delete", id, in(m{}))
	if err == nil || err.Status != 404 || err.Type != "not_found_error" {
		s.Errorf("delete: %+v, want 404 for the second request", err)
	}
	repeated("delete", 200, 404)
}

// lostCreate loses the answer to the creation of a memory.
func (s *session) lostCreate(store string, lose func()) {
	lose()
	_, err := s.call(s.T, "memories.create", store, m{"path": "/new.md", "content": "x"})
	made := s.all("memories.all", store, m{"view": "full"})
	switch {
	case err == nil:
		s.Error("create: no error, want one")
	case s.careful:
		if err.Status != 0 {
			s.Errorf("create: %+v, want an error without an answer", *err)
		}
	case err.Status != 409 || err.Type != "memory_path_conflict_error":
		s.Errorf("create: %+v, want 409 for the second request", *err)
	}
	if len(made) != 2 || made[1]["path"] != "/new.md" || made[1]["content"] != "x" {
		s.Fatalf("after a create whose answer was lost: %v", made)
	}
	if s.careful {
		return
	}
	inner, _ := err.Body["error"].(m)
	if inner["conflicting_memory_id"] != made[1]["id"] || inner["conflicting_path"] != "/new.md" {
		s.Errorf("create: %v, want the memory that the first request has made, %v", inner, made[1]["id"])
	}
}

// lostStore loses the answer to the creation of a store. Names need not be unique, so the
// server knows the second request by its header X-Stainless-Retry-Count.
func (s *session) lostStore(lose func()) {
	const name = "made once"
	lose()
	got, err := s.call(s.T, "create", "", m{"name": name})
	var made []m
	for _, store := range s.all("all", "", nil) {
		if store["name"] == name {
			made = append(made, store)
		}
	}
	if len(made) != 1 {
		s.Fatalf("after a create whose answer was lost: %v", made)
	}
	if s.careful != (err != nil) || s.careful && err.Status != 0 {
		s.Errorf("create: %v, %+v; want an error only if the SDK does not repeat it: %v", got, err, s.careful)
	}
	if !s.careful {
		s.like(got.(m), made[0])
	}
	if again := s.do("create", "", m{"name": name}); again["id"] == made[0]["id"] {
		s.Error("a later create has returned the same store")
	}
}
