package vitals

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/doctor"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/meter"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [Start]. The functions return the numbers of the parts of a server. They are
// asked each [Step] by one goroutine, and must be quick. nil: there is no such part, and so
// are no figures of it.
type Options struct {
	HTTP   func() httpserver.Stats
	MCP    func() mcpserver.Stats
	Tools  func() meter.Timing // calls of tools
	Memory func() float64      // bytes of the process; nil, or 0: what the Go runtime has

	// Store is what the server has open. The figures of its own Stats are shown, too.
	Store workspace.Store

	Doctor doctor.Options   // as for doctor.ExamineOpen
	Pool   postgres.Options // of a Store of PostgreSQL

	Logger *slog.Logger // nil: slog.Default
}

// A Vitals observes one server, from Start until Close. It is safe for concurrent use.
type Vitals struct {
	recorder *recorder
	checker  *checker

	cancel context.CancelFunc
	work   sync.WaitGroup
}

// Start begins to take samples, in a goroutine that Close ends.
func Start(o Options) *Vitals {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Doctor.Logger == nil {
		o.Doctor.Logger = o.Logger
	}
	ctx, cancel := context.WithCancel(context.Background())
	v := &Vitals{recorder: newRecorder(sourcesOf(o)), cancel: cancel}
	v.checker = &checker{ctx: ctx, work: &v.work, log: o.Logger, look: func(ctx context.Context) looked {
		return looked{checksOf(doctor.ExamineOpen(ctx, o.Store, o.Pool, o.Doctor)), versions(ctx, o)}
	}}
	v.work.Go(func() { v.recorder.run(ctx) })
	return v
}

// closeWait is how long Close waits.
const closeWait = time.Second

// Close ends the samples and the checks, and waits for them: for a second at most, because a
// file system that does not answer keeps a check for as long as it likes. After Close the
// figures stay, and no checks are made.
func (v *Vitals) Close() {
	v.checker.close()
	v.cancel()
	ended := make(chan struct{})
	go func() {
		v.work.Wait()
		close(ended)
	}()
	late := time.NewTimer(closeWait)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	}
}

// Health is for [console.Options].Health. The figures are those of now. The checks and the
// versions are at most 10 seconds old, unless the store does not answer; a check then says
// so. It takes 6 seconds at most. The error is that of ctx.
func (v *Vitals) Health(ctx context.Context) (console.Health, error) {
	l := v.checker.get(ctx)
	if err := ctx.Err(); err != nil {
		return console.Health{}, err
	}
	return console.Health{Checks: l.checks, Series: v.recorder.series(), Versions: l.versions}, nil
}
