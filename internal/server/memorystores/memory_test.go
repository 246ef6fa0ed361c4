package memorystores_test

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// newStore returns a client with a store of the agent a.
func (w *world) newStore(t *testing.T) *client {
	t.Helper()
	c := w.of(t, both, "*")
	c.made("", object{"name": "a"})
	return c
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

const memories = "/memstore_a/memories"

// A memory is created, read, changed, moved and deleted.
func TestMemory(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		a := c.memory("/notes/a.md", "one")
		want := map[string]any{"id": a.body["id"], "type": "memory", "path": "/notes/a.md", "content": nil, "content_sha256": sumOf("one"), "content_size_bytes": 3.0,
			"memory_store_id": "memstore_a", "memory_version_id": strings.Replace(a.str("id"), "mem_", "memver_", 1) + "_1", "created_at": a.body["created_at"], "updated_at": a.body["created_at"]}
		if !reflect.DeepEqual(a.body, want) {
			t.Errorf("a new memory is %s, want %v", a.text, want)
		}
		at := memories + "/" + a.str("id")
		if got := c.get(at).ok(); got.str("content") != "one" || got.str("memory_version_id") != a.str("memory_version_id") {
			t.Errorf("it is read as %s", got.text)
		}
		if got := c.get(at + "?view=basic").ok(); got.body["content"] != nil {
			t.Errorf("it is read with view=basic as %s", got.text)
		}
		both := c.made(at+"?view=full", object{"content": "two", "path": "/moved", "precondition": object{"type": "content_sha256", "content_sha256": sumOf("one")}})
		if both.str("id") != a.str("id") || both.str("path") != "/moved" || both.str("content") != "two" || !strings.HasSuffix(both.str("memory_version_id"), "_2") ||
			both.str("created_at") != a.str("created_at") || !both.time("updated_at").After(a.time("updated_at")) {
			t.Errorf("it is changed and moved to %s", both.text)
		}
		if got := c.made(at, object{"path": "/notes/b.md"}); got.str("content_sha256") != sumOf("two") || !strings.HasSuffix(got.str("memory_version_id"), "_3") {
			t.Errorf("it is moved to %s", got.text)
		}
		if got := c.remove(at).ok(); !reflect.DeepEqual(got.body, map[string]any{"id": a.body["id"], "type": "memory_deleted"}) {
			t.Errorf("it is deleted with %s", got.text)
		}
		c.get(at).fails(404, "not_found_error", a.str("id"))
		c.remove(at).fails(404, "not_found_error", a.str("id"))
		if again := c.memory("/notes/b.md", ""); again.str("id") == a.str("id") || again.body["content_size_bytes"] != 0.0 {
			t.Errorf("a new memory at its path is %s", again.text)
		}
	})
}

// A change that changes nothing is a success without a version, whatever it expects.
func TestSameMemory(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		a := c.memory("/m", "one")
		at := memories + "/" + a.str("id")
		wrong := object{"type": "content_sha256", "content_sha256": sumOf("other")}
		for _, change := range []object{{}, {"content": "one"}, {"path": "/m"}, {"content": "one", "path": "/m", "precondition": wrong}, {"precondition": wrong}, {"content": nil, "path": nil, "precondition": nil}} {
			if got := c.made(at, change); got.text != a.text {
				t.Errorf("%v gives %s, want %s", change, got.text, a.text)
			}
		}
		c.post(at, object{"content": "two", "precondition": wrong}).fails(409, "memory_precondition_failed_error", "somebody has changed it")
		c.remove(at+"?expected_content_sha256="+sumOf("other")).fails(409, "memory_precondition_failed_error", "")
		if got := c.get(at).ok(); got.str("memory_version_id") != a.str("memory_version_id") {
			t.Errorf("it is %s", got.text)
		}
		c.remove(at + "?expected_content_sha256=" + sumOf("one")).ok()
	})
}

// A memory is in the way of its own path, of those above it and of those below it.
func TestPathInTheWay(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		deep, other := c.memory("/d/e/f", "x"), c.memory("/d/g", "x")
		blind := w.of(t, auth.Write, "*")
		blind.post(memories, object{"path": "/d", "content": ""}).fails(409, "memory_path_conflict_error", "in the way")
		if a := blind.post(memories, object{"path": "/d", "content": ""}); strings.Contains(a.text, "d/e") || strings.Contains(a.text, deep.str("id")) {
			t.Errorf("a key that may not read is told %s", a.text)
		}
		for path, way := range map[string]answer{"/d/e/f": deep, "/d/e": deep, "/d": deep, "/d/e/f/h": deep, "/d/e/f/h/i": deep, "/d/g/x": other} {
			for _, a := range []answer{c.post(memories, object{"path": path, "content": "y"}), c.post(memories+"/"+c.memory("/z", "").str("id"), object{"path": path})} {
				a.fails(409, "memory_path_conflict_error", "in the way")
				if a.conflict("conflicting_path") != way.str("path") || a.conflict("conflicting_memory_id") != way.str("id") {
					t.Errorf("%s: %s, want %s in the way", path, a.text, way.text)
				}
			}
			c.remove(memories + "/" + c.get(memories + "?limit=100&path_prefix=/").data("id")[2]).ok()
		}
		c.made(memories+"/"+other.str("id"), object{"path": "/d/g/x"}) // it is not in its own way
		c.memory("/dd", "")
	})
}

// Paths and contents have limits.
func TestWrongMemory(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		at := memories + "/" + c.memory("/m", "").str("id")
		for _, p := range []string{"", "m", "/", "//", "/a//b", "/a/", "/a/.", "/..", "/a/../b", "/" + strings.Repeat("a/", 20) + "a", "/" + strings.Repeat("é", 512), "/a\x00", "/a\nb", "/a\u200bb", "/e\u0301", "/a\u2028b", "/a\\..\\b\x7f", "/a/%2e%2e/b\x01"} {
			c.post(memories, object{"path": p, "content": ""}).fails(400, "invalid_request_error", "")
			c.post(at, object{"path": p}).fails(400, "invalid_request_error", "")
		}
		for _, s := range []struct {
			body  any
			words string
		}{
			{object{"path": "/x"}, "content is missing"}, {object{"path": "/x", "content": nil}, "content is missing"}, {object{"content": ""}, "path is missing"}, {object{"path": 1, "content": ""}, "path must be a string"},
			{object{"path": "/x", "content": "x" + strings.Repeat("é", 51_200)}, "102401 bytes, and may have 102400"}, {object{"path": "/x", "content": "", "precondition": nil}, "unknown member"},
			{`{"path":"/x","content":"\udc00"}`, "half of a surrogate pair"}, {object{"path": "/x", "content": []string{}}, "content must be a string"},
		} {
			c.post(memories, s.body).fails(400, "invalid_request_error", s.words)
		}
		for _, p := range []string{`1`, `{}`, `{"type":"content_sha256"}`, `{"type":"x","content_sha256":"` + sumOf("") + `"}`, `{"type":"content_sha256","content_sha256":"` + strings.ToUpper(sumOf("")) + `"}`, `{"type":"content_sha256","content_sha256":"","x":1}`} {
			c.post(at, `{"content":"x","precondition":`+p+`}`).fails(400, "invalid_request_error", "precondition")
		}
		c.remove(at+"?expected_content_sha256=x").fails(400, "invalid_request_error", "64 digits")
		text := "\x00\"\\\u2028<&>é\U0001f600\r\n" + strings.Repeat("é", 51_000)
		for _, p := range []string{"/" + strings.Repeat("a/", 19) + "a", "/é/日本", "/" + strings.Repeat("é", 255), "/.hidden/a b"} {
			if a := c.get(memories + "/" + c.memory(p, text).str("id")); a.str("path") != p || a.str("content") != text {
				t.Errorf("%.40q is read as %.300s", p, a.text)
			}
		}
	})
}

// Ids that no memory, version or store has are those of nothing, whatever is in them.
func TestWrongIDs(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		a := c.memory("/m", "x")
		id, version := a.str("id"), a.str("memory_version_id")
		for _, wrong := range []string{"x", "mem_", "mem_0", "mem_-1", "mem_1", "mem_zzzzzzzzzzzzz", "mem_zzzzzzzzzzzzzzzz", strings.ToUpper(id), "mem_0" + id[4:], "mem_+" + id[4:], id + "%20", id + "%00", id + "0", "%6dem_" + id[4:], version, "..", "%2e%2e", "%2Fm", strings.Repeat("x", 5000)} {
			for _, a := range []answer{c.get(memories + "/" + wrong), c.post(memories+"/"+wrong, object{}), c.remove(memories + "/" + wrong)} {
				a.fails(404, "not_found_error", "")
			}
			c.get("/memstore_a/memory_versions/"+wrong+"x").fails(404, "not_found_error", "")
		}
		for _, wrong := range []string{"a", "memstore_", "memstore_b", "MEMSTORE_a", "memstore_a%20", "memstore_%61", "memstore_a.b", "memstore_" + strings.Repeat("a", 129), "memstore_..", "memstore_a%2Fmemories"} {
			c.get("/"+wrong).fails(404, "not_found_error", "")
			c.get("/"+wrong+"/memories/"+id).fails(404, "not_found_error", "")
		}
		for _, wrong := range []string{version + "0", strings.TrimSuffix(version, "1") + "01", strings.TrimSuffix(version, "1") + "2", strings.TrimSuffix(version, "_1"), id, version + "_1"} {
			c.get("/memstore_a/memory_versions/"+wrong).fails(404, "not_found_error", "")
			c.post("/memstore_a/memory_versions/"+wrong+"/redact", "").fails(404, "not_found_error", "")
		}
		for _, wrong := range []string{"/", "/memstore_a/", "//memstore_a", "/memstore_a/x", "/memstore_a/memories/" + id + "/x", "/memstore_a/archive/x"} {
			c.get(wrong).fails(404, "not_found_error", "")
		}
	})
}

// A request that the client sends again, because the answer was lost, makes nothing twice.
func TestLostAnswer(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "*")
		again, third := c.with("X-Stainless-Retry-Count", "1"), w.of(t, both, "*").with("X-Stainless-Retry-Count", "1")
		first := c.made("", object{"name": "a"})
		if got := again.made("", object{"name": "a"}); got.text != first.text {
			t.Errorf("a store is made again as %s, want %s", got.text, first.text)
		}
		if c.made("", object{"name": "a"}).str("id") == "memstore_a" || third.made("", object{"name": "a"}).str("id") == "memstore_a" || again.made("", object{"name": "a", "description": ""}).str("id") == "memstore_a" {
			t.Error("another request gets the same store")
		}
		m := c.memory("/m", "one")
		used := c.made("", object{"name": "b"})
		c.get("/" + used.str("id")).ok()
		if again.made("", object{"name": "b"}).str("id") == used.str("id") {
			t.Error("a store that was used is given away")
		}
		again.post(memories, object{"path": "/m", "content": "one"}).fails(409, "memory_path_conflict_error", "")
		change := object{"content": "two", "path": "/n", "precondition": object{"type": "content_sha256", "content_sha256": sumOf("one")}}
		at := memories + "/" + m.str("id")
		if a, b := c.made(at, change), again.made(at, change); a.text != b.text {
			t.Errorf("a change is made again: %s, then %s", a.text, b.text)
		}
		if got := c.get("/memstore_a/memory_versions").data("id"); len(got) != 2 {
			t.Errorf("there are the versions %q", got)
		}
	})
}

// A key that was narrowed meanwhile does not get the store that it has made, whoever asks
// again.
func TestLostAnswerOfNarrowedKey(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.of(t, both, "*")
		again := c.with("X-Stainless-Retry-Count", "1")
		c.made("", object{"name": "mine"})
		other := must(auth.ParseAgents("other"))(t)
		testkit.Must(t, testkit.Err(w.keys.Set(t.Context(), c.id, auth.Change{Agents: &other})))
		for began := time.Now(); c.get("/memstore_mine").status == 200 && time.Since(began) < time.Minute; {
			time.Sleep(10 * time.Millisecond)
		}
		if got := again.post("", object{"name": "mine"}); strings.Contains(got.text, "memstore_mine") {
			t.Errorf("got %s", got.text)
		}
	})
}

// Files that share a time of creation, as imports may, are not taken for each other.
func TestSharedTime(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		ws := must(w.svc.Agent("a"))(t)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for _, path := range []string{"one", "two"} {
			v := workspace.Version{Number: 1, Content: []byte(path), Size: 3, SHA256: sha256.Sum256([]byte(path)), Time: at}
			testkit.Must(t, testkit.Err(ws.ImportFile(t.Context(), path, []workspace.Version{v})))
		}
		ids := c.get(memories).data("id")
		if ids[0] != ids[1] {
			t.Fatalf("the ids are %q", ids)
		}
		c.get(memories+"/"+ids[0]).fails(409, "conflict_error", "")
		c.post(memories+"/"+ids[0], object{"content": "x"}).fails(409, "conflict_error", "")
		c.remove(memories+"/"+ids[0]).fails(409, "conflict_error", "")
	})
}
