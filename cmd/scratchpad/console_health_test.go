package main

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
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/cli/doctor"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// healthCanary is in the name of everything that the page must not show: the database's folder,
// the agent, its file and what is in it.
const healthCanary = "canary-4711"

// A healthPage asks how a server does.
type healthPage func(context.Context) (console.Health, error)

// openHealth returns the page of a server on a store in which an agent has written.
func openHealth(t *testing.T, store workspace.Store, path string) healthPage {
	t.Helper()
	t.Cleanup(func() { store.Close() })
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	agent, err := svc.Agent(healthCanary)
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(agent.WriteFile(t.Context(), healthCanary+".md", []byte(healthCanary), workspace.WriteOptions{})))
	return serverHealth(t.Context(), healthOptions{store: store, pool: postgres.Options{MaxConns: 4}, doctor: doctor.Options{
		Database: path, Version: "v1.2.3", Logger: slog.New(slog.DiscardHandler),
		Summaries: func() (*workspace.Summarizer, string, error) { return nil, "made by nobody", nil },
	}})
}

func openHealthFile(t *testing.T) (v healthPage, store *sqlite.Store, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), healthCanary, healthCanary+".db")
	testkit.Must(t, os.Mkdir(filepath.Dir(path), 0o700))
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	return openHealth(t, store, path), store, path
}

// askHealth returns what the page shows, and tests that it names nothing that it must not.
func askHealth(t *testing.T, v healthPage) console.Health {
	t.Helper()
	h, err := v(t.Context())
	testkit.Must(t, err)
	if text := fmt.Sprintf("%+v", h); strings.Contains(text, healthCanary) || strings.Contains(text, os.TempDir()) {
		t.Errorf("the page names what it must not:\n%s", text)
	}
	return h
}

// hasCheck tests how a check ended, and that its text has the words.
func hasCheck(t *testing.T, h console.Health, name string, status console.Status, words string) {
	t.Helper()
	at := slices.IndexFunc(h.Checks, func(c console.Check) bool { return c.Name == name })
	if at < 0 || h.Checks[at].Status != status || !strings.Contains(h.Checks[at].Text, words) || (status != console.StatusOK) != (h.Checks[at].Fix != "") {
		t.Errorf("%s is not %s with %q in\n%+v", name, status, words, h.Checks)
	}
}

// hasFacts tests the names of the counts and the versions.
func hasFacts(t *testing.T, h console.Health, counts []string, versions map[string]string) {
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
	v, _, _ := openHealthFile(t)
	h := askHealth(t, v)
	for name, words := range map[string]string{
		"writes": "takes writes", "durability": "survive a power cut", "summaries": "made by nobody", "disk": " free", "folder": "",
		"size": "database ", "permissions": "no other user", "database": "schema ", "integrity": "scratchpad verify",
	} {
		hasCheck(t, h, name, console.StatusOK, words)
	}
	if text := fmt.Sprint(h.Checks); strings.Contains(text, "this command") {
		t.Errorf("the page speaks of a command: %s", text)
	}
	hasFacts(t, h, nil,
		map[string]string{"scratchpad": `^v1\.2\.3$`, "Go": `^` + runtime.Version() + `$`, "System": `/`, "MCP": `2026-07-28, 2025-`, "SQLite": `^3\.`, "Schema": `^\d+$`})
}

// What is wrong is said without the paths that are in doctor's words for it.
func TestHealthOfSQLiteTrouble(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipping the access rights of files: this system has others")
	}
	v, _, path := openHealthFile(t)
	testkit.Must(t, os.Chmod(path, 0o666))
	testkit.Must(t, os.Chmod(filepath.Dir(path), 0o777))
	testkit.Must(t, os.Mkdir(path+"-journal", 0o700))
	h := askHealth(t, v)
	hasCheck(t, h, "permissions", console.StatusWarning, "other users can read")
	hasCheck(t, h, "folder", console.StatusWarning, "other users can put files beside")
	hasCheck(t, h, "side files", console.StatusFailure, "beside the database")
}

// A store that is gone is a failure, not an error of the page.
func TestHealthOfClosed(t *testing.T) {
	v, store, _ := openHealthFile(t)
	testkit.Must(t, store.Close())
	h := askHealth(t, v)
	hasCheck(t, h, "writes", console.StatusFailure, "closed")
	hasCheck(t, h, "database", console.StatusFailure, "closed")
}

func TestHealthOfMemory(t *testing.T) {
	h := askHealth(t, openHealth(t, memstore.New(), "mem:"))
	hasCheck(t, h, "database", console.StatusWarning, "in memory")
	hasFacts(t, h, nil, map[string]string{"scratchpad": "v1"})
}

func TestHealthOfPostgres(t *testing.T) {
	url := pgtest.URL(t)
	store, err := postgres.Open(t.Context(), url, postgres.Options{Logger: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	v := openHealth(t, store, url)
	h := askHealth(t, v)
	if strings.Contains(fmt.Sprint(h), url) {
		t.Errorf("the page has the URL: %+v", h)
	}
	for name, words := range map[string]string{"writes": "takes writes", "server": "PostgreSQL ", "standbys": "none is connected", "connections": "opens up to 5, by --db-connections", "schema": "schema "} {
		hasCheck(t, h, name, console.StatusOK, words)
	}
	hasCheck(t, h, "durability", console.StatusFailure, "fsync is off") // so is that of tests
	hasFacts(t, h, nil,
		map[string]string{"PostgreSQL": `^\d+`, "Schema": `^\d+$`})
}

// A caller that has gone gets its own error.
func TestHealthOfGone(t *testing.T) {
	v, _, _ := openHealthFile(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v(ctx); err != context.Canceled {
		t.Errorf("Health = %v", err)
	}
}

// People who ask at the same time share a look, also if who asked first leaves.
func TestSharedLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		health := shareLook(t.Context(), func(ctx context.Context) (h console.Health) {
			looks++
			time.Sleep(2 * time.Second)
			if ctx.Err() == nil {
				h.Checks = []console.Check{{Name: "whole"}}
			}
			return h
		})
		var all sync.WaitGroup
		all.Go(func() {
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			defer leave()
			if _, err := health(ctx); err != context.DeadlineExceeded {
				t.Errorf("who left got %v", err)
			}
		})
		for range 1000 {
			all.Go(func() {
				if h, err := health(t.Context()); err != nil || len(h.Checks) != 1 {
					t.Errorf("got %+v, %v", h, err)
				}
			})
		}
		all.Wait()
		if looks != 1 {
			t.Errorf("%d looks", looks)
		}
	})
}

// A look has five seconds, and less if the server stops. One that does not end keeps nobody
// for long, stays the only one, and the page says so.
func TestLookThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var looks atomic.Int32
		disk := make(chan struct{})
		health := shareLook(ctx, func(ctx context.Context) (h console.Health) {
			looks.Add(1)
			began := time.Now()
			if <-ctx.Done(); time.Since(began) > lookTime {
				t.Errorf("a look lasts %v", time.Since(began))
			}
			<-disk
			return h
		})
		for range 2 {
			began := time.Now()
			h, err := health(t.Context())
			if took := time.Since(began); err != nil || took != lookTime+lookGrace || len(h.Checks) != 1 || !strings.Contains(h.Checks[0].Text, "have not ended") {
				t.Errorf("after %v: %+v, %v", took, h, err)
			}
		}
		if n := looks.Load(); n != 1 {
			t.Errorf("%d looks", n)
		}
		close(disk)
		synctest.Wait()
		stop()
		began := time.Now()
		if _, err := health(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("a look after the stop took %v, %v", time.Since(began), err)
		}
	})
}

// A panic in a look does not end the server. Its value may quote what an agent wrote.
func TestLookPanics(t *testing.T) {
	health := shareLook(t.Context(), func(context.Context) console.Health { panic("secret") })
	if _, err := health(t.Context()); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "console_health_test.go:") {
		t.Errorf("Health = %v", err)
	}
}
