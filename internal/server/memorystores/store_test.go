package memorystores_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A store is created, found, changed, archived and deleted.
func TestStore(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "*")
		a := c.made("", object{"name": "My notes", "description": "d", "metadata": object{"k": "v", "n": "1"}})
		want := map[string]any{"id": "memstore_My-notes", "type": "memory_store", "name": "My notes", "description": "d",
			"metadata": map[string]any{"k": "v", "n": "1"}, "archived_at": nil, "created_at": a.body["created_at"], "updated_at": a.body["created_at"]}
		if !reflect.DeepEqual(a.body, want) {
			t.Errorf("a new store is %s, want %v", a.text, want)
		}
		if made, err := time.Parse(time.RFC3339, a.str("created_at")); err != nil || time.Since(made).Abs() > time.Minute || made.Location() != time.UTC {
			t.Errorf("created_at is %v, %v", made, err)
		}
		id := "/memstore_My-notes"
		if got := c.get(id).ok(); got.text != a.text {
			t.Errorf("it is found as %s, want %s", got.text, a.text)
		}
		if got := c.made(id, object{}); got.text != a.text { // and updated_at too
			t.Errorf("a change of nothing gives %s, want %s", got.text, a.text)
		}
		b := c.made(id, object{"metadata": object{"k": nil, "m": "2"}, "description": ""})
		if want := (map[string]any{"n": "1", "m": "2"}); !reflect.DeepEqual(b.body["metadata"], want) || b.str("name") != "My notes" || b.str("description") != "" ||
			b.str("created_at") != a.str("created_at") || !b.time("updated_at").After(a.time("updated_at")) {
			t.Errorf("it is changed to %s", b.text)
		}
		first := c.made(id+"/archive", "")
		if first.str("archived_at") == "" || c.made(id+"/archive", "{}").text != first.text {
			t.Errorf("it is archived as %s", first.text)
		}
		c.post(id, object{"name": "other"}).fails(400, "invalid_request_error", "is archived")
		c.post(id+"/memories", object{"path": "/x", "content": ""}).fails(400, "invalid_request_error", "is archived")
		if got := c.remove(id).ok(); !reflect.DeepEqual(got.body, map[string]any{"id": "memstore_My-notes", "type": "memory_store_deleted"}) {
			t.Errorf("it is deleted with %s", got.text)
		}
		c.get(id).fails(404, "not_found_error", "memstore_My-notes")
		c.remove(id).fails(404, "not_found_error", "memstore_My-notes")
		c.made("", object{"name": "My notes"})
	})
}

// What an archived store does not allow is refused; the rest works.
func TestArchivedStore(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "*")
		c.made("", object{"name": "a"})
		m := c.memory("/m", "one")
		c.made("/memstore_a/memories/"+m.str("id"), object{"content": "two"})
		gone := c.memory("/gone", "x")
		c.made("/memstore_a/archive", "")
		at := "/memstore_a/memories/" + m.str("id")
		c.post(at, object{"content": "three"}).fails(400, "invalid_request_error", "is archived")
		c.post(at, object{"path": "/n"}).fails(400, "invalid_request_error", "is archived")
		c.made(at, object{"content": "two"}) // as it is
		if c.get(at).ok().str("content") != "two" {
			t.Errorf("an archived store has changed")
		}
		c.remove("/memstore_a/memories/" + gone.str("id")).ok()
		c.made("/memstore_a/memory_versions/"+m.str("memory_version_id")+"/redact", "")
		if got := c.get("").data("id"); len(got) != 0 {
			t.Errorf("the list has %q", got)
		}
		if got := c.get("?include_archived=true").data("id"); !slices.Equal(got, []string{"memstore_a"}) {
			t.Errorf("the list with archived stores has %q", got)
		}
	})
}

// The agent of a new store is one that the key may use, and that is free.
func TestNameOfStore(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		all, prefix, list, one := w.of(t, both, "*"), w.of(t, auth.Write, "team-a-*"), w.of(t, both, "x", "y"), w.of(t, both, "z")
		for _, s := range []struct {
			c    *client
			name string
			want string // with a star for what is random
		}{
			{all, "Notes", "Notes"}, {all, "Notes", "Notes-*"}, {all, "Notes", "Notes-*"}, {all, "  é! ", "store"}, {all, "日本", "store-*"}, {all, "a b__c--d", "a-b__c-d"},
			{all, strings.Repeat("n", 255), strings.Repeat("n", 100)},
			{prefix, "Notes", "team-a-Notes"}, {prefix, "Notes", "team-a-Notes-*"}, {prefix, "team-a-9", "team-a-9"},
			{list, "any", "x"}, {list, "any", "y"}, {one, "z", "z"},
		} {
			got := s.c.made("", object{"name": s.name}).str("id")
			begin, random := strings.CutSuffix("memstore_"+s.want, "*")
			if rest, ok := strings.CutPrefix(got, begin); !ok || random != (len(rest) == 8) || !random && rest != "" {
				t.Errorf("the store %.20q has the id %s, want %s", s.name, got, s.want)
			}
		}
		for _, c := range []*client{list, one} {
			c.post("", object{"name": "any"}).fails(403, "permission_error", "exists already")
		}
	})
}

// A program may create its store each time it starts, if its key names the agent.
func TestStoreIsCreatedAgain(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "shop", "plans")
		first := c.made("", object{"name": "shop", "description": "first"})
		again := c.made("", object{"name": "shop", "description": "second"})
		if a, b := first.str("id"), again.str("id"); a != "memstore_shop" || b != a || again.str("description") != "first" {
			t.Errorf("the store was %s, and created again it is %s", first.text, again.text)
		}
		c.made("/memstore_plans/memories", object{"path": "/a.md", "content": "x"})
		if got := c.made("", object{"name": "plans"}).str("id"); got != "memstore_plans" {
			t.Errorf("the store that another door has made is %s", got)
		}
		blind := w.of(t, auth.Write, "shop")
		if got := blind.post("", object{"name": "shop"}); strings.Contains(got.text, "first") {
			t.Errorf("a key that may not read gets %s", got.text)
		}
	})
}

// The first memory makes the store, if the key allows its agent.
func TestFirstMemoryMakesTheStore(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		first := object{"path": "/plan.md", "content": "Ship on Friday."}
		for agent, c := range map[string]*client{"planner": w.of(t, both, "planner"), "team-a": w.of(t, both, "team-*"), "blind": w.of(t, auth.Write, "blind")} {
			at := "/memstore_" + agent
			w.of(t, both, agent).get(at).fails(404, "not_found_error", "its first memory makes it")
			w.of(t, both, "other").post(at+"/memories", first).fails(404, "not_found_error", "its first memory makes it")
			c.post(at+"/memories", first).ok()
			c.post(at+"/memories", first).fails(409, "memory_path_conflict_error", "")
		}
	})
}

// An agent that other doors have made is a store too, and stays one when it is empty.
func TestAgentIsStore(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "*")
		ws := must(w.svc.Agent("planner"))(t)
		c.get("/memstore_planner").fails(404, "not_found_error", "")
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "notes/plan.md", []byte("by MCP"), workspace.WriteOptions{})))
		a := c.get("/memstore_planner").ok()
		if a.str("name") != "planner" || !slices.Equal(c.get("").data("id"), []string{"memstore_planner"}) {
			t.Errorf("the agent is %s, and the list %s", a.text, c.get("").text)
		}
		if got := c.get("?created_at[lte]=" + a.str("created_at")).data("id"); len(got) != 1 {
			t.Errorf("the list up to its time has %q", got)
		}
		if b := c.made("/memstore_planner", object{"description": "d"}); b.str("created_at") != a.str("created_at") || b.str("name") != "planner" {
			t.Errorf("described, it is %s, and was %s", b.text, a.text)
		}
		list := c.get("/memstore_planner/memories?view=full")
		if !slices.Equal(list.data("path"), []string{"/notes/plan.md"}) || list.data("content")[0] != "by MCP" {
			t.Errorf("its memories are %s", list.text)
		}
		c.remove("/memstore_planner/memories/" + list.data("id")[0]).ok()
		c.made("/memstore_planner/memories", object{"path": "/x", "content": ""})
		if got := c.made("/memstore_planner", object{"name": "The planner"}).str("id"); got != "memstore_planner" {
			t.Errorf("its id is %s", got)
		}
	})
}

// A list has what the key may see, in order and in pages.
func TestStores(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		all := w.of(t, both, "*")
		var want []string
		for i := range 25 {
			name := fmt.Sprintf("s%02d", i)
			want = append(want, "memstore_"+name)
			if i%3 == 0 { // of these nothing is said
				ws := must(w.svc.Agent(name))(t)
				testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "f", []byte("x"), workspace.WriteOptions{})))
				continue
			}
			all.made("", object{"name": name})
		}
		w.in(t, "other", both, "*").made("", object{"name": "foreign"})
		for _, limit := range []string{"", "?limit=1", "?limit=7", "?limit=25", "?limit=100"} {
			if got, _ := all.pages(limit, "id"); !slices.Equal(got, want) {
				t.Errorf("%s: the list is %q", limit, got)
			}
		}
		if a := all.get(""); len(a.data("id")) != 20 || a.str("next_page")[:5] != "page_" {
			t.Errorf("the first page is %s", a.text)
		}
		if got, _ := w.of(t, auth.Read, "s1*", "s03", "nobody").pages("?limit=3", "id"); !slices.Equal(got, append([]string{"memstore_s03"}, want[10:20]...)) {
			t.Errorf("the list of another key is %q", got)
		}
		middle := all.get("/memstore_s10").ok().str("created_at")
		after, _ := all.pages("?created_at[gte]="+middle, "id")
		before, _ := all.pages("?created_at[lte]="+middle, "id")
		if len(after)+len(before) != 26 || !slices.Contains(after, "memstore_s10") || !slices.Contains(before, "memstore_s10") {
			t.Errorf("from %s on there are %q, and until then %q", middle, after, before)
		}
	})
}

// A tenant has as many stores as agents. A store that was deleted counts no more.
func TestManyStores(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "*")
		for i := range 40 {
			c.made("", object{"name": fmt.Sprint("s", i)})
		}
		c.post("", object{"name": "more"}).fails(400, "invalid_request_error", "delete memory stores")
		c.remove("/memstore_s7").ok()
		c.made("", object{"name": "more"})
	})
}

// What is said of a store has limits.
func TestWrongStore(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "*")
		pairs := object{}
		for i := range 17 {
			pairs[fmt.Sprint(i)] = ""
		}
		long := func(n int) string { return strings.Repeat("é", n) }
		for _, s := range []struct {
			body  any
			words string
		}{
			{"", "not valid JSON"}, {"\ufeff[]", "must be a JSON object"}, {"\xff\xfe{\x00}\x00", "is UTF-16 or UTF-32; send UTF-8"}, {"{", "not valid JSON"}, {"{}{}", "not valid JSON"}, {"[]", "must be a JSON object"}, {"null", "must be a JSON object"}, {`"x"`, "must be a JSON object"},
			{object{}, "name is missing"}, {object{"name": nil}, "name is missing"}, {object{"name": 1}, "name must be a string"}, {object{"name": ""}, "1-255 characters"},
			{object{"name": long(256)}, "1-255 characters"}, {object{"name": "a\nb"}, "control characters"}, {object{"Name": "x"}, "unknown member Name; it is spelled name"},
			{`{"name":"a","name":"b"}`, "name is given twice"}, {`{"name":"a","n\u0061me":"b"}`, "name is given twice"}, {`{"name":"\ud800"}`, "half of a surrogate pair"}, {"{\"name\":\"\xff\"}", "not valid UTF-8"},
			{object{"name": "a", "description": long(1025)}, "1024 characters"}, {object{"name": "a", "metadata": []string{}}, "metadata must be a JSON object"},
			{object{"name": "a", "metadata": pairs}, "16 pairs"}, {object{"name": "a", "metadata": object{long(65): ""}}, "1-64 characters"}, {object{"name": "a", "metadata": object{"": ""}}, "1-64 characters"},
			{object{"name": "a", "metadata": object{"k": long(513)}}, "512 characters"}, {object{"name": "a", "metadata": object{"k": 1}}, "must be a string, or null"},
			{`{"name":"a","metadata":{"k":"1","k":"2"}}`, "k is given twice"}, {`{"name":"a","":1}`, `unknown member ""`}, {object{"name": "a", "agent": "x"}, "unknown member"},
		} {
			c.post("", s.body).fails(400, "invalid_request_error", s.words)
		}
		delete(pairs, "16")
		pairs[long(64)] = long(512)
		delete(pairs, "0")
		c.made("", object{"name": long(255), "description": long(1024), "metadata": pairs})
		c.post("/memstore_store", object{"metadata": object{"one more": ""}}).fails(400, "invalid_request_error", "16 pairs, and would have 17")
		c.made("/memstore_store", object{"metadata": object{"one more": "", "1": nil}})
		c.post("/memstore_store/archive", object{"x": 1}).fails(400, "invalid_request_error", "leave it out")
	})
}
