package mcpserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// newTimed serves the files of newInner, with the given times and memory.
func newTimed(t *testing.T, l limits, memory int64) (*Server, *httptest.Server) {
	t.Helper()
	s := newInner(t, Options{Memory: memory})
	s.limits = l
	h := httptest.NewUnstartedServer(s.Handler())
	h.Listener = narrow{h.Listener}
	h.Start()
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return s, h
}

// narrow makes the kernel's buffers small, so that they do not take what a client leaves
// unread.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(16 << 10)
	}
	return conn, err
}

func dial(t *testing.T, h *httptest.Server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", h.Listener.Addr().String())
	testkit.Must(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	io.WriteString(conn, text)
	return conn
}

const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\n"

// call returns a request that calls a tool, padded to a length.
func callText(tool, args string, pad int) string {
	body := callOf(tool, args)
	return fmt.Sprintf(head+"Content-Length: %d\r\n\r\n%s%s", tool, len(body)+pad, body, strings.Repeat(" ", pad))
}

func mustAnswer(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Errorf("no answer: %v", err)
		return
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || !bytes.Contains(text, []byte(want)) || bytes.Contains(text, []byte("127.0.0.1")) {
		t.Errorf("the answer is %d %.200s, %v, want %s and no address", res.StatusCode, text, err, want)
	}
}

// silent sends requests whose bodies never come.
func silent(t *testing.T, h *httptest.Server) (conns []net.Conn) {
	for range 8 {
		conns = append(conns, dial(t, h, fmt.Sprintf(head, "read_file")+"Transfer-Encoding: chunked\r\n\r\n"))
		conns = append(conns, dial(t, h, fmt.Sprintf(head, "read_file")+"Content-Length: 16777216\r\n\r\nx"))
	}
	time.Sleep(100 * time.Millisecond) // they come first
	return conns
}

// Bodies that never come do not delay others, small or large.
func TestBodiesThatDoNotCome(t *testing.T) {
	_, h := newTimed(t, limits{time.Hour, answerTimeout}, 0)
	silent(t, h)
	for _, pad := range []int{0, 1 << 20, 5 << 20} {
		mustAnswer(t, dial(t, h, callText("read_file", `{"path":"small"}`, pad)), `"result"`)
	}
}

// After a time the server gives up on bodies that never come.
func TestBodiesAreGivenUp(t *testing.T) {
	_, h := newTimed(t, limits{300 * time.Millisecond, answerTimeout}, 0)
	for _, conn := range silent(t, h) {
		mustAnswer(t, conn, "the body did not arrive")
	}
}

// Bodies that have come in part keep their memory, and one of them can always get
// complete.
func TestHalfBodies(t *testing.T) {
	testkit.SkipInShort(t)
	_, h := newTimed(t, limits{time.Minute, answerTimeout}, 0)
	const size, half = 4 << 20, 2 << 20
	var wg sync.WaitGroup
	for range 12 { // three times what arriving bodies may hold
		wg.Go(func() {
			text := callText("read_file", `{"path":"small"}`, size)
			conn := dial(t, h, text[:half])
			time.Sleep(50 * time.Millisecond)
			io.WriteString(conn, text[half:])
			mustAnswer(t, conn, `"result"`)
		})
	}
	wg.Wait()
}

// A client that does not take its answer loses its connection, and the memory of the
// answer is free again.
func TestAnswerNotTaken(t *testing.T) {
	s, h := newTimed(t, limits{bodyTimeout, 2 * time.Second}, 2<<20)
	unread := dial(t, h, callText("read_file", `{"path":"large"}`, 0)) // all that the budget holds
	time.Sleep(100 * time.Millisecond)                                 // it comes first
	mustAnswer(t, dial(t, h, callText("read_file", `{"path":"large"}`, 0)), `"result"`)
	for began := time.Now(); s.Stats().Calls > 0 && time.Since(began) < time.Minute; { // until it is given up
		time.Sleep(time.Millisecond)
	}
	if n, _ := io.Copy(io.Discard, unread); n > 1<<20 {
		t.Errorf("%d bytes were kept for a client that did not take them", n)
	}
}

// An answer that is larger than the whole budget is sent while no other large call runs.
// Small calls are answered meanwhile.
func TestAnswerOverTheBudget(t *testing.T) {
	testkit.SkipInShort(t)
	_, h := newTimed(t, limits{bodyTimeout, answerTimeout}, 1<<20)
	var wg sync.WaitGroup
	unread := dial(t, h, callText("read_file", `{"path":"large"}`, 0))
	for range 4 {
		wg.Go(func() { mustAnswer(t, dial(t, h, callText("read_file", `{"path":"large"}`, 0)), `"result"`) })
	}
	for range 20 {
		mustAnswer(t, dial(t, h, callText("read_file", `{"path":"small"}`, 0)), `"result"`)
	}
	mustAnswer(t, unread, `"result"`)
	wg.Wait()
}
