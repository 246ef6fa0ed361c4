package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// canary is in every path, content, entry and key of the agent that must stay unseen, and
// nowhere else.
const canary = "CANARY-7f3a"

// stranger fills the victim's workspace.
func stranger(t testing.TB, svc *workspace.Service) {
	t.Helper()
	ws := agentOf(t, svc, "victim").As(workspace.Author{Client: canary})
	for i := range 8 {
		path := fmt.Sprintf("notes/%s-%d", canary, i)
		must(ws.WriteFile(t.Context(), path, []byte(canary+"\n"), workspace.WriteOptions{IdempotencyKey: canary + path}))(t)
		must(ws.AppendLog(t.Context(), path, []byte(canary), []byte(canary)))(t)
	}
	for _, path := range []string{"shared", "f"} { // the caller may guess these, and they are worth a summary
		must(ws.WriteFile(t.Context(), path, []byte(strings.Repeat(canary+"\n", 1000)), workspace.WriteOptions{}))(t)
		must(ws.AppendLog(t.Context(), path, []byte(canary)))(t)
	}
}

// A prober makes calls as the agent "a", with the victim's names at every place.
type prober struct {
	*rand.Rand
	bound bool
}

func pick[T any](p prober, list ...T) T { return list[p.IntN(len(list))] }

// longMine is long enough for a summary.
var longMine = strings.Repeat("mine\n", 2000)

// odd are names that a faulty server may take for the victim's.
var odd = []string{
	"victim", "Victim", "VICTIM", "victim ", " victim", "../victim", "a/../victim", "victim/", "/victim", "local/victim", "%76ictim", "victim%00", "victim\x00", "vіctim",
	"ｖictim", "victim\u200b", "", ".", "..", "*", "a,victim", "a victim", "a\nvictim", "a/victim", "null", strings.Repeat("victim", 40), strings.Repeat("v", 100_000),
}

func (p prober) path() string {
	return pick(p, "shared", "f", "own", "notes/x", "victim/shared", "../victim/shared", "a/../../victim/f", "/shared", "local/victim/shared", "shared/../f", "%2e%2e/victim/f",
		"none", "notes/", "notes", "SHARED", "shared\x00", pick(p, odd...))
}

func (p prober) value(name string) any {
	switch kindOf[name] {
	case "integer":
		return pick[any](p, 0, 1, 2, 3, 10, 100, -1, int64(1)<<53, "1", nil)
	case "boolean":
		return pick[any](p, true, false, "true")
	}
	switch name {
	case "path", "prefix", "after":
		return p.path()
	case "agent_id":
		return pick(p, odd...)
	case "old_text":
		return pick(p, "x", "", "CANARY-7f3b", "CANARY-7f3b", "CANARY-7f3b") // so near that an error would quote the victim's
	}
	return pick(p, "x", "y", "", "mine", "CANARY-7f3b", longMine, p.path())
}

// request is a call of a tool, a read of a resource or a completion.
func (p prober) request() string {
	switch p.IntN(8) {
	case 0:
		uri, _ := json.Marshal("scratchpad://" + pick(p, pick(p, odd...), "a") + "/" + p.path())
		return method("1", "resources/read", `"uri":`+string(uri), "")
	case 1:
		value, _ := json.Marshal(p.path())
		agent, _ := json.Marshal(pick(p, pick(p, odd...), "a"))
		return method("1", "completion/complete", fmt.Sprintf(`"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":%q,"value":%s},"context":{"arguments":{"agent":%s}}`,
			pick(p, "path", "path", "agent"), value, agent), "")
	}
	tool := pick(p, slices.Sorted(maps.Keys(good))...)
	args := m{}
	for _, name := range slices.Sorted(maps.Keys(good[tool])) {
		if required[name] || p.IntN(3) == 0 {
			args[name] = p.value(name)
		}
	}
	if p.bound && p.IntN(3) == 0 {
		args["agent_id"] = p.value("agent_id")
	}
	if !p.bound { // the caller may name any agent, and names itself
		args["agent_id"] = "a"
	}
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return requestWith("1", tool, string(b), pick(p, "", "", `,"scratchpad/idempotency_key":"`+pick(p, "k1", "k2", "k3")+`"`))
}

// probe makes n calls. It returns the first whose answer or log has the canary in it, or
// "" if none has.
func probe(t testing.TB, bound bool, n int, bend func(mcpserver.Call, *workspace.Service) string) string {
	t.Helper()
	svc := newService(t, workspace.Options{})
	stranger(t, svc)
	before := everything(t, svc)
	var logged testkit.Buffer
	find := workspaces(svc, map[bool]string{true: "a"}[bound])
	w := newWire(t, newServerWith(t, mcpserver.Options{
		Bound: bound, Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
			if name := bend(c, svc); name != "" {
				return svc.Agent(name)
			}
			if !bound && c.AgentID != "a" { // whoever asks has shown to be a
				return nil, fmt.Errorf("agent_id is not yours: %w", workspace.ErrInvalid)
			}
			return find(ctx, c)
		},
	}))
	p := prober{rand.New(rand.NewPCG(7, uint64(n))), bound}
	for range n {
		line := p.request()
		w.send(line)
		if a := w.must(); strings.Contains(a.raw, canary) {
			return line + a.raw
		}
	}
	if strings.Contains(logged.String(), canary) {
		return "the log: " + logged.String()
	}
	for key := range before {
		if !strings.HasPrefix(key, "victim") {
			delete(before, key)
		}
	}
	after := everything(t, svc)
	maps.DeleteFunc(after, func(key, _ string) bool { return !strings.HasPrefix(key, "victim") })
	return cmp.Diff(before, after)
}

func straight(mcpserver.Call, *workspace.Service) string { return "" }

// No call of one agent shows or changes anything of another.
func TestCallActsForItsAgentOnly(t *testing.T) {
	testkit.SkipInShort(t)
	n := testkit.Pick(500, 3000, 20_000)
	for _, bound := range []bool{true, false} {
		if leak := probe(t, bound, n, straight); leak != "" {
			t.Errorf("bound %v: something of the victim is in %.2000s", bound, leak)
		}
	}
}

// The test finds each kind of leak. SCRATCHPAD_TEST=full plants one in every tool.
func TestIsolationFindsALeak(t *testing.T) {
	testkit.SkipInShort(t)
	names := []string{"read_file", "read_log", "resources/read", "completion/complete"}
	if testkit.Full() {
		names = append(slices.Sorted(maps.Keys(good)), "resources/read", "completion/complete")
	}
	for _, name := range names {
		if name == "get_usage_stats" {
			continue // numbers carry no canary
		}
		leak := probe(t, true, 5000, func(c mcpserver.Call, _ *workspace.Service) string {
			if c.Tool == name {
				return "victim"
			}
			return ""
		})
		if leak == "" {
			t.Errorf("a server whose %s ignores the binding is not found out", name)
		}
	}
}
