package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// A choir is the other agents, see [canary]. Some write through the servers, the others
// through a process of their own, which is the neighbour: it writes in a loop and is killed
// now and then.
type choir struct {
	r      *run
	cancel context.CancelFunc
	wg     sync.WaitGroup
	once   sync.Once
	next   *fleet // of one process, the neighbour
}

// song is how long a canary sings at a time, and rest how long it is quiet then.
const (
	song = 40 * time.Millisecond
	rest = 20 * time.Millisecond
)

func (r *run) newChoir(
	ctx context.Context, servers *fleet, start func(context.Context, string) (*process, error),
) (*choir, error) {
	next, err := newFleet(ctx, 1, func(ctx context.Context, name string) (*process, error) {
		return start(ctx, "neighbour, "+name)
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &choir{r: r, cancel: cancel, next: next}
	c.wg.Go(func() { c.sing(ctx, servers, 0, r.place.canaries("agent", "agent-", "Agent-1")) })
	c.wg.Go(func() { c.sing(ctx, next, 25, r.place.canaries("agent_1", "agent-01")) })
	c.wg.Go(func() { c.sing(ctx, next, 0, r.place.otherCanaries("agent-1", "agent")) })
	return c, nil
}

// stop ends the songs and the neighbour.
func (c *choir) stop() {
	c.once.Do(func() {
		c.cancel()
		c.wg.Wait()
		if err := c.next.crashed(); err != nil {
			c.r.fail(err.Error())
		}
		if err := c.next.end(); err != nil {
			c.r.fail(err.Error())
		}
	})
}

// sing lets one canary after the other sing through the processes. If kills is above 0, a
// process is killed once in so many songs.
func (c *choir) sing(ctx context.Context, f *fleet, kills int, birds []bird) {
	for i := range birds {
		birds[i].lost = !c.r.place.empty // there may be something of the rounds before
	}
	random := rand.New(rand.NewPCG(c.r.o.Seed, uint64(len(birds))))
	for n := 0; ctx.Err() == nil; n++ {
		p, err := f.get(ctx, random.IntN(len(f.slots)))
		if err != nil {
			if ctx.Err() == nil {
				c.r.fail(err.Error())
			}
			return
		}
		if kills > 0 && random.IntN(kills) == 0 {
			after := time.Duration(random.Int64N(int64(song)))
			c.wg.Go(func() { c.kill(ctx, f, after) })
		}
		b := &birds[random.IntN(len(birds))]
		b.Sing, b.Name = song, b.tenant+"/"+b.agent
		b.Unsure = b.lost || time.Now().Before(b.unsure)
		got, err := p.ask(context.WithoutCancel(ctx), request{Tenant: b.tenant, Agent: b.agent, Canary: &b.canary}, 0)
		switch {
		case errors.Is(err, errGone):
			b.lost, b.unsure = true, time.Now().Add(c.r.place.unsure)
			if err := f.crashed(); err != nil {
				c.r.fail(err.Error())
				return
			}
		case err != nil:
			c.r.fail(fmt.Sprintf("agent %s: %v", b.Name, err))
			return
		case got.Canary.Problem != "":
			c.r.fail(fmt.Sprintf("agent %s: %s", b.Name, got.Canary.Problem))
			return
		default:
			b.canary = *got.Canary
			if b.lost = b.Unknown > 0; b.lost {
				b.unsure = time.Now().Add(c.r.place.unsure)
			}
			c.r.count(func(p *Progress) { p.Canaries += b.Writes; p.Unknown += b.Unknown })
		}
		time.Sleep(rest)
	}
}

// kill kills the neighbour and starts another one.
func (c *choir) kill(ctx context.Context, f *fleet, after time.Duration) {
	time.Sleep(after)
	p := f.take(0)
	if p == nil {
		return
	}
	p.kill()
	c.r.count(func(p *Progress) { p.Kills++ })
	f.fill(context.WithoutCancel(ctx), 0)
}

// A bird is a canary with its name.
type bird struct {
	canary
	tenant, agent string
	lost          bool      // the last song was not heard to its end
	unsure        time.Time // until then, a write may come that was not acknowledged
}
