package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// canary returns a content of which every 16 bytes name it, so that any part of it that is
// left in a file is found.
func canary(id, size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "<%07d:%06d>", id, i)
	}
	return b.Bytes()[:size]
}

// canaries returns how many parts of each canary are in the database file and its log.
func canaries(t testing.TB, path string) map[int]int {
	t.Helper()
	found := make(map[int]int)
	for _, name := range []string{path + "-wal", path} { // in the order in which a content moves
		raw, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		testkit.Must(t, err)
		for {
			i := bytes.IndexByte(raw, '<')
			if i < 0 || i+9 > len(raw) {
				break
			}
			if id, err := strconv.Atoi(string(raw[i+1 : i+8])); err == nil && raw[i+8] == ':' {
				found[id]++
			}
			raw = raw[i+1:]
		}
	}
	return found
}

// history is a random history of a workspace whose contents are canaries.
type history struct {
	t        *testing.T
	rng      *rand.Rand
	ws       *workspace.Workspace
	ids      map[string]map[int64]int // the canary of each retained version of each file; 0: it is redacted
	next     int
	redacted []int // the canaries of redacted versions
}

const kept = 4 // versions of a file

func newHistory(t *testing.T, s *sqlite.Store, seed uint64) *history {
	svc, err := workspace.New(s, workspace.Options{Limits: workspace.Limits{Versions: kept}})
	testkit.Must(t, err)
	ws, err := svc.Agent(fmt.Sprintf("agent-%d", seed))
	testkit.Must(t, err)
	return &history{t: t, rng: rand.New(rand.NewPCG(seed, 1)), ws: ws, ids: make(map[string]map[int64]int), next: int(seed) * 100_000}
}

// step does something at random.
func (h *history) step() {
	path := fmt.Sprintf("file-%d", h.rng.IntN(40))
	switch h.rng.IntN(20) {
	case 0:
		_, err := h.ws.DeleteFile(h.t.Context(), path, workspace.DeleteOptions{})
		testkit.Must(h.t, err)
		delete(h.ids, path)
	case 1, 2: // its versions get other rows, and the new version the content of the last
		if h.ids[path] == nil {
			return
		}
		h.next++
		to := fmt.Sprintf("moved-%d", h.next)
		r, err := h.ws.MoveFile(h.t.Context(), path, to, workspace.MoveOptions{})
		testkit.Must(h.t, err)
		h.ids[to] = h.ids[path]
		delete(h.ids, path)
		h.stored(to, r.Version, h.ids[to][r.Version-1])
	case 3:
		h.next++
		_, err := h.ws.AppendLog(h.t.Context(), "log", canary(h.next, h.rng.IntN(9000)+9))
		testkit.Must(h.t, err)
	case 4:
		h.redact(path, 1+h.rng.Int64N(kept-1))
	default:
		h.write(path)
	}
}

func (h *history) write(path string) {
	size := 10 + h.rng.IntN([]int{100, 1500, 1500, 6000, 6000, 40_000}[h.rng.IntN(6)])
	if h.rng.IntN(60) == 0 {
		size = 9 + h.rng.IntN(1<<20-9)
	}
	h.next++
	r, err := h.ws.WriteFile(h.t.Context(), path, canary(h.next, size), workspace.WriteOptions{})
	testkit.Must(h.t, err)
	h.stored(path, r.Version, h.next)
}

func (h *history) stored(path string, version int64, id int) {
	if h.ids[path] == nil {
		h.ids[path] = make(map[int64]int)
	}
	h.ids[path][version] = id
	delete(h.ids[path], version-kept)
}

// redact removes the content of the version that is back before the current one.
func (h *history) redact(path string, back int64) {
	var version int64
	for v := range h.ids[path] {
		version = max(version, v-back)
	}
	id, ok := h.ids[path][version]
	if !ok || id == 0 {
		return
	}
	_, err := h.ws.RedactVersion(h.t.Context(), path, version, workspace.RedactOptions{})
	testkit.Must(h.t, err)
	h.ids[path][version] = 0
	h.redacted = append(h.redacted, id)
}

// redactMany redacts half of all versions that may be.
func (h *history) redactMany() {
	for _, path := range slices.Sorted(maps.Keys(h.ids)) {
		for back := range int64(kept) {
			if back > 0 && h.rng.IntN(2) == 0 {
				h.redact(path, back)
			}
		}
	}
}

// gone returns the canaries that no version has any more because of redactions.
func (h *history) gone() map[int]bool {
	gone := make(map[int]bool)
	for _, id := range h.redacted {
		gone[id] = true
	}
	for _, ids := range h.ids {
		for _, id := range ids {
			delete(gone, id)
		}
	}
	return gone
}

// waitScrubbed waits until the redacted content is gone.
func waitScrubbed(t testing.TB, s *sqlite.Store) {
	t.Helper()
	waitUntil(t, "the redacted content is gone", func() bool {
		_, err := s.System(t.Context()).Get("sqlite/scrub")
		if !errors.Is(err, store.ErrNotFound) {
			testkit.Must(t, err)
		}
		return err != nil
	})
}

// checkGone fails if anything of the redacted content is in the files, or if the database
// is damaged.
func checkGone(t *testing.T, s *sqlite.Store, path string, gone map[int]bool) {
	t.Helper()
	if len(gone) == 0 {
		t.Fatal("nothing was redacted")
	}
	report, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
	testkit.Must(t, err)
	if len(report.Problems) > 0 {
		t.Fatalf("Verify() = %q, want no problems", report.Problems)
	}
	found, left := canaries(t, path), 0
	for id := range gone {
		if n := found[id]; n > 0 {
			if left++; left < 5 {
				t.Errorf("%d parts of the redacted content %d are still in the files", n, id)
			}
		}
	}
	if left > 0 {
		t.Errorf("%d of %d redacted contents are still in the files", left, len(gone))
	}
	if len(found) == 0 {
		t.Error("no content is found in the files, also none that was not redacted")
	}
}

// After random histories, nothing of what was redacted is in the database file or its log.
// Another store and readers use the database meanwhile.
//
// go test ./sqlite -run TestRedactedBytesLeaveTheFile with SCRATCHPAD_TEST=full takes some minutes.
func TestRedactedBytesLeaveTheFile(t *testing.T) {
	t.Parallel()
	for seed := range testkit.Pick(1, 3, 60) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "test.db")
			s, err := sqlite.Open(t.Context(), path, quiet)
			testkit.Must(t, err)
			t.Cleanup(func() { s.Close() })
			other, err := sqlite.Open(t.Context(), path, quiet)
			testkit.Must(t, err)
			t.Cleanup(func() { other.Close() })
			histories := []*history{newHistory(t, s, uint64(2*seed+1)), newHistory(t, other, uint64(2*seed+2))}
			ctx, cancel := context.WithCancel(t.Context())
			var work, readers sync.WaitGroup
			readers.Go(func() { readNow(ctx, s) })
			for _, h := range histories {
				work.Go(func() {
					for range testkit.Pick(80, 250, 1500) {
						h.step()
					}
					h.redactMany()
				})
			}
			work.Wait()
			cancel()
			readers.Wait()
			waitScrubbed(t, s)
			gone := histories[0].gone()
			maps.Copy(gone, histories[1].gone())
			checkGone(t, s, path, gone)
		})
	}
}

// readNow reads now and then for some milliseconds.
func readNow(ctx context.Context, s *sqlite.Store) {
	for ctx.Err() == nil {
		s.View(ctx, store.Owner{Tenant: "local", Agent: "agent"}, func(r store.Reader) error {
			_, err := r.Owner()
			time.Sleep(3 * time.Millisecond)
			return err
		})
		time.Sleep(3 * time.Millisecond)
	}
}

// twoVersions writes two versions of so many bytes of a file.
func twoVersions(t testing.TB, s *sqlite.Store, id, size int) *workspace.Workspace {
	t.Helper()
	ws := workspaceOn(t, s, "a")
	for i := range 2 {
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "plan.md", canary(id+i, size), workspace.WriteOptions{})))
	}
	return ws
}

// A reader that was there before the redaction keeps the content in the log. It goes soon
// after the reader has left, while the store is open.
func TestRedactedWaitsForReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	ws := twoVersions(t, s, 1, 5000)
	err := s.View(t.Context(), store.Owner{Tenant: "local", Agent: "a"}, func(r store.Reader) error {
		if _, err := r.Owner(); err != nil {
			return err
		}
		if _, err := ws.RedactVersion(t.Context(), "plan.md", 1, workspace.RedactOptions{}); err != nil {
			return err
		}
		for began := time.Now(); time.Since(began) < 300*time.Millisecond; time.Sleep(10 * time.Millisecond) {
			if _, err := s.System(t.Context()).Get("sqlite/scrub"); err != nil {
				t.Fatalf("with a reader in the log, the record of the redaction: %v, want that it is there", err)
			}
		}
		if n := canaries(t, path)[1]; n == 0 {
			t.Error("the content is gone from the files already: nothing is tested")
		}
		l, err := r.Load(store.Query{File: "plan.md", Version: 1})
		v := l.Version
		if err != nil || len(v.Content) != 5000 {
			t.Errorf("the reader's version has %d bytes, %v, want 5000 as before the redaction", len(v.Content), err)
		}
		return nil
	})
	testkit.Must(t, err)
	waitScrubbed(t, s)
	checkGone(t, s, path, map[int]bool{1: true})
}

// Closing the store ends the work.
func TestRedactedIsGoneAfterClose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	ws := twoVersions(t, s, 1, 100_000)
	if sum := sha256.Sum256(canary(2, 100_000)); canaries(t, path)[1] == 0 || !bytes.Contains(readBytes(t, path+"-wal"), sum[:]) {
		t.Error("the contents or their hashes are not in the files: nothing is tested")
	}
	_, err := ws.RedactVersion(t.Context(), "plan.md", 1, workspace.RedactOptions{})
	testkit.Must(t, err)
	testkit.Must(t, s.Close())
	if sum := sha256.Sum256(canary(1, 100_000)); bytes.Contains(readBytes(t, path), sum[:]) {
		t.Error("the hash of the redacted content is in the file")
	}
	if found := canaries(t, path); found[1] > 0 || found[2] == 0 {
		t.Errorf("after Close, %d parts of the redacted content and %d of the other are in the files, want none and some", found[1], found[2])
	}
}

var _ = register("redact", func(args []string) error {
	_, ws, err := openAgent(args[0], "a", workspace.Limits{})
	if err != nil {
		return err
	}
	if _, err := ws.RedactVersion(context.Background(), "plan.md", 1, workspace.RedactOptions{}); err != nil {
		return err
	}
	return killSelf()
})

const killedSize = 1_000_000 // bytes of each version in redactedThenKilled

// redactedThenKilled returns a database whose process was killed after it had redacted a version.
// The scrub may be quicker than the kill, so it tries again until ready returns true.
func redactedThenKilled(t *testing.T, ready func(path string) bool) (path string) {
	for range 20 {
		path = filepath.Join(t.TempDir(), "test.db")
		s := open(t, path)
		twoVersions(t, s, 1, killedSize)
		testkit.Must(t, s.Close())
		c := startChild(t, "redact", path)
		for range c.lines {
		}
		if ready(path) {
			return path
		}
	}
	t.Fatal("the content was gone from the files each time: nothing is tested")
	return ""
}

// If the process is killed when it has answered, the next one that opens the database ends
// the work.
func TestRedactedThenKilled(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	path := redactedThenKilled(t, func(path string) bool { return canaries(t, path)[1] > 0 })
	s := open(t, path)
	waitScrubbed(t, s)
	checkGone(t, s, path, map[int]bool{1: true})
}

// In a damaged list of free pages is one that is in use. It is not set to zero: nothing
// of a damaged database is changed.
func TestScrubDamaged(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	var raw []byte
	path := redactedThenKilled(t, func(path string) bool {
		testkit.Must(t, copyLog(t.Context(), path))
		raw = readBytes(t, path)
		return binary.BigEndian.Uint32(raw[32:]) != 0 // there are free pages
	})
	live := bytes.Index(raw, []byte("<0000002:000")) / pageSize * pageSize
	for bytes.Count(raw[live:live+pageSize], []byte("<0000002:")) < 250 { // the first page is one of the tree
		live += pageSize
	}
	trunk := int(binary.BigEndian.Uint32(raw[32:])) - 1
	if n := binary.BigEndian.Uint32(raw[trunk*pageSize+4:]); n < 100 {
		t.Fatalf("the list has %d free pages: nothing is tested", n)
	}
	binary.BigEndian.PutUint32(raw[trunk*pageSize+8+4*50:], uint32(live/pageSize)+1)
	testkit.Must(t, os.WriteFile(path, raw, 0o600))

	var logged testkit.Buffer
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	testkit.Must(t, err)
	waitUntil(t, "it is logged why the content is still there", func() bool {
		return strings.Contains(logged.String(), "redacted content may still be")
	})
	if !strings.Contains(logged.String(), "is damaged") {
		t.Errorf("%q was logged, want that the database is damaged", logged.String())
	}
	ws := workspaceOn(t, s, "a")
	r, err := ws.ReadFile(t.Context(), "plan.md", workspace.ReadOptions{})
	if err != nil || !bytes.Equal(r.Content, canary(2, killedSize)) {
		t.Errorf("ReadFile = %d bytes, %v, want the content as it was", len(r.Content), err)
	}
	testkit.Must(t, s.Close())
	if after := readBytes(t, path); !bytes.Equal(after, raw) {
		t.Error("the damaged database was changed")
	}
}

// Scrub removes also what was deleted and dropped in the ordinary way.
func TestScrubWithoutRedaction(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	ws := twoVersions(t, s, 1, 100_000)
	_, err := ws.WriteFile(t.Context(), "kept.md", canary(3, 5000), workspace.WriteOptions{})
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "plan.md", workspace.DeleteOptions{})))
	if found := canaries(t, path); found[1] == 0 || found[2] == 0 {
		t.Fatal("the content is gone from the files already: nothing is tested")
	}
	testkit.Must(t, s.Scrub(t.Context()))
	checkGone(t, s, path, map[int]bool{1: true, 2: true})
}
