package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The page of an agent shows what its profile says, as text.
func TestProfile(t *testing.T) {
	svc, b := visited(t, newService(t))
	write(t, svc, "a", "a.md", "text")
	if _, page := b.get("/a/a"); strings.Contains(page, "archived") {
		t.Errorf("without a profile:\n%s", page)
	}
	_, err := svc.UpdateProfile(t.Context(), "a", func(workspace.Profile, bool) (workspace.Profile, error) {
		return workspace.Profile{Name: "Team <b>", Description: "Notes\u202e", Archived: time.Now()}, nil
	})
	testkit.Must(t, err)
	_, page := b.get("/a/a")
	for _, want := range []string{"<bdi>Team &lt;b&gt;</bdi></b>: Notes<span class=\"u\"", "This memory was archived <time"} {
		if !strings.Contains(page, want) || strings.Contains(page, "\u202e") {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// write stores a file.
func write(t *testing.T, svc *workspace.Service, agent, path, text string) {
	t.Helper()
	ws := must(svc.Agent(agent))(t)
	must(ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{}))(t)
}

// Agents show the name of their project, unless it is their own.
func TestAgentsOfProjects(t *testing.T) {
	svc := newService(t)
	for _, agent := range []string{"shop", "shop-12ab34", "default"} {
		write(t, svc, agent, "a.md", "x")
	}
	b := open(t, console.Options{People: people{"ada": everybody(svc)},
		Project: func(_ context.Context, p console.Person, agent string) (string, error) {
			return map[string]string{"shop": "shop", "shop-12ab34": "acme/<shop>"}[agent], nil
		}}, "ada")
	_, page := b.get("/")
	if strings.Count(page, "acme/&lt;shop&gt;") != 1 || strings.Count(page, ` <span class="muted">`) != 1 {
		t.Errorf("not one agent has a project:\n%s", page)
	}
	if _, page := b.get("/a/shop-12ab34"); !strings.Contains(page, "Memory of the project <bdi>acme/&lt;shop&gt;") {
		t.Errorf("no project on the page of the agent:\n%s", page)
	}
}

func TestAgents(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t)
	for i := range 120 {
		write(t, svc, fmt.Sprintf("team-%d-%03d", i%2, i), "a.md", strings.Repeat("x", i))
	}
	all := everybody(svc)
	some := all
	some.ID, some.Admin, some.Agents = "bob", false, []string{"team-1-*"}
	some.Allow = func(agent string) bool { return strings.HasPrefix(agent, "team-1-") }
	none := all
	none.ID, none.Admin, none.Read = "eve", false, false
	b := open(t, console.Options{People: people{"ada": all, "bob": some, "eve": none}}, "ada")

	seen := 0
	for next := "/?order=name"; next != ""; {
		_, page := b.get(next)
		seen += strings.Count(page, "<tr data-item>")
		next = nextOf(page)
	}
	if seen != 120 {
		t.Errorf("all pages have %d agents, want 120", seen)
	}
	if _, page := b.get("/?order=size"); !strings.Contains(page, `<th scope="row"><a href="/a/team-1-119">`) {
		t.Errorf("by size:\n%s", page)
	}
	if _, page := b.get("/?q=TEAM-1-11"); strings.Count(page, "<tr data-item>") != 5 {
		t.Errorf("by a part of the name:\n%s", page)
	}
	if _, page := visit(t, b.url, "bob").get("/"); strings.Contains(page, "team-0") || !strings.Contains(page, "team-1") {
		t.Errorf("of a person with some of the agents:\n%s", page)
	}
	if status, page := visit(t, b.url, "").post("/signin", map[string][]string{"key": {"eve"}}); status != http.StatusForbidden || strings.Contains(page, "team-") {
		t.Errorf("of a person who may not read: %d\n%s", status, page)
	}
}

// nextOf returns the address of the next page, or "".
func nextOf(page string) string {
	_, link, found := strings.Cut(page, `<a class="btn" href="`)
	for found {
		address, rest, _ := strings.Cut(link, `"`)
		if strings.HasPrefix(rest, ` rel="next"`) {
			return strings.ReplaceAll(address, "&amp;", "&")
		}
		_, link, found = strings.Cut(rest, `<a class="btn" href="`)
	}
	return ""
}
