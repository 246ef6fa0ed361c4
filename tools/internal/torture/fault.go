package torture

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"
)

// plan decides what is done to the servers, and after how many calls.
func (r *round) plan(ctx context.Context) {
	all := r.o.Clients * r.o.Calls
	add := func(n int, do func(context.Context)) {
		for range n {
			r.due = append(r.due, fault{after: 1 + r.rand.IntN(all), do: do})
		}
	}
	slot := func() int { return r.rand.IntN(len(r.fleet.slots)) }
	for range 1 + r.rand.IntN(2) {
		s := slot()
		add(1, func(ctx context.Context) { r.kill(ctx, s) })
	}
	if canStop {
		for range r.rand.IntN(3) {
			s, d := slot(), time.Duration(1+r.rand.IntN(int(r.o.Stop/time.Millisecond)))*time.Millisecond
			add(1, func(ctx context.Context) { r.stop(ctx, s, d) })
		}
	}
	if r.place.terminate != nil {
		for range 1 + r.rand.IntN(4) {
			share := r.rand.Float64()
			add(1, func(ctx context.Context) { r.terminate(ctx, share) })
		}
	}
	sort.SliceStable(r.due, func(i, j int) bool { return r.due[i].after < r.due[j].after })
}

func (r *round) note(what string) { r.h.note(what) }

// kill kills the server of a slot, and starts another one in its place.
func (r *round) kill(ctx context.Context, slot int) {
	p := r.fleet.take(slot)
	if p == nil {
		return // it is starting
	}
	if err := p.crashed(); err != nil {
		r.fail(err.Error())
	}
	r.note(p.name + " is killed")
	p.kill()
	r.count(func(p *Progress) { p.Kills++ })
	r.fleet.fill(context.WithoutCancel(ctx), slot)
}

// killAll kills all servers before another one starts.
func (r *round) killAll(ctx context.Context) {
	r.note("all servers are killed")
	r.fleet.kill()
	var wg sync.WaitGroup
	for i := range r.fleet.slots {
		r.count(func(p *Progress) { p.Kills++ })
		wg.Go(func() { r.fleet.fill(context.WithoutCancel(ctx), i) })
	}
	wg.Wait()
}

// stop stops the server of a slot for a while.
func (r *round) stop(ctx context.Context, slot int, d time.Duration) {
	p, err := r.fleet.get(ctx, slot)
	if err != nil {
		return
	}
	p.stopped.Store(true)
	if stopProcess(p.cmd.Process) != nil {
		p.stopped.Store(false)
		return // it has been killed meanwhile
	}
	r.note(fmt.Sprintf("%s is stopped for %v", p.name, d))
	r.count(func(p *Progress) { p.Stops++ })
	select {
	case <-time.After(d):
	case <-p.dead:
	}
	_ = continueProcess(p.cmd.Process)
	p.stopped.Store(false)
}

// terminate ends a share of the connections that the database has with the servers.
func (r *round) terminate(ctx context.Context, share float64) {
	n, err := r.place.terminate(ctx, share)
	if err != nil {
		r.note("no backend could be terminated: " + err.Error())
		return
	}
	r.note(fmt.Sprintf("%d backends are terminated", n))
	r.count(func(p *Progress) { p.Terminated += int64(n) })
}
