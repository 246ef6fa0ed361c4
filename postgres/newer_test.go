package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// countFile is a function of Update that changes the owner's state.
func countFile(tx store.Tx) error {
	l, err := tx.Load(store.Query{File: "a.md"})
	if err != nil {
		return err
	}
	l.Owner.Files++
	return tx.Apply(l.Owner)
}

var someOwner = store.Owner{Tenant: "local", Agent: "agent"}

// A running server stores nothing once the database has a newer schema.
func TestNewerSchema(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url)
	system := s.System(t.Context())
	revision, err := system.Put("kept", []byte("1"), 0)
	testkit.Must(t, err)
	ask(t, url, "UPDATE schema_version SET version = 4")
	_, put := system.Put("new", nil, 0)
	_, changed := system.Put("kept", []byte("2"), revision)
	for name, err := range map[string]error{
		"Put": put, "Put again": changed,
		"Restore": system.Restore(store.Record{Key: "restored", Revision: 1}),
		"Delete":  system.Delete("kept", revision),
		"Update":  s.Update(t.Context(), someOwner, countFile),
		"Update that goes on": s.Update(t.Context(), someOwner, func(tx store.Tx) error {
			_, _ = tx.Owner()
			return tx.Apply(store.OwnerState{FileFloor: 1})
		}),
		"Update that forgets": s.Update(t.Context(), someOwner, func(tx store.Tx) error {
			_, _ = tx.Owner()
			_ = tx.Apply(store.OwnerState{FileFloor: 1})
			return nil
		}),
		"Count": s.Count(t.Context(), map[store.Owner]int64{someOwner: 1}),
	} {
		if !errors.Is(err, store.ErrUnsupported) {
			t.Errorf("%s = %v, want ErrUnsupported", name, err)
		}
	}
	if got := ask(t, url, "SELECT string_agg(key || '=' || convert_from(value, 'UTF8'), ' ' ORDER BY key) FROM records")[0]; got != "kept=1" {
		t.Errorf("after calls that failed, the records are %q", got)
	}
	if got := ask(t, url, "SELECT count(*) FROM owners")[0]; got != "0" {
		t.Errorf("after calls that failed, there are %s owners", got)
	}
}

// A write that waited for a migration finds the newer schema.
func TestMigratedUnderneath(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	s := openStore(t, url, postgres.Options{LockTimeout: time.Minute})
	testkit.Must(t, s.Update(t.Context(), someOwner, countFile))
	migration, a := asking(t, url), asking(t, url)
	migration.exec("BEGIN; LOCK TABLE owners, records; UPDATE schema_version SET version = 4")
	update, put := make(chan error, 1), make(chan error, 1)
	go func() { update <- s.Update(t.Context(), someOwner, countFile) }()
	go func() {
		_, err := s.System(t.Context()).Put("new", nil, 0)
		put <- err
	}()
	a.wait("SELECT count(*) FROM pg_locks WHERE NOT granted AND "+ofDatabase, "2")
	migration.exec("COMMIT")
	for name, done := range map[string]chan error{"Update": update, "Put": put} {
		if err := <-done; !errors.Is(err, store.ErrUnsupported) {
			t.Errorf("%s = %v, want ErrUnsupported", name, err)
		}
	}
	if got := a.exec("SELECT sum(files) + (SELECT count(*) FROM records) FROM owners"); got != "1" {
		t.Errorf("after writes that failed there are %s files and records, want 1", got)
	}
}

// A database in which other programs have tables, or search_path names other schemas.
func TestSchemaOfOthers(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, test := range []struct {
		name, sql, params string
		want              error
		tables            string // the schema that has the tables then
	}{
		{"a table of Flyway", "CREATE TABLE schema_version (version varchar(50))", "", store.ErrUnsupported, ""},
		{"a table without a version", "CREATE TABLE schema_version (id int)", "", store.ErrUnsupported, ""},
		{"another table of ours", "CREATE TABLE files (id int)", "", store.ErrUnsupported, ""},
		{"a type", "CREATE TYPE files AS ENUM ('a')", "", store.ErrUnsupported, ""},
		{"another table", "CREATE TABLE invoices (id int)", "", nil, "public"},
		{"a schema of its own", "CREATE SCHEMA own; CREATE TABLE files (id int)", "&search_path=own", nil, "own"},
		{"no schema", "", "&search_path=missing", store.ErrUnsupported, ""},
		{"a later schema has our tables", "CREATE SCHEMA own; CREATE SCHEMA later; CREATE TABLE later.schema_version (version int); CREATE TABLE later.owners_live (owner text)", "&search_path=own,later", store.ErrUnsupported, ""},
		{"a later schema has other tables", "CREATE SCHEMA own; CREATE TABLE schema_version (version varchar(50)); CREATE TABLE files (id int)", "&search_path=own,public", nil, "own"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.URL(t)
			if test.sql != "" {
				ask(t, url, test.sql+"; SELECT 1")
			}
			s, err := postgres.Open(t.Context(), url+test.params, postgres.Options{})
			if !errors.Is(err, test.want) {
				t.Fatalf("Open() = %v, want %v", err, test.want)
			}
			if err != nil {
				t.Log(err)
				return
			}
			defer s.Close()
			if err := s.Update(t.Context(), someOwner, countFile); err != nil {
				t.Error(err)
			}
			if got := ask(t, url, "SELECT count(*) FROM "+test.tables+".owners")[0]; got != "1" {
				t.Errorf("schema %s has %s owners", test.tables, got)
			}
		})
	}
}

// An older schema is brought to the present one as a whole or not at all, once for all who open
// the database together. Who only reads is told how that comes about.
func TestOlderSchema(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	const column = "SELECT count(*) FROM information_schema.columns WHERE table_name = 'versions' AND column_name = 'project'"
	ask(t, url, testkit.Unpack(t, "testdata/past/schema1.sql.gz")+
		"CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'; "+
		"CREATE TRIGGER no BEFORE UPDATE ON schema_version FOR EACH ROW EXECUTE FUNCTION no(); SELECT 1")
	if _, err := postgres.OpenReadOnly(t.Context(), url, postgres.Options{}); !errors.Is(err, store.ErrUnsupported) || !strings.Contains(err.Error(), "command that writes") {
		t.Errorf("OpenReadOnly() = %v, want ErrUnsupported with the way out", err)
	}
	if s, err := postgres.Open(t.Context(), url, postgres.Options{}); err == nil {
		t.Error("Open() of a database that cannot be migrated = nil, want an error", s.Close())
	}
	if got := ask(t, url, column)[0]; got != "0" {
		t.Error("half of a migration has happened")
	}
	ask(t, url, "DROP TRIGGER no ON schema_version; SELECT 1")
	var opening sync.WaitGroup
	for range 4 {
		opening.Go(func() {
			if s, err := postgres.Open(t.Context(), url, postgres.Options{}); err != nil {
				t.Errorf("Open() = %v", err)
			} else {
				s.Close()
			}
		})
	}
	opening.Wait()
	s := open(t, url)
	owner := store.Owner{Tenant: "local", Agent: "crowd-07"} // which has one file with one version
	v := store.Version{Number: 2, SHA256: [32]byte{1}, Project: "shop", Time: time.Unix(2, 0).UTC()}
	testkit.Must(t, s.Update(t.Context(), owner, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: store.FileHead{Path: "f.md", Version: 2, Sizes: make([]int64, 2)}, New: &v})
	}))
	testkit.Must(t, s.View(t.Context(), owner, func(r store.Reader) error {
		l, err := r.Load(store.Query{File: "f.md", History: true})
		if err == nil && (len(l.Versions) != 2 || l.Versions[0].Project != "" || l.Versions[1].Project != "shop") {
			t.Errorf("after the migration there are the versions %+v", l.Versions)
		}
		return err
	}))
}
