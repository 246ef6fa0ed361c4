//go:build unix

package pgtest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// When a test process is killed, its server ends and its folder goes.
func TestServerEndsWithProcess(t *testing.T) {
	pgtest.URL(t) // skips the test where there is no PostgreSQL
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestRoleShared$")
			cmd.Env = append(os.Environ(), roleVariable+"=shared")
			out, err := cmd.StdoutPipe()
			testkit.Must(t, err)
			testkit.Must(t, cmd.Start())
			var dir string
			var pid int
			in := bufio.NewReader(out)
			if _, err := fmt.Fscan(in, &dir, &pid); err != nil {
				rest, _ := io.ReadAll(in)
				cmd.Wait()
				t.Fatalf("the process has no server: %v %s", err, rest)
			}
			testkit.Must(t, syscall.Kill(pid, 0))
			testkit.Must(t, cmd.Process.Signal(sig))
			io.Copy(io.Discard, in)
			if err := cmd.Wait(); err == nil {
				t.Error("the process ended by itself")
			}
			waitGone(t, filepath.Dir(dir), pid)
		})
	}
}

func waitGone(t *testing.T, dir string, pid int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := os.Stat(dir)
		running := syscall.Kill(pid, 0)
		if errors.Is(err, os.ErrNotExist) && running != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("folder %s: %v, server %d: %v", dir, err, pid, running)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
