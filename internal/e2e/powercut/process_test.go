//go:build linux

package powercut

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A worker process is this test binary again, with this variable set.
const workVariable = "SCRATCHPAD_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(workVariable) == "" {
		os.Exit(m.Run())
	}
	if err := work(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A process is a running worker process.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr strings.Builder
	read   chan struct{} // closed when it has ended
	done   chan struct{} // closed when it says so, or has ended

	mu     sync.Mutex // guards the following
	opened bool
	acked  map[string]int            // operations that were acknowledged, of each agent: all below that number
	backup map[string]map[string]int // acked when a backup was, by the name of its file
	wrong  []string                  // wrong answers
}

func start(t *testing.T, j job) *process {
	t.Helper()
	p := &process{read: make(chan struct{}), done: make(chan struct{}), acked: map[string]int{}, backup: map[string]map[string]int{}}
	for agent, from := range j.agents {
		p.acked[agent] = from
	}
	p.cmd = exec.CommandContext(t.Context(), os.Args[0], j.args()...)
	p.cmd.Env = append(os.Environ(), workVariable+"=work")
	p.cmd.Stderr = &p.stderr
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, p.cmd.Start())
	go p.listen(out)
	return p
}

// listen notes what the process says. A last line without a newline was cut off by the
// kill, and does not count.
func (p *process) listen(out io.Reader) {
	defer close(p.read)
	said := sync.OnceFunc(func() { close(p.done) })
	defer said()
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		p.hear(strings.TrimSuffix(line, "\n"))
		if line == "done\n" {
			said()
		}
	}
}

func (p *process) hear(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var agent string
	var i int
	switch {
	case line == "opened":
		p.opened = true
	case strings.HasPrefix(line, "backup "):
		acked := map[string]int{}
		for agent, n := range p.acked {
			acked[agent] = n
		}
		p.backup[filepath.Base(strings.TrimPrefix(line, "backup "))] = acked
	case strings.HasPrefix(line, "ack "):
		if _, err := fmt.Sscanf(line, "ack %s %d", &agent, &i); err != nil || i != p.acked[agent] {
			p.wrong = append(p.wrong, fmt.Sprintf("%q after %d operations: %v", line, p.acked[agent], err))
			return
		}
		p.acked[agent] = i + 1
		if want := fmt.Sprint("ack ", agent, " ", i, " ", result(i)); line != want {
			p.wrong = append(p.wrong, fmt.Sprintf("%q, want %q", line, want))
		}
	}
}

// wait waits until the process is done, or the channel is closed.
func (p *process) wait(t *testing.T, stopped <-chan struct{}) {
	t.Helper()
	select {
	case <-p.done:
	case <-stopped:
	case <-time.After(time.Minute):
		p.kill()
		t.Fatalf("a process is not done after a minute; it said %s", p.stderr.String())
	}
}

// kill ends the process and waits for its end.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.read
	p.cmd.Wait()
	p.stdin.Close()
}
