package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const diskBytes = 24 << 20

// smallDisk mounts a small disk for a test.
func smallDisk(t *testing.T) string {
	t.Helper()
	needRoot(t, "mounts a tmpfs")
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", diskBytes)); err != nil {
		t.Fatalf("mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// filler makes a file that takes so many bytes of the disk, or what is free. The
// kernel's count of the free space is not exact.
func filler(t *testing.T, dir string, size int64) (name string) {
	t.Helper()
	f, err := os.CreateTemp(dir, "filler-")
	testkit.Must(t, err)
	defer f.Close()
	for size > 0 {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("fallocate %d bytes: %v", size, err)
		}
		size -= 32 << 10
	}
	return f.Name()
}

// removeFiller gives the space of a filler back at once. A process that another test is just
// starting may have the file open for a moment, and would keep the space of a removed one.
func removeFiller(t *testing.T, name string) {
	t.Helper()
	testkit.Must(t, os.Truncate(name, 0))
	testkit.Must(t, os.Remove(name))
}

// fillUp fills the disk to the last byte, with a file.
func fillUp(t *testing.T, dir string) (name string) {
	t.Helper()
	name = filler(t, dir, freeSpace(t, dir))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	testkit.Must(t, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	return name
}

func freeSpace(t *testing.T, dir string) int64 {
	t.Helper()
	var s unix.Statfs_t
	testkit.Must(t, unix.Statfs(dir, &s))
	return int64(s.Bavail) * int64(s.Bsize)
}

func size(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	testkit.Must(t, err)
	return info.Size()
}

func TestFullDisk(t *testing.T) {
	testkit.SkipInShort(t)
	for _, idle := range []bool{false, true} {
		t.Run(fmt.Sprintf("Idle=%v", idle), func(t *testing.T) {
			t.Parallel()
			fullDisk(t, smallDisk(t), idle)
		})
	}
}

// keepBusy gives the store something to do until stop is called, so that it is never idle.
func keepBusy(t *testing.T, s *sqlite.Store) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	busy.Go(func() {
		for ctx.Err() == nil {
			s.Update(ctx, store.Owner{Tenant: "local", Agent: "busy"}, func(store.Tx) error { return errors.ErrUnsupported })
			time.Sleep(20 * time.Millisecond)
		}
	})
	return func() {
		cancel()
		busy.Wait()
	}
}

// awaitFold waits until an idle store has emptied its log. If the disk is full, that needs
// the reserve for a moment.
func awaitFold(t *testing.T, path string) {
	t.Helper()
	waitUntil(t, "an idle store has an empty log and the whole reserve", func() bool {
		return size(t, path+"-wal") == 0 && size(t, path+"-reserve") == 4<<20
	})
}

// fullDisk fills the disk twice: with files of the store, and then to the last byte. Only
// the reserve lets a deletion through. The store may be idle in between, or not.
func fullDisk(t *testing.T, dir string, idle bool) {
	path := filepath.Join(dir, "full.db")
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	if got := size(t, path+"-reserve"); got != 4<<20 {
		t.Errorf("the reserve has %d bytes at first", got)
	}
	stop := keepBusy(t, s)
	defer stop()
	spare := filler(t, dir, 9<<20)
	svc, acked := newService(t, s), newLedger()
	ws := agent(t, svc, "alice")
	writeUntilFull(t, ws, acked)
	if got := size(t, path+"-reserve"); got != 4<<20 {
		t.Errorf("plain writes have taken from the reserve: %d bytes", got)
	}
	if err := acked.check(t.Context(), svc); err != nil {
		t.Errorf("while the disk is full: %v", err)
	}

	if idle {
		stop()
		awaitFold(t, path)
	}
	fillUp(t, dir)
	stop()
	deleteTen(t, s, ws, acked)
	if got := size(t, path+"-reserve"); got != 0 {
		t.Errorf("the reserve has %d bytes: this disk was not full", got)
	}
	for i := range 5 {
		if err := acked.write(t.Context(), ws, fmt.Sprintf("again-%d", i), text(100_000, "again ", i)); err != nil {
			t.Errorf("write after deletions = %v", err)
		}
	}
	if err := acked.check(t.Context(), svc); err != nil {
		t.Errorf("after deletions: %v", err)
	}

	// With room on the disk, the reserve comes back.
	removeFiller(t, spare)
	testkit.Must(t, acked.write(t.Context(), ws, "last", []byte("last")))
	waitUntil(t, "the reserve has 4 MiB", func() bool { return size(t, path+"-reserve") == 4<<20 })
	reopenAndCheck(t, s, path, acked)
}

// deleteTen deletes files on a full disk. That goes through, with its rows in the journal,
// and makes room.
func deleteTen(t *testing.T, s *sqlite.Store, ws *workspace.Workspace, acked *ledger) {
	t.Helper()
	watched, err := s.Watch(t.Context())
	testkit.Must(t, err)
	for i := range 10 {
		name := fmt.Sprintf("file-%d", i)
		if _, err := ws.DeleteFile(t.Context(), name, workspace.DeleteOptions{}); err != nil {
			t.Fatalf("delete on a full disk, number %d: %v", i, err)
		}
		if c := lastChange(t, s, "alice"); c.Op != store.OpDelete || c.Path != name || !told(watched, alice) {
			t.Errorf("after deletion %d, the last change is %+v; want it, and that it was told", i, c)
		}
		acked.remove("alice", name)
	}
}

// lastChange returns the newest row of a local agent's journal.
func lastChange(t *testing.T, s store.Store, agent string) (last store.Change) {
	t.Helper()
	err := s.View(t.Context(), store.Owner{Tenant: "local", Agent: agent}, func(r store.Reader) error {
		state, err := r.Owner()
		if err != nil {
			return err
		}
		rows, err := r.Changes(state.Revision-1, 10)
		if len(rows) == 1 {
			last = rows[0]
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return last
}

// writeUntilFull writes until the disk is full, and then tries five more times.
func writeUntilFull(t *testing.T, ws *workspace.Workspace, acked *ledger) {
	t.Helper()
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		err = acked.write(t.Context(), ws, fmt.Sprintf("file-%d", n), text(100_000, "file ", n))
	}
	if !errors.Is(err, store.ErrStorageFull) {
		t.Fatalf("write %d = %v, want ErrStorageFull", n, err)
	}
	t.Logf("full after %d files with: %v", n, err)
	for i := range 5 {
		if err := acked.write(t.Context(), ws, fmt.Sprintf("more-%d", i), text(1_000_000, "more ", i)); !errors.Is(err, store.ErrStorageFull) {
			t.Errorf("write to a full disk = %v, want ErrStorageFull", err)
		}
	}
}

// reopenAndCheck closes the store, opens the database again, and finds everything that
// was acknowledged and nothing else.
func reopenAndCheck(t *testing.T, s *sqlite.Store, path string, acked *ledger) {
	t.Helper()
	if s != nil {
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	svc := newService(t, open(t, path))
	if err := errors.Join(acked.check(t.Context(), svc), acked.checkNothingElse(t.Context(), svc)); err != nil {
		t.Errorf("opened again: %v", err)
	}
}

// Many writers meet the full disk at once. Each learns what became of its write.
func TestFullDiskManyWriters(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := smallDisk(t)
	path := filepath.Join(dir, "full.db")
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	svc, acked := newService(t, s), newLedger()
	var wg sync.WaitGroup
	for w := range 64 {
		ws := agent(t, svc, fmt.Sprintf("agent-%d", w))
		wg.Go(func() {
			failures := 0
			for i := 0; failures < 3; i++ {
				err := acked.write(t.Context(), ws, fmt.Sprintf("file-%d", i), text(20_000, w, " ", i))
				if err == nil {
					continue
				}
				if failures++; !errors.Is(err, store.ErrStorageFull) {
					t.Errorf("agent-%d: %v, want ErrStorageFull", w, err)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d writes were acknowledged", len(acked.acked))
	if err := acked.check(t.Context(), svc); err != nil {
		t.Errorf("while the disk is full: %v", err)
	}
	reopenAndCheck(t, s, path, acked)
}

// If the disk has no room for a new database, no half of one is left.
func TestFullDiskCreate(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := smallDisk(t)
	refused, made := 0, 0
	for room := int64(0); room <= 600<<10; room += testkit.Pick[int64](100<<10, 30<<10, 12<<10) {
		path := filepath.Join(dir, fmt.Sprintf("room-%d.db", room))
		fill := filler(t, dir, freeSpace(t, dir)-room)
		s, err := sqlite.Open(t.Context(), path, quiet)
		if err == nil {
			made++
			if err := s.Close(); err != nil {
				t.Errorf("with %d bytes: Close = %v", room, err)
			}
		} else {
			refused++
			if !errors.Is(err, store.ErrStorageFull) {
				t.Errorf("with %d bytes: Open = %v, want ErrStorageFull", room, err)
			}
		}
		removeFiller(t, fill)
		svc := newService(t, open(t, path))
		if err := newLedger().write(t.Context(), agent(t, svc, "alice"), "file", []byte("text")); err != nil {
			t.Errorf("with room again: %v", err)
		}
		os.Truncate(path+"-reserve", 0) // its space is for the next round
	}
	t.Logf("%d sizes of room were too small, %d enough", refused, made)
	if refused == 0 || made == 0 {
		t.Error("the sizes of room must reach from too small to enough")
	}
}

// If the disk has no room for a backup, the error says so, wherever the disk ends, and
// nothing is left behind.
func TestFullDiskBackup(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "test.db"))
	ws := agent(t, newService(t, s), "alice")
	for i := range 10 {
		testkit.Must(t, newLedger().write(t.Context(), ws, fmt.Sprint("file-", i), text(20_000, i)))
	}
	dir := smallDisk(t)
	file := filepath.Join(dir, "copy.db")
	refused, made := 0, 0
	for room := int64(0); room <= 440<<10; room += testkit.Pick[int64](60<<10, 12<<10, 4<<10) {
		fill := filler(t, dir, freeSpace(t, dir)-room)
		err := s.Backup(t.Context(), file, sqlite.BackupOptions{})
		if err == nil {
			made++
			testkit.Must(t, os.Remove(file))
		} else if refused++; !errors.Is(err, store.ErrStorageFull) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "the disk is full; make room on it") {
			t.Errorf("with %d bytes: Backup = %v; want ErrStorageFull, the file and what to do", room, err)
		}
		removeFiller(t, fill)
		if left := names(t, dir); len(left) != 0 {
			t.Fatalf("with %d bytes: Backup = %v has left %q", room, err, left)
		}
	}
	t.Logf("%d sizes of room were too small, %d enough", refused, made)
	if refused == 0 || made == 0 {
		t.Error("the sizes of room must reach from too small to enough")
	}
}

func init() {
	roles["disk-limit"] = limitFileSize
	roles["disk-fsync"] = writeUntilError
}

// A limit on the size of files looks like a full disk. Nothing that was acknowledged is lost.
func TestFileSizeLimit(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "limit.db")
	open(t, path).Close()
	acked := newLedger()
	c := startChild(t, "disk-limit", path)
	for _, line := range c.until(t, "done") {
		acked.read(line)
	}
	c.finish(t)
	t.Logf("%d files were acknowledged below the limit", len(acked.acked))
	reopenAndCheck(t, nil, path, acked)
}

func limitFileSize(args []string) error {
	ctx := context.Background()
	s, svc, err := openService(args[0], workspace.Limits{})
	if err != nil {
		return err
	}
	defer s.Close()
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 3 << 20, Max: 3 << 20}); err != nil {
		return err
	}
	ws, err := svc.Agent("alice")
	acked := newLedger()
	n := 0
	for err == nil && n < 1000 {
		err = acked.write(ctx, ws, fmt.Sprintf("file-%d", n), text(100_000, "file ", n))
		n++
	}
	if !errors.Is(err, store.ErrStorageFull) {
		return fmt.Errorf("write %d = %v, want ErrStorageFull", n, err)
	}
	for i := range 5 {
		name := fmt.Sprintf("file-%d", i)
		_, err := ws.DeleteFile(ctx, name, workspace.DeleteOptions{})
		switch {
		case err == nil:
			acked.remove("alice", name)
		case !errors.Is(err, store.ErrStorageFull):
			return fmt.Errorf("delete = %v, want ErrStorageFull or nil", err)
		}
	}
	if err := acked.check(ctx, svc); err != nil {
		return err
	}
	acked.print(os.Stdout)
	fmt.Println("done")
	return nil
}

// After the disk failed to confirm a write, no write is acknowledged and nothing more
// is written until the process is started again, also if the disk confirms again at
// once. Reads go on.
func TestFsyncError(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	strace := needStrace(t)
	for _, c := range []struct {
		name    string
		when    string
		options func(path string) []string
		idle    bool // nobody writes any more when the disk is asked
		unknown bool // some writes are not yet acknowledged then
	}{
		{"FromNowOn", "1+", func(string) []string { return nil }, false, true},
		{"Once", "1", func(string) []string { return nil }, false, true},
		{"OfTheLog", "1+", func(path string) []string { return []string{"-P", path + "-wal"} }, false, true},
		{"OfTheDatabase", "1+", func(path string) []string { return []string{"-P", path} }, true, false},
		{"OfTheDatabaseOnceAndBusy", "1", func(path string) []string { return []string{"-P", path} }, false, false},
	} {
		if !testkit.Long() && c.name != "Once" && !c.idle {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			unknown := 0
			for range 5 { // the first error may be that of a checkpoint, to which no write belongs
				if unknown = failFsync(t, strace, c.idle, c.when, c.options); unknown > 0 || !c.unknown {
					break
				}
			}
			if (unknown > 0) != c.unknown {
				t.Errorf("the outcome of %d writes is unknown", unknown)
			}
		})
	}
}

// failFsync makes fsync fail for a process that writes. It checks what that process has
// acknowledged, and returns of how many writes the outcome is unknown.
func failFsync(t *testing.T, strace string, idle bool, when string, options func(path string) []string) (unknown int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fsync.db")
	open(t, path).Close()
	how := "busy"
	if idle {
		how = "idle"
	}
	p := startChild(t, "disk-fsync", path, how)
	p.until(t, "writing")
	attach(t, strace, p.cmd.Process.Pid, append(options(path),
		"-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when="+when)...)
	p.say(t, "attached")
	acked := newLedger()
	for _, line := range p.until(t, "done") {
		acked.read(line)
		if strings.HasPrefix(line, "unknown ") {
			unknown++
		}
	}
	p.finish(t)
	t.Logf("%d writes were acknowledged, the outcome of %d is unknown", len(acked.acked), unknown)
	s := open(t, path)
	svc := newService(t, s)
	if err := acked.check(t.Context(), svc); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if err := acked.write(t.Context(), agent(t, svc, "alice"), "after", []byte("after")); err != nil {
		t.Errorf("write after a restart: %v", err)
	}
	return unknown
}

// writeUntilError lets 16 agents write until each of them meets an error. For an idle
// store they stop after a few writes.
func writeUntilError(args []string) error {
	// Any process may trace this one: strace is no parent of it.
	unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0)
	ctx := context.Background()
	broken := make(chan struct{}, 1)
	s, err := sqlite.Open(ctx, args[0], sqlite.Options{Logger: slog.New(errorSignal{slog.DiscardHandler, broken})})
	if err != nil {
		return err
	}
	svc, err := workspace.New(s, workspace.Options{})
	if err != nil {
		return err
	}
	attached := make(chan struct{})
	go func() {
		<-hear()
		close(attached)
	}()
	w := errorWriters{acked: newLedger(), attached: attached, idle: args[1] == "idle"}
	if err := w.run(ctx, svc); err != nil {
		return err
	}
	if w.idle { // the store empties its log a second later
		select {
		case <-broken:
		case <-time.After(time.Minute):
			return errors.New("the store is not read-only")
		}
	}
	for i := range 20 {
		ws, err := svc.Agent(fmt.Sprintf("agent-%d", i))
		if err != nil {
			return err
		}
		if _, err := ws.WriteFile(ctx, "later", []byte("later"), workspace.WriteOptions{}); !errors.Is(err, store.ErrReadOnly) {
			return fmt.Errorf("a later write = %v, want ErrReadOnly", err)
		}
	}
	if err := w.acked.check(ctx, svc); err != nil {
		return fmt.Errorf("reading after the error: %w", err)
	}
	s.Close() // what it cannot copy now is copied after a restart
	w.acked.print(os.Stdout)
	for _, u := range w.unknown {
		fmt.Println("unknown", u)
	}
	fmt.Println("done")
	return nil
}

// errorSignal sends a signal when an error is logged.
type errorSignal struct {
	slog.Handler
	signal chan<- struct{}
}

func (h errorSignal) Enabled(context.Context, slog.Level) bool { return true }

func (h errorSignal) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		select {
		case h.signal <- struct{}{}:
		default:
		}
	}
	return nil
}

// errorWriters write at the same time.
type errorWriters struct {
	acked    *ledger
	attached <-chan struct{}
	idle     bool // stop soon after attached is closed

	mu      sync.Mutex // guards the following
	unknown []string
	failed  error
}

func (w *errorWriters) run(ctx context.Context, svc *workspace.Service) error {
	var wg sync.WaitGroup
	var warm atomic.Int64
	for n := range 16 {
		ws, err := svc.Agent(fmt.Sprintf("agent-%d", n))
		if err != nil {
			return err
		}
		wg.Go(func() {
			more := 1000
			if w.idle {
				more = 20
			}
			for i := 0; more > 0; i++ {
				if !w.write(ctx, ws, fmt.Sprintf("file-%d", i%100), text(2000, n, " ", i)) {
					return
				}
				if warm.Add(1) == 200 {
					fmt.Println("writing")
				}
				select {
				case <-w.attached:
					more--
				default:
				}
			}
		})
	}
	wg.Wait()
	return w.failed
}

func (w *errorWriters) write(ctx context.Context, ws *workspace.Workspace, path string, content []byte) bool {
	err := w.acked.write(ctx, ws, path, content)
	if err == nil {
		return true
	}
	w.acked.remove(ws.Agent(), path)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case errors.Is(err, store.ErrOutcomeUnknown):
		w.unknown = append(w.unknown, ws.Agent()+" "+path)
	case !errors.Is(err, store.ErrReadOnly):
		w.failed = fmt.Errorf("%s %s: %w, want ErrOutcomeUnknown or ErrReadOnly", ws.Agent(), path, err)
	}
	return false
}

// On a full disk, a redaction still goes through: like a deletion, it may use the reserve.
// The content is gone from the files when there is room again.
func TestRedactOnFullDisk(t *testing.T) {
	testkit.SkipInShort(t)
	dir := smallDisk(t)
	path := filepath.Join(dir, "full.db")
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	ws := twoVersions(t, s, 1, 900_000)
	awaitFold(t, path)
	spare := filler(t, dir, 2<<20)
	fillUp(t, dir)
	if _, err := ws.WriteFile(t.Context(), "more", text(200_000, "more", 1), workspace.WriteOptions{}); !errors.Is(err, store.ErrStorageFull) {
		t.Fatalf("a write = %v, want ErrStorageFull: this disk is not full", err)
	}
	if _, err := ws.RedactVersion(t.Context(), "plan.md", 1, workspace.RedactOptions{}); err != nil {
		t.Fatalf("RedactVersion on a full disk = %v", err)
	}
	if _, err := s.System(t.Context()).Get("sqlite/scrub"); err != nil {
		t.Errorf("on a full disk, the record of the redaction: %v, want that it is there", err)
	}
	removeFiller(t, spare)
	testkit.Must(t, s.Close())
	s = open(t, path)
	waitScrubbed(t, s)
	checkGone(t, s, path, map[int]bool{1: true})
}

// A database cannot be opened on a full disk, but it is not said to be damaged.
func TestOpenOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	path := filepath.Join(dir, "whole.db")
	s := open(t, path)
	put(t, workspaceOn(t, s, "alice"), "text")
	testkit.Must(t, s.Close())
	fill := fillUp(t, dir)
	if _, err := sqlite.Open(t.Context(), path, quiet); !errors.Is(err, store.ErrStorageFull) {
		t.Errorf("Open = %v; want ErrStorageFull", err)
	}
	removeFiller(t, fill)
	open(t, path)
}
