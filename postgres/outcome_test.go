package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// openWith opens a store and returns a service on it.
func openWith(t testing.TB, url string, o postgres.Options) *workspace.Service {
	t.Helper()
	return service(t, openStore(t, url, o))
}

// ask returns the first column of the rows of a query, on a connection of its own.
func ask(t testing.TB, url, sql string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgconn.Connect(ctx, url)
	testkit.Must(t, err)
	defer c.Close(ctx)
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	for _, row := range results[len(results)-1].Rows {
		out = append(out, string(row[0]))
	}
	return out
}

// outcomes are what an agent was told of its appends. Each entry is appended once by the
// agent, and is different from all others. It is safe for concurrent use.
type outcomes struct {
	agent string
	w     *workspace.Workspace

	mu   sync.Mutex // guards told
	told map[string]error
}

func newOutcomes(t testing.TB, svc *workspace.Service, agent string) *outcomes {
	t.Helper()
	w, err := svc.Agent(agent)
	testkit.Must(t, err)
	return &outcomes{agent: agent, w: w, told: map[string]error{}}
}

const outcomeLog = "log.jsonl"

// append appends an entry and notes the outcome.
func (o *outcomes) append(ctx context.Context, entry string) error {
	_, err := o.w.AppendLog(ctx, outcomeLog, []byte(entry))
	o.note(entry, err)
	return err
}

// appendOnce sends the same append under one key again until its outcome is known to be
// a success, or the context ends.
func (o *outcomes) appendOnce(ctx context.Context, entry string) {
	for ctx.Err() == nil {
		_, err := o.w.AppendLogWith(ctx, outcomeLog, workspace.AppendOptions{IdempotencyKey: entry}, []byte(entry))
		o.note(entry, err)
		if err == nil {
			return
		}
	}
}

// note keeps the most that is known: once a call under a key is unknown, a later failure
// of the same call does not tell of the first.
func (o *outcomes) note(entry string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil && errors.Is(o.told[entry], store.ErrOutcomeUnknown) {
		return
	}
	o.told[entry] = err
}

// tally counts outcomes.
type tally struct{ ok, unknown, failed int }

func (a *tally) add(b tally) {
	a.ok += b.ok
	a.unknown += b.unknown
	a.failed += b.failed
}

// judge compares what the agent was told with the database: what succeeded is there once,
// what failed is not there, and what is unknown is there once at most. The entries have
// consecutive numbers.
func (o *outcomes) judge(t testing.TB, url string) (n tally) {
	t.Helper()
	rows := ask(t, url, "SELECT entry || ' ' || convert_from(content, 'UTF8') FROM entries WHERE owner = 'local/"+o.agent+"' ORDER BY entry")
	times := map[string]int{}
	for i, row := range rows {
		number, entry, _ := strings.Cut(row, " ")
		if number != strconv.Itoa(i+1) {
			t.Errorf("%s: entry %d has the number %s", o.agent, i+1, number)
		}
		times[entry]++
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for entry, err := range o.told {
		got := times[entry]
		delete(times, entry)
		switch {
		case err == nil:
			n.ok++
			if got != 1 {
				t.Errorf("%s: %s was acknowledged and is there %d times", o.agent, entry, got)
			}
		case errors.Is(err, store.ErrOutcomeUnknown):
			n.unknown++
			if got > 1 {
				t.Errorf("%s: %s is unknown and there %d times", o.agent, entry, got)
			}
		default:
			n.failed++
			if got != 0 {
				t.Errorf("%s: %s failed with %v and is there %d times", o.agent, entry, err, got)
			}
		}
	}
	for entry := range times {
		t.Errorf("%s: %s is there, and nobody appended it", o.agent, entry)
	}
	return n
}

// A message of the server may name what only the operator knows. It goes to the log, once
// for each call. The caller gets a kind and the class of the error. The detail of a message
// quotes the row, and goes nowhere.
func TestErrorsOfServerAreLogged(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	var log bytes.Buffer
	w := agent(t, openWith(t, url, postgres.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}), "agent")
	write := func() error {
		return testkit.Err(w.WriteFile(t.Context(), "plan.md", []byte("text"), workspace.WriteOptions{}))
	}
	read := func() error {
		return testkit.Err(w.ReadFile(t.Context(), "plan.md", workspace.ReadOptions{}))
	}
	testkit.Must(t, write())
	for _, c := range []struct {
		name, change, class, logged string
		call                        func() error
		kind                        error
	}{
		{"write", "ALTER TABLE versions ADD CONSTRAINT inner_name CHECK (version < 2); SELECT 1", "23", "inner_name", write, store.ErrCorrupt},
		{"read", "ALTER TABLE versions RENAME TO inner_table; SELECT 1", "42", `\"versions\" does not exist`, read, store.ErrUnsupported},
	} {
		ask(t, url, c.change)
		log.Reset()
		err := c.call()
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), "an error of class "+c.class) || strings.Contains(err.Error(), "relation") {
			t.Errorf("%s: %v, want %v with the class %s and without the server's message", c.name, err, c.kind, c.class)
		}
		if got := log.String(); strings.Count(got, "sqlstate="+c.class) != 1 || strings.Count(got, c.logged) != 1 || strings.Contains(got, "plan.md") {
			t.Errorf("%s: the log has %q, want the server's message once and nothing of the row", c.name, got)
		}
	}
}
