package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// impatient is for tests of connections that fall silent. On a busy machine a server
// answers within these times.
var impatient = postgres.Options{
	CommitWait: 1200 * time.Millisecond, LockTimeout: 20 * time.Second,
	IdleTimeout: 1200 * time.Millisecond, StatementTimeout: 1200 * time.Millisecond,
}

// A moment is a kind of batch that the store sends.
type moment func(pgtest.Batch) bool

func startsConnection(b pgtest.Batch) bool { return b.Startup }

func beginsWrite(b pgtest.Batch) bool {
	return len(b.SQL) > 0 && strings.HasPrefix(b.SQL[0], "BEGIN ISOLATION LEVEL READ COMMITTED") && !b.Commit
}

func commitsWrite(b pgtest.Batch) bool { return b.Commit && !strings.HasPrefix(b.SQL[0], "BEGIN") }

func readsLog(b pgtest.Batch) bool {
	return strings.Contains(strings.Join(b.SQL, ";"), "FROM entries") && !beginsWrite(b)
}

// once has a fault for the first batch of a kind, and passes all others.
func once(when moment, f pgtest.Fault) (choose func(pgtest.Batch) pgtest.Fault, happened *atomic.Bool) {
	happened = new(atomic.Bool)
	return func(b pgtest.Batch) pgtest.Fault {
		if when(b) && happened.CompareAndSwap(false, true) {
			return f
		}
		return pgtest.Fault{}
	}, happened
}

// What an append that meets one fault is answered, and how often its entry is there then.
// The next append succeeds.
func TestProxyFaults(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	const never, once, either = "0", "1", "0 or 1"
	url := pgtest.URL(t)
	run := func(name string, when moment, f pgtest.Fault, want error, rows string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			appendWithFault(t, url, strings.ReplaceAll(name, "/", "-"), when, f, want, rows)
		})
	}
	for name, do := range actions {
		f := pgtest.Fault{Do: do}
		run("connect/"+name, startsConnection, f, nil, once)
		run("begin/"+name, beginsWrite, f, nil, once)
	}
	unknown := store.ErrOutcomeUnknown
	run("commit/Delay", commitsWrite, pgtest.Fault{Delay: impatient.CommitWait / 4}, nil, once)
	run("commit/LongDelay", commitsWrite, pgtest.Fault{Delay: impatient.CommitWait * 2}, unknown, once)
	run("commit/CutBefore", commitsWrite, pgtest.Fault{Do: pgtest.CutBefore}, unknown, never)
	run("commit/CutAfter", commitsWrite, pgtest.Fault{Do: pgtest.CutAfter}, unknown, either)
	run("commit/CutAnswer", commitsWrite, pgtest.Fault{Do: pgtest.CutAnswer}, unknown, once)
	run("commit/HalfOpenBefore", commitsWrite, pgtest.Fault{Do: pgtest.HalfOpenBefore}, unknown, never)
	run("commit/HalfOpenAnswer", commitsWrite, pgtest.Fault{Do: pgtest.HalfOpenAnswer}, unknown, once)
	for _, code := range []string{"40003", "XXA00", "XX000", "08007", "08006", "57P01", "57P05", "58030", "F0000"} {
		run("commit/"+code, commitsWrite, pgtest.Fault{Code: code}, unknown, once)
	}
}

// An error that PostgreSQL raises while it commits, such as that of a deferred constraint,
// undoes the transaction. It is no unknown outcome, unless its code is one that leaves open
// what has happened.
func TestErrorsOfCommit(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	a := newOutcomes(t, openWith(t, url, postgres.Options{}), "agent")
	testkit.Must(t, a.append(t.Context(), "before"))
	ask(t, url, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF length(NEW.content) = 5 THEN RAISE EXCEPTION 'refused' USING ERRCODE = convert_from(NEW.content, 'UTF8'); END IF;
		RETURN NEW;
	END $$;
	CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();
	SELECT 1`)
	for code, want := range map[string]error{
		"23514": store.ErrCorrupt, "22003": store.ErrInvalid, "42501": store.ErrReadOnly, "53100": store.ErrStorageFull,
		"P0001": store.ErrBusy, "57014": store.ErrBusy,
		"40003": store.ErrOutcomeUnknown, "XXA00": store.ErrOutcomeUnknown, "08007": store.ErrOutcomeUnknown,
	} {
		if err := a.append(t.Context(), code); store.Kind(err) != want {
			t.Errorf("append that the server refuses with %s at COMMIT = %v, want %v", code, err, want)
		}
	}
	a.judge(t, url)
}

var actions = map[string]pgtest.Action{
	"CutBefore": pgtest.CutBefore, "CutAfter": pgtest.CutAfter, "CutAnswer": pgtest.CutAnswer,
	"HalfOpenBefore": pgtest.HalfOpenBefore, "HalfOpenAnswer": pgtest.HalfOpenAnswer,
}

func appendWithFault(t *testing.T, url, agent string, when moment, f pgtest.Fault, want error, rows string) {
	proxy := pgtest.NewProxy(t, url)
	svc := openWith(t, proxy.URL()+"&connect_timeout=2", impatient)
	a := newOutcomes(t, svc, agent)
	testkit.Must(t, a.append(t.Context(), "before"))
	choose, happened := once(when, f)
	proxy.Break(choose)
	if when(pgtest.Batch{Startup: true}) {
		proxy.Reset()
	}
	if err := a.append(t.Context(), "subject"); !errors.Is(err, want) {
		t.Errorf("append = %v, want %v", err, want)
	}
	if !happened.Load() {
		t.Error("the fault did not happen")
	}
	if err := a.append(t.Context(), "after"); err != nil {
		t.Errorf("the next append = %v", err)
	}
	a.judge(t, url)
	const count = "SELECT count(*) FROM entries WHERE owner = 'local/%s' AND content = 'subject'"
	if got := ask(t, url, fmt.Sprintf(count, agent))[0]; !strings.Contains(rows, got) {
		t.Errorf("the entry is there %s times, want %s", got, rows)
	}
	if n := proxy.Cancels(); n > 0 && when(pgtest.Batch{SQL: []string{"COMMIT"}, Commit: true}) {
		t.Errorf("the server was asked %d times to cancel a commit", n)
	}
	proxy.Reset() // so that Close does not wait for what is half open
}

// A read that meets a fault is read again.
func TestProxyReads(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	for name, do := range actions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := pgtest.NewProxy(t, url)
			a := newOutcomes(t, openWith(t, proxy.URL()+"&connect_timeout=2", impatient), name)
			testkit.Must(t, a.append(t.Context(), "entry"))
			choose, happened := once(readsLog, pgtest.Fault{Do: do})
			proxy.Break(choose)
			page, err := a.w.ReadLog(context.Background(), outcomeLog, workspace.ReadLogOptions{})
			if err != nil || len(page.Entries) != 1 {
				t.Errorf("%d entries, %v", len(page.Entries), err)
			}
			if !happened.Load() {
				t.Error("the fault did not happen")
			}
			proxy.Reset() // so that Close does not wait for what is half open
		})
	}
}

// Faults of all kinds, at any moment, under several writers. Each outcome is reported
// truly, and no write happens twice. SCRATCHPAD_TEST=full has a thousand faults.
func TestProxyStorm(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	proxy := pgtest.NewProxy(t, url)
	proxy.Delay(time.Millisecond)
	const wait = 400 * time.Millisecond // an append may fail, as long as its outcome is told truly
	o := postgres.Options{CommitWait: wait, LockTimeout: 8 * time.Second, IdleTimeout: wait, StatementTimeout: wait, MaxConns: 6}
	svc := openWith(t, proxy.URL()+"&connect_timeout=1", o)
	faults := storm(t, proxy)
	want := int64(testkit.Pick(12, 50, 1000))
	agents := make([]*outcomes, 6)
	var writers sync.WaitGroup
	for i := range agents {
		a := newOutcomes(t, svc, fmt.Sprintf("agent%d", i))
		agents[i] = a
		writers.Go(func() {
			for n := 0; faults.Load() < want; n++ {
				if i%2 == 0 {
					a.append(t.Context(), fmt.Sprintf("entry-%d", n))
				} else {
					a.appendOnce(t.Context(), fmt.Sprintf("entry-%d", n))
				}
			}
		})
	}
	writers.Wait()
	proxy.Break(nil)
	proxy.Reset()
	var sum tally
	for _, a := range agents {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if a.appendOnce(ctx, "last"); ctx.Err() != nil {
			t.Error("no append succeeds after the storm")
		}
		cancel()
		sum.add(a.judge(t, url))
	}
	t.Logf("%d faults; %d appends are acknowledged, %d unknown, %d failed", faults.Load(), sum.ok, sum.unknown, sum.failed)
}

// storm breaks one batch in twelve from now on, and counts them.
func storm(t *testing.T, proxy *pgtest.Proxy) *atomic.Int64 {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var mu sync.Mutex // guards random
	random := rand.New(rand.NewPCG(seed, 0))
	var faults atomic.Int64
	proxy.Break(func(pgtest.Batch) pgtest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if random.IntN(12) > 0 {
			return pgtest.Fault{}
		}
		faults.Add(1)
		do := pgtest.Action(random.IntN(int(pgtest.HalfOpenAnswer) + 1))
		if do == pgtest.Pass {
			go proxy.Reset()
		}
		return pgtest.Fault{Do: do}
	})
	return &faults
}
