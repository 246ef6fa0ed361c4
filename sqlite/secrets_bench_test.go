package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// BenchmarkSecrets writes files of 2 KiB with Options.Secrets off and on warn, in turns.
func BenchmarkSecrets(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "db"), sqlite.Options{})
	testkit.Must(b, err)
	defer store.Close()
	text := []byte(strings.Repeat("A line of a plan, with some words and a number 12345.\n", 38))
	for _, writers := range []int{1, 64} {
		var took [2]time.Duration
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			took = [2]time.Duration{}
			for round := 0; b.Loop(); round++ {
				rule := workspace.SecretRule(round % 2)
				svc, err := workspace.New(store, workspace.Options{Secrets: rule})
				testkit.Must(b, err)
				began := time.Now()
				var n atomic.Int64
				done := make(chan error, writers)
				for i := range writers {
					go func() {
						ws, err := svc.Agent(fmt.Sprint("a", i))
						for err == nil && n.Add(1) <= 640 {
							_, err = ws.WriteFile(b.Context(), "f", text, workspace.WriteOptions{})
						}
						done <- err
					}()
				}
				for range writers {
					testkit.Must(b, <-done)
				}
				took[rule] += time.Since(began)
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "warn/off")
		})
	}
}
