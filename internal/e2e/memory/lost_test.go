package memory

// lost lets the answers to changes get lost. Each SDK repeats what its generation repeats,
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
	lose()
	if got := s.do("memories.update", id, in(m{"path": "/b.md"})); got["path"] != "/b.md" {
		s.Errorf("move: %v", got)
	}
	repeated("move", 200, 200)
	if n := len(s.all("memoryVersions.all", store, nil)); n != 3 {
		s.Errorf("%d versions after an update and a move, want 3", n)
	}
	s.lostCreate(store, lose)
	s.lostStore(lose)

	old := s.all("memoryVersions.all", store, m{"memory_id": id, "operation": "created"})[0]["id"].(string)
	lose()
	redacted := s.do("memoryVersions.redact", old, in(m{}))
	repeated("redact", 200, 200)
	s.like(s.do("memoryVersions.retrieve", old, in(m{})), redacted)
	lose()
	_, err := s.call(s.T, "memories.delete", id, in(m{}))
	if err == nil || err.Status != 404 || err.Type != "not_found_error" {
		s.Errorf("delete: %+v, want 404 for the second request", err)
	}
	repeated("delete", 200, 404)
	lose()
	archived := s.do("archive", store, nil)
	repeated("archive", 200, 200)
	s.like(s.do("retrieve", store, nil), archived)
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
