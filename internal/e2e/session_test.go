package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// A step is a request and the answer that every client must see.
type step struct {
	name    string
	request request
	want    []string // the blocks, without times
	error   string   // instead: a part of the tool's error
	missing bool     // instead: the protocol's error for a missing resource
	refused string   // instead: a part of the error with which the server refuses the request
	agentID bool     // of tools that are listed: they take an agent_id
}

type m = map[string]any

// call is a step that calls a tool of the agent.
func call(name, tool string, arguments m, want ...string) step {
	arguments["agent_id"] = "e2e"
	return step{name: name, request: request{"tools/call", m{"name": tool, "arguments": arguments}}, want: want}
}

// fails is a call whose error contains the text.
func fails(name, tool string, arguments m, text string) step {
	s := call(name, tool, arguments)
	s.error = text
	return s
}

// awkward are contents that a client or a transport might change, one after the other.
const awkward = "\n" + // a newline alone
	"\x00\x01\x02\x08\t\x0b\x0c\x0e\x1b\x1f\x7f\u0080\u009f" +
	"\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea e\u0301 \u00e9" +
	"a\u2028b\u2029c\u0085d" +
	`<b>&amp; & "quoted" 'single' \ \n \u0041 </script> <!-- --> ]]>` +
	"a\r\nb\rc\r\n\r\n" +
	"\ufeffa\ufeff" + // the mark of the order of bytes
	"\ufffe\uffff\ufffd\U0010ffff\ue000" +
	`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + "data: x\n\n" +
	"  \t a \t  "

// megabyte has the greatest size of a file. In JSON each of its bytes takes six.
var megabyte = strings.Repeat("\x01\x02\x03\x04", 1<<18)

// The versions of plan.md. The first line changes, the others stay.
const planStays = "a line that stays as it is, word for word\n"

var (
	planOne = "one\n" + strings.Repeat(planStays, 50)
	planTwo = "<two> & 2\n" + strings.Repeat(planStays, 50)
)

func path(p string) m { return m{"path": p} }

// session is a session that uses everything. Each step depends on those before it.
func session() []step {
	return slices.Concat(discoverySteps(), fileSteps(), logSteps(), awkwardSteps(), summarySteps(), megabyteSteps(), listSteps(), deleteSteps())
}

func discoverySteps() []step {
	return []step{
		{name: "tools", request: request{Method: "tools/list"}, want: []string{"append_log", "changes", "delete_file", "delete_log", "edit_file",
			"get_usage_stats", "list_files", "list_logs", "move_file", "read_file", "read_log", "search", "summarize_file", "write_file"}, agentID: true},
		{name: "templates", request: request{Method: "resources/templates/list"}, want: []string{"scratchpad://{agent}/{+path}"}},
	}
}

func fileSteps() []step {
	return []step{
		call("write", "write_file", m{"path": "plan.md", "content": planOne}, `{"path":"plan.md","version":1,"bytes_written":2104}`),
		call("edit", "edit_file", m{"path": "plan.md", "old_text": "one\n", "new_text": "<two> & 2\n"},
			`{"path":"plan.md","version":2,"bytes_written":2110,"replacements":1}`),
		call("read", "read_file", path("plan.md"), `{"path":"plan.md","current_version":2,"bytes":2110,"lines":51}`, planTwo),
		call("diff", "read_file", m{"path": "plan.md", "since_version": 1},
			`{"path":"plan.md","current_version":2,"since_version":1,"version_too_old":false,`+
				`"diff":[{"op":"remove","lines":["one"]},{"op":"add","lines":["<two> & 2"]},{"op":"equal","count":50}]}`),
		fails("write over another's", "write_file", m{"path": "plan.md", "content": "x", "if_version": 1}, "since_version 1"),
		fails("argument missing", "write_file", path("x"), "argument content is missing"),
	}
}

func logSteps() []step {
	return []step{
		call("append", "append_log", m{"path": "notes", "entry": "first \"quoted\"\n\tand \U0001f600"}, `{"path":"notes","entry_id":1,"bytes_written":24}`),
		call("append again", "append_log", m{"path": "notes", "entry": `[9,0,"forged"]`}, `{"path":"notes","entry_id":2,"bytes_written":14}`),
		call("log", "read_log", path("notes"),
			`{"path":"notes","count":2,"total":2,"last_entry_id":2,"has_more":false,"base_time":"TIME"}`,
			`[1,SECONDS,"first \"quoted\"\n\tand `+"\U0001f600"+`"]`+"\n"+`[2,SECONDS,"[9,0,\"forged\"]"]`),
	}
}

// awkwardSteps write and read an empty text, and all awkward contents.
func awkwardSteps() []step {
	return []step{
		call("write nothing", "write_file", m{"path": "empty", "content": ""}, `{"path":"empty","version":1,"bytes_written":0}`),
		call("read nothing", "read_file", path("empty"), `{"path":"empty","current_version":1,"bytes":0,"lines":0}`, ""),
		call("write everything awkward", "write_file", m{"path": "awkward", "content": awkward},
			fmt.Sprintf(`{"path":"awkward","version":1,"bytes_written":%d}`, len(awkward))),
		call("read everything awkward", "read_file", path("awkward"),
			fmt.Sprintf(`{"path":"awkward","current_version":1,"bytes":%d,"lines":%d}`, len(awkward), strings.Count(awkward, "\n")+1), awkward),
	}
}

// longText is that of a file which is deleted again, and whose bytes are kept.
var longText = "# Part one\n\n" + strings.Repeat(planStays, 100) + "\n# Part two\n\n" + strings.Repeat(planStays, 150)

func summarySteps() []step {
	const header = "Outline of version 1, in the file's own words.\n\n"
	text := outline.Text("long.md", longText, 0)
	answer := func(cached bool) string {
		return fmt.Sprintf(`{"path":"long.md","current_version":1,"cached":%t,"estimated_tokens":%d,"method":"outline"}`, cached, tokens.Estimate(text))
	}
	return []step{
		call("write long", "write_file", m{"path": "long.md", "content": longText}, fmt.Sprintf(`{"path":"long.md","version":1,"bytes_written":%d}`, len(longText))),
		call("summarize", "summarize_file", path("long.md"), answer(false), header+text),
		call("summarize again", "summarize_file", path("long.md"), answer(true), header+text),
		fails("summarize what is short", "summarize_file", path("plan.md"), "use read_file"),
		call("delete long", "delete_file", path("long.md"), `{"path":"long.md","deleted":true,"versions_kept":1,"restorable_until":"TIME"}`),
	}
}

func megabyteSteps() []step {
	return []step{
		call("write 1 MiB", "write_file", m{"path": "big", "content": megabyte}, `{"path":"big","version":1,"bytes_written":1048576}`),
		call("read 1 MiB", "read_file", path("big"),
			`{"path":"big","current_version":1,"bytes":1048576,"lines":1}`, megabyte),
	}
}

func listSteps() []step {
	return []step{
		call("files", "list_files", m{"prefix": "p"}, `{"count":1,"has_more":false}`, "path\tversion\tbytes\tupdated\nplan.md\t2\t2110\tTIME"),
		call("logs", "list_logs", m{}, `{"count":1,"has_more":false}`, "path\tentries\tbytes\tlast_entry_id\tupdated\nnotes\t2\t38\t2\tTIME"),
		{name: "resource", request: request{"resources/read", m{"uri": "scratchpad://e2e/plan.md"}}, want: []string{planTwo}},
		{name: "resource that is not there", request: request{"resources/read", m{"uri": "scratchpad://e2e/nothing.md"}}, missing: true},
		{name: "completion", request: request{"completion/complete", m{
			"ref":      m{"type": "ref/resource", "uri": "scratchpad://{agent}/{+path}"},
			"argument": m{"name": "path", "value": "pl"},
			"context":  m{"arguments": m{"agent": "e2e"}},
		}}, want: []string{"plan.md"}},
		call("usage", "get_usage_stats", m{},
			fmt.Sprintf(`{"agent_id":"e2e","total_bytes":%d,"file_count":4,"log_count":2,"entries":2,"logs":1,"deleted_bytes":%d,`+
				`"total_operations":N,"max_bytes":100000000,"max_files":1000,"max_logs":1000,"max_entries":100000}`,
				2104+2110+38+len(megabyte)+len(awkward)+len(longText), len(longText))),
	}
}

func deleteSteps() []step {
	return []step{
		call("delete", "delete_file", path("plan.md"), `{"path":"plan.md","deleted":true,"versions_kept":2,"restorable_until":"TIME"}`),
	}
}

// varying are the parts of answers that differ from run to run.
var varying = []struct {
	of *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z`), "TIME"},
	{regexp.MustCompile(`(?m)^\[(\d+),\d+,`), "[$1,SECONDS,"},
	{regexp.MustCompile(`"total_operations":\d+,`), `"total_operations":N,`},
}

func normal(block string) string {
	if len(block) > 1<<16 {
		return block // large contents have no such part
	}
	for _, v := range varying {
		block = v.of.ReplaceAllString(block, v.to)
	}
	return block
}

// TestSession runs the session with each client over each transport. All must see the
// same answers, each in its version of the protocol.
func TestSession(t *testing.T) {
	transports := []struct {
		name string
		open func(*testing.T) *target
	}{{"stdio", overStdio}, {"http", overHTTP}}
	for _, transport := range transports {
		for _, c := range clients {
			t.Run(transport.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				steps := session()
				var requests []request
				for _, s := range steps {
					requests = append(requests, s.request)
				}
				version, answers, err := c.run(t, transport.open(t), requests)
				testkit.Must(t, err)
				if version != "" && version != c.version {
					t.Errorf("the client says that it spoke %s, want %s", version, c.version)
				}
				if len(answers) != len(steps) {
					t.Fatalf("%d answers to %d requests", len(answers), len(steps))
				}
				for i, s := range steps {
					s.check(t, answers[i])
				}
			})
		}
	}
}

func (s step) check(t *testing.T, a answer) {
	t.Helper()
	switch {
	case s.missing:
		const want = -32602 // in both eras, though the specification of the earlier one had -32002
		if !strings.Contains(strings.ToLower(a.Error), "resource not found") || a.Code != 0 && a.Code != want {
			t.Errorf("%s: %+v, want the error %d, resource not found", s.name, a, want)
		}
	case s.refused != "":
		if text := a.Error + strings.Join(a.Blocks, "\n"); a.Error == "" && !a.IsError || !strings.Contains(text, s.refused) {
			t.Errorf("%s: %+v, want an error with %q", s.name, a, s.refused)
		}
	case a.Error != "":
		t.Errorf("%s: %s (%d)", s.name, a.Error, a.Code)
	case s.error != "":
		if !a.IsError || len(a.Blocks) != 1 || !strings.Contains(a.Blocks[0], s.error) {
			t.Errorf("%s: %+v, want an error of the tool with %q", s.name, a, s.error)
		}
	default:
		got := make([]string, len(a.Blocks))
		for i, block := range a.Blocks {
			got[i] = normal(block)
		}
		if a.AgentID != s.agentID {
			t.Errorf("%s: the tools take an agent_id: %v, want %v", s.name, a.AgentID, s.agentID)
		}
		if a.IsError || !slices.Equal(got, s.want) {
			t.Errorf("%s: isError %v, %.3000q, want %.3000q", s.name, a.IsError, got, s.want)
		}
	}
}
