package consoleserver_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/consoleserver"
	"github.com/agent-scratchpad/scratchpad/internal/doctor"
	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary is in the name of everything that the page must not show: the database's folder,
// the agent, its file and what is in it.
const canary = "canary-4711"

// A page asks how a server does.
type page func(context.Context) (console.Health, error)

// open returns the page of a server on a store in which an agent has written.
func open(t *testing.T, store workspace.Store, path string) page {
	t.Helper()
	t.Cleanup(func() { store.Close() })
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	agent, err := svc.Agent(canary)
	testkit.Must(t, err)
	_, err = agent.WriteFile(t.Context(), canary+".md", []byte(canary), workspace.WriteOptions{})
	testkit.Must(t, err)
	return consoleserver.Health(t.Context(), consoleserver.HealthOptions{Store: store, Pool: postgres.Options{MaxConns: 4}, Doctor: doctor.Options{
		Database: path, Version: "v1.2.3", Logger: slog.New(slog.DiscardHandler),
		Summaries: func() (*workspace.Summarizer, string, error) { return nil, "made by nobody", nil },
	}})
}

func openFile(t *testing.T) (v page, store *sqlite.Store, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), canary, canary+".db")
	testkit.Must(t, os.Mkdir(filepath.Dir(path), 0o700))
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	return open(t, store, path), store, path
}

// health returns what the page shows, and tests that it names nothing that it must not.
func health(t *testing.T, v page) console.Health {
	t.Helper()
	h, err := v(t.Context())
	testkit.Must(t, err)
	if text := fmt.Sprintf("%+v", h); strings.Contains(text, canary) || strings.Contains(text, os.TempDir()) {
		t.Errorf("the page names what it must not:\n%s", text)
	}
	return h
}

// is tests how a check ended, and that its text has the words.
func is(t *testing.T, h console.Health, name string, status console.Status, words string) {
	t.Helper()
	at := slices.IndexFunc(h.Checks, func(c console.Check) bool { return c.Name == name })
	if at < 0 || h.Checks[at].Status != status || !strings.Contains(h.Checks[at].Text, words) || (status != console.StatusOK) != (h.Checks[at].Fix != "") {
		t.Errorf("%s is not %s with %q in\n%+v", name, status, words, h.Checks)
	}
}

// shows tests the names of the counts and the versions.
func shows(t *testing.T, h console.Health, counts []string, versions map[string]string) {
	t.Helper()
	var names []string
	for _, s := range h.Counts {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, counts) {
		t.Errorf("the counts are %q, want %q", names, counts)
	}
	facts := map[string]string{}
	for _, f := range h.Versions {
		facts[f.Name] = f.Value
	}
	for name, pattern := range versions {
		if !regexp.MustCompile(pattern).MatchString(facts[name]) {
			t.Errorf("version of %s is %q, want %s", name, facts[name], pattern)
		}
	}
}

func TestHealthOfSQLite(t *testing.T) {
	v, _, _ := openFile(t)
	h := health(t, v)
	for name, words := range map[string]string{
		"writes": "takes writes", "durability": "survive a power cut", "summaries": "made by nobody", "disk": " free", "folder": "",
		"size": "database ", "permissions": "no other user", "database": "schema ", "integrity": "scratchpad verify",
	} {
		is(t, h, name, console.StatusOK, words)
	}
	if text := fmt.Sprint(h.Checks); strings.Contains(text, "this command") {
		t.Errorf("the page speaks of a command: %s", text)
	}
	shows(t, h, []string{"Writes", "Writes that wait", "Write-ahead log", "Readers in use"},
		map[string]string{"scratchpad": `^v1\.2\.3$`, "Go": `^` + runtime.Version() + `$`, "System": `/`, "MCP": `2026-07-28, 2025-`, "SQLite": `^3\.`, "Schema": `^\d+$`})
}

// What is wrong is said without the paths that are in doctor's words for it.
func TestHealthOfSQLiteTrouble(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipping the access rights of files: this system has others")
	}
	v, _, path := openFile(t)
	testkit.Must(t, os.Chmod(path, 0o666))
	testkit.Must(t, os.Chmod(filepath.Dir(path), 0o777))
	testkit.Must(t, os.Mkdir(path+"-journal", 0o700))
	h := health(t, v)
	is(t, h, "permissions", console.StatusWarning, "other users can read")
	is(t, h, "folder", console.StatusWarning, "other users can put files beside")
	is(t, h, "side files", console.StatusFailure, "beside the database")
}

// A store that is gone is a failure, not an error of the page.
func TestHealthOfClosed(t *testing.T) {
	v, store, _ := openFile(t)
	testkit.Must(t, store.Close())
	h := health(t, v)
	is(t, h, "writes", console.StatusFailure, "closed")
	is(t, h, "database", console.StatusFailure, "closed")
}

// A file that was replaced under the server is a failure.
func TestHealthOfReplaced(t *testing.T) {
	v, _, path := openFile(t)
	if err := os.Rename(path, path+"-old"); err != nil {
		t.Skipf("skipping a file that is moved away: this system keeps it: %v", err)
	}
	is(t, health(t, v), "writes", console.StatusFailure, "")
}

func TestHealthOfMemory(t *testing.T) {
	h := health(t, open(t, memstore.New(), "mem:"))
	is(t, h, "database", console.StatusWarning, "in memory")
	shows(t, h, nil, map[string]string{"scratchpad": "v1"})
}

func TestHealthOfPostgres(t *testing.T) {
	testkit.SkipInShort(t)
	url := pgtest.URL(t)
	store, err := postgres.Open(t.Context(), url, postgres.Options{Logger: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	v := open(t, store, url)
	h := health(t, v)
	if strings.Contains(fmt.Sprint(h), url) {
		t.Errorf("the page has the URL: %+v", h)
	}
	for name, words := range map[string]string{"writes": "takes writes", "server": "PostgreSQL ", "standbys": "none is connected", "connections": "opens up to 5, by --db-connections", "schema": "schema "} {
		is(t, h, name, console.StatusOK, words)
	}
	is(t, h, "durability", console.StatusFailure, "fsync is off") // so is that of tests
	shows(t, h, []string{"Writes", "Writers", "Connections to the database in use", "Waits for a connection to the database"},
		map[string]string{"PostgreSQL": `^\d+`, "Schema": `^\d+$`})
}

// A caller that has gone gets its own error.
func TestHealthOfGone(t *testing.T) {
	v, _, _ := openFile(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v(ctx); err != context.Canceled {
		t.Errorf("Health = %v", err)
	}
}
