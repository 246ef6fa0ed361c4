package conversation_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func init() {
	fileRoles["steps"] = appendSteps
	fileRoles["nobody"] = func(args []string) error {
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
		_, err := conversation.FileJournal(args[0])
		fmt.Println(errors.Is(err, conversation.ErrJournal), err)
		return nil
	}
}

func fileMount(t *testing.T, size string) string {
	t.Helper()
	testkit.SkipInShort(t)
	if os.Getuid() != 0 {
		t.Skip("needs root: mounts a tmpfs")
	}
	dir := t.TempDir()
	testkit.Must(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size))
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// When the disk is full, stored records are in the file and refused ones are not. When
// there is room again, Append succeeds.
func TestFileFullDisk(t *testing.T) {
	dir := fileMount(t, "1m")
	path := filepath.Join(dir, "journal.jsonl")
	f := openFile(t, path)
	var want []conversation.Record
	failures := 0
	for i := 0; failures < 20 && i < 1000; i++ {
		n := 30_000
		if failures > 0 {
			n = 3_000 * (i % 5) // some of them still fit
		}
		records := []conversation.Record{saidRecord(strings.Repeat("x", n)), saidRecord(fmt.Sprint(i))}
		err := f.Append(t.Context(), records...)
		if err == nil {
			want = append(want, records...)
			continue
		}
		failures++
		if !errors.Is(err, conversation.ErrJournal) || !errors.Is(err, syscall.ENOSPC) || records[0].Seq != 0 {
			t.Fatalf("Append() to a full disk = %v and Seq %d, want ErrJournal, ENOSPC and no Seq", err, records[0].Seq)
		}
		if text := readFile(t, path); text[len(text)-1] != '\n' || bytes.Count(text, []byte("\n")) != len(want) {
			t.Fatalf("after a failed Append the file does not end with record %d", len(want))
		}
	}
	if failures == 0 || len(want) == 0 {
		t.Fatalf("%d failures, %d records: this disk was not full, or not empty", failures, len(want))
	}
	wantRecords(t, f, want)
	testkit.Must(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=2m"))
	want = append(want, appendRecords(t, f, saidRecord("after"))...)
	wantRecords(t, f, want)
	closeFile(t, f)
	wantRecords(t, openFile(t, path), want)
}

// A file that cannot be written is refused, and nothing changes.
func TestFileReadOnly(t *testing.T) {
	dir := fileMount(t, "1m")
	path := filepath.Join(dir, "journal.jsonl")
	f := openFile(t, path)
	appendRecords(t, f, saidRecord("a"))
	closeFile(t, f)
	writeFile(t, path, append(readFile(t, path), `{"seq":2`...))

	// A user without the right to it.
	testkit.Must(t, os.Chmod(dir, 0o755))
	for _, c := range []struct {
		path string
		mode os.FileMode
	}{{path, 0o444}, {path, 0o600}, {path + ".new", 0}} {
		if c.mode != 0 {
			testkit.Must(t, os.Chmod(path, c.mode))
		}
		out, err := fileProcess(t.Context(), "nobody", c.path).Output()
		if err != nil || !strings.HasPrefix(string(out), "true ") || !strings.Contains(string(out), "permission denied") {
			t.Errorf("FileJournal(%s) of mode %v said %q, %v, want ErrJournal", filepath.Base(c.path), c.mode, out, err)
		}
	}

	testkit.Must(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	refused(t, path, "read-only")
	if _, err := conversation.FileJournal(path + ".new"); !errors.Is(err, conversation.ErrJournal) || !errors.Is(err, syscall.EROFS) {
		t.Errorf("FileJournal() in a read-only folder = %v, want ErrJournal and EROFS", err)
	}
	onlyThese(t, dir, "journal.jsonl")
}

func TestFileSpecial(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	testkit.Must(t, syscall.Mkfifo(pipe, 0o600))
	testkit.Must(t, os.Symlink(filepath.Join(dir, "nothing"), link))
	for path, reason := range map[string]string{pipe: "a pipe", "/dev/null": "a device", "/dev/zero": "a device", dir: "a folder", link: "file exists"} {
		if f, err := conversation.FileJournal(path); f != nil || !errors.Is(err, conversation.ErrJournal) || !strings.Contains(err.Error(), reason) {
			t.Errorf("FileJournal(%s) = %v, %v, want ErrJournal, %s", path, f, err, reason)
		}
	}
	onlyThese(t, dir, "link", "pipe")
}

// A link to a file is followed. If it leads elsewhere later, Append fails.
func TestFileLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	writeFile(t, target, nil)
	testkit.Must(t, os.Symlink("target", link))
	f := openFile(t, link)
	want := appendRecords(t, f, saidRecord("a"))
	writeFile(t, target+"2", nil)
	testkit.Must(t, errors.Join(os.Remove(link), os.Symlink("target2", link)))
	if err := f.Append(t.Context(), saidRecord("b")); !errors.Is(err, conversation.ErrJournal) {
		t.Errorf("Append() through a link that has moved = %v, want ErrJournal", err)
	}
	closeFile(t, f)
	wantRecords(t, openFile(t, target), want)
}

// appendSteps appends in steps, from one thread, so that strace can count the calls. It
// prints the result of each step.
func appendSteps(args []string) error {
	runtime.LockOSThread()
	f, err := conversation.FileJournal(args[0])
	if err != nil {
		fmt.Println("open", err)
		return nil
	}
	for i := range 6 {
		if err := f.Append(context.Background(), saidRecord(fmt.Sprint(i)), saidRecord("and more")); err != nil {
			fmt.Printf("failed %d %t %v\n", i, errors.Is(err, conversation.ErrJournal), err)
		} else {
			os.Stdout.WriteString(fmt.Sprintf("ack %d\n", i))
		}
	}
	return f.Close()
}

func straceSteps(t *testing.T, path string, options ...string) (said []string) {
	t.Helper()
	testkit.SkipInShort(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace: it counts and breaks the calls that confirm writes")
	}
	child := fileProcess(t.Context(), "steps", path)
	cmd := exec.CommandContext(t.Context(), strace, append(append([]string{"-f", "-q"}, options...), child.Args...)...)
	cmd.Env, cmd.Stderr = child.Env, os.Stderr
	out, err := cmd.Output()
	testkit.Must(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// If a write or an fsync fails, the file is cut back, and the next Append succeeds. If
// that fails too, every Append fails until the journal is opened again.
func TestFileFailingCalls(t *testing.T) {
	// Opening calls fsync twice. Append calls it once, or twice if the first call fails.
	for name, c := range map[string]struct {
		inject []string
		failed string // steps
		broken bool
	}{
		"fsync once":           {[]string{"fsync:error=EIO:when=4"}, "1", false},
		"write once":           {[]string{"pwrite64:error=EIO:when=2"}, "1", false},
		"no room once":         {[]string{"pwrite64:error=ENOSPC:when=3"}, "2", false},
		"fsync twice":          {[]string{"fsync:error=EIO:when=4..5"}, "12345", true},
		"fsync from now on":    {[]string{"fsync:error=EIO:when=4+"}, "12345", true},
		"fsync and truncation": {[]string{"fsync:error=EIO:when=4", "ftruncate:error=EIO"}, "12345", true},
		"write and truncation": {[]string{"pwrite64:error=EIO:when=2", "ftruncate:error=EIO"}, "12345", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			options := []string{"-o", os.DevNull, "-e", "trace=fsync,fdatasync,pwrite64,ftruncate"}
			for _, inject := range c.inject {
				options = append(options, "-e", "inject="+inject)
			}
			var want []string
			failed := ""
			for _, line := range straceSteps(t, path, options...) {
				var step int
				if n, _ := fmt.Sscanf(line, "ack %d", &step); n == 1 {
					want = append(want, fmt.Sprint(step), "and more")
				} else if n, _ := fmt.Sscanf(line, "failed %d true", &step); n == 1 {
					failed += fmt.Sprint(step)
					if broken := strings.Contains(line, "close the journal and open it again"); broken != c.broken {
						t.Errorf("it said %q", line)
					}
				} else {
					t.Errorf("it said %q", line)
				}
			}
			if failed != c.failed {
				t.Errorf("the steps that failed: %q, want %q", failed, c.failed)
			}
			f := openFile(t, path)
			got, err := readAfter(t.Context(), f, 0)
			testkit.Must(t, err)
			for i, r := range got {
				if i < len(want) && r.Message.Content != want[i] || r.Seq != int64(i+1) {
					t.Errorf("record %d is %q with Seq %d, want %q", i+1, r.Message.Content, r.Seq, want[i])
				}
			}
			// Only records that could not be removed may be there besides.
			if len(got) != len(want) && !(c.broken && len(got) == len(want)+2) {
				t.Errorf("%d records are there, want %d", len(got), len(want))
			}
			appendRecords(t, f, saidRecord("after"))
		})
	}
}

// FileJournal fails if the file or its folder cannot be synced.
func TestFileFailingOpen(t *testing.T) {
	for _, when := range []string{"1", "2"} {
		path := filepath.Join(t.TempDir(), "journal.jsonl")
		said := straceSteps(t, path, "-o", os.DevNull, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when="+when)
		if len(said) != 1 || !strings.HasPrefix(said[0], "open ") || !strings.HasSuffix(said[0], "input/output error: journal") {
			t.Errorf("fsync %s fails: it said %q, want an error of FileJournal", when, said)
		}
		openFile(t, path)
	}
}

var (
	ackCall  = regexp.MustCompile(`write\(1, "ack (\d)`)
	goodSync = regexp.MustCompile(`f(data)?sync(\(\d+\)| resumed>.*) += 0`)
)

// Append does not return before the disk has confirmed the batch.
func TestFileSyncsFirst(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	straceSteps(t, filepath.Join(dir, "journal.jsonl"), "-o", trace, "-e", "trace=fsync,fdatasync,pwrite64,write")
	log, err := os.Open(trace)
	testkit.Must(t, err)
	defer log.Close()
	written, synced, acks := false, false, 0
	for lines := bufio.NewScanner(log); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.Contains(line, "pwrite64("):
			written, synced = true, false
		case goodSync.MatchString(line):
			synced = true
		case ackCall.MatchString(line):
			if acks++; !written || !synced {
				t.Errorf("%s: written %t, synced %t", line, written, synced)
			}
			written, synced = false, false
		}
	}
	if acks != 6 {
		t.Errorf("%d acknowledgements in the trace, want 6", acks)
	}
}

// Of many concurrent appends, one that is too long does not fail the others.
func TestFileTooLongTogether(t *testing.T) {
	testkit.SkipInShort(t)
	f := openFile(t, filepath.Join(t.TempDir(), "journal.jsonl"))
	const writers, rounds, long = 8, 2, 1
	var wg sync.WaitGroup
	// The limit is for the whole process, in which the testing package writes a file too, so
	// it must be megabytes.
	var limit syscall.Rlimit
	testkit.Must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	testkit.Must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4 << 20, Max: limit.Max}))
	for w := range writers {
		wg.Go(func() {
			for i := range rounds {
				n := 10
				if w < long {
					n = 4 << 20
				}
				err := f.Append(t.Context(), saidRecord(fmt.Sprintf("%d %d 0/1 %s", w, i, strings.Repeat("x", n))))
				if (err != nil) != (w < long) || err != nil && (!errors.Is(err, syscall.EFBIG) || !errors.Is(err, conversation.ErrJournal)) {
					t.Errorf("Append() of %d bytes = %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	testkit.Must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	got, err := readAfter(t.Context(), f, 0)
	if err != nil || len(got) != (writers-long)*rounds {
		t.Errorf("%d records, %v, want %d", len(got), err, (writers-long)*rounds)
	}
	checkWhole(t, got)
}
