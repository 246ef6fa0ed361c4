//go:build linux

package load

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart measures the time from the start of a process until /readyz says that it
// is ready, on a new database and on one that is there, beside the floor's first answer.
// It also measures the memory at rest, without a call. The goals are 30 ms and 32 MiB.
func BenchmarkStart(b *testing.B) {
	var fresh, again, floor, rest []float64
	for range 15 {
		db := filepath.Join(b.TempDir(), "start.db")
		took, memory := startOnce(b, scratchpadCommand(db))
		fresh, rest = append(fresh, took), append(rest, memory)
		took, _ = startOnce(b, scratchpadCommand(db))
		again = append(again, took)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), floorVariable+"=1")
		took, _ = startOnce(b, cmd)
		floor = append(floor, took)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(fresh), "ms-new")
	b.ReportMetric(median(again), "ms-existing")
	b.ReportMetric(median(floor), "ms-floor")
	b.ReportMetric(median(rest), "MiB-at-rest")
}

func scratchpadCommand(db string) *exec.Cmd {
	return exec.Command(scratchpadPath, "serve", "--db", db, "--addr", "127.0.0.1:0", "--summarizer", "outline")
}

// startOnce starts a server and ends it. It returns the milliseconds until the server is
// ready, and its resident memory a second later, in MiB.
func startOnce(b *testing.B, cmd *exec.Cmd) (ms, memory float64) {
	b.Helper()
	said, err := cmd.StderrPipe()
	must(b, err)
	began := time.Now()
	must(b, cmd.Start())
	s := &server{cmd: cmd}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	for text := ""; !strings.Contains(text, "/mcp\n"); {
		var some [512]byte
		n, err := said.Read(some[:])
		must(b, err)
		text += string(some[:n])
		if _, rest, ok := strings.Cut(text, "serving "); ok {
			s.url, _, _ = strings.Cut(rest, "\n")
		}
	}
	go io.Copy(io.Discard, said)
	for ready := false; !ready; {
		res, err := http.Get(strings.TrimSuffix(s.url, "/mcp") + "/readyz")
		if time.Since(began) > 10*time.Second {
			b.Fatalf("the server is not ready: %v", err)
		}
		if err != nil {
			continue // it does not serve yet
		}
		res.Body.Close()
		ready = res.StatusCode == http.StatusOK
	}
	ms = float64(time.Since(began).Microseconds()) / 1000
	time.Sleep(time.Second)
	kib, err := s.status("VmRSS:")
	must(b, err)
	return ms, float64(kib) / 1024
}
