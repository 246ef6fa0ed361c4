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

// rolePeer is a process of this binary in a role. The test and the process exchange
// lines.
type rolePeer struct {
	*exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startPeer(t *testing.T, cmd *exec.Cmd) *rolePeer {
	t.Helper()
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &rolePeer{cmd, in, lines}
}

// until reads lines up to the wanted one.
func (c *rolePeer) until(t *testing.T, want string) (before []string) {
	t.Helper()
	for c.lines.Scan() {
		if c.lines.Text() == want {
			return before
		}
		before = append(before, c.lines.Text())
	}
	t.Fatalf("the process ended before %q: %v; it said %q", want, c.Wait(), before)
	return nil
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
