package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// A fleet is the server processes over one database. It is safe for concurrent use.
type fleet struct {
	start func(ctx context.Context, name string) (*process, error)
	names int // how many processes were started; of the goroutine that starts them and of revive, under mu

	mu      sync.Mutex // guards the following
	slots   []*process // nil while one is starting
	changed chan struct{}
	problem error // the first one
}

// launcher returns a function that starts a process of the program over the database.
func launcher(
	program func() (*exec.Cmd, error), database func(name string) string, tenant string,
) func(context.Context, string) (*process, error) {
	return func(ctx context.Context, name string) (*process, error) {
		cmd, err := program()
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, startTime)
		defer cancel()
		return startProcess(ctx, name, cmd, request{Database: database(name), Tenant: tenant})
	}
}

// startTime is how long a server may take to start. It waits for its turn while another one
// is stopped.
const startTime = time.Minute

// newFleet starts n servers.
func newFleet(ctx context.Context, n int, start func(context.Context, string) (*process, error)) (*fleet, error) {
	f := &fleet{start: start, slots: make([]*process, n), changed: make(chan struct{})}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f.fill(ctx, i) })
	}
	wg.Wait()
	if f.problem != nil {
		f.kill()
		return nil, f.problem
	}
	return f, nil
}

// fill starts a server in an empty slot.
func (f *fleet) fill(ctx context.Context, slot int) {
	f.mu.Lock()
	f.names++
	name := fmt.Sprintf("server %d", f.names)
	f.mu.Unlock()
	p, err := f.start(ctx, name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		f.problem = errors.Join(f.problem, err)
	}
	f.slots[slot] = p
	close(f.changed)
	f.changed = make(chan struct{})
}

// take removes the server from a slot; nil: there is none.
func (f *fleet) take(slot int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.slots[slot]
	f.slots[slot] = nil
	return p
}

// get returns a server: that of the slot if it lives, or else another one. It waits while
// there is none.
func (f *fleet) get(ctx context.Context, slot int) (*process, error) {
	for {
		f.mu.Lock()
		p, problem, changed := f.slots[slot], f.problem, f.changed
		if p == nil {
			if i := slices.IndexFunc(f.slots, func(p *process) bool { return p != nil }); i >= 0 {
				p = f.slots[i]
			}
		}
		f.mu.Unlock()
		switch {
		case problem != nil:
			return nil, problem
		case p != nil:
			return p, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// other returns a slot that is not the one, if there are several.
func (f *fleet) other(slot int, r *rand.Rand) int {
	if len(f.slots) == 1 {
		return 0
	}
	return (slot + 1 + r.IntN(len(f.slots)-1)) % len(f.slots)
}

// crashed returns an error if a server has ended by itself, or did not start.
func (f *fleet) crashed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.slots {
		if p != nil && f.problem == nil {
			f.problem = p.crashed()
		}
	}
	return f.problem
}

// kill ends all servers at once.
func (f *fleet) kill() {
	for i := range f.slots {
		if p := f.take(i); p != nil {
			p.kill()
		}
	}
}

// end lets all servers close the database.
func (f *fleet) end() error {
	errs := make([]error, len(f.slots))
	var wg sync.WaitGroup
	for i := range f.slots {
		if p := f.take(i); p != nil {
			wg.Go(func() { errs[i] = p.end(endTime) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

// endTime is how long a server may take to close the database.
const endTime = 30 * time.Second
