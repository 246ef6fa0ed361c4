package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// What a tenant with many keys does to a server keeps no call of another tenant from
// succeeding.
func TestHostileTenant(t *testing.T) {
	const keys = 8
	db := filepath.Join(t.TempDir(), "team.db")
	c := newCast(t, db)
	var hostile []actor
	for range keys {
		hostile = append(hostile, c.key("fox", "", both, "*"))
	}
	victim := c.key("hens", "", both, "planner")
	r := serve(t, "--db", db)
	uses := map[string]*use{
		"small":  {tool: "append_log", args: writeArgs},
		"middle": {tool: "append_log", args: `"path":"m","entry":"` + strings.Repeat("x", 30_000) + `"`},
		"large":  {tool: "write_file", args: `"path":"f","content":"` + strings.Repeat("x", 900_000) + `"`},
	}
	for _, u := range uses {
		u.url, u.key = r.url, victim.credential
		u.begin(t)
	}
	for name, attack := range attacks {
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		for i, a := range hostile {
			work.Go(func() { attack(ctx, t, r.url, a, i) })
		}
		time.Sleep(100 * time.Millisecond) // the attack has begun
		for size, u := range uses {
			for range testkit.Pick(1, 3, 3) {
				began := time.Now()
				one, cancel := context.WithTimeout(ctx, 10*time.Second)
				ok, status, text := u.once(one)
				cancel()
				if took := time.Since(began); !ok {
					t.Errorf("%s: a %s call of another tenant: %d %.200s after %v", name, size, status, text, took)
				} else if testing.Verbose() {
					t.Logf("%s: a %s call takes %v", name, size, took)
				}
			}
		}
		stop()
		work.Wait()
	}
}

// attacks are what a hostile caller does until the context ends.
var attacks = map[string]func(ctx context.Context, t *testing.T, url string, a actor, i int){
	"as many calls as it can": func(ctx context.Context, _ *testing.T, url string, a actor, i int) {
		for n := 0; ctx.Err() == nil; n++ {
			u := use{url: url, key: a.credential, tool: "append_log", args: fmt.Sprintf(`"agent_id":"a-%d-%d",`, i, n) + writeArgs}
			u.once(ctx)
		}
	},
	"bodies that do not come": func(ctx context.Context, t *testing.T, url string, a actor, _ int) {
		keepOpen(ctx, t, url, a, 25, func(size int) string { return strings.Repeat(" ", size-1) }, 120_000)
	},
	"large bodies that do not come": func(ctx context.Context, t *testing.T, url string, a actor, _ int) {
		keepOpen(ctx, t, url, a, 10, func(size int) string { return strings.Repeat(" ", size-1) }, 8<<20)
	},
	"answers that are not taken": func(ctx context.Context, t *testing.T, url string, a actor, i int) {
		u := use{url: url, key: a.credential, tool: "write_file", args: fmt.Sprintf(`"agent_id":"big-%d","path":"f","content":"%s"`, i, strings.Repeat("x", 1_000_000))}
		u.once(ctx)
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"scratchpad://big-%d/f","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, i)
		keepOpen(ctx, t, url, a, 20, func(int) string { return body }, len(body), "Mcp-Method: resources/read", fmt.Sprintf("Mcp-Name: scratchpad://big-%d/f", i))
	},
}

// keepOpen opens connections that send a body of the given length, or a part of it, and read
// no answer, and keeps them until the context ends.
func keepOpen(ctx context.Context, t *testing.T, url string, a actor, n int, body func(size int) string, size int, headers ...string) {
	for range n {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		testkit.Must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
		own := append(headers[:len(headers):len(headers)], "Authorization: Bearer "+a.credential, fmt.Sprint("Content-Length: ", size))
		conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // the server may not take all of it
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\n%s\r\n\r\n%s", strings.Join(own, "\r\n"), body(size))
	}
	<-ctx.Done()
}
