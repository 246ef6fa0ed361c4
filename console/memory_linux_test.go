package console_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// crowdVariable makes the test binary a server for a crowd. Its value is the folder of its
// database.
const crowdVariable = "SCRATCHPAD_CONSOLE_CROWD"

// maxCrowd is how much memory a crowd may cost, in KiB above that of a server at rest.
const maxCrowd = 64 << 10

func TestMain(m *testing.M) {
	if dir := os.Getenv(crowdVariable); dir != "" {
		if err := serveCrowd(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveCrowd serves a console to ten people until its standard input ends.
func serveCrowd(dir string) error {
	debug.SetGCPercent(25) // so that garbage does not hide what is in use
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "s.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		return err
	}
	defer svc.Close(context.Background())
	if err := fillForCrowd(svc); err != nil {
		return err
	}
	all := people{}
	for i := range 10 {
		p := everybody(svc)
		p.ID = fmt.Sprint("p", i)
		all[p.ID] = p
	}
	pages, err := console.New(console.Options{People: all, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	srv := httptest.NewServer(pages)
	fmt.Println(srv.Listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	srv.CloseClientConnections()
	srv.Close()
	return nil
}

// crowdPages are the pages that take most memory.
var crowdPages = []string{
	"/a/large/files/long.txt", "/a/large/raw/long.txt", "/a/large/files/long.txt?diff=1..2", "/a/large/files/lines.txt?diff=1..2",
	"/a/large/files/marks.txt", "/a/large/files/rendered.md", "/a/large/files/brackets.md", "/a/large/files/long.txt?view=edit", "/a/large/logs/journal", "/a/large",
}

func fillForCrowd(svc *workspace.Service) error {
	ctx := context.Background()
	ws, err := svc.Agent("large")
	if err != nil {
		return err
	}
	files := []struct {
		path string
		text []byte
	}{
		{"long.txt", longText(0)}, {"long.txt", longText(1)},
		{"lines.txt", bytes.Repeat([]byte("a\n\n"), 1<<18)}, {"lines.txt", bytes.Repeat([]byte("b\n\n\n"), 1<<18)},
		{"marks.txt", bytes.Repeat([]byte("\x01\x02\n"), 1<<18)},
		{"rendered.md", bytes.Repeat([]byte("- *a* [b](c) `d` **e**\n"), 125<<10/23)},
		{"brackets.md", bytes.Repeat([]byte("["), 125<<10)},
	}
	for i := range 200 {
		files = append(files, struct {
			path string
			text []byte
		}{fmt.Sprintf("folder-%02d/%s-%03d.md", i%10, strings.Repeat("name", 40), i), []byte("x")})
	}
	for _, f := range files {
		if _, err := ws.WriteFile(ctx, f.path, f.text, workspace.WriteOptions{}); err != nil {
			return err
		}
	}
	for range 30 {
		if _, err := ws.AppendLog(ctx, "journal", bytes.Repeat([]byte("\x01 entry\n"), 8000), bytes.Repeat([]byte("entry"), 1000)); err != nil {
			return err
		}
	}
	return nil
}

// A crowd has the server in a process of its own.
type crowd struct {
	t       *testing.T
	address string
	pid     int
}

func startCrowd(t *testing.T) *crowd {
	t.Helper()
	self, err := os.Executable()
	testkit.Must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), crowdVariable+"="+t.TempDir(), "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	c := &crowd{t: t, pid: cmd.Process.Pid}
	_, err = fmt.Fscanln(out, &c.address)
	testkit.Must(t, err)
	return c
}

// memory returns a field of the status of the server's process, in KiB.
func (c *crowd) memory(field string) (kib int) {
	c.t.Helper()
	_, rest, _ := strings.Cut(testkit.ReadFile(c.t, fmt.Sprintf("/proc/%d/status", c.pid)), field+":")
	_, err := fmt.Sscan(rest, &kib)
	testkit.Must(c.t, err)
	return kib
}

// request returns the request of a person for a page.
func (c *crowd) request(person int, page string) *http.Request {
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, "http://"+c.address+page, nil)
	testkit.Must(c.t, err)
	_, port, _ := net.SplitHostPort(c.address)
	r.Header.Set("Cookie", fmt.Sprintf("scratchpad-%s=p%d", port, person))
	r.Header.Set("Accept", "text/html")
	return r
}

// visit opens a page until there is room for it.
func (c *crowd) visit(person int, page string) (busy int) {
	for {
		answer, err := http.DefaultClient.Do(c.request(person, page))
		if err != nil {
			c.t.Errorf("%s: %v", page, err)
			return busy
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		switch {
		case answer.StatusCode == http.StatusOK:
			return busy
		case answer.StatusCode != http.StatusServiceUnavailable && answer.StatusCode != http.StatusTooManyRequests || busy == 20:
			c.t.Errorf("%s: status %d", page, answer.StatusCode)
			return busy
		}
		busy++
	}
}

// ignore asks for a page and does not read it.
func (c *crowd) ignore(person int, page string) {
	conn, err := net.Dial("tcp", c.address)
	testkit.Must(c.t, err)
	c.t.Cleanup(func() { conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	testkit.Must(c.t, c.request(person, page).Write(conn))
}

// A crowd of 200 costs the server 64 MiB at most, whatever large pages they look at, and
// also if some do not read what they have asked for.
func TestMemoryOfCrowd(t *testing.T) {
	testkit.SkipInShort(t)
	c := startCrowd(t)
	c.visit(0, "/")
	rest := c.memory("VmRSS")
	testkit.Must(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", c.pid), []byte("5"), 0)) // VmHWM begins here
	n := testkit.Pick(60, 200, 1000)
	for i := range n / 10 {
		c.ignore(i%3, crowdPages[i%len(crowdPages)])
	}
	var visitors sync.WaitGroup
	var mu sync.Mutex // guards busy
	busy := 0
	for i := range n {
		visitors.Go(func() {
			again := c.visit(i%10, crowdPages[i%len(crowdPages)])
			mu.Lock()
			defer mu.Unlock()
			busy += again
		})
	}
	visitors.Wait()
	more := c.memory("VmHWM") - rest
	t.Logf("%d MiB at rest, %d more at most, %d times busy", rest>>10, more>>10, busy)
	if more > maxCrowd {
		t.Errorf("%d KiB more than at rest, want %d at most", more, maxCrowd)
	}
}
