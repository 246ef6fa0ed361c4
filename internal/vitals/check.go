package vitals

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/backtrace"
	"github.com/agent-scratchpad/scratchpad/internal/doctor"
)

const (
	fresh     = 10 * time.Second // how long what was found is good
	lookLimit = 5 * time.Second  // how long a look at the store may take
	lookGrace = time.Second      // and how much longer those who asked wait for its end
)

// looked is what a look at the store found.
type looked struct {
	checks   []console.Check
	versions []console.Fact
}

// A checker looks at the store when somebody asks, one look at a time.
type checker struct {
	ctx  context.Context // of looks
	work *sync.WaitGroup // of looks
	log  *slog.Logger
	look func(context.Context) looked

	mu      sync.Mutex // guards the following
	closed  bool
	running chan struct{} // closed at the end of a look; nil: there is none
	began   time.Time     // that look
	found   looked        // by the last look that has ended
	at      time.Time     // when it ended; the zero Time: none has
}

// get returns what a look found within the last 10 seconds. Those who ask at the same time
// share one look, which goes on if they leave.
func (c *checker) get(ctx context.Context) looked {
	running, began := c.join()
	if running != nil {
		late := time.NewTimer(lookLimit + lookGrace - time.Since(began))
		defer late.Stop()
		select {
		case <-running:
		case <-ctx.Done():
		case <-late.C:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.found
	switch {
	case c.at.IsZero() && c.closed:
		found.checks = []console.Check{{Name: "checks", Status: console.StatusWarning, Text: "the server is stopping"}}
	case c.running != nil && time.Since(c.began) >= lookLimit+lookGrace:
		hangs := console.Check{Name: "checks", Status: console.StatusFailure, Text: fmt.Sprintf("the checks have not ended for %v; what follows, if anything, is from before", time.Since(c.began).Round(time.Second)),
			Fix: "Look at the disk, the database and their network."}
		found.checks = append([]console.Check{hangs}, found.checks...)
	}
	return found
}

// join returns the look that runs, and begins one if it is time for that. It returns nil if
// what was found is fresh, and after close.
func (c *checker) join() (running chan struct{}, began time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil && !c.closed && (c.at.IsZero() || time.Since(c.at) >= fresh) {
		c.running, c.began = make(chan struct{}), time.Now()
		c.work.Go(c.run)
	}
	return c.running, c.began
}

func (c *checker) run() {
	ctx, cancel := context.WithTimeout(c.ctx, lookLimit)
	defer cancel()
	found := c.safely(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found, c.at = found, time.Now()
	close(c.running)
	c.running = nil
}

// safely is look. A panic does not end the server, which others need.
func (c *checker) safely(ctx context.Context) (found looked) {
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("the checks ended in a panic", "type", fmt.Sprintf("%T", v), "stack", backtrace.Text())
			found.checks = []console.Check{{Name: "checks", Status: console.StatusFailure, Text: "the checks ended in a panic; the log of the server has more"}}
		}
	}()
	return c.look(ctx)
}

// close lets no look begin.
func (c *checker) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// checksOf returns the lines of a report for the console.
func checksOf(r *doctor.Report) (all []console.Check) {
	status := map[doctor.Status]console.Status{doctor.OK: console.StatusOK, doctor.Warning: console.StatusWarning, doctor.Problem: console.StatusFailure}
	for _, c := range r.Checks {
		all = append(all, console.Check{Name: c.Name, Status: status[c.Status], Text: c.Text, Fix: c.Do})
	}
	return all
}
