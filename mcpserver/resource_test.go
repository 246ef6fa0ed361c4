package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// twoAgents returns a service in which the agents a and b have files.
func twoAgents(t testing.TB) *workspace.Service {
	t.Helper()
	svc := newService(t, workspace.Options{})
	for _, w := range [][3]string{{"a", "notes/plan.md", "a's plan\n"}, {"a", "notes/todo.md", "a's"}, {"a", "x", ""}, {"b", "secret/key", "b's"}} {
		must(agentOf(t, svc, w[0]).WriteFile(t.Context(), w[1], []byte(w[2]), workspace.WriteOptions{}))(t)
	}
	return svc
}

// The current version of a file is read unchanged, by its agent alone.
func TestReadResource(t *testing.T) {
	for _, bound := range []string{"", "a"} {
		s := connect(t, newServerOn(t, twoAgents(t), bound))
		for path, want := range map[string]string{"notes/plan.md": "a's plan\n", "x": ""} {
			uri := "scratchpad://a/" + path
			res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || len(res.Contents) != 1 {
				t.Fatalf("ReadResource(%s) = %v, %v", uri, res, err)
			}
			if c := res.Contents[0]; c.Text != want || c.URI != uri || c.MIMEType != "text/plain" {
				t.Errorf("ReadResource(%s) = %+v, want %q", uri, c, want)
			}
			if res.CacheScope != "private" || res.TTLMs != 0 {
				t.Errorf("ReadResource(%s) may be cached %q for %d ms, want private and not at all", uri, res.CacheScope, res.TTLMs)
			}
		}
	}
}

// Answers with an agent's content are private and not to be kept.
func TestCacheScope(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWire(t, newServerOn(t, twoAgents(t), "a"))
	for name, c := range map[string]struct{ params, scope string }{
		"resources/read":           {`"uri":"scratchpad://a/x"`, "private"},
		"tools/list":               {"", "public"},
		"resources/list":           {"", "public"},
		"resources/templates/list": {"", "public"},
		"server/discover":          {"", "public"},
	} {
		w.send(method("1", name, c.params, ""))
		var res struct{ CacheScope string }
		a := w.must()
		if err := json.Unmarshal(a.Result, &res); err != nil || res.CacheScope != c.scope {
			t.Errorf("%s = %.200s, %v, want the scope %s", name, a.raw, err, c.scope)
		}
	}
}

// The answer is the same for a missing file and for a file of another caller.
func TestResourceNotYours(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWire(t, newServerOn(t, twoAgents(t), "a"))
	read := func(uri string) string {
		q := must(json.Marshal(uri))(t)
		w.send(method("1", "resources/read", `"uri":`+string(q), ""))
		a := w.must()
		if a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("resources/read of %s = %s, want the error -32602", uri, a.raw)
		}
		return strings.Replace(a.raw, `,"data":{"uri":`+string(q)+"}", "", 1) // which is left out where it is long or odd
	}
	want := read("scratchpad://a/none")
	for _, uri := range []string{
		"scratchpad://b/secret/key", "scratchpad://b/none", "scratchpad://c/x", "scratchpad://A/x", "scratchpad:///x", "scratchpad://a", "scratchpad://a/",
		"scratchpad://a/../b/secret/key", "scratchpad://a%2f..%2fb/secret/key", "scratchpad://a/notes", "scratchpad://a/x?y", "scratchpad://a/x#y",
		"SCRATCHPAD://a/x", "scratchpad://a//x", "file:///etc/passwd", "", "x", "scratchpad://a/x\x00", "scratchpad://a/\U000e0041", "scratchpad://a/" + strings.Repeat("x", 1<<20), "scratchpad://а/x",
	} {
		if got := read(uri); got != want {
			t.Errorf("the answer for %q is %s, for a file that is not there %s", uri, got, want)
		}
	}
}

// Paths are offered to callers who may read them. Agents are never offered.
func TestCompletion(t *testing.T) {
	testkit.SkipInShort(t)
	svc := twoAgents(t)
	for i := range 101 {
		must(agentOf(t, svc, "many").WriteFile(t.Context(), fmt.Sprintf("f%03d", i), nil, workspace.WriteOptions{}))(t)
	}
	type args = map[string]string
	for _, c := range []struct {
		bound, argument, value string
		context                args
		want                   []string
	}{
		{"a", "path", "", nil, []string{"notes/plan.md", "notes/todo.md", "x"}},
		{"a", "path", "notes/p", nil, []string{"notes/plan.md"}},
		{"a", "path", "notes/p", args{"agent": "a"}, []string{"notes/plan.md"}},
		{"a", "path", "s", args{"agent": "b"}, nil},
		{"a", "path", "", args{"agent": "b"}, nil},
		{"a", "path", "no such", nil, nil},
		{"a", "path", "../", nil, nil},
		{"a", "agent", "", nil, nil},
		{"", "path", "", nil, nil},
		{"", "agent", "", nil, nil},
		{"", "path", "", args{"agent": "a b"}, nil},
		{"", "path", "secret/", args{"agent": "b"}, []string{"secret/key"}},
	} {
		s := connect(t, newServerOn(t, svc, c.bound))
		res, err := s.Complete(t.Context(), completion(c.argument, c.value, c.context))
		if err != nil {
			t.Fatalf("Complete(%+v) = %v", c, err)
		}
		if diff := cmp.Diff(append([]string{}, c.want...), res.Completion.Values); diff != "" || res.Completion.HasMore {
			t.Errorf("Complete(%+v) (-want +got):\n%s", c, diff)
		}
	}
	res, err := connect(t, newServerOn(t, svc, "many")).Complete(t.Context(), completion("path", "f", nil))
	if err != nil || len(res.Completion.Values) != 100 || !res.Completion.HasMore {
		t.Errorf("Complete() of 101 paths = %v, %v, want 100 and that there are more", res, err)
	}
}

func completion(argument, value string, context map[string]string) *mcp.CompleteParams {
	p := &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "scratchpad://{agent}/{+path}"},
		Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
	}
	if context != nil {
		p.Context = &mcp.CompleteContext{Arguments: context}
	}
	return p
}
