package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// register gives a role its function. It is called while the package's variables are
// initialised, before [TestMain].
func register(name string, role func(args []string) error) bool {
	roles[name] = role
	return true
}

// child is a process of this binary in a role. The test and the process exchange lines.
// It is killed at the end of the test.
type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string // what it prints; closed at its end
	once  sync.Once   // of reap
	err   error       // of reap: how it ended
}

func startChild(t testing.TB, role string, args ...string) *child {
	t.Helper()
	return startCommand(t, roleCommand(context.Background(), role, args...))
}

func startCommand(t testing.TB, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{cmd: cmd, lines: make(chan string, 64)}
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, c.cmd.Start())
	go func() {
		defer close(c.lines)
		// A last line without an end was cut off by a kill: nobody counts on it.
		for r := bufio.NewReaderSize(stdout, 64<<10); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- line[:len(line)-1]
		}
	}()
	t.Cleanup(c.kill)
	return c
}

// startChildren starts n processes in a role, each with its number as the last
// argument.
func startChildren(t testing.TB, n int, role string, args ...string) []*child {
	t.Helper()
	children := make([]*child, n)
	for i := range children {
		children[i] = startChild(t, role, append(args[:len(args):len(args)], fmt.Sprint(i))...)
	}
	return children
}

func (c *child) say(t testing.TB, line string) {
	t.Helper()
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil {
		t.Fatalf("saying %q to a process: %v", line, err)
	}
}

// next returns the next line that the process prints.
func (c *child) next(t testing.TB) string {
	t.Helper()
	line, ok := <-c.lines
	if !ok {
		t.Fatalf("a process ended where it should have printed a line: %v", c.reap())
	}
	return line
}

// expect demands that the process prints a certain line next.
func (c *child) expect(t testing.TB, want string) {
	t.Helper()
	if got := c.next(t); got != want {
		t.Fatalf("a process printed %q, expected %q", got, want)
	}
}

// until returns the lines before the wanted one.
func (c *child) until(t testing.TB, want string) (before []string) {
	t.Helper()
	for line := c.next(t); line != want; line = c.next(t) {
		before = append(before, line)
	}
	return before
}

// finish closes the process's input, and expects that it ends without an error.
func (c *child) finish(t testing.TB) {
	t.Helper()
	c.stdin.Close()
	if err := c.reap(); err != nil {
		t.Fatalf("a process ended with %v, expected no error", err)
	}
}

func (c *child) kill() {
	c.cmd.Process.Kill()
	c.reap()
}

// reap waits for the end of the process and says how it ended.
func (c *child) reap() error {
	c.once.Do(func() {
		for range c.lines {
		}
		c.err = c.cmd.Wait()
		c.stdin.Close()
	})
	return c.err
}

// tell prints a line for the parent, in one write.
func tell(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// hear returns the lines that the parent says. The channel is closed when the parent
// ends.
func hear() <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// openService opens a database for a child, and a service on it.
func openService(path string, l workspace.Limits) (*sqlite.Store, *workspace.Service, error) {
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	svc, err := workspace.New(s, workspace.Options{Limits: l})
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, svc, nil
}

// openAgent opens a database for a child, and the workspace of an agent in it.
func openAgent(path, name string, l workspace.Limits) (*sqlite.Store, *workspace.Workspace, error) {
	s, svc, err := openService(path, l)
	if err != nil {
		return nil, nil, err
	}
	ws, err := svc.Agent(name)
	return s, ws, err
}

// create opens or makes a database, writes one file, and closes it.
func create(path, name string) error {
	store, ws, err := openAgent(path, "create", workspace.Limits{})
	if err != nil {
		return err
	}
	_, err = ws.WriteFile(context.Background(), name, []byte(name), workspace.WriteOptions{})
	return errors.Join(err, store.Close())
}

// "create PROCESS": creates every path that it hears.
var _ = register("create", func(args []string) error {
	tell("ready")
	for path := range hear() {
		if err := create(path, "of-"+args[0]); err != nil {
			tell("%v", err)
		} else {
			tell("created")
		}
	}
	return nil
})

// put writes a file whose content is its name.
func put(t testing.TB, ws *workspace.Workspace, name string) {
	t.Helper()
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), name, []byte(name), workspace.WriteOptions{})))
}

func expectFile(t testing.TB, ws *workspace.Workspace, path, want string) {
	t.Helper()
	r, err := ws.ReadFile(t.Context(), path, workspace.ReadOptions{})
	if err != nil || string(r.Content) != want {
		t.Errorf("%s holds %q, %v, expected %q", path, r.Content, err, want)
	}
}

// waitUntil calls ready until it returns true, for a minute at most.
func waitUntil(t testing.TB, what string, ready func() bool) {
	t.Helper()
	for began := time.Now(); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("not after a minute: %s", what)
		}
	}
}
