package memory

import "time"

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

	s.like(s.do("delete", id, nil), m{"id": id, "type": "memory_store_deleted"})
	s.fails(404, "not_found_error", "retrieve", id, nil)
	s.fails(404, "not_found_error", "delete", id, nil)
	s.fails(404, "not_found_error", "memories.list", id, nil)
}

// listStores lists stores by pages and times. The two given ones are among them.
func (s *session) listStores(ids ...string) {
	last := s.parse(s.do("retrieve", ids[1], nil)["created_at"])
	for s.parse(s.do("create", "", m{"name": "later"})["created_at"]).Truncate(time.Second).Equal(last.Truncate(time.Second)) {
		time.Sleep(100 * time.Millisecond) // the SDKs for Go send whole seconds
	}
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
	second := last.Truncate(time.Second).Add(time.Second)
	after, before := s.all("all", "", m{"created_at[gte]": second}), s.all("all", "", m{"created_at[lte]": second})
	if len(after) == 0 || len(before) < 2 || len(after)+len(before) != len(whole) {
		s.Errorf("%d stores since %v and %d until then, want %d in all", len(after), second, len(before), len(whole))
	}
	for _, store := range after {
		if s.parse(store["created_at"]).Before(second) {
			s.Errorf("%v is listed since %v", store, second)
		}
	}
}
