package httpserver

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// childVariable makes the test binary a server. Its value is the folder of its database,
// and of its TLS files if there are some.
const childVariable = "SCRATCHPAD_HTTP_CHILD"

// childMain serves until its standard input ends.
func childMain() error {
	dir := os.Getenv(childVariable)
	mcp, stop, err := newMCP(dir)
	if err != nil {
		return err
	}
	defer stop()
	var s *Server
	pages, svc, err := newConsole(func() *Server { return s })
	if err != nil {
		return err
	}
	if err := fillConsole(svc); err != nil {
		return err
	}
	o := Options{MCP: mcp, Console: pages, Keys: verify, Rate: auth.Rate{PerSecond: -1}, Logger: slog.New(slog.DiscardHandler)}
	if _, err := os.Stat(dir + "/cert.pem"); err == nil {
		o.TLSCert, o.TLSKey = dir+"/cert.pem", dir+"/key.pem"
	}
	if s, err = New(o); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return s.Serve(ctx, l)
}

// kindKey is the key of the good caller.
const kindKey = goodKey + "-kind"

// A child is a server in a process of its own.
type child struct {
	address string
	process *os.Process
	t       testing.TB
}

// startChild starts a server that runs until the test ends.
func startChild(t testing.TB, dir string) *child {
	t.Helper()
	self := must(os.Executable())(t)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+dir, fmt.Sprintf("GOMAXPROCS=%d", min(2, runtime.GOMAXPROCS(0))), "GOMEMLIMIT=160MiB") // as the files in deploy have it
	cmd.Stderr = os.Stderr
	in := must(cmd.StdinPipe())(t)
	out := must(cmd.StdoutPipe())(t)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	var address string
	testkit.Must(t, testkit.Err(fmt.Fscanln(out, &address)))
	return &child{address, cmd.Process, t}
}

// status returns a field of the process's status, in KiB.
func (c *child) status(field string) int {
	c.t.Helper()
	text := testkit.ReadFile(c.t, fmt.Sprintf("/proc/%d/status", c.process.Pid))
	_, rest, _ := strings.Cut(text, field+":")
	var kib int
	_, err := fmt.Sscan(rest, &kib)
	testkit.Must(c.t, err)
	return kib
}
