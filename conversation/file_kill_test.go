package conversation_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A test that needs another process starts this test binary again. The variable names
// the role of the process and its arguments.
const fileRoleVariable = "SCRATCHPAD_TEST_FILE"

var fileRoles = map[string]func(args []string) error{"write": writeBatches, "hold": holdFile}

// TestFileProcess is the other process. In a normal run it does nothing.
func TestFileProcess(t *testing.T) {
	role := strings.Split(os.Getenv(fileRoleVariable), "|")
	if role[0] == "" {
		return
	}
	if err := fileRoles[role[0]](role[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func fileProcess(ctx context.Context, role ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestFileProcess$")
	cmd.Env = append(os.Environ(), fileRoleVariable+"="+strings.Join(role, "|"))
	cmd.Stderr = os.Stderr
	return cmd
}

// startFileProcess starts a process that prints lines.
func startFileProcess(t *testing.T, cmd *exec.Cmd) (stdin io.WriteCloser, lines *bufio.Scanner) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	testkit.Must(t, err)
	stdout, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return stdin, bufio.NewScanner(stdout)
}

func holdFile(args []string) error {
	f, err := conversation.FileJournal(args[0])
	if err != nil {
		return err
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	return f.Close()
}

// A second process is refused at once, and may read the file. It can open the journal
// when the first closes it or dies.
func TestFileHeldByProcess(t *testing.T) {
	testkit.SkipInShort(t)
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	want := appendRecords(t, f, saidRecord("a"))
	closeFile(t, f)
	for _, dies := range []bool{false, true} {
		cmd := fileProcess(t.Context(), "hold", path)
		stdin, lines := startFileProcess(t, cmd)
		if !lines.Scan() || lines.Text() != "held" {
			t.Fatalf("the process said %q", lines.Text())
		}
		refused(t, path, "is held by another process")
		if dies {
			cmd.Process.Kill()
		} else {
			stdin.Close()
		}
		if err := cmd.Wait(); err != nil && !dies {
			t.Fatal(err)
		}
		f := openFile(t, path)
		wantRecords(t, f, want)
		closeFile(t, f)
	}
}

const killWriters = 3

// writeBatches appends until it is killed, and prints "writer number first size" for
// each stored batch. The names of the writers contain the number of the life.
func writeBatches(args []string) error {
	path, life, mode := args[0], args[1], args[2]
	f, err := conversation.FileJournal(path)
	if err != nil && !errors.As(err, new(*conversation.TornError)) {
		return err
	}
	fmt.Println("ready")
	var wg sync.WaitGroup
	failed := make(chan error, killWriters)
	for w := range killWriters {
		wg.Go(func() {
			who := fmt.Sprintf("%s.%d", life, w)
			for n := 0; ; n++ {
				records := make([]conversation.Record, 1+rand.IntN(4))
				padding := rand.IntN(300)
				if rand.IntN(20) == 0 {
					padding = 400_000 // the kernel writes it in pieces
				}
				for i := range records {
					records[i] = saidRecord(fmt.Sprintf("%s %d %d/%d %s", who, n, i, len(records), strings.Repeat("x", padding)))
				}
				if mode == "early" { // the planted bug
					fmt.Printf("%s %d %d %d\n", who, n, 0, len(records))
				}
				if err := f.Append(context.Background(), records...); err != nil {
					failed <- err
					return
				}
				if mode != "early" {
					fmt.Printf("%s %d %d %d\n", who, n, records[0].Seq, len(records))
				}
			}
		})
	}
	return <-failed
}

// killLives kills the writers of one journal again and again, and returns what is wrong
// with the journal, or "".
func killLives(t *testing.T, mode string, kills int) (problem string) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	acked, torn := 0, 0
	for life := range kills {
		cmd := fileProcess(t.Context(), "write", path, fmt.Sprint(life), mode)
		_, lines := startFileProcess(t, cmd)
		var acks []string
		for most := rand.IntN(100); lines.Scan(); {
			if lines.Text() != "ready" {
				acks = append(acks, lines.Text())
			}
			if len(acks) == most { // lines that it prints while it is killed count too
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
		f, err := conversation.FileJournal(path)
		if errors.As(err, new(*conversation.TornError)) {
			torn++
		} else if err != nil {
			return fmt.Sprintf("life %d: FileJournal() = %v", life, err)
		}
		got, err := readAfter(t.Context(), f, 0)
		closeFile(t, f)
		if err != nil {
			return fmt.Sprintf("life %d: Records() ended with %v", life, err)
		}
		checkWhole(t, got)
		if problem := checkAcks(got, acks, mode); problem != "" {
			return fmt.Sprintf("life %d: %s", life, problem)
		}
		acked += len(acks)
		if info, err := os.Stat(path); err == nil && info.Size() > 2<<20 {
			testkit.Must(t, os.Remove(path))
		}
	}
	t.Logf("%d kills, %d batches were acknowledged, %d ends were torn", kills, acked, torn)
	return ""
}

func checkAcks(got []conversation.Record, acks []string, mode string) (problem string) {
	there := make(map[string]int64, len(got))
	for _, r := range got {
		fields := strings.Fields(r.Message.Content)
		if key := fields[0] + " " + fields[1]; there[key] == 0 {
			there[key] = r.Seq
		}
	}
	for _, ack := range acks {
		var who string
		var n, size int
		var first int64
		if _, err := fmt.Sscanf(ack, "%s %d %d %d", &who, &n, &first, &size); err != nil {
			return fmt.Sprintf("the process said %q", ack)
		}
		at := there[fmt.Sprint(who, " ", n)]
		if at == 0 || at != first && mode != "early" {
			return fmt.Sprintf("batch %d of %s was acknowledged at %d, and is at %d", n, who, first, at)
		}
	}
	return ""
}

func TestFileKill(t *testing.T) {
	testkit.SkipInShort(t)
	kills := testkit.Pick(2, 25, 100)
	if problem := killLives(t, "", kills); problem != "" {
		t.Fatal(problem)
	}
}

// The check finds a journal that answers before it stores.
func TestFileKillCatches(t *testing.T) {
	testkit.SkipInShort(t)
	const most = 1000 // a few are enough but for very bad luck
	if problem := killLives(t, "early", most); problem == "" {
		t.Fatalf("a journal that answers too early passed %d kills", most)
	} else {
		t.Log(problem)
	}
}
