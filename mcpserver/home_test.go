package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// newHome returns a client of a server for the project shop, and the memories of the project and
// beside it.
func newHome(t testing.TB) (s *mcp.ClientSession, shop, beside *workspace.Workspace) {
	t.Helper()
	svc := newService(t, workspace.Options{})
	of, every := workspaces(svc, "shop"), agentOf(t, svc, "default")
	server := newServerWith(t, mcpserver.Options{Bound: true, Workspace: of, Tools: mcpserver.AllTools,
		Home: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
			ws, err := of(ctx, c)
			if err != nil {
				return nil, err
			}
			return every.From(ws.Agent()), nil
		}})
	return connect(t, server), agentOf(t, svc, "shop"), every
}

func put(t testing.TB, ws *workspace.Workspace, path, text string) {
	t.Helper()
	must(ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{}))(t)
}

// The tools for files reach the memory beside the project's, and name its paths as the agent does.
func TestHome(t *testing.T) {
	s, shop, beside := newHome(t)
	put(t, shop, "plan.md", "of the project")
	put(t, beside, "private.md", "of the person")
	must(beside.AppendLog(t.Context(), "diary", []byte("of the person")))(t)
	for _, step := range []struct{ tool, args, says, not string }{
		{"write_file", `{"path":"~/style.md","content":"tabs\n"}`, `{"path":"~/style.md","version":1,`, ""},
		{"edit_file", `{"path":"~/style.md","old_text":"tabs","new_text":"spaces"}`, `{"path":"~/style.md","version":2,`, ""},
		{"read_file", `{"path":"~/style.md"}`, `{"path":"~/style.md","current_version":2,"from_project":"shop","bytes":7,"lines":1}spaces`, ""},
		{"read_file", `{"path":"~/style.md","since_version":1}`, `"path":"~/style.md","current_version":2,"from_project":"shop"`, ""},
		{"read_file", `{"path":"~/private.md"}`, "of the person", "from_project"},
		{"list_files", `{"prefix":"~/"}`, "~/private.md\t1\t13", "plan.md"},
		{"list_files", `{"prefix":"~/st"}`, "\n~/style.md\t2\t7", "private.md"},
		{"list_files", `{}`, "\nplan.md\t", "~/"},
		{"write_file", `{"path":"~/long.md","content":"` + strings.Repeat(`# A heading\\n\\nand a text\\n`, 600) + `"}`, `"~/long.md"`, ""},
		{"summarize_file", `{"path":"~/long.md"}`, `{"path":"~/long.md","current_version":1`, ""},
		{"delete_file", `{"path":"~/long.md"}`, `{"path":"~/long.md","deleted":true,`, ""},
		{"search", `{"query":"spaces","prefix":"~/"}`, "~/style.md\t1\tspaces", ""},
		{"search", `{"query":"person","prefix":"~/"}`, `"count":1,"total":1,`, "diary"},
		{"search", `{"query":"person","prefix":"pl"}`, `"count":0`, "~/"},
		{"search", `{"query":"of"}`, "plan.md\t1\tof the project\n~/private.md\t1\tof the person", "diary"},
		{"get_usage_stats", `{}`, `"file_count":1`, "~/"},
	} {
		got := strings.Join(mustCall(t, s, step.tool, raw(step.args)), "")
		if !strings.Contains(got, step.says) || step.not != "" && strings.Contains(got, step.not) {
			t.Errorf("%s %.80s = %q, want %q and not %q", step.tool, step.args, got, step.says, step.not)
		}
	}
	versions := must(beside.History(t.Context(), "style.md"))(t)
	if last := versions[1]; len(versions) != 2 || last.Project != "shop" || last.Author.Client != "test-client" {
		t.Errorf("the versions are %+v, want two by the client from the project", versions)
	}
	if u := must(shop.Usage(t.Context()))(t); u.Files != 1 {
		t.Errorf("the project has %d files, want its own", u.Files)
	}
}

func raw(json string) any { return rawJSON(json) }

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// Every other way to the memory beside the project's is refused with the way out, and errors name
// files as the agent does. Nothing is stored, and no name of one memory is told in the other.
func TestHomeIsRefused(t *testing.T) {
	s, shop, beside := newHome(t)
	put(t, shop, "plan.md", "x")
	put(t, beside, "style.md", "x")
	put(t, beside, "START.md", "x")
	must(beside.AppendLog(t.Context(), "day", []byte("x")))(t)
	before := stored(t, beside) + stored(t, shop)
	type refusal struct{ tool, args, says string }
	all := []refusal{
		{"read_file", `{"path":"~/stile.md"}`, "read ~/stile.md: there is no such file; the nearest name is ~/style.md"},
		{"read_file", `{"path":"style.md"}`, "read style.md: there is no such file; list_files shows"},
		{"read_file", `{"path":"~/day"}`, "a log of this name"},
		{"read_file", `{"path":"~/plan.md"}`, "list_files shows"},
		{"write_file", `{"path":"~/style.md","content":"","if_version":7}`, "write ~/style.md: it is at version 1"},
		{"delete_file", `{"path":"~/style.md"}`, "delete ~/style.md: version 1 was written outside of project shop; a person can"},
		{"write_file", `{"path":"~/a b","content":""}`, "path ~/a b"},
		{"list_files", `{"prefix":"~/.."}`, "prefix ~/.."},
		{"write_file", `{"path":"~/a","content":"","agent_id":"other"}`, "leave it out"},
	}
	for _, path := range []string{"~/START.md", "~/start.MD", "~/./START.md", "~//START.md", "~/a/../START.md"} {
		says := "~/"
		if strings.EqualFold(path, "~/START.md") {
			says = "a person writes it: scratchpad --agent default files write START.md"
		}
		all = append(all, refusal{"write_file", `{"path":"` + path + `","content":"x"}`, says},
			refusal{"edit_file", `{"path":"` + path + `","old_text":"","new_text":"x"}`, says},
			refusal{"delete_file", `{"path":"` + path + `"}`, says})
	}
	for _, r := range []refusal{
		{"append_log", `{"path":"~/day","entry":"x"}`, ""}, {"read_log", `{"path":"~/day"}`, ""},
		{"list_logs", `{"prefix":"~/"}`, ""}, {"delete_log", `{"path":"~/day"}`, ""}, {"changes", `{"prefix":"~/"}`, ""},
		{"move_file", `{"path":"~/style.md","new_path":"b"}`, ""}, {"move_file", `{"path":"plan.md","new_path":"~/b"}`, ""},
		{"memory", `{"command":"view","path":"~/style.md"}`, ""}, {"memory", `{"command":"rename","old_path":"/memories/plan.md","new_path":"~/b"}`, ""},
	} {
		all = append(all, refusal{r.tool, r.args, r.tool + " does not reach ~/, which has files only; write_file"})
	}
	for _, r := range all {
		got, isError := call(t, s, r.tool, raw(r.args))
		if !isError || !strings.Contains(got[0], r.says) {
			t.Errorf("%s %s = %q, want an error that says %q", r.tool, r.args, got, r.says)
		}
		checkError(t, r.tool+r.args, got[0])
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "scratchpad://shop/~/style.md"}); err == nil {
		t.Error("a resource reaches the memory beside the project's")
	}
	if after := stored(t, beside) + stored(t, shop); after != before {
		t.Errorf("the refused calls changed the usage from %s to %s", before, after)
	}
}

// Where there is no other memory, or it fails, an error says so, and search is as ever.
func TestNoHome(t *testing.T) {
	svc := newService(t, workspace.Options{})
	of := workspaces(svc, "default")
	o := mcpserver.Options{Bound: true, Workspace: of}
	for says, get := range map[string]func(context.Context, mcpserver.Call) (*workspace.Workspace, error){
		"byte 1 is '~'": nil,
		"this memory is the one that ~/ stands for; leave it out": func(context.Context, mcpserver.Call) (*workspace.Workspace, error) { return nil, nil },
		"busy now": func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
			return nil, workspace.Errorf(workspace.ErrBusy, "busy now")
		},
	} {
		o.Home = get
		s := connect(t, newServerWith(t, o))
		if got, isError := call(t, s, "read_file", raw(`{"path":"~/a"}`)); !isError || !strings.Contains(got[0], says) {
			t.Errorf("without a memory beside it, a read of ~/a = %q, want %q", got, says)
		}
		mustCall(t, s, "search", raw(`{"query":"x"}`))
	}
}

// stored returns the usage of a memory without its operations, which reads count.
func stored(t testing.TB, ws *workspace.Workspace) string {
	t.Helper()
	u := must(ws.Usage(t.Context()))(t).Usage
	u.Operations = 0
	return fmt.Sprint(u)
}

// A search of both memories keeps the limit and the tokens of one, and the project comes first.
func TestHomeSearch(t *testing.T) {
	s, shop, beside := newHome(t)
	for i := range 30 {
		if i < 6 {
			put(t, shop, fmt.Sprintf("own-%d.md", i), fmt.Sprint("needle ", i))
		}
		put(t, beside, fmt.Sprintf("far-%02d.md", i), fmt.Sprint(strings.Repeat("needle in a long passage of text ", 1+i*3), i))
	}
	for _, limit := range []string{"1", "6", "8", "50"} {
		got := mustCall(t, s, "search", raw(`{"query":"needle","limit":`+limit+`}`))
		own, far := strings.Count("\n"+got[1], "\nown-"), strings.Count("\n"+got[1], "\n~/far-")
		most := map[string]int{"1": 1, "6": 6, "8": 8, "50": 50}[limit]
		if own != min(6, most) || own+far > most || most == 8 && far != 2 || most == 50 && far == 0 {
			t.Errorf("limit %s: %d hits of the project and %d beside it", limit, own, far)
		}
		if n := o200k.Count(got[0] + got[1]); n > 600 || strings.LastIndex(got[1], "\nown-") > strings.Index(got[1]+"\n~/", "\n~/") {
			t.Errorf("limit %s: %d tokens, or another order: %s", limit, n, got[1])
		}
		cut := map[bool]string{true: `,"cut":"600 tokens"`}[own+far < most]
		if want := fmt.Sprintf(`{"count":%d,"total":36,"has_more":true%s}`, own+far, cut); got[0] != want {
			t.Errorf("limit %s: the record is %s, want %s", limit, got[0], want)
		}
	}
	seen := map[string]bool{}
	for after := 0; after < 36; {
		got := mustCall(t, s, "search", raw(fmt.Sprintf(`{"query":"needle","limit":4,"after":%d}`, after)))
		for line := range strings.Lines(got[1]) {
			seen[strings.Split(line, "\t")[0]] = true
			after++
		}
		if len(seen) != after || strings.Contains(got[0], `"has_more":true`) != (after < 36) {
			t.Fatalf("after %d hits there were %d different ones: %s", after, len(seen), got[0])
		}
	}
}

// The list of the memory beside the project's goes on with its own next.
func TestHomePages(t *testing.T) {
	s, _, beside := newHome(t)
	for i := range 201 {
		put(t, beside, fmt.Sprintf("f-%03d", i), "")
	}
	if got := mustCall(t, s, "list_files", raw(`{"prefix":"~/"}`)); got[0] != `{"count":200,"has_more":true,"next":"~/f-199"}` {
		t.Errorf("the first page is %s", got[0])
	}
	for _, after := range []string{`"prefix":"~/","after":"~/f-199"`, `"prefix":"~/","after":"f-199"`, `"after":"~/f-199"`} {
		if got := mustCall(t, s, "list_files", raw("{"+after+"}")); !strings.HasPrefix(got[1], "path\tversion\tbytes\tupdated\n~/f-200\t") {
			t.Errorf("after %s: %q", after, got)
		}
	}
}

// The command that an answer gives names the memory that has the secret, and the right way.
func TestSecretsCommand(t *testing.T) {
	const secret = "glpat-" + "x7Kq2mVb9TzR4wYc1NsD"
	svc := newService(t, workspace.Options{Secrets: workspace.SecretsWarn})
	bound := connect(t, newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "shop"), Tools: mcpserver.AllTools,
		Home: func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
			return agentOf(t, svc, "default"), nil
		}}))
	open := connect(t, newServerOn(t, svc, ""))
	for _, c := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"~/sec.md","content":"S"}`, "files redact sec.md --agent default"},
		{"edit_file", `{"path":"~/sec.md","old_text":"x7Kq","new_text":"y7Kq"}`, "files redact sec.md --agent default"},
		{"write_file", `{"path":"sec.md","content":"S"}`, "files redact sec.md --agent shop"},
		{"write_file", `{"path":"sec.md","content":"S","agent_id":"other"}`, "files redact sec.md --agent other"},
		{"append_log", `{"path":"l","entry":"S","agent_id":"other"}`, "logs redact l 1 --agent other"},
	} {
		s := bound
		if strings.Contains(c.args, "agent_id") {
			s = open
		}
		var got workspace.Secrets
		answer := mustCall(t, s, c.tool, raw(strings.ReplaceAll(c.args, `S"`, secret+`"`)))[0]
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatal(err)
		}
		if want := "scratchpad " + c.want; strings.ReplaceAll(got.Remove, secret, "S") != want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, got.Remove, want)
		}
	}
}
