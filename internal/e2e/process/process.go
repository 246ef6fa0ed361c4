// Package process builds scratchpad and runs it as a process, for the tests of this module.
package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Build builds the program into a folder and returns its path. module is the folder of
// the module.
func Build(module, dir string) (program string, err error) {
	program = filepath.Join(dir, "scratchpad")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/scratchpad")
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/scratchpad: %w\n%s", err, out)
	}
	return program, nil
}

// Run runs the program to its end and returns what it prints on standard output.
func Run(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, err := Try(t.Context(), program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Try is Run for other goroutines than the test's.
func Try(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("scratchpad %s: %w\n%s", strings.Join(args, " "), err, &said)
	}
	return string(out), nil
}

// Serve starts scratchpad serve and returns the URL of its MCP. Without --addr it listens
// on a free port of loopback. At the end of the test it gets SIGTERM, and must end cleanly.
func Serve(t testing.TB, program string, args ...string) (url string) {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--addr") {
		args = append(args, "--addr", "127.0.0.1:0")
	}
	cmd := exec.Command(program, append([]string{"serve", "--log-level", "warn"}, args...)...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	for {
		line, err := lines.ReadString('\n')
		if found, ok := strings.CutPrefix(line, "serving "); ok {
			url = strings.TrimSpace(found)
		}
		if strings.HasSuffix(line, "stops the server\n") {
			break
		}
		if err != nil {
			t.Fatalf("the server ended: %v: %s", errors.Join(err, cmd.Wait()), line)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(t.Output(), lines)
		done <- errors.Join(err, cmd.Wait())
	}()
	t.Cleanup(func() { stop(t, cmd, done) })
	return url
}

func stop(t testing.TB, cmd *exec.Cmd, done <-chan error) {
	if runtime.GOOS == "windows" { // it has no SIGTERM
		_ = cmd.Process.Kill()
		<-done
		return
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("scratchpad serve ended with %v, want a clean end", err)
		}
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		<-done
		t.Error("scratchpad serve did not end within 20 s of SIGTERM")
	}
}

// FreeAddress returns an address of loopback on which nobody listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
