package httpserver

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// maxMemory is how much memory a server may take beside hostile clients, in KiB.
const maxMemory = 256 << 10

// An attack is something that many connections do. The server must answer others
// meanwhile, and stay small.
type attack struct {
	connections, short int  // in the long proofs, and in the short form
	tls, fill          bool // fill: it reads large files
	do                 func(testing.TB, net.Conn)
	wait               time.Duration // after the last connection was opened
}

var attacks = map[string]attack{
	"idle":            {connections: 10_000, short: 100, do: func(testing.TB, net.Conn) {}},
	"idle after TLS":  {connections: 500, tls: true, do: oneCall},
	"idle after call": {connections: 1500, short: 30, do: oneCall, wait: 500 * time.Millisecond},
	"slow heads of many lines": {connections: 4500, short: 100, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"+manyLines(3000))
	}, wait: 500 * time.Millisecond},
	"slow long heads": {connections: 4500, short: 100, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, "GET /"+strings.Repeat("x", 60_000))
	}, wait: 500 * time.Millisecond},
	"heads of 1 MB": {connections: 150, short: 5, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, "GET /"+strings.Repeat("x", 1<<20))
	}},
	"slow bodies": {connections: 2000, short: 30, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, request("POST", "/mcp", "", withKey, "Content-Length: 1000000", "Mcp-Protocol-Version: 2026-07-28")+"{")
	}},
	"slow bodies without a key": {connections: 4500, short: 30, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, request("POST", "/mcp", "", "Content-Length: 60000", "X: "+strings.Repeat("x", 5000), manyLines(60)+"X: y")+"{")
	}, wait: 500 * time.Millisecond},
	"slow keys": {connections: 4500, short: 30, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, request("POST", "/signin", "", urlencoded, "Content-Length: 8000")+"key=")
	}, wait: 500 * time.Millisecond},
	"slow forms of strangers": {connections: 4500, short: 30, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, request("POST", "/a/x/files/big.md", "", urlencoded, "Content-Length: 6000000")+"text="+strings.Repeat("x", 60_000))
	}, wait: 500 * time.Millisecond},
	"slow forms of people": {connections: 1500, short: 10, do: func(_ testing.TB, c net.Conn) {
		io.WriteString(c, request("POST", "/a/x/files/big.md", "", urlencoded, as("ada"), "Content-Length: 6000000")+"text="+strings.Repeat("x", 60_000))
	}, wait: 500 * time.Millisecond},
	"open pages": {connections: 1500, short: 30, do: func(_ testing.TB, c net.Conn) {
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		io.WriteString(c, request("GET", "/events", "", as(fmt.Sprintf("e%d", time.Now().Nanosecond()%50))))
	}, wait: time.Second},
	"large pages that nobody reads": {connections: 1000, short: 10, do: func(_ testing.TB, c net.Conn) {
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		for _, page := range []string{"/a/x/files/big.md", "/a/x/raw/big.md", "/a/x/files/big.md?view=edit", "/a/x/files/big.md?view=rendered", "/a/x/search?q=line"} {
			io.WriteString(c, request("GET", page, "", as("bob"), asBrowser))
		}
	}, wait: time.Second},
	"unread answers":  {connections: 200, do: readFile(`{"path":"large"}`, false), fill: true, wait: time.Second},
	"parallel reads":  {connections: 100, do: readFile(`{"path":"large"}`, true), fill: true, wait: 2 * time.Second},
	"escaped answers": {connections: 20, do: readFile(`{"path":"controls"}`, true), fill: true, wait: 2 * time.Second},
	"worst diffs":     {connections: 5, do: readFile(`{"path":"lines","since_version":1}`, true), fill: true, wait: 3 * time.Second},
	"whole diffs":     {connections: 1, do: readFile(`{"path":"lines","since_version":1,"context_lines":-1}`, true), fill: true, wait: 3 * time.Second},
	"never read": {connections: 200, short: 20, do: func(_ testing.TB, c net.Conn) {
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		_, _ = io.WriteString(c, strings.Repeat(request("GET", "/none", "", "Accept: text/html"), 100))
	}, wait: 500 * time.Millisecond},
}

// readFile makes a call of read_file as the agent a, and takes its answer or not.
func readFile(args string, taken bool) func(testing.TB, net.Conn) {
	return func(_ testing.TB, c net.Conn) {
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		io.WriteString(c, call("read_file", `{"agent_id":"a",`+args[1:], withKey))
		if taken {
			go io.Copy(io.Discard, c)
		}
	}
}

// fill stores what the attacks read: large files, one of control characters, which JSON writes
// sixfold, and one whose versions have some 700,000 lines and share nothing to hold on to.
func (c *child) fill(dialer func() (net.Conn, error)) {
	r := rand.New(rand.NewPCG(1, 1))
	lines := func() string {
		b := make([]byte, 0, 1<<20)
		for len(b) < 1<<20-1 {
			if r.IntN(2) == 0 {
				b = append(b, byte('!'+r.IntN(60)))
			}
			b = append(b, '\n')
		}
		return string(b)
	}
	for _, f := range [][2]string{
		{"large", strings.Repeat("the quick brown fox jumps over it all\n", 1<<20/38)}, {"controls", strings.Repeat("\x01", 1<<20)},
		{"lines", lines()}, {"lines", lines()},
	} {
		args := must(json.Marshal(map[string]string{"agent_id": "a", "path": f[0], "content": f[1]}))(c.t)
		c.goodCall(dialer, call("write_file", string(args), "Authorization: Bearer "+kindKey))
	}
}

// manyLines returns headers with names of their own, as short as can be.
func manyLines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.FormatInt(int64(i), 36) + ":\n")
	}
	return b.String()
}

func oneCall(t testing.TB, c net.Conn) {
	io.WriteString(c, call("list_files", `{"agent_id":"a"}`, withKey))
	if n, err := c.Read(make([]byte, 4096)); n < 12 {
		t.Errorf("a call: %d bytes, %v", n, err)
	}
}

// Whatever clients do, the server stays small, and answers others. At the full size it is as
// fast as before a second after they have left. The short form does all of it at once, to one server.
func TestHostileMemory(t *testing.T) {
	if testkit.Long() {
		for name, a := range attacks {
			t.Run(name, func(t *testing.T) { attackChild(t, a.tls, a.fill, a) })
		}
		return
	}
	var all []attack
	for _, a := range attacks {
		if a.connections, a.wait = a.short, 0; a.short > 0 {
			all = append(all, a)
		}
	}
	attackChild(t, false, false, all...)
}

func attackChild(t *testing.T, secure, fill bool, all ...attack) {
	dir := t.TempDir()
	if secure {
		writePair(t, dir, "one")
	}
	c := startChild(t, dir)
	dialer := func() (net.Conn, error) {
		if secure {
			return tls.Dial("tcp", c.address, &tls.Config{InsecureSkipVerify: true})
		}
		return net.Dial("tcp", c.address)
	}
	for range 20 {
		c.goodCall(dialer, appendsKind)
	}
	if fill {
		c.fill(dialer)
	}
	rest := c.status("VmRSS")
	testkit.Must(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", c.process.Pid), []byte("5"), 0)) // VmHWM begins here
	var quiet time.Duration
	if testkit.Full() {
		quiet = c.percentile99(dialer)
	}
	var stop atomic.Bool
	var others sync.WaitGroup
	for _, one := range []bool{true, false} {
		others.Go(func() { c.goodCalls(dialer, &stop, one) })
	}
	var leave []func()
	for _, a := range all {
		leave = append(leave, a.open(t, dialer))
		time.Sleep(a.wait)
	}
	stop.Store(true)
	others.Wait()
	most := c.status("VmHWM")
	for _, l := range leave {
		l()
	}
	t.Logf("%d MiB at rest, %d at most, %d now", rest>>10, most>>10, c.status("VmRSS")>>10)
	if most > maxMemory && !underRace {
		t.Errorf("%d KiB, want %d at most", most, maxMemory)
	}
	if !testkit.Full() {
		return
	}
	time.Sleep(time.Second)
	after := c.percentile99(dialer)
	for range 2 { // other work on the machine makes some calls slow, but seldom three times
		if after > 2*quiet {
			after = min(after, c.percentile99(dialer))
		}
	}
	t.Logf("the 99th percentile of calls was %v before and %v after", quiet, after)
	if after > 2*quiet+50*time.Millisecond {
		t.Errorf("the 99th percentile of calls is %v a second after the attack, want twice %v at most", after, quiet)
	}
}

// percentile99 returns how long the calls of a good caller take who has nobody beside.
func (c *child) percentile99(dialer func() (net.Conn, error)) time.Duration {
	var stop atomic.Bool
	time.AfterFunc(2*time.Second, func() { stop.Store(true) })
	all := c.goodCalls(dialer, &stop, false)
	slices.Sort(all)
	return all[len(all)*99/100]
}

// appendsKind is a call of the good caller.
var appendsKind = call("append_log", `{"agent_id":"a","path":"log","entry":"x"}`, "Authorization: Bearer "+kindKey)

// open opens the connections, some at once. They stay open until the end of the test or leave.
func (a attack) open(t testing.TB, dialer func() (net.Conn, error)) (leave func()) {
	var workers sync.WaitGroup
	var opened atomic.Int64
	conns := make(chan net.Conn, a.connections)
	for range min(8, a.connections) {
		workers.Go(func() {
			for opened.Add(1) <= int64(a.connections) {
				conn, err := dialer()
				if err != nil {
					t.Errorf("a connection: %v", err)
					return
				}
				conns <- conn
				_ = conn.SetDeadline(time.Now().Add(patience))
				a.do(t, conn)
			}
		})
	}
	workers.Wait()
	close(conns)
	leave = sync.OnceFunc(func() {
		for conn := range conns {
			conn.Close()
		}
	})
	t.Cleanup(leave)
	return leave
}

// goodCalls makes calls until it is told to stop, all on one connection or each on a new
// one. All must succeed.
func (c *child) goodCalls(dialer func() (net.Conn, error), stop *atomic.Bool, oneConnection bool) (took []time.Duration) {
	c.t.Helper()
	call := func() { c.goodCall(dialer, appendsKind) }
	if oneConnection {
		conn, err := dialer()
		if err != nil {
			c.t.Errorf("a good caller: %v", err)
			return nil
		}
		defer conn.Close()
		good := &client{conn, bufio.NewReader(conn), c.t}
		call = func() { c.goodCallOn(good, appendsKind) }
	}
	for !stop.Load() || len(took) < 10 {
		begin := time.Now()
		call()
		took = append(took, time.Since(begin))
		time.Sleep(5 * time.Millisecond)
	}
	return took
}

func (c *child) goodCall(dialer func() (net.Conn, error), text string) {
	conn, err := dialer()
	if err != nil {
		c.t.Errorf("a good caller: %v", err)
		return
	}
	defer conn.Close()
	c.goodCallOn(&client{conn, bufio.NewReader(conn), c.t}, text)
}

func (c *child) goodCallOn(good *client, text string) {
	_ = good.SetDeadline(time.Now().Add(patience))
	if a := good.send(text).read("POST"); a.status != 200 || strings.Contains(a.text, "isError") {
		c.t.Errorf("a good call: %v", a)
	}
}
