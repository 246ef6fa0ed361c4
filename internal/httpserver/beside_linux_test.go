package httpserver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// BenchmarkBesideHostile has two callers who make good calls for ten seconds alone, and then
// beside hostile clients who do to the server what they do in TestHostileMemory. One caller
// has a connection, as MCP clients do, and one opens a new one for each call. It compares the
// 99th percentiles of some 1,200 calls' times. The goal is less than twice that of the quiet
// server.
//
// The hostile clients open their connections as fast as they can, which takes a second or
// two, and keep them. "beside" is what the others have meanwhile, in ten seconds that begin a
// second after the last connection was opened. "opening" is the time before, in which the
// server accepts thousands of connections a second.
//
// The hostile clients are a process of their own, on the first processor. The server and the
// good caller have the second one, also while they are alone. So the figure has what the
// attack costs the server, and not what its clients take from the same processor. With one
// processor for all, it is skipped.
//
// With limits=on, the hostile clients have the rates that the program gives a key and an
// address, and the good caller has no limit.
func BenchmarkBesideHostile(b *testing.B) {
	if runtime.NumCPU() < 2 {
		b.Skip("needs two processors: one for the hostile clients, one for the server")
	}
	for name, a := range attacks {
		b.Run(name+"/limits=off", func(b *testing.B) { besideHostile(b, name, a) })
		b.Run(name+"/limits=on", func(b *testing.B) {
			b.Setenv(limitsVariable, "1")
			besideHostile(b, name, a)
		})
	}
}

func besideHostile(b *testing.B, name string, a attack) {
	if b.N > 1 {
		b.Skip("run it with -benchtime 1x")
	}
	var all unix.CPUSet
	testkit.Must(b, unix.SchedGetaffinity(0, &all))
	testkit.Must(b, pin(only(1)))
	defer func() { testkit.Must(b, pin(&all)) }()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as Go does it for who has one processor
	c, dialer := startAttacked(b, a.tls)
	var stop atomic.Bool
	var callers sync.WaitGroup
	var kept, each []sample
	callers.Go(func() { kept = c.goodCalls(dialer, &stop, true) })
	callers.Go(func() { each = c.goodCalls(dialer, &stop, false) })
	began := time.Now()
	time.Sleep(10 * time.Second)
	attacked := time.Now()
	startAttack(b, name, c.address)
	time.Sleep(time.Second)
	opened := time.Now()
	time.Sleep(10 * time.Second)
	stop.Store(true)
	callers.Wait()
	b.ReportMetric(0, "ns/op")
	report := func(caller string, all []sample) {
		quiet, beside := took(all, began, attacked), took(all, opened, time.Now())
		opening := took(all, attacked, opened)
		b.Logf("%s: %d calls, quiet: median %v, p99 %v, longest %v; opening: p99 %v, longest %v; beside: median %v, p99 %v, longest %v", caller, len(all),
			part(quiet, 50), part(quiet, 99), part(quiet, 100), part(opening, 99), part(opening, 100), part(beside, 50), part(beside, 99), part(beside, 100))
		b.ReportMetric(part(beside, 99).Seconds()*1000, caller+"-p99-ms")
		b.ReportMetric(part(beside, 99).Seconds()/part(quiet, 99).Seconds(), caller+"/quiet")
		b.ReportMetric(part(opening, 99).Seconds()*1000, caller+"-opening-p99-ms")
		b.ReportMetric(max(part(opening, 100), part(beside, 100)).Seconds()*1000, caller+"-longest-ms")
	}
	report("connected", kept)
	report("new", each)
}

// took returns the times, sorted, of the calls that began in a period.
func took(all []sample, from, to time.Time) (times []time.Duration) {
	for _, one := range all {
		if !one.begin.Before(from) && one.begin.Before(to) {
			times = append(times, one.took)
		}
	}
	slices.Sort(times)
	return times
}

// part returns a percentile of sorted times.
func part(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[min(len(times)*percent/100, len(times)-1)]
}

// pin lets this process, and those that it starts from now on, use the given processors.
func pin(processors *unix.CPUSet) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(id, processors); err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
			return err
		}
	}
	return nil
}

// only is the set of one processor.
func only(processor int) *unix.CPUSet {
	var set unix.CPUSet
	set.Set(processor)
	return &set
}

// attackVariable makes the test binary the hostile clients of an attack. Its value is the
// name of the attack and the server's address.
const attackVariable = "SCRATCHPAD_HTTP_ATTACK"

func init() { children[attackVariable] = attackMain }

// startAttack returns when the connections are open. They stay open until the benchmark ends.
func startAttack(b *testing.B, name, address string) {
	b.Helper()
	self, err := os.Executable()
	testkit.Must(b, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), attackVariable+"="+name+" "+address)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	testkit.Must(b, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(b, err)
	testkit.Must(b, cmd.Start())
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the hostile clients ended with %v", err)
		}
	})
	if _, err = io.ReadFull(out, make([]byte, 1)); err != nil {
		b.Errorf("the hostile clients have not connected: %v", err)
	}
}

// attackMain does an attack, and then waits until its standard input ends.
func attackMain() error {
	value := os.Getenv(attackVariable)
	at := strings.LastIndexByte(value, ' ')
	a := attacks[value[:at]]
	if err := pin(only(0)); err != nil {
		return err
	}
	t := &hostile{}
	defer t.end()
	a.open(t, dialerOf(value[at+1:], a.tls))
	fmt.Print("\n")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// hostile takes the place of a test for clients in a process of their own. What goes wrong
// for them is no failure.
type hostile struct {
	testing.TB
	mu   sync.Mutex
	ends []func()
}

func (*hostile) Helper()               {}
func (*hostile) Errorf(string, ...any) {}

func (h *hostile) Cleanup(end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends = append(h.ends, end)
}

func (h *hostile) end() {
	for _, end := range h.ends {
		end()
	}
}
