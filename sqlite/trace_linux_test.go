package sqlite_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// needStrace returns the path of strace, or skips the test.
func needStrace(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace: it counts and breaks the calls that confirm writes")
	}
	return path
}

func needRoot(t *testing.T, why string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: " + why)
	}
}

// attach puts a running process under strace.
func attach(t *testing.T, strace string, pid int, options ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), strace, append(append([]string{"-f", "-o", os.DevNull}, options...), "-p", fmt.Sprint(pid))...)
	stderr, err := cmd.StderrPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	said := bufio.NewScanner(stderr)
	for said.Scan() {
		if strings.Contains(said.Text(), " attached") {
			drained := make(chan struct{})
			go func() {
				defer close(drained)
				io.Copy(io.Discard, stderr)
			}()
			t.Cleanup(func() {
				cmd.Process.Kill() // it ends with the process anyway
				<-drained
				cmd.Wait()
			})
			return
		}
		t.Log("strace:", said.Text())
	}
	t.Fatalf("strace did not attach: %v", cmd.Wait())
}
