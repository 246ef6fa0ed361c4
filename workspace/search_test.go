package workspace_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func TestSearch(t *testing.T) {
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ws, err := svc.Agent("a")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"notes/plan.md":  "# Release\n\nWe ship on Friday.\n\n## Budget\n\nThe budget is 5,000.\n",
		"src/config.go":  "package config\n\nfunc parseConfigFile(name string) error {\n\treturn nil\n}\n",
		"notes/kyoto.md": "# 旅行\n\n京都の紅葉を見に行く。\n",
	} {
		if _, err := ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ws.AppendLog(t.Context(), "decisions", []byte("the budget was raised\nto 6,000"), []byte("CAFÉ closed")); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"budget", "config", "parse file", "紅葉", "cafe", `"ship on friday" -budget`, "plan", "release"} {
		r, err := ws.Search(t.Context(), q, workspace.SearchOptions{})
		t.Logf("%s: %d %v", q, r.Total, err)
		for _, h := range r.Hits {
			t.Logf("   %s#%d:%d %q %v", h.Path, h.Entry, h.Line, h.Text, h.Marks)
		}
	}
	for _, q := range []string{"5,000", "budget"} {
		r, err := ws.Search(t.Context(), q, workspace.SearchOptions{Exact: true})
		t.Log(q, r, err)
	}
}
