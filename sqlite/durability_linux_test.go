package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func init() {
	roles["durability-write"] = func(args []string) error {
		return writeAll(context.Background(), args[0], atoi(args[1]), atoi(args[2]))
	}
}

// A process that is killed in a commit leaves its log as it is. The next process finds a
// write in the log that nobody may have synced, and repeats it.
func init() {
	roles["durability-repeat"] = func(args []string) error {
		ctx := context.Background()
		first := args[0] + "-first"
		killed, err := sqlite.Open(ctx, first, quiet)
		if err != nil {
			return err
		}
		if err := writeWithKey(ctx, killed); err != nil {
			return err
		}
		for _, end := range []string{"", "-wal"} {
			b, err := os.ReadFile(first + end)
			if err == nil {
				err = os.WriteFile(args[0]+end, b, 0o600)
			}
			if err != nil {
				return err
			}
		}
		fmt.Println("durability-begin")
		s, err := sqlite.Open(ctx, args[0], quiet)
		if err != nil {
			return err
		}
		for range 3 {
			if err := writeWithKey(ctx, s); err != nil {
				return err
			}
			fmt.Println("durability-acked")
		}
		fmt.Println("durability-end")
		return errors.Join(s.Close(), killed.Close())
	}
}

func writeWithKey(ctx context.Context, s *sqlite.Store) error {
	svc, err := workspace.New(s, workspace.Options{})
	if err != nil {
		return err
	}
	ws, err := svc.Agent("alice")
	if err != nil {
		return err
	}
	_, err = ws.WriteFile(ctx, "f", []byte("once"), workspace.WriteOptions{IdempotencyKey: "write"})
	return err
}

// A repeated request is acknowledged only when the first one is durable, whoever stored
// it. The disk is not asked twice for the same log.
func TestRepeatedIsSynced(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	if got, want := strings.Join(trace(t, "durability-repeat"), " "), "sync acked acked acked"; got != want {
		t.Errorf("the calls were %q, want %q", got, want)
	}
}

// writeAll makes acknowledged writes with several writers at once. It prints a line
// before and after them, which the trace shows too.
func writeAll(ctx context.Context, path string, writers, each int) error {
	s, err := sqlite.Open(ctx, path, quiet)
	if err != nil {
		return err
	}
	svc, err := workspace.New(s, workspace.Options{})
	if err != nil {
		return err
	}
	fmt.Println("durability-begin")
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		ws, err := svc.Agent(fmt.Sprintf("agent-%d", w))
		if err != nil {
			return err
		}
		wg.Go(func() {
			for i := range each {
				if _, err := ws.WriteFile(ctx, fmt.Sprintf("file-%d", i%10), text(1000, w, i), workspace.WriteOptions{}); err != nil {
					errs[w] = err
					return
				}
				fmt.Println("durability-acked")
			}
		})
	}
	wg.Wait()
	fmt.Println("durability-end")
	return errors.Join(errors.Join(errs...), s.Close())
}

// straced runs a role under strace, and returns the lines about its calls.
func straced(t *testing.T, calls, role string, args ...string) string {
	t.Helper()
	strace, dir := needStrace(t), t.TempDir()
	out := filepath.Join(dir, "trace")
	cmd := roleCommand(t.Context(), role, args...)
	cmd.Args = append([]string{strace, "-f", "-y", "--seccomp-bpf", "-e", "trace=" + calls, "-e", "signal=none", "-o", out}, cmd.Args...)
	cmd.Path = strace
	stdout, err := os.Create(filepath.Join(dir, "stdout"))
	testkit.Must(t, err)
	defer stdout.Close()
	cmd.Stdout = stdout
	testkit.Must(t, cmd.Run())
	return string(readBytes(t, out))
}

// trace runs a role under strace on a new database. It returns the calls in the order
// in which they ended: "sync" for a sync of the log, "acked" for an acknowledged write.
func trace(t *testing.T, role string, args ...string) (calls []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "durable.db")
	open(t, path).Close()
	writing := false
	waiting := map[string]bool{} // threads in an unfinished sync of the log
	for line := range strings.Lines(straced(t, "fsync,fdatasync,write", role, append([]string{path}, args...)...)) {
		thread, call, _ := strings.Cut(line, " ")
		isSync := strings.Contains(call, "fsync(") || strings.Contains(call, "fdatasync(")
		switch {
		case strings.Contains(call, "durability-begin"):
			writing = true
		case strings.Contains(call, "durability-end"):
			writing = false
		case !writing:
		case strings.Contains(call, "durability-acked"):
			calls = append(calls, "acked")
		case isSync && strings.Contains(call, "unfinished"):
			waiting[thread] = strings.Contains(call, path+"-wal>")
		case isSync && strings.Contains(call, path+"-wal>") && strings.Contains(call, "= 0"):
			calls = append(calls, "sync")
		case strings.Contains(call, "sync resumed") && waiting[thread] && strings.Contains(call, "= 0"):
			delete(waiting, thread)
			calls = append(calls, "sync")
		}
	}
	return calls
}

// A single writer shares no commit. Before each write is acknowledged, the disk has
// confirmed the log.
func TestAcknowledgedIsSynced(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	writes := testkit.Pick(50, 200, 200)
	calls := trace(t, "durability-write", "1", strconv.Itoa(writes))
	acked, synced, since := 0, 0, 0
	for _, call := range calls {
		if call == "sync" {
			synced++
			since++
			continue
		}
		if acked++; since == 0 {
			t.Fatalf("write %d was acknowledged without a sync of the log; %d were until then", acked, synced)
		}
		since = 0
	}
	t.Logf("%d writes, %d syncs of the log", acked, synced)
	if acked != writes || synced < writes {
		t.Errorf("%d writes were seen, want %d, with as many syncs", acked, writes)
	}
}

// Many writers share commits. Still no write is acknowledged before a sync.
func TestAcknowledgedIsSyncedInGroups(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	calls := trace(t, "durability-write", "64", strconv.Itoa(testkit.Pick(10, 100, 100)))
	acked, synced := 0, 0
	for _, call := range calls {
		if call == "sync" {
			synced++
			continue
		}
		// A sync covers one group at most, and every writer waits for its own.
		if acked++; acked > synced*64 {
			t.Fatalf("%d writes of 64 writers were acknowledged after %d syncs", acked, synced)
		}
	}
	if want := 64 * testkit.Pick(10, 100, 100); acked != want || synced == 0 {
		t.Fatalf("%d writes and %d syncs were seen, want %d writes", acked, synced, want)
	}
	t.Logf("%d writes, %d syncs of the log: %.1f writes each", acked, synced, float64(acked)/float64(synced))
}

func init() {
	roles["durability-create"] = func(args []string) error {
		s, err := sqlite.Open(context.Background(), args[0], quiet)
		if err != nil {
			return err
		}
		return s.Close()
	}
}

// A new database is made with two syncs: one of its content before it gets its name, and
// one of the folder afterwards. Each sync may take the disk many milliseconds.
func TestCreateSyncs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "new.db")
	var calls []string
	for line := range strings.Lines(straced(t, "fsync,fdatasync,pwrite64,renameat2,link,linkat", "durability-create", path)) {
		_, call, _ := strings.Cut(line, " ")
		name, rest, _ := strings.Cut(strings.TrimSpace(call), "(")
		switch part := strings.Contains(rest, path+"-new-"); {
		case name == "fsync" && part, name == "fdatasync" && part:
			calls = append(calls, "sync")
		case name == "fsync" && strings.Contains(rest, "<"+dir+">"):
			calls = append(calls, "sync folder")
		case name == "fsync", name == "fdatasync":
			calls = append(calls, call)
		case name == "pwrite64" && part && (len(calls) == 0 || calls[len(calls)-1] != "write"):
			calls = append(calls, "write")
		case name == "renameat2", strings.HasPrefix(name, "link"):
			calls = append(calls, "name")
		}
	}
	if got, want := strings.Join(calls, ", "), "write, sync, name, sync folder"; got != want {
		t.Errorf("the calls were %q, want %q", got, want)
	}
}
