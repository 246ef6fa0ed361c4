//go:build linux

package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"golang.org/x/sys/unix"
)

// A call is one kind of write. Each agent makes it n times, with numbers from 0.
type call struct {
	name  string
	setUp func(ws *workspace.Workspace, n int) error // nil: nothing is to be there
	do    func(ws *workspace.Workspace, i int) error
}

var kibibyte = bytes.Repeat([]byte("0123456789abcde\n"), 64)

func writes(path string, content []byte) func(*workspace.Workspace, int) error {
	return func(ws *workspace.Workspace, i int) error {
		_, err := ws.WriteFile(context.Background(), strings.ReplaceAll(path, "NUMBER", fmt.Sprint(i)), content, workspace.WriteOptions{})
		return err
	}
}

// repeated makes a call n times.
func repeated(do func(*workspace.Workspace, int) error) func(*workspace.Workspace, int) error {
	return func(ws *workspace.Workspace, n int) error {
		for i := range n {
			if err := do(ws, i); err != nil {
				return err
			}
		}
		return nil
	}
}

func appends(ws *workspace.Workspace, _ int) error {
	_, err := ws.AppendLog(context.Background(), "log", []byte("one line of text"))
	return err
}

var calls = []call{
	{"write-new", nil, writes("new/NUMBER", kibibyte)},
	{"write-tenth", repeated(writes("f", kibibyte)), writes("f", kibibyte)},
	{"edit", func(ws *workspace.Workspace, _ int) error { return writes("g", []byte("v0 of the file\n"))(ws, 0) },
		func(ws *workspace.Workspace, i int) error {
			_, err := ws.EditFile(context.Background(), "g", fmt.Sprintf("v%d ", i), fmt.Sprintf("v%d ", i+1), workspace.EditOptions{})
			return err
		}},
	{"append", nil, appends},
	{"move", repeated(writes("new/NUMBER", kibibyte)), func(ws *workspace.Workspace, i int) error {
		_, err := ws.MoveFile(context.Background(), fmt.Sprintf("new/%d", i), fmt.Sprintf("moved/%d", i), workspace.MoveOptions{})
		return err
	}},
	{"delete", repeated(writes("new/NUMBER", kibibyte)), func(ws *workspace.Workspace, i int) error {
		_, err := ws.DeleteFile(context.Background(), fmt.Sprintf("new/%d", i), workspace.DeleteOptions{})
		return err
	}},
	{"trim", repeated(appends), func(ws *workspace.Workspace, i int) error {
		_, err := ws.TrimLog(context.Background(), "log", int64(i+1), workspace.DeleteOptions{})
		return err
	}},
}

// BenchmarkCall reports the processor time of each kind of write, which says the same on a
// busy machine. Each agent writes its own paths.
func BenchmarkCall(b *testing.B) {
	for _, agents := range []int{8, 64} {
		for _, c := range calls {
			b.Run(fmt.Sprintf("%s/at-once=%d", c.name, agents), func(b *testing.B) {
				s, svc := openBench(b, workspace.Options{Limits: workspace.Limits{Files: 1 << 20, Bytes: 1 << 40}})
				n := (b.N + agents - 1) / agents
				if c.setUp != nil {
					eachAgent(b, svc, agents, func(ws *workspace.Workspace) error { return c.setUp(ws, n) })
				}
				commits, worked := s.Stats().Commit.Count, processorTime(b)
				b.ResetTimer()
				eachAgent(b, svc, agents, func(ws *workspace.Workspace) error { return repeated(c.do)(ws, n) })
				b.StopTimer()
				worked, commits = processorTime(b)-worked, s.Stats().Commit.Count-commits
				all := float64(n * agents)
				b.ReportMetric(float64(worked.Nanoseconds())/1000/all, "cpu-µs/op")
				b.ReportMetric(all/float64(commits), "calls/commit")
			})
		}
	}
}

// eachAgent does something as each of the agents, at the same time.
func eachAgent(b *testing.B, svc *workspace.Service, agents int, do func(*workspace.Workspace) error) {
	b.Helper()
	var wg sync.WaitGroup
	for a := range agents {
		ws, err := svc.Agent(fmt.Sprintf("agent-%d", a))
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			if err := do(ws); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
}

// processorTime returns how long the processors have worked for this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
