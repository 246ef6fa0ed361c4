package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// An answer is what a program printed for a command with --json.
type answer struct {
	Args []string `json:"args"`
	Code int      `json:"code"`
	Out  []any    `json:"out"` // a value for each line; of a long text, its SHA-256
}

// objects returns those that the program listed.
func (a answer) objects() (all []object) {
	for _, line := range a.Out {
		list, ok := line.([]any)
		if !ok {
			list = []any{line}
		}
		for _, o := range list {
			if o, ok := o.(object); ok {
				all = append(all, o)
			}
		}
	}
	return all
}

// names returns a field of each object.
func (a answer) names(field string) (names []string) {
	for _, o := range a.objects() {
		names = append(names, fmt.Sprint(o[field]))
	}
	return names
}

func parse(t *testing.T, out string) (lines []any) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var line any
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			return lines
		} else if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		lines = append(lines, shorten(line))
	}
}

func shorten(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > 200 {
			return fmt.Sprintf("%d bytes %x", len(v), sha256.Sum256([]byte(v)))
		}
	case []any:
		for i := range v {
			v[i] = shorten(v[i])
		}
	case object:
		for name := range v {
			v[name] = shorten(v[name])
		}
	}
	return v
}

// newFields are those of answers that came after a schema. A program before it did not have them.
var newFields = []string{"charged_bytes", "store_agents", "store_bytes", "max_agents", "max_total_bytes", "deleted_bytes", "other_authors"}

// withoutNew takes out of an answer what the past one could not say.
func withoutNew(past, now any) any {
	switch now := now.(type) {
	case []any:
		past, _ := past.([]any)
		for i := range min(len(past), len(now)) {
			now[i] = withoutNew(past[i], now[i])
		}
	case object:
		past, _ := past.(object)
		for name := range now {
			if was, ok := past[name]; ok {
				now[name] = withoutNew(was, now[name])
			} else if slices.Contains(newFields, name) {
				delete(now, name)
			}
		}
	}
	return now
}

// A database of each schema that ever was on main, made by the program of its day and filled with
// everything, is opened. Then each row holds what it held, nothing is damaged, and today's program
// answers as the one of the day did.
func TestPast(t *testing.T) {
	testkit.SkipInShort(t)
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			for from, today := int64(1), e.today(t); from <= today; from++ {
				if _, err := os.Stat(e.stem(from) + e.end); err == nil {
					t.Run(fmt.Sprint("Schema", from), func(t *testing.T) { testPast(t, e, from) })
				} else {
					t.Errorf("no database of schema %d is kept; CONTRIBUTING.md, Add a migration, says how to keep one", from)
				}
			}
		})
	}
}

func testPast(t *testing.T, e engine, from int64) {
	// To look into one makes the log a part of its file, so the other is opened.
	past, name := e.restore(t, e.stem(from)+e.end), e.restore(t, e.stem(from)+e.end)
	columns := e.lines(t, past, e.columns)
	before, want := e.rows(t, past, columns, nil), e.rows(t, past, columns, e.changed[from])
	e.opened(t, name)
	instead := map[string]string{}
	for column, value := range e.changed[from] {
		if value == "0" {
			instead[column] = value
		}
	}
	if diff := gocmp.Diff(want, e.rows(t, name, columns, instead)); diff != "" {
		t.Errorf("the rows of the database - and after the migration +:\n%s", diff)
	}
	dir, variables := t.TempDir(), []string{"SCRATCHPAD_DB=" + name}
	runCommand(t, dir, variables, "verify").must(t, 0)
	if e.driver == "sqlite" { // the servers of package pgtest have settings that doctor finds fault with
		runCommand(t, dir, variables, "doctor").must(t, 0)
	}
	e.wantAnswers(t, name, from)
	kept := fmt.Sprintf("%s-schema%d-backup", name, from)
	if e.driver == "pgx" || from == e.schema(t, name) {
		return // there is none
	}
	runCommand(t, dir, nil, "verify", "--db", kept).must(t, 0)
	if diff := gocmp.Diff(before, e.rows(t, kept, columns, nil)); diff != "" {
		t.Errorf("the rows of the database - and of the copy beside it +:\n%s", diff)
	}
}

// wantAnswers expects that today's program answers as the one of a schema did. Only the
// full run asks for everything.
func (e engine) wantAnswers(t *testing.T, name string, schema int64) {
	t.Helper()
	step := testkit.Pick(8, 3, 1)
	for i, was := range e.answers(t, schema) {
		if i%step != int(schema)%step {
			continue
		}
		o := runCommand(t, t.TempDir(), []string{"SCRATCHPAD_DB=" + name}, was.Args...)
		now := answer{was.Args, o.code, parse(t, o.out)}
		withoutNew(was.Out, now.Out)
		if diff := gocmp.Diff(was, now); diff != "" {
			t.Errorf("the program of its day - and today's +:\n%s", diff)
		}
	}
}

// answers returns what the program of a schema said, as today's program counts: schema 1 in a file
// counted 200 bytes for each of the requests of agent keys.
func (e engine) answers(t *testing.T, schema int64) (all []answer) {
	t.Helper()
	testkit.Must(t, json.Unmarshal([]byte(testkit.Unpack(t, e.stem(schema)+".json.gz")), &all))
	for _, a := range all {
		for _, o := range a.objects() {
			if schema == 1 && e.driver == "sqlite" && o["agent_id"] == "keys" {
				o["total_bytes"] = o["total_bytes"].(float64) - 6*200
			}
		}
	}
	return all
}

// A database of a newer schema is refused with what to do, and no byte of it changes.
func TestNewerSchemaIsRefused(t *testing.T) {
	testkit.SkipInShort(t)
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			name, today := e.restore(t, e.stem(1)+e.end), e.today(t)
			e.opened(t, name)
			runDriver(t, e.driver, name, e.newer+strconv.FormatInt(today+1, 10))
			files := func() map[string]string { return nil }
			if e.driver == "sqlite" {
				files = func() map[string]string { return contents(t, filepath.Dir(name)) }
			}
			columns := e.lines(t, name, e.columns)
			rows, before := e.rows(t, name, columns, nil), files()
			for _, args := range []string{"files ls", "logs append l one", "verify", "agents rm files --yes", "stats"} {
				o := runCommand(t, t.TempDir(), []string{"SCRATCHPAD_DB=" + name}, strings.Fields(args)...)
				o.must(t, failure.ExitDatabase, fmt.Sprint("knows ", today), "newer")
			}
			if diff := gocmp.Diff(before, files()) + gocmp.Diff(rows, e.rows(t, name, columns, nil)); diff != "" {
				t.Errorf("the database has changed, before - after +:\n%s", diff)
			}
		})
	}
}
