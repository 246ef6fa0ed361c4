package memory

import "strings"

// awkward are contents that a client or a server might change.
var awkward = []string{"", "\n", "a\r\nb\rc", "\ufeffa", "\U0001f600 e\u0301 \u2028 \u0085", `<b>&amp; "x" \n </script>`, "\x01\x02\x7f", " \t ", "\x00"}

// memories creates, reads, changes and deletes memories.
func (s *session) memories() {
	store := s.newStore()
	in := func(params m) m { params["memory_store_id"] = store; return params }
	memory := s.do("memories.create", store, m{"path": "/plans/first.md", "content": "one\n"})
	id := memory["id"].(string)
	want := m{"id": id, "type": "memory", "path": "/plans/first.md", "content": nil, "content_sha256": sum("one\n"), "content_size_bytes": 4.0,
		"memory_store_id": store, "memory_version_id": memory["memory_version_id"]}
	s.like(memory, want)
	s.like(s.do("memories.retrieve", id, in(m{"view": "basic"})), want)
	want["content"] = "one\n"
	s.like(s.do("memories.retrieve", id, in(m{})), want)
	s.like(s.do("memories.retrieve", id, in(m{"view": "full"})), want)

	changed := s.do("memories.update", id, in(m{"content": "two", "view": "full"}))
	if changed["memory_version_id"] == memory["memory_version_id"] || changed["created_at"] != memory["created_at"] {
		s.Errorf("%v became %v", memory, changed)
	}
	want["content"], want["content_sha256"], want["content_size_bytes"], want["memory_version_id"] = "two", sum("two"), 3.0, changed["memory_version_id"]
	s.like(changed, want)

	moved := s.do("memories.update", id, in(m{"path": "/done/é 日本.md", "view": "full"}))
	want["path"], want["memory_version_id"] = "/done/é 日本.md", moved["memory_version_id"]
	s.like(moved, want)
	both := s.do("memories.update", id, in(m{"path": "/done.md", "content": "three", "view": "full"}))
	if both["path"] != "/done.md" || both["content"] != "three" {
		s.Errorf("path and content changed: %v", both)
	}
	same := s.do("memories.update", id, in(m{"path": "/done.md", "content": "three", "view": "full"}))
	s.like(same, both)
	if same["updated_at"] != both["updated_at"] {
		s.Errorf("updated at %v, then without a change at %v", both["updated_at"], same["updated_at"])
	}
	if n := len(s.all("memoryVersions.all", store, m{"memory_id": id})); n != 4 {
		s.Errorf("%d versions, want 4", n)
	}
	s.awkwardContents(store)
	s.like(s.do("memories.delete", id, in(m{})), m{"id": id, "type": "memory_deleted"})
	s.fails(404, "not_found_error", "memories.retrieve", id, in(m{}))
	s.fails(404, "not_found_error", "memories.delete", id, in(m{}))
	s.fails(404, "not_found_error", "memories.update", id, in(m{"content": "x"}))
	if again := s.write(store, "/done.md", "new"); again["id"] == id {
		s.Error("a memory at the path of a deleted one has its id")
	}
}

// awkwardContents writes contents and reads them back as they were.
func (s *session) awkwardContents(store string) {
	for i, content := range append(awkward, strings.Repeat("0123456789abcde\n", 102400/16)) {
		made := s.write(store, "/awkward/"+string(rune('a'+i)), content)
		read := s.do("memories.retrieve", made["id"].(string), m{"memory_store_id": store})
		s.like(read, made)
		if read["content"] != content || read["content_sha256"] != sum(content) || read["content_size_bytes"] != float64(len(content)) {
			s.Errorf("content %.40q became %.300v", content, read)
		}
	}
}

// preconditions change and delete a memory only if it is as the client believes.
func (s *session) preconditions() {
	store := s.newStore()
	in := func(params m) m { params["memory_store_id"] = store; return params }
	id := s.write(store, "/a.md", "one")["id"].(string)
	s.do("memories.update", id, in(m{"content": "two", "precondition": expect("one")}))
	s.fails(409, "memory_precondition_failed_error", "memories.update", id, in(m{"content": "three", "precondition": expect("one")}))
	s.fails(409, "memory_precondition_failed_error", "memories.update", id, in(m{"path": "/b.md", "precondition": expect("one")}))
	s.fails(409, "memory_precondition_failed_error", "memories.delete", id, in(m{"expected_content_sha256": sum("one")}))
	before := s.do("memories.retrieve", id, in(m{}))
	if before["content"] != "two" || before["path"] != "/a.md" {
		s.Errorf("after refusals: %v", before)
	}
	// The memory is already as the client wants it.
	s.like(s.do("memories.update", id, in(m{"content": "two", "precondition": expect("one"), "view": "full"})), before)
	s.like(s.do("memories.update", id, in(m{"content": "two", "path": "/a.md", "precondition": expect("zero"), "view": "full"})), before)
	if n := len(s.all("memoryVersions.all", store, nil)); n != 2 {
		s.Errorf("%d versions, want 2", n)
	}
	s.do("memories.delete", id, in(m{"expected_content_sha256": sum("two")}))
	s.fails(404, "not_found_error", "memories.delete", id, in(m{"expected_content_sha256": sum("two")}))
}
