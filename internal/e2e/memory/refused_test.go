package memory

import (
	"maps"
	"strings"
)

// refusals ask for what the server does not do.
func (s *session) refusals() {
	store := s.newStore()
	memory := s.write(store, "/a.md", "x")["id"].(string)
	for _, id := range []string{"memstore_", "memstore_nobody", "nobody", "memstore_../x", "memstore_a/b", "memstore_" + strings.Repeat("x", 300), "%00", "memstore_\x00", "é", "?", "#", " "} {
		s.fails(404, "not_found_error", "retrieve", id, nil)
		s.fails(404, "not_found_error", "memories.retrieve", memory, m{"memory_store_id": id})
	}
	for _, id := range []string{"mem_", "mem_0", "mem_zzzzzzzzzzzzzzzzzzzzzzz", "mem_-1", "a.md", "/a.md", strings.ToUpper(memory), memory + "0", " " + memory} {
		s.fails(404, "not_found_error", "memories.retrieve", id, m{"memory_store_id": store})
		s.fails(404, "not_found_error", "memories.delete", id, m{"memory_store_id": store})
	}
	for _, id := range []string{"memver_", "memver_0_1", "memver_x", strings.Replace(memory, "mem_", "memver_", 1), strings.Replace(memory, "mem_", "memver_", 1) + "_2", strings.Replace(memory, "mem_", "memver_", 1) + "_01"} {
		s.fails(404, "not_found_error", "memoryVersions.retrieve", id, m{"memory_store_id": store})
		s.fails(404, "not_found_error", "memoryVersions.redact", id, m{"memory_store_id": store})
	}
	for _, path := range []string{"", "/", "a.md", "//a", "/a//b", "/a/", "/./a", "/../a", "/a/..", "/a\nb", "/a\u200eb", "/a\u2028b", "/e\u0301", "/" + strings.Repeat("x", 1024), strings.Repeat("/a", 21)} {
		s.fails(400, "invalid_request_error", "memories.create", store, m{"path": path, "content": "x"})
		s.fails(400, "invalid_request_error", "memories.update", memory, m{"memory_store_id": store, "path": path})
	}
	for _, params := range []m{{"name": ""}, {"name": strings.Repeat("x", 256)}, {"name": "a", "description": strings.Repeat("x", 1025)}, {"name": "a", "metadata": m{strings.Repeat("k", 65): "v"}}, {"name": "a", "metadata": m{"k": strings.Repeat("v", 513)}}, {"name": "a", "metadata": pairs(17)}} {
		s.fails(400, "invalid_request_error", "create", "", params)
		change := maps.Clone(params)
		s.fails(400, "invalid_request_error", "update", store, change)
	}
	s.fails(400, "invalid_request_error", "create", "", m{"name": "a", "betas": []string{"managed-agents-2026-04-01"}})
	s.fails(400, "invalid_request_error", "memories.update", memory, m{"memory_store_id": store, "content": "y", "precondition": m{"type": "content_sha256", "content_sha256": "xyz"}})
}

func pairs(n int) m {
	p := m{}
	for i := range n {
		p[string(rune('a'+i))] = "v"
	}
	return p
}

// keys come with other rights than the session's.
func (s *session) keys() {
	store := s.newStore()
	id := s.write(store, "/a.md", "x")["id"].(string)
	with := func(key string) *session {
		other := *s
		other.client = s.as(key, 0)
		return &other
	}
	create := func(flags ...string) string {
		_, key := s.server.createKey(s.T, s.tenant, flags...)
		return key
	}
	bad := with("sp_aaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbcccccc")
	bad.fails(401, "authentication_error", "list", "", nil)
	reader := with(create("--agents", "*", "--scopes", "read"))
	reader.do("memories.retrieve", id, m{"memory_store_id": store})
	reader.fails(403, "permission_error", "memories.create", store, m{"path": "/b.md", "content": "x"})
	reader.fails(403, "permission_error", "create", "", m{"name": "x"})
	other := with(create("--agents", "nothing-else"))
	other.fails(404, "not_found_error", "retrieve", store, nil)
	if got := other.all("all", "", nil); len(got) != 0 {
		s.Errorf("a key of another agent lists %v", got)
	}
	s.fails(404, "not_found_error", "retrieve", "memstore_"+ofOthers, nil)
	slow := with(create("--agents", "*", "--rate", "0.01:1"))
	slow.do("retrieve", store, nil)
	slow.fails(429, "rate_limit_error", "retrieve", store, nil)
}
