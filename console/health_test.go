package console_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func TestHealth(t *testing.T) {
	testkit.SkipInShort(t)
	all := everybody(newService(t))
	bob := all
	bob.ID, bob.Metrics = "bob", false
	asked, log := 0, &bytes.Buffer{}
	health := func(context.Context) (console.Health, error) {
		asked++
		return console.Health{
			Checks: []console.Check{
				{Name: "good", Status: console.StatusOK, Text: "canary <b>"}, {Name: "odd", Status: console.StatusWarning, Text: "so so", Fix: "wait"},
				{Name: "unknown", Status: "broken"}, {Name: "bad", Status: console.StatusFailure, Text: "gone", Fix: "call\u202e somebody"},
			},
			Counts:   []console.Fact{{Name: "<Calls>", Value: "3"}},
			Versions: []console.Fact{{Name: "Go", Value: "go1.99<i>"}},
		}, nil
	}
	o := console.Options{People: people{"ada": all, "bob": bob}, Logger: slog.New(slog.NewTextHandler(log, nil)),
		Health: func(ctx context.Context) (console.Health, error) { return health(ctx) }}
	ada := open(t, o, "ada")
	_, page := ada.get("/health")
	for _, want := range []string{"2 failures, 1 warning.", "&lt;Calls&gt;", "<dd>3</dd>", "go1.99&lt;i&gt;", "canary &lt;b&gt;", "U+202E", ` data-every="10"`} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
	last := 0
	for _, name := range []string{"<bdi>unknown", "<bdi>bad", "call", "<bdi>odd", "wait", "<bdi>good"} {
		at := strings.Index(page, name)
		if at <= last {
			t.Errorf("%q is at %d, after %d", name, at, last)
		}
		last = at
	}
	b := visit(t, ada.url, "bob")
	if _, page := b.get("/"); strings.Contains(page, "/health") {
		t.Errorf("there is a link without metrics:\n%s", page)
	}
	if status, page := b.get("/health"); status != http.StatusForbidden || strings.Contains(page, "canary") || asked != 1 {
		t.Errorf("without metrics: %d, asked %d times\n%s", status, asked, page)
	}
	for i, fails := range []func(context.Context) (console.Health, error){
		func(context.Context) (console.Health, error) { return console.Health{}, errors.New("secret cause") },
		func(context.Context) (console.Health, error) { panic("secret cause") },
	} {
		log.Reset()
		health = fails
		status, page := ada.get("/health")
		if status != http.StatusOK || !strings.Contains(page, "It cannot be found out now") || strings.Contains(page, "secret cause") || strings.Contains(page, ".go:") || log.Len() == 0 {
			t.Errorf("a failure: %d\n%s\nthe log: %s", status, page, log)
		}
		panics := i == 1 // its value may quote what a caller sent
		if said := log.String(); strings.Contains(said, "secret cause") == panics || strings.Contains(said, "health_test.go:") != panics {
			t.Errorf("the log has the value of a panic, or not its place: %s", said)
		}
	}
}

// The page counts what the journals of all agents have of the last hour, whoever wrote it.
func TestHealthLastHour(t *testing.T) {
	now := time.Now().Add(-61 * time.Minute)
	store := memstore.New()
	svc := must(workspace.New(store, workspace.Options{Now: func() time.Time { return now }}))(t)
	write(t, svc, "old", "a.md", "x")
	write(t, svc, "a", "old.md", "x")
	now = time.Now()
	other := must(workspace.New(store, workspace.Options{}))(t) // as another process
	write(t, other, "a", "new.md", "x")
	write(t, other, "b", "new.md", "x")
	appendLog(t, other, "b", "l", workspace.Author{}, "1", "2", "3")
	testkit.Must(t, testkit.Err(must(other.Agent("a"))(t).DeleteFile(t.Context(), "old.md", workspace.DeleteOptions{})))
	b := open(t, console.Options{People: people{"ada": everybody(svc)},
		Health: func(context.Context) (console.Health, error) { return console.Health{}, nil }}, "ada")
	_, page := b.get("/health")
	for _, want := range []string{"Agents</bdi></dt><dd>2<", "File changes</bdi></dt><dd>2<", "Log entries</bdi></dt><dd>3<", "Deletions</bdi></dt><dd>1<"} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
}

// A page that is not there has the navigation of who is known, and the parts of its agent.
func TestNothingHere(t *testing.T) {
	svc := newService(t)
	write(t, svc, "a", "plan.md", "x")
	address := serve(t, console.Options{People: people{"ada": everybody(svc)}})
	ada, stranger := visit(t, address, "ada"), visit(t, address, "")
	for path, wants := range map[string][]string{
		"/none": {`<nav aria-label="Parts">`}, "/a/a/none": {`<nav aria-label="Parts">`},
		"/a/a/files/none.md": {`<nav aria-label="Parts">`, `href="/a/a/changes"`, `<a class="btn" href="/a/a">Files of a</a>`},
	} {
		status, page := ada.get(path)
		for _, want := range wants {
			if status != http.StatusNotFound || !strings.Contains(page, want) {
				t.Errorf("%s: %d, no %s in\n%s", path, status, want, page)
			}
		}
	}
	if status, page := stranger.get("/none"); status != http.StatusNotFound || strings.Contains(page, "<nav") {
		t.Errorf("a stranger: %d\n%s", status, page)
	}
}

// Without the functions of the server there are no such pages.
func TestNoHealthNoKeys(t *testing.T) {
	b := open(t, console.Options{People: people{"ada": everybody(newService(t))}}, "ada")
	_, page := b.get("/")
	for _, address := range []string{"/health", "/keys", "/keys?revoke=x"} {
		if status, _ := b.get(address); status != http.StatusNotFound || strings.Contains(page, `"`+address+`"`) {
			t.Errorf("%s: %d", address, status)
		}
	}
}
