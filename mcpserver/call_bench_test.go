package mcpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// BenchmarkCall measures calls over pipes, eight at once, from a client that writes bare
// lines. The floor is ping, which reads and writes no store.
func BenchmarkCall(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{Limits: workspace.Limits{Bytes: 1 << 40, Entries: 1 << 40}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := mcpserver.New(mcpserver.Options{Logger: slog.New(slog.DiscardHandler), Workspace: func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		return svc.Agent(c.AgentID)
	}})
	if err != nil {
		b.Fatal(err)
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go s.Run(context.Background(), fromClient, toClient)
	defer toServer.Close()
	lines := bufio.NewScanner(fromServer)
	lines.Buffer(nil, 1<<20)
	send := func(format string, args ...any) {
		if _, err := fmt.Fprintf(toServer, `{"jsonrpc":"2.0",`+format+"}\n", args...); err != nil {
			b.Error(err)
		}
	}
	id := 0
	go send(`"id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"b","version":"1"},"capabilities":{}}`)
	lines.Scan()
	send(`"method":"notifications/initialized"`)
	for _, c := range []struct{ name, call string }{
		{"ping", `"method":"ping"`},
		{"write", `"method":"tools/call","params":{"name":"write_file","arguments":{"agent_id":"a%[1]d","path":"f%[1]d.md","content":"one\ntwo\nthree\n"}}`},
		{"read", `"method":"tools/call","params":{"name":"read_file","arguments":{"agent_id":"a%[1]d","path":"f%[1]d.md"}}`},
		{"append", `"method":"tools/call","params":{"name":"append_log","arguments":{"agent_id":"a%[1]d","path":"log","entry":"one two three"}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			slots := make(chan struct{}, 8)
			go func() {
				for range b.N {
					slots <- struct{}{}
					id++
					send(`"id":%[2]d,`+c.call, id%8, id)
				}
			}()
			for range b.N {
				if !lines.Scan() {
					b.Fatal(lines.Err())
				}
				<-slots
			}
		})
	}
}
