package dbcopy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// roleVariable tells this test binary, which a test starts again, to copy a database.
const roleVariable = "SCRATCHPAD_TEST_ROLE"

// heardVariable tells it to wait after each line until the line was heard, so that a kill
// does not come too late.
const heardVariable = "SCRATCHPAD_TEST_HEARD"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "copy" {
		if err := copyAloud(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	remove := testkit.TempInMemory()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { remove(); os.Exit(code) }))
}

// copyAloud copies a database, and prints a line at each step.
func copyAloud(from, to string) error {
	source, err := openNamed(from)
	if err != nil {
		return err
	}
	target, err := openNamed(to)
	if err != nil {
		return err
	}
	say := func(phase string) func(done, total int64) {
		return func(done, total int64) {
			fmt.Println(phase, done, total)
			if os.Getenv(heardVariable) != "" {
				os.Stdin.Read(make([]byte, 1))
			}
		}
	}
	fmt.Println("begun")
	_, err = dbcopy.Copy(context.Background(), source, target, dbcopy.Options{
		From: from, Copying: say("copying"), Verifying: say("verifying"),
	})
	if err == nil {
		fmt.Println("complete")
	}
	return errors.Join(err, target.Close(), source.Close())
}

// copyAndKill starts a process that copies, and kills it once it has printed some lines
// that begin with a phase. It returns the last line.
func copyAndKill(t *testing.T, from, to, phase string, lines int) (last string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], from, to)
	cmd.Env = append(os.Environ(), roleVariable+"=copy")
	if phase != "" {
		cmd.Env = append(cmd.Env, heardVariable+"=1")
	}
	cmd.Stderr = os.Stderr
	heard, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	said := bufio.NewScanner(out)
	for n := 0; n < lines && said.Scan(); {
		if last = said.Text(); strings.HasPrefix(last, phase) {
			n++
		}
		if last != "begun" {
			heard.Write([]byte{0})
		}
	}
	cmd.Process.Kill()
	for said.Scan() {
		last = said.Text()
	}
	cmd.Wait() // how it ended is in the last line
	return last
}

// owned returns the owners of a database.
func owned(t testing.TB, s workspace.Store) map[store.Owner]bool {
	owners, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.AllOwners, Limit: 1 << 20})
	testkit.Must(t, err)
	all := map[store.Owner]bool{}
	for _, o := range owners.Owners {
		all[o.Owner] = true
	}
	return all
}

// A copy that is killed several times on the way, in each of its phases, is refused each time,
// has whole owners alone, and is completed at last. The large form runs with
// SCRATCHPAD_TEST=full go test ./internal/cli/dbcopy -run Kill
func TestCopyIsKilled(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachName(t, func(t *testing.T, name func(testing.TB) string) {
		path := filepath.Join(t.TempDir(), "source.db")
		from := openFile(t, path)
		fill(t, from, testkit.Pick(12, 16, 100), testkit.Pick(10, 16, 60), 1)
		want := everything(t, from)
		steps := 0 // of the copy
		for o := range owned(t, from) {
			for _, row := range rowsOf(t, from, o) {
				if strings.Contains(row, "Content:") {
					steps++
				}
			}
		}
		target := name(t)
		rnd := rand.New(rand.NewPCG(11, 11))
		phases := map[string]int{}
		kills := testkit.Pick(4, 6, 20)
		for n := range kills {
			at, lines := "copying", rnd.IntN(steps/kills)
			if n >= kills*7/10 {
				at, lines = "verifying", 1+rnd.IntN(20)
			}
			last := copyAndKill(t, path, target, at, lines)
			if last == "complete" {
				t.Fatalf("kill %d came too late", n)
			}
			phase, _, _ := strings.Cut(last, " ")
			phases[phase]++
			to, err := openNamed(target)
			testkit.Must(t, err)
			if err := dbcopy.Unfinished(t.Context(), to); last != "begun" && !errors.Is(err, workspace.ErrUnsupported) {
				t.Errorf("Unfinished after kill %d at %q = %v, want ErrUnsupported", n, last, err)
			}
			for o, rows := range everything(t, to) {
				if o != "record migrate/unfinished" && rows != want[o] {
					t.Errorf("after kill %d at %q, %s is %q, want it whole: %q", n, last, o, rows, want[o])
				}
			}
			testkit.Must(t, to.Close())
		}
		t.Logf("killed at %v", phases)
		if phases["copying"] == 0 || phases["verifying"] == 0 {
			t.Errorf("killed at %v, want kills in both phases", phases)
		}
		if last := copyAndKill(t, path, target, "", 1<<30); last != "complete" {
			t.Fatalf("the copy ends with %q, want it complete", last)
		}
		to, err := openNamed(target)
		testkit.Must(t, err)
		defer to.Close()
		testkit.Must(t, dbcopy.Unfinished(t.Context(), to))
		same(t, "the copy", everything(t, to), want)
		rowByRow(t, from, to)
	})
}
