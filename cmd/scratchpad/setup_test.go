package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	_ "modernc.org/sqlite" // for database/sql
)

// makeDatabase makes one with two agents.
func makeDatabase(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	writeAgents(t, store)
	testkit.Must(t, store.Close())
}

func writeAgents(t *testing.T, store workspace.Store) {
	t.Helper()
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	for _, name := range []string{"alice", "bob"} {
		ws, err := svc.Agent(name)
		testkit.Must(t, err)
		for _, path := range []string{"plan.md", "docs/a.md", "docs/b.md"} {
			if _, err := ws.WriteFile(t.Context(), path, []byte("a text that can be found again"), workspace.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ws.AppendLog(t.Context(), "decisions", []byte("one"), []byte("two")); err != nil {
			t.Fatal(err)
		}
	}
}

// runSQL changes a database as another program does.
func runSQL(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	testkit.Must(t, err)
	db.SetMaxOpenConns(1)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// lock keeps a database from all others until it is closed.
func lock(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	testkit.Must(t, err)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return db
}

// contents are the files of a folder with their modes and SHA-256, but for what
// SQLite makes when it reads: an empty log and its index.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, e := range entries {
		info, err := os.Lstat(filepath.Join(dir, e.Name()))
		testkit.Must(t, err)
		if strings.HasSuffix(e.Name(), "-shm") || strings.HasSuffix(e.Name(), "-wal") && info.Size() == 0 {
			continue
		}
		all[e.Name()] = info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			testkit.Must(t, err)
			all[e.Name()] += fmt.Sprintf(" %x", sha256.Sum256(b))
		}
	}
	return all
}

// flipContent changes a byte of a stored file. SQLite does not notice that.
func flipContent(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	testkit.Must(t, err)
	at := bytes.LastIndex(b, []byte("found again"))
	if at < 0 {
		t.Fatal("the text is not in the file")
	}
	b[at] ^= 1
	testkit.Must(t, os.WriteFile(path, b, 0o600))
}

// copyOpen copies the files of an open database, as a crash would leave them.
func copyOpen(t *testing.T, path string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source.db")
	store, err := sqlite.Open(t.Context(), source, sqlite.Options{})
	testkit.Must(t, err)
	defer store.Close()
	writeAgents(t, store)
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(source + end)
		if err == nil {
			err = os.WriteFile(path+end, b, 0o600)
		}
		testkit.Must(t, err)
	}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
}
