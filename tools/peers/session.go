package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// connect starts a server in a folder, with an environment of its own, and lists its tools. All
// servers speak the protocol of 2025-06-18.
func connect(ctx context.Context, s peer, home string) (session *mcp.ClientSession, process int, err error) {
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	for _, variable := range s.env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(variable, "$HOME", home))
	}
	session, err = mcp.NewClient(&mcp.Implementation{Name: "peers", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		return nil, 0, err
	}
	if _, err := session.ListTools(ctx, nil); err != nil {
		return nil, 0, errors.Join(err, session.Close())
	}
	return session, cmd.Process.Pid, nil
}

// do makes a call. It returns the answer, and the tokens of the arguments and of the answer. If
// the answer is there as text and as structured content, the shorter one counts.
func do(ctx context.Context, session *mcp.ClientSession, c call) (answer string, tokens int, err error) {
	args, err := json.Marshal(c.args)
	if err != nil {
		return "", 0, err
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
	if err != nil {
		return "", 0, err
	}
	for _, block := range result.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			answer += t.Text
		}
	}
	if result.IsError {
		return "", 0, fmt.Errorf("%s: %s", c.tool, answer)
	}
	tokens = o200k.Count(answer)
	if result.StructuredContent != nil {
		structured, err := json.Marshal(result.StructuredContent)
		if err != nil {
			return "", 0, err
		}
		tokens = min(tokens, o200k.Count(string(structured)))
	}
	return answer, o200k.Count(string(args)) + tokens, nil
}

// resident returns the resident memory of a process in MiB.
func resident(process int) (mib float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		return 0, err
	}
	_, line, _ := strings.Cut(string(status), "VmRSS:")
	_, err = fmt.Sscan(line, &mib)
	return mib / 1024, err
}

// cpu returns the milliseconds that the threads of a process have worked.
func cpu(process int) (ms float64, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", process))
	for _, name := range threads {
		stat, _ := os.ReadFile(name) // of a thread that has ended meanwhile there is none
		var ns float64
		fmt.Sscan(string(stat), &ns)
		ms += ns / 1e6
	}
	return ms, err
}

// together lets each session add lines at the same time, one by one. It returns how many calls the
// server confirmed, and how many of the lines are in the note afterwards.
func together(ctx context.Context, s peer, sessions ...*mcp.ClientSession) (confirmed, kept int, err error) {
	line := func(writer, n int) string { return fmt.Sprintf("Writer %d adds line %02d.", writer+1, n+1) }
	var sum atomic.Int64
	var wait sync.WaitGroup
	for i, session := range sessions {
		wait.Go(func() {
			for n := range adds {
				if _, _, err := do(ctx, session, s.add(line(i, n))); err == nil {
					sum.Add(1)
				}
			}
		})
	}
	wait.Wait()
	note, _, err := do(ctx, sessions[0], s.read)
	for i := range sessions {
		for n := range adds {
			if strings.Contains(note, line(i, n)) {
				kept++
			}
		}
	}
	return int(sum.Load()), kept, err
}
