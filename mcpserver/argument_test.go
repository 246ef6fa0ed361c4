package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// everything returns all that a service holds, by agent and path, without the counts of
// calls.
func everything(t testing.TB, svc *workspace.Service) map[string]string {
	t.Helper()
	all := map[string]string{}
	agents := must(svc.Agents(t.Context(), workspace.AgentsQuery{Patterns: []string{"*"}}))(t)
	for _, a := range agents.Agents {
		u := a.Usage
		u.Operations = 0
		all[a.Agent] = fmt.Sprintf("%+v", u)
		ws := agentOf(t, svc, a.Agent)
		files := must(ws.ListFiles(t.Context(), workspace.ListOptions{}))(t)
		for _, f := range files.Files {
			r := must(ws.ReadFile(t.Context(), f.Path, workspace.ReadOptions{}))(t)
			all[a.Agent+" file "+f.Path] = fmt.Sprintf("%d %q", r.Current, r.Content)
		}
		logs := must(ws.ListLogs(t.Context(), workspace.ListOptions{}))(t)
		for _, g := range logs.Logs {
			all[a.Agent+" log "+g.Path] = fmt.Sprint(g.Last, g.Bytes)
		}
	}
	return all
}

// good are valid arguments of each tool, as JSON, for a file and a log at f.
var good = map[string]map[string]string{
	"write_file":      {"path": `"f"`, "content": `"new"`, "if_version": "1"},
	"edit_file":       {"path": `"f"`, "old_text": `"x"`, "new_text": `"y"`, "all": "true", "if_version": "1"},
	"read_file":       {"path": `"f"`, "since_version": "1", "context_lines": "1"},
	"append_log":      {"path": `"f"`, "entry": `"e"`},
	"read_log":        {"path": `"f"`, "since_entry": "0", "limit": "5"},
	"list_files":      {"prefix": `"f"`, "after": `"e"`},
	"list_logs":       {"prefix": `"f"`, "after": `"e"`},
	"move_file":       {"path": `"f"`, "new_path": `"h"`, "if_version": "1"},
	"search":          {"query": `"x"`, "prefix": `"f"`, "exact": "true", "limit": "5"},
	"delete_file":     {"path": `"f"`, "if_version": "1"},
	"delete_log":      {"path": `"f"`, "through_entry": "1"},
	"summarize_file":  {"path": `"f"`},
	"get_usage_stats": {},
}

var kindOf = map[string]string{
	"agent_id": "string", "path": "string", "new_path": "string", "content": "string", "old_text": "string", "new_text": "string", "entry": "string", "query": "string", "prefix": "string", "after": "string",
	"if_version": "integer", "since_version": "integer", "context_lines": "integer", "version": "integer", "from_line": "integer", "to_line": "integer",
	"since_entry": "integer", "through_entry": "integer", "limit": "integer", "tail": "integer", "all": "boolean", "exact": "boolean",
}

var required = map[string]bool{"agent_id": true, "path": true, "new_path": true, "content": true, "old_text": true, "new_text": true, "entry": true, "query": true}

// bad are values that every argument of a kind refuses.
var bad = map[string][]string{
	"integer": {
		`"1.5"`, `" 1"`, `"1 "`, `"+1"`, `"01"`, `"1,0"`, `"0x1"`, `"1_000"`, `"\"1\""`, `""`, `"one"`, `true`, `[]`, `[1]`, `{}`, `1.5`, `0.1`, `4503599627370497.5`, `9007199254740993`, `9007199254740993.0`,
		`-9007199254740993`, `"9007199254740993"`, `"9007199254740993.0"`, `1e300`, `1e1000000000`, `1e-1000000000`, `1e-1`, `18446744073709551617`, `"\ud800"`,
	},
	"boolean": {`"True"`, `"yes"`, `"1"`, `" true"`, `""`, `1`, `0`, `[]`, `{}`, `"\ud800"`},
	"string": {
		`"\ud800"`, `"x\ud800"`, `"\ud800x"`, `"\udc00"`, `"\udc00\ud800"`, `"\ud83d\ud83d\ude00"`, `"\ud83d\u0041"`,
		`"\\\ud83d"`, `"\ud83d\\ude00"`, `"\ud83d\n"`, "\"\xff\"", "\"a\xc3\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xc0\xaf\"",
	},
}

// object returns the arguments and the agent as a JSON object. An argument that is "" is
// left out.
func object(args map[string]string) string {
	list := []string{}
	if _, ok := args["agent_id"]; !ok {
		list = append(list, `"agent_id":"a"`)
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if args[name] != "" {
			list = append(list, fmt.Sprintf("%q:%s", name, args[name]))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

func with(args map[string]string, name, value string) map[string]string {
	c := maps.Clone(args)
	c[name] = value
	return c
}

// refused makes a call that must be refused. The error must say all of says.
func (w *wire) refused(tool, args, meta string, says ...string) {
	w.t.Helper()
	w.send(requestWith("1", tool, args, meta))
	text, isError := w.must().tool(w.t)
	if !isError {
		w.t.Errorf("%s %.200s%s is taken: %.200s", tool, args, meta, text)
		return
	}
	checkError(w.t, tool+" "+args, text)
	for _, s := range says {
		if !strings.Contains(text, s) {
			w.t.Errorf("%s %.200s%s is refused with %q, want it to say %q", tool, args, meta, text, s)
		}
	}
}

// withOneFile returns a service in which the agent a has a file and a log at f.
func withOneFile(t testing.TB) *workspace.Service {
	t.Helper()
	return withOneFileBy(t, workspace.ASCIIPaths)
}

func withOneFileBy(t testing.TB, paths workspace.PathRule) *workspace.Service {
	t.Helper()
	svc := newService(t, workspace.Options{Paths: paths})
	ws := agentOf(t, svc, "a")
	must(ws.WriteFile(t.Context(), "f", []byte("x"), workspace.WriteOptions{}))(t)
	must(ws.AppendLog(t.Context(), "f", []byte("x")))(t)
	return svc
}

// unchanged returns a function that fails if a service holds something else by then.
func unchanged(t testing.TB, svc *workspace.Service) func() {
	before := everything(t, svc)
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, everything(t, svc)); diff != "" {
			t.Errorf("a call that was refused or repeated has changed something:\n%s", diff)
		}
	}
}

// A bad argument is refused with an error that names it and says what to send, and
// nothing is stored.
func TestStrictArguments(t *testing.T) {
	testkit.SkipInShort(t)
	svc := withOneFile(t)
	defer unchanged(t, svc)()
	w := newWire(t, newServerOn(t, svc, ""))
	for tool, args := range good {
		for name := range with(args, "agent_id", "") {
			kind := kindOf[name]
			for _, value := range bad[kind] {
				w.refused(tool, object(with(args, name, value)), "", name, wayOut(kind, value))
			}
			if required[name] {
				w.refused(tool, object(with(args, name, "null")), "", "argument "+name, "string, not null")
				w.refused(tool, object(with(args, name, "")), "", "argument "+name+" is missing", "string")
			}
			upper := strings.ToUpper(name[:1]) + name[1:]
			w.refused(tool, object(with(args, upper, `"f"`)), "", "unknown argument "+upper, "spelled "+name)
			twice := strings.TrimSuffix(object(with(args, name, orText(args[name]))), "}") + fmt.Sprintf(",%q:%s}", name, orText(args[name]))
			w.refused(tool, twice, "", name+" is given twice")
		}
		for _, name := range []string{"", "colour", "path ", "\u212bgent_id", "agent_id\u0000", "_meta", "idempotency_key", "constructor", "__proto__"} {
			q, _ := json.Marshal(name)
			w.refused(tool, strings.TrimSuffix(object(args), "}")+","+string(q)+":1}", "", "unknown argument", "allowed")
		}
		for _, whole := range []string{`[1]`, `"x"`, `1`, `true`, `[{"agent_id":"a"}]`} {
			w.refused(tool, whole, "", "arguments must be a JSON object")
		}
	}
}

func orText(value string) string {
	if value == "" {
		return `"a"`
	}
	return value
}

// wayOut returns what the error for a value says to send instead.
func wayOut(kind, value string) string {
	switch {
	case kind == "integer":
		return "must be a whole number up to 2^53"
	case kind == "boolean":
		return "must be true or false"
	case strings.Contains(value, `\u`):
		return "send the whole character"
	}
	return "send text as UTF-8"
}

// 1.0 and 1e0 are the number 1, and null is the same as no argument.
func TestLenientArguments(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWire(t, newServerOn(t, withOneFile(t), "a"))
	for _, args := range []string{
		`{"path":"f","version":1}`, `{"path":"f","version":1.0}`, `{"path":"f","version":1e0}`, `{"path":"f","version":10E-1}`, `{"path":"f","version":0.1e1}`,
		`{"path":"f","version":1,"since_version":null,"context_lines":null,"from_line":null}`, `{"agent_id":null,"path":"f"}`, ` { "pa\u0074h" : "\u0066" } `,
		`{"path":"f","to_line":9007199254740992}`, `{"path":"f","to_line":9007199254740992.0}`,
	} {
		w.send(request("1", "read_file", args))
		if text, isError := w.must().tool(t); isError {
			t.Errorf("read_file %s = %s, want the file", args, text)
		}
	}
	for _, content := range []string{`"\u0000"`, `"\ud83d\ude00"`, `"\\ud800"`, `"\\\\ud800"`, `"\ufffd"`, `"\ufffe\uffff"`, `"` + "\u2028\x7f" + `"`, `""`} {
		var want string
		testkit.Must(t, json.Unmarshal([]byte(content), &want))
		w.send(request("1", "write_file", `{"path":"g","content":`+content+`}`))
		w.must()
		w.send(request("1", "read_file", `{"path":"g"}`))
		if text, isError := w.must().tool(t); isError || !strings.HasSuffix(text, "\n"+want) {
			t.Errorf("write_file of %s is read as %q, want %q", content, text, want)
		}
	}
}

// A bound server refuses every agent_id but its own.
func TestBoundAgentID(t *testing.T) {
	testkit.SkipInShort(t)
	svc := withOneFile(t)
	defer unchanged(t, svc)()
	w := newWire(t, newServerOn(t, svc, "a"))
	for _, id := range []string{`"b"`, `"A"`, `"a "`, `""`, `"../a"`, `"a/"`, `"%61"`, `"а"`, `"a\u0000"`, `"ａ"`, `1`, `[]`, `{"a":1}`, `"local/a"`, `"a\u200b"`} {
		for tool, args := range good {
			w.refused(tool, object(with(args, "agent_id", id)), "", "agent_id")
		}
	}
}

// An invalid key is refused, and nothing is stored.
func TestBadIdempotencyKeys(t *testing.T) {
	testkit.SkipInShort(t)
	svc := withOneFile(t)
	defer unchanged(t, svc)()
	w := newWire(t, newServerOn(t, svc, "a"))
	writes := []string{"write_file", "edit_file", "append_log", "delete_file"}
	for _, key := range []string{`1`, `true`, `[]`, `{}`, `null`, `""`} {
		for _, tool := range writes {
			w.refused(tool, object(good[tool]), `,"scratchpad/idempotency_key":`+key, "scratchpad/idempotency_key", "1-128 printable characters")
		}
	}
	long, _ := json.Marshal(strings.Repeat("é", 129))
	for _, tool := range writes {
		w.refused(tool, object(good[tool]), `,"scratchpad/idempotency_key":`+string(long), "idempotency key", "limit 128")
		for _, key := range []string{`"\n"`, `"\u0000"`, `"\u200b"`, `"\ud800"`, `"x\udfff"`, `"\u202e"`} {
			w.refused(tool, object(good[tool]), `,"scratchpad/idempotency_key":`+key, "idempotency key", "printable characters")
		}
	}
}

func keyed(tool, key string, args m) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{"scratchpad/idempotency_key": key}}
}

// repeated has for each tool that takes a key a request, another request, and the answer
// to the first.
var repeated = map[string]struct {
	args, other m
	record      string
}{
	"write_file":  {m{"path": "new", "content": "é"}, m{"path": "new", "content": "e"}, `{"path":"new","version":1,"bytes_written":2}`},
	"edit_file":   {m{"path": "f", "old_text": "x", "new_text": "xx", "all": true}, m{"path": "f", "old_text": "x", "new_text": "xx"}, `{"path":"f","version":2,"bytes_written":2,"replacements":1}`},
	"move_file":   {m{"path": "f", "new_path": "moved"}, m{"path": "f", "new_path": "else"}, `{"path":"moved","from":"f","version":2}`},
	"append_log":  {m{"path": "f", "entry": "e"}, m{"path": "f", "entry": "E"}, `{"path":"f","entry_id":2,"bytes_written":1}`},
	"delete_log":  {m{"path": "f", "through_entry": 1}, m{"path": "f"}, `{"path":"f","deleted":true,"entries_removed":1,"final":true}`},
	"delete_file": {m{"path": "f"}, m{"path": "new"}, `{"path":"f","deleted":true,"versions_removed":1}`},
}

// A call that is sent again with its key gets the first answer and stores nothing, with
// every protocol and from any client. Another request with the key is refused.
func TestIdempotency(t *testing.T) {
	for tool, c := range repeated {
		for _, protocol := range []string{modern, legacy} {
			t.Run(tool+" "+protocol, func(t *testing.T) {
				svc := newService(t, workspace.Options{})
				server := newServerOn(t, svc, "a")
				s := connectAs(t, server, protocol, &mcp.Implementation{Name: "one"})
				mustCall(t, s, "write_file", m{"path": "f", "content": "x"})
				mustCall(t, s, "append_log", m{"path": "f", "entry": "x"})
				first := keyed(tool, "key 1", c.args)
				blocks, isError := callWith(t, s, first)
				if isError || blocks[0] != c.record {
					t.Fatalf("the first call = %q, want %s", blocks, c.record)
				}
				defer unchanged(t, svc)()
				for _, client := range []*mcp.ClientSession{s, s, connect(t, server)} {
					if again, isError := callWith(t, client, first); isError || again[0] != c.record {
						t.Errorf("the call again = %q, want %s", again, c.record)
					}
				}
				text, isError := callWith(t, s, keyed(tool, "key 1", c.other))
				if !isError || !strings.Contains(text[0], "another request") || !strings.Contains(text[0], "conflict") {
					t.Errorf("another request under the key = %q, want a conflict", text)
				}
			})
		}
	}
}
