//go:build linux

package powercut

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An agent does a sequence of operations, numbered from 0, in rounds of seven. The sequence
// is the same in every process. So any process can repeat an operation, and the check
// afterwards knows what has to be there.
const round = 7

// options keep deleted files, so that the round can bring one back.
var options = workspace.Options{KeepDeleted: 24 * time.Hour}

// do makes an operation and returns its result.
func do(ctx context.Context, ws *workspace.Workspace, i, size int) (string, error) {
	key := fmt.Sprint("key-", i)
	write := workspace.WriteOptions{IdempotencyKey: key}
	body := text(ws.Agent(), i, size)
	switch i % round {
	case 0:
		r, err := ws.WriteFile(ctx, "a", body, write)
		return fmt.Sprint("version ", r.Version), err
	case 1:
		r, err := ws.AppendLogWith(ctx, "log", workspace.AppendOptions{IdempotencyKey: key}, entry(ws.Agent(), i, 0))
		return fmt.Sprint("entries ", r.First, " to ", r.Last), err
	case 2:
		r, err := ws.WriteFile(ctx, "b", body, write)
		return fmt.Sprint("version ", r.Version), err
	case 3:
		r, err := ws.EditFile(ctx, "a", string(text(ws.Agent(), i-3, size)), string(body), workspace.EditOptions{IdempotencyKey: key})
		return fmt.Sprint("version ", r.Version), err
	case 4:
		r, err := ws.AppendLogWith(ctx, "log", workspace.AppendOptions{IdempotencyKey: key}, entry(ws.Agent(), i, 0), entry(ws.Agent(), i, 1))
		return fmt.Sprint("entries ", r.First, " to ", r.Last), err
	case 5:
		r, err := ws.DeleteFile(ctx, "b", workspace.DeleteOptions{IdempotencyKey: key})
		return fmt.Sprint("kept ", r.Versions), err
	}
	r, err := ws.RestoreFile(ctx, "b", workspace.RestoreOptions{IdempotencyKey: key})
	return fmt.Sprint("version ", r.Version), err
}

// result returns what do returns for an operation, the first time and every time.
func result(i int) string {
	k := i / round
	switch i % round {
	case 0:
		return fmt.Sprint("version ", 2*k+1)
	case 1:
		return fmt.Sprint("entries ", 3*k+1, " to ", 3*k+1)
	case 2:
		return fmt.Sprint("version ", 2*k+1)
	case 3:
		return fmt.Sprint("version ", 2*k+2)
	case 4:
		return fmt.Sprint("entries ", 3*k+2, " to ", 3*k+3)
	case 5:
		return fmt.Sprint("kept ", min(2*k+1, 10))
	}
	return fmt.Sprint("version ", 2*k+2)
}

func text(agent string, i, size int) []byte {
	line := fmt.Sprintf("%s wrote this in operation %d\n", agent, i)
	return []byte(strings.Repeat(line, 1+size/len(line)))
}

func entry(agent string, i, n int) []byte { return fmt.Appendf(nil, "%s, %d, %d", agent, i, n) }

// state returns what an agent has stored after its first n operations.
func state(agent string, n, size int) map[string]string {
	s := map[string]string{}
	for i := range n {
		switch i % round {
		case 0, 3:
			s["a"] = string(text(agent, i, size))
		case 1:
			s["log"] += string(entry(agent, i, 0)) + "\n"
		case 2:
			s["b"] = string(text(agent, i, size))
		case 4:
			s["log"] += string(entry(agent, i, 0)) + "\n" + string(entry(agent, i, 1)) + "\n"
		case 5:
			s["b deleted"] = s["b"]
			delete(s, "b")
		case 6:
			s["b"] = s["b deleted"]
			delete(s, "b deleted")
		}
	}
	return s
}

// stored reads what an agent has stored.
func stored(ctx context.Context, ws *workspace.Workspace) (map[string]string, error) {
	s := map[string]string{}
	for _, name := range []string{"a", "b"} {
		r, err := ws.ReadFile(ctx, name, workspace.ReadOptions{})
		if err != nil && !errors.Is(err, workspace.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			s[name] = string(r.Content)
		}
	}
	deleted, err := ws.ListFiles(ctx, workspace.ListOptions{Deleted: true})
	if err != nil {
		return nil, err
	}
	for _, f := range deleted.Files {
		r, err := ws.ReadFile(ctx, f.Path, workspace.ReadOptions{Version: f.Version})
		if err != nil {
			return nil, err
		}
		s[f.Path+" deleted"] = string(r.Content)
	}
	page, err := ws.ReadLog(ctx, "log", workspace.ReadLogOptions{Limit: 100})
	if err != nil && !errors.Is(err, workspace.ErrNotFound) {
		return nil, err
	}
	for _, e := range page.Entries {
		s["log"] += string(e.Content) + "\n"
	}
	return s, nil
}

// A job says what a process does. Its fields are passed as text.
type job struct {
	path     string
	size     int            // of a text, in bytes
	sessions int            // how often the database is opened
	each     int            // operations of each agent in a session
	backup   string         // written at the end of each session, with the session's number added; "": none
	agents   map[string]int // the agents, with the number of the operation that each begins with
	reads    bool           // somebody reads all the time
	stay     bool           // keep the database open at the end, until the input ends
}

func (j job) args() []string {
	args := []string{j.path, strconv.Itoa(j.size), strconv.Itoa(j.sessions), strconv.Itoa(j.each),
		j.backup, strconv.FormatBool(j.reads), strconv.FormatBool(j.stay)}
	for agent, from := range maps.Clone(j.agents) {
		args = append(args, fmt.Sprint(agent, ":", from))
	}
	return args
}

func parseJob(args []string) (j job, err error) {
	var numbers [3]int
	for i := range numbers {
		if numbers[i], err = strconv.Atoi(args[1+i]); err != nil {
			return j, err
		}
	}
	j = job{path: args[0], size: numbers[0], sessions: numbers[1], each: numbers[2],
		backup: args[4], reads: args[5] == "true", stay: args[6] == "true", agents: map[string]int{}}
	for _, a := range args[7:] {
		agent, from, _ := strings.Cut(a, ":")
		if j.agents[agent], err = strconv.Atoi(from); err != nil {
			return j, err
		}
	}
	return j, nil
}

// work is the main function of a worker process. It prints a line for what is
// acknowledged: "opened", "ack AGENT OPERATION RESULT", "backup FILE", "done".
func work(args []string) error {
	j, err := parseJob(args)
	if err != nil {
		return err
	}
	for session := range j.sessions {
		last := session == j.sessions-1
		if err := j.session(session, last && j.stay); err != nil {
			return err
		}
	}
	return nil
}

func (j job) session(number int, stay bool) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, j.path, sqlite.Options{})
	if err != nil {
		return err
	}
	fmt.Println("opened")
	svc, err := workspace.New(s, options)
	if err != nil {
		return err
	}
	stopped := j.read(ctx, s)
	err = j.writeAll(ctx, svc)
	stopped()
	if err == nil && j.backup != "" {
		file := fmt.Sprint(j.backup, number)
		if err = s.Backup(ctx, file, sqlite.BackupOptions{}); err == nil {
			fmt.Println("backup", file)
		}
	}
	fmt.Println("done")
	if stay {
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	return errors.Join(err, svc.Close(ctx), s.Close())
}

// read keeps older and older states in use, so that a checkpoint cannot always move all of
// the log into the database. It ends when the function that it returns is called.
func (j job) read(ctx context.Context, s *sqlite.Store) (stop func()) {
	if !j.reads {
		return func() {}
	}
	end := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				s.View(ctx, store.Owner{Tenant: "local", Agent: "x"}, func(r store.Reader) error {
					_, err := r.Owner()
					time.Sleep(7 * time.Millisecond)
					return err
				})
				select {
				case <-end:
					return
				default:
				}
			}
		})
	}
	return func() {
		close(end)
		wg.Wait()
	}
}

// writeAll lets the agents work side by side.
func (j job) writeAll(ctx context.Context, svc *workspace.Service) error {
	var wg sync.WaitGroup
	var mu sync.Mutex // guards failed, and j.agents
	var failed error
	for agent, from := range maps.Clone(j.agents) {
		wg.Go(func() {
			n, err := j.write(ctx, svc, agent, from)
			mu.Lock()
			defer mu.Unlock()
			j.agents[agent] = n
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	return failed
}

// write makes the operations of an agent and returns the next one's number.
func (j job) write(ctx context.Context, svc *workspace.Service, agent string, from int) (int, error) {
	ws, err := svc.Agent(agent)
	if err != nil {
		return from, err
	}
	for i := from; i < from+j.each; i++ {
		said, err := do(ctx, ws, i, j.size)
		if err != nil {
			return i, err
		}
		fmt.Println("ack", agent, i, said)
	}
	return from + j.each, nil
}
