package memorystores_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const versions = "/memstore_a/memory_versions"

// A version says what was written, when and by whom.
func TestVersion(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		a := c.memory("/m", "one")
		b := c.made(memories+"/"+a.str("id"), object{"content": "two!"})
		got := c.get(versions + "/" + a.str("memory_version_id")).ok()
		want := map[string]any{"id": a.body["memory_version_id"], "type": "memory_version", "memory_id": a.body["id"], "memory_store_id": "memstore_a", "operation": "created", "created_at": a.body["created_at"],
			"created_by": map[string]any{"type": "api_actor", "api_key_id": c.id}, "path": "/m", "content": "one", "content_sha256": sumOf("one"), "content_size_bytes": 3.0, "redacted_at": nil, "redacted_by": nil}
		if !reflect.DeepEqual(got.body, want) {
			t.Errorf("the first version is %s, want %v", got.text, want)
		}
		if got := c.get(versions + "/" + b.str("memory_version_id") + "?view=basic").ok(); got.str("operation") != "modified" || got.body["content"] != nil || got.str("content_sha256") != sumOf("two!") || got.str("created_at") != b.str("updated_at") {
			t.Errorf("the second version is %s", got.text)
		}
		for author, want := range map[workspace.Author]any{
			{Client: "claude-code"}:   nil,
			{Key: "oauth:0123456789"}: map[string]any{"type": "user_actor", "user_id": "oauth:0123456789"},
		} {
			ws := must(w.svc.Agent("a"))(t)
			testkit.Must(t, testkit.Err(ws.As(author).WriteFile(t.Context(), "m", []byte("three"), workspace.WriteOptions{})))
			newest := c.get(memories + "/" + a.str("id")).ok().str("memory_version_id")
			if got := c.get(versions + "/" + newest).ok(); !reflect.DeepEqual(got.body["created_by"], want) {
				t.Errorf("the author %+v is %v, want %v", author, got.body["created_by"], want)
			}
		}
		c.remove(memories + "/" + a.str("id")).ok()
		if got := c.get(versions + "/" + a.str("memory_version_id")).ok(); got.str("content") != "one" || got.str("path") != "/m" {
			t.Errorf("the first version of the deleted memory is %s", got.text)
		}
	})
}

// Each life of a path has an id of its own. The versions of a deleted memory can be read and
// redacted, and a late deletion of it never hits the memory that is at the path by then.
func TestDeletedMemory(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		a := c.memory("/m", "one")
		last := c.made(memories+"/"+a.str("id"), object{"content": "two"}).str("memory_version_id")
		c.remove(memories + "/" + a.str("id")).ok()
		b := c.memory("/m", "new")
		if a.str("id") == b.str("id") {
			t.Fatal("both memories have the same id")
		}
		of := func(id string) (ids []string) {
			for _, v := range c.get(versions + "?memory_id=" + id).ok().body["data"].([]any) {
				if v := v.(map[string]any); v["memory_id"] == id {
					ids = append(ids, v["id"].(string))
				}
			}
			return ids
		}
		if old, new := of(a.str("id")), of(b.str("id")); !slices.Equal(old, []string{last, a.str("memory_version_id")}) || !slices.Equal(new, []string{b.str("memory_version_id")}) {
			t.Errorf("the deleted memory has the versions %q, the new one %q", old, new)
		}
		if got := c.get(versions + "/" + b.str("memory_version_id")).ok(); got.str("operation") != "created" {
			t.Errorf("the new memory begins with %s", got.text)
		}
		c.get(memories+"/"+a.str("id")).fails(404, "not_found_error", "")
		c.post(memories+"/"+a.str("id"), object{"content": "late"}).fails(404, "not_found_error", "")
		c.remove(memories+"/"+a.str("id")).fails(404, "not_found_error", "")
		if got := c.get(memories + "/" + b.str("id")).ok(); got.str("content") != "new" {
			t.Errorf("after a late deletion the new memory is %s", got.text)
		}
		c.ask("POST", versions+"/"+last+"/redact", "").ok()
		if got := c.get(versions + "/" + last).ok(); got.body["content"] != nil || got.body["redacted_at"] == nil {
			t.Errorf("the redacted version is %s", got.text)
		}
		if got := c.get(versions + "/" + a.str("memory_version_id")).ok(); got.str("content") != "one" {
			t.Errorf("the other version is %s", got.text)
		}
		c.remove(memories + "/" + b.str("id")).ok()
		c.ask("POST", versions+"/"+b.str("memory_version_id")+"/redact", "").ok()
		if got := c.get(versions + "/" + b.str("memory_version_id")).ok(); got.body["content"] != nil || got.str("memory_id") != b.str("id") {
			t.Errorf("the last version of the deleted memory is %s after its redaction", got.text)
		}
	})
}

// The list has all versions, the newest first, or those that are asked for.
func TestVersions(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		c := w.newStore(t)
		other := w.of(t, both, "a")
		var all, made, changed, others, ofFirst []string // the newest first
		add := func(to *[]string, id string) { *to = slices.Insert(*to, 0, id) }
		var first answer
		for i := range 9 {
			one := c
			if i%4 == 3 {
				one = other
			}
			m := one.made(memories, object{"path": fmt.Sprint("/m", i), "content": "x"})
			n := one.made(memories+"/"+m.str("id"), object{"content": "y", "path": fmt.Sprint("/n", i)})
			for _, a := range []answer{m, n} {
				add(&all, a.str("memory_version_id"))
				if one == other {
					add(&others, a.str("memory_version_id"))
				}
				if i == 0 {
					add(&ofFirst, a.str("memory_version_id"))
				}
			}
			add(&made, m.str("memory_version_id"))
			add(&changed, n.str("memory_version_id"))
			if i == 0 {
				first = m
			}
		}
		fourth := c.get(versions + "/" + all[3]).ok().str("created_at")
		for query, want := range map[string][]string{
			"":                              all,
			"&memory_id=" + first.str("id"): ofFirst,
			"&operation=created":            made,
			"&operation=modified":           changed,
			"&operation=deleted":            nil,
			"&api_key_id=" + other.id:       others,
			"&api_key_id=none":              nil,
			"&api_key_id=":                  nil,
			"&session_id=x":                 nil,
			"&service_account_id=x":         nil,
			"&memory_id=mem_1":              nil,
			"&created_at[gte]=" + fourth:    all[:4],
			"&created_at[lte]=" + fourth:    all[3:],
			"&created_at[lte]=" + fourth + "&created_at[gte]=" + url.QueryEscape(fourth): all[3:4],
			"&operation=modified&api_key_id=" + other.id + "&view=full":                  {others[0], others[2]},
		} {
			for _, limit := range []int{1, 3, 18, 100} {
				if got, n := c.pages(fmt.Sprintf("%s?limit=%d%s", versions, limit, query), "id"); !slices.Equal(got, want) || limit < 20 && n != max(1, (len(want)+limit-1)/limit) {
					t.Errorf("limit=%d%s: %q in %d pages, want %q", limit, query, got, n, want)
				}
			}
		}
	})
}

// A version that is redacted has a receipt in place of its content, for everybody.
func TestRedact(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		c, other := w.newStore(t), w.of(t, both, "a")
		a := c.memory("/m", "the secret")
		at := versions + "/" + a.str("memory_version_id")
		c.post(at+"/redact", "").fails(400, "invalid_request_error", "is the current one")
		c.made(memories+"/"+a.str("id"), object{"content": "nothing", "path": "/n"})
		w.of(t, auth.Write, "*").post(at+"/redact", "").fails(403, "permission_error", "may not read")
		before := c.get(at).ok()
		got := other.made(at+"/redact", "")
		want := map[string]any{}
		for name, value := range before.body {
			want[name] = value
		}
		for _, name := range []string{"path", "content", "content_sha256", "content_size_bytes"} {
			want[name] = nil
		}
		want["redacted_at"], want["redacted_by"] = got.body["redacted_at"], map[string]any{"type": "api_actor", "api_key_id": other.id}
		if got.body["redacted_at"] == nil || !reflect.DeepEqual(got.body, want) {
			t.Errorf("it is redacted to %s, want %v", got.text, want)
		}
		if again := c.made(at+"/redact", "{}"); again.text != got.text {
			t.Errorf("redacted again it is %s", again.text)
		}
		if read := c.get(at + "?view=full").ok(); read.text != got.text {
			t.Errorf("it is read as %s", read.text)
		}
		list := c.get(versions + "?view=full")
		if all := list.data("content"); !slices.Equal(all, []string{"nothing", "<nil>"}) || strings.Contains(list.text, "secret") {
			t.Errorf("the list is %s", list.text)
		}
		c.post(at+"/redact", "x").fails(400, "invalid_request_error", "not valid JSON")
	})
}
