package torture

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// A process is a server process. It is safe for concurrent use.
type process struct {
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	said    tail          // on its standard error
	dead    chan struct{} // closed when it has ended
	err     error         // how it ended; set before dead is closed
	killed  atomic.Bool   // by us
	stopped atomic.Bool

	mu      sync.Mutex // guards the following, and writing to in
	last    int64
	waiting map[int64]chan reply
}

// errGone says that the process has ended, or that the caller did not wait for a process
// that is stopped.
var errGone = errors.New("the server is gone")

// startProcess starts a server process and lets it open the database.
func startProcess(ctx context.Context, name string, cmd *exec.Cmd, first request) (*process, error) {
	p := &process{name: name, cmd: cmd, dead: make(chan struct{}), waiting: map[int64]chan reply{}}
	ownGroup(cmd)
	cmd.Stderr = &p.said
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.listen(out)
	if _, err := p.ask(ctx, first, 0); err != nil {
		p.kill()
		if err == errGone {
			err = fmt.Errorf("%w: %s", p.err, p.said.text())
		}
		return nil, fmt.Errorf("starting a server: %w", err)
	}
	return p, nil
}

// listen hands out the replies until the process ends.
func (p *process) listen(out io.Reader) {
	for lines := bufio.NewReaderSize(out, 64<<10); ; {
		var r reply
		if err := readLine(lines, &r); err != nil {
			break
		}
		p.mu.Lock()
		answered, ok := p.waiting[r.N]
		delete(p.waiting, r.N)
		p.mu.Unlock()
		if ok {
			answered <- r
		}
	}
	p.err = p.cmd.Wait()
	close(p.dead)
}

// ask sends a request and waits for the reply. The error is errGone if the process ends
// before, or if it is stopped and patience has passed; 0: there is no end of it.
func (p *process) ask(ctx context.Context, r request, patience time.Duration) (reply, error) {
	answered := make(chan reply, 1)
	if err := p.send(r, answered); err != nil {
		return reply{}, errGone
	}
	var impatient <-chan time.Time
	if patience > 0 {
		t := time.NewTicker(patience)
		defer t.Stop()
		impatient = t.C
	}
	for {
		select {
		case r := <-answered:
			if r.Error != "" {
				return r, errors.New(r.Error)
			}
			return r, nil
		case <-p.dead:
			select {
			case r := <-answered: // it came before the end
				return r, nil
			default:
				return reply{}, errGone
			}
		case <-impatient:
			if p.stopped.Load() {
				return reply{}, errGone
			}
		case <-ctx.Done():
			return reply{}, ctx.Err()
		}
	}
}

func (p *process) send(r request, answered chan reply) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	r.N = p.last
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	p.waiting[r.N] = answered
	_, err = p.in.Write(append(b, '\n'))
	return err
}

// kill ends the process at once, and waits for its end.
func (p *process) kill() {
	p.killed.Store(true)
	_ = p.cmd.Process.Kill()
	<-p.dead
}

// end lets the process close the database, and returns how it ended.
func (p *process) end(patience time.Duration) error {
	p.killed.Store(true)
	_ = p.in.Close()
	select {
	case <-p.dead:
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("%s did not end in %v", p.name, patience)
	}
	if p.err != nil {
		return fmt.Errorf("%s ended with %w: %s", p.name, p.err, p.said.text())
	}
	return nil
}

// crashed returns an error if the process has ended by itself.
func (p *process) crashed() error {
	select {
	case <-p.dead:
	default:
		return nil
	}
	if p.killed.Load() {
		return nil
	}
	return fmt.Errorf("%s ended by itself: %v: %s", p.name, p.err, p.said.text())
}

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex // guards last
	last []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if over := len(t.last) - most; over > 0 {
		t.last = append([]byte(nil), t.last[over:]...)
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
