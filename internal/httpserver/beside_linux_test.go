package httpserver

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkBesideHostile has a caller who makes good calls for three seconds alone, and then
// while hostile clients do to the server what they do in TestHostileMemory. It compares the
// 99th percentile of the calls' times. The goal is less than twice that of the quiet server.
func BenchmarkBesideHostile(b *testing.B) {
	for name, a := range attacks {
		b.Run(name, func(b *testing.B) {
			if b.N > 1 {
				b.Skip("run it with -benchtime 1x")
			}
			c, dialer := startAttacked(b, a.tls)
			during := func(work func()) (p99 time.Duration) {
				var stop atomic.Bool
				var caller sync.WaitGroup
				caller.Go(func() { p99 = c.goodCalls(dialer, &stop) })
				began := time.Now()
				work()
				time.Sleep(3*time.Second - time.Since(began))
				stop.Store(true)
				caller.Wait()
				return p99
			}
			quiet := during(func() {}).Seconds() * 1000
			beside := during(func() { a.open(b, dialer) }).Seconds() * 1000
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(quiet, "quiet-p99-ms")
			b.ReportMetric(beside, "beside-p99-ms")
			b.ReportMetric(beside/quiet, "beside/quiet")
		})
	}
}
