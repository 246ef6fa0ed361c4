package postgres_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A statementLog has the SQL of all statements that went to a server.
type statementLog struct {
	mu  sync.Mutex // guards all
	all map[string]bool
}

func (l *statementLog) choose(b pgtest.Batch) pgtest.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, sql := range b.SQL {
		l.all[sql] = true
	}
	return pgtest.Fault{}
}

var (
	// A table of rows of owners, where a statement reads, removes or changes its rows.
	ownedTable  = regexp.MustCompile(`\b(FROM|JOIN|UPDATE|INTO) (owners|files|versions|summaries|logs|entries|requests|changes)\b`)
	insertsRow  = regexp.MustCompile(`^INSERT INTO \w+ \(owner\b[^)]*\) VALUES \(\$1\b`)
	namesOwner  = regexp.MustCompile(`\bowner = \$1(\W|$)`)
	forOperator = regexp.MustCompile(`^WITH RECURSIVE names|FROM owners WHERE owner >=? \$1 AND owner < \$2 |^SELECT owner FROM owners WHERE live <>|^SELECT [a-z(]*sum\(bytes\).* FROM owners$`) // lists and sums
)

// namesOneOwner reports whether a statement concerns the rows of the owner $1 alone.
func namesOneOwner(sql string) bool {
	tables := ownedTable.FindAllString(sql, -1)
	if len(tables) == 0 || insertsRow.MatchString(sql) && len(tables) == 1 {
		return true
	}
	return len(namesOwner.FindAllString(sql, -1)) >= len(tables) && !strings.Contains(sql, " OR owner")
}

// Each statement on rows of owners names the one owner, but for the lists of operators and
// the first looks of Verify. So
// an engine that spreads rows over servers by their owner can run it.
func TestStatementsNameOneOwner(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for sql, want := range map[string]bool{
		"SELECT path FROM files WHERE owner = $1 AND path = $2":                              true,
		"SELECT path FROM files WHERE path = $1":                                             false,
		"DELETE FROM files WHERE owner = $1 AND path IN (SELECT path FROM files LIMIT 1)":    false,
		"SELECT 1 FROM files WHERE owner = $1 UNION ALL SELECT 1 FROM logs":                  false,
		"UPDATE owners SET operations = 0":                                                   false,
		"INSERT INTO files (owner, path) VALUES ($1, $2)":                                    true,
		"INSERT INTO files (owner, path) SELECT owner, path FROM versions WHERE owner = $10": false,
	} {
		if got := namesOneOwner(sql); got != want {
			t.Errorf("namesOneOwner(%s) = %t", sql, got)
		}
	}
	log := &statementLog{all: map[string]bool{}}
	callAll(t, log)
	lists, owned := 0, 0
	for sql := range log.all {
		switch {
		case forOperator.MatchString(sql):
			lists++
		case !namesOneOwner(sql):
			t.Errorf("a statement on rows of owners does not name one owner: %s", sql)
		case ownedTable.MatchString(sql):
			owned++
		}
	}
	t.Logf("%d statements name one owner, %d are lists of owners", owned, lists)
	if owned < 40 || lists < 4 {
		t.Error("those are too few; the test does not see them")
	}
}

// callAll makes calls of agents, and those for operators.
func callAll(t *testing.T, log *statementLog) {
	ctx := context.Background()
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	s := open(t, proxy.URL())
	proxy.Break(log.choose)
	fillForDamage(t, s)
	svc := service(t, s)
	w := agent(t, svc, "calls")
	testkit.Must(t, testkit.Err(w.WriteFile(ctx, "a.md", lines(3), workspace.WriteOptions{})))
	for _, call := range tripCalls() {
		if err := call.do(ctx, w); err != nil {
			t.Errorf("%s: %v", call.name, err)
		}
	}
	_, searched := w.Search(ctx, "text", workspace.SearchOptions{})
	to := store.Owner{Tenant: "local", Agent: "restored"}
	restored := s.Restore(ctx, to, dump.Rows(ctx, s, someOwner))
	counted := s.Count(ctx, map[store.Owner]int64{someOwner: 1})
	_, verified := s.Verify(ctx, postgres.VerifyOptions{})
	_, deleted := svc.DeleteAgent(ctx, "calls")
	if err := errors.Join(searched, restored, counted, verified, deleted); err != nil {
		t.Error(err)
	}
}
