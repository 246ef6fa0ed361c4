package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A round makes one history.
type round struct {
	*run
	h     *history
	rand  *rand.Rand // of the goroutine that began the round
	fleet *fleet

	faults sync.WaitGroup
	rows   []workspace.Change // that the follower has got; of its goroutine, and then of judge

	mu   sync.Mutex // guards the following
	done int        // calls
	due  []fault    // the next one first
}

// A fault is done to a server after some calls.
type fault struct {
	after int
	do    func(ctx context.Context)
}

// patience is how long a client waits for a server that is stopped, before it sends its call
// to another one.
const patience = 100 * time.Millisecond

// play runs the clients of a round, with faults meanwhile. It returns when each client has
// made its calls, or ctx has ended, and all faults are over.
func (r *round) play(ctx context.Context) {
	r.plan(ctx)
	var clients, follower sync.WaitGroup
	following, end := context.WithCancel(ctx)
	defer end()
	follower.Go(func() { r.follow(following) })
	for n := range r.o.Clients {
		clients.Go(func() { r.client(ctx, n) })
	}
	clients.Wait()
	r.faults.Wait()
	end()
	follower.Wait()
}

// follow follows the journal of changes through one server after the other.
func (r *round) follow(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		last := int64(len(r.rows))
		if problem, err := r.followOn(ctx, n, follow{After: last, Until: last + 20,
			Wait: time.Second}); problem != "" || err != nil {
			return
		}
	}
}

// followOn gets the next rows of the journal from a server.
func (r *round) followOn(ctx context.Context, slot int, f follow) (problem string, err error) {
	p, err := r.fleet.get(ctx, slot%len(r.fleet.slots))
	if err != nil {
		return "", err
	}
	got, err := p.ask(ctx, request{Tenant: r.place.tenant, Agent: r.h.Agent, Follow: &f}, patience)
	switch {
	case errors.Is(err, errGone):
		return "", nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		problem = "following the journal of changes: " + err.Error()
		r.fail(problem)
	}
	r.rows = append(r.rows, got.Rows...)
	return problem, nil
}

// client makes the calls of one client.
func (r *round) client(ctx context.Context, n int) {
	k := newClient(r.o.Seed, r.h.Round, n)
	for range r.o.Calls {
		c := k.next()
		if ctx.Err() != nil || r.fleet.crashed() != nil {
			return
		}
		rec := r.make(ctx, k, c)
		if rec == nil {
			return
		}
		r.h.add(rec)
		a := rec.last().Answer
		k.learn(c, a)
		r.count(func(p *Progress) {
			p.Calls++
			if c.writes() && a.Failed == failedUnknown {
				p.Unknown++
			}
		})
		r.tick(ctx)
	}
}

// make sends a call to a server. A call with a key is sent again, to another server, as long
// as its outcome is not known.
func (r *round) make(ctx context.Context, k *client, c call) *record {
	rec := &record{Client: k.number, Call: c}
	slot := k.number % len(r.fleet.slots)
	for try := 0; ; try++ {
		a, err := r.send(ctx, slot, c)
		if err != nil {
			if try == 0 {
				return nil
			}
			return rec
		}
		rec.Attempts = append(rec.Attempts, a)
		unknown := a.Answer.Failed == failedUnknown || a.Answer.Failed == failedNothing
		if c.Key == "" || !unknown || try == 4 {
			break
		}
		r.count(func(p *Progress) { p.Retries++ })
		c.Within = 0
		slot = r.fleet.other(slot, k.rand)
	}
	if rec.ok() && c.Key != "" && k.rand.IntN(12) == 0 {
		r.repeat(ctx, rec, r.fleet.other(slot, k.rand))
	}
	return rec
}

// send sends a call once. The error is that of ctx, or of the fleet.
func (r *round) send(ctx context.Context, slot int, c call) (attempt, error) {
	p, err := r.fleet.get(ctx, slot)
	if err != nil {
		return attempt{}, err
	}
	wait := time.Duration(0)
	if c.Key != "" || !c.writes() {
		wait = patience
	}
	a := attempt{Server: p.name, Begin: r.h.now(), End: never}
	// A call under way is not given up when the time is over.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	got, err := p.ask(late, request{Tenant: r.place.tenant, Agent: r.h.Agent, Call: &c}, wait)
	switch {
	case err == nil:
		a.End, a.Answer = r.h.now(), *got.Answer
		if got.Begin > 0 { // without the way there and back
			a.Begin, a.End = got.Begin-r.h.clock, got.End-r.h.clock
		}
	case errors.Is(err, errGone):
		a.Answer = answer{Failed: failedUnknown, Error: err.Error()}
	case late.Err() != nil:
		a.Answer = answer{Failed: failedWrong, Error: fmt.Sprintf("there was no answer for %v", answerTime)}
	default:
		a.Answer = answer{Failed: failedWrong, Error: err.Error()}
	}
	return a, nil
}

// answerTime is how long a server that is not stopped may take for an answer.
const answerTime = 2 * time.Minute

// repeat sends a call again that was acknowledged. The answer must be the same.
func (r *round) repeat(ctx context.Context, rec *record, slot int) {
	c := rec.Call
	c.Within = 0
	a, err := r.send(ctx, slot, c)
	if err != nil || a.Answer.Failed == failedUnknown || a.Answer.Failed == failedNothing {
		return
	}
	if first := rec.last().Answer; !a.Answer.same(first) {
		r.fail(fmt.Sprintf("the call %s was sent again with its key, and answered %s %s", describe(rec), show(a.Answer),
			a.Answer.Error))
	}
}

// tick counts a call, and begins the faults whose time has come.
func (r *round) tick(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	for len(r.due) > 0 && r.due[0].after <= r.done {
		do := r.due[0].do
		r.due = r.due[1:]
		r.faults.Go(func() { do(ctx) })
	}
}

// --- after the calls

// judge lets a new process look at what is there, and checks the history.
func (r *round) judge(ctx context.Context) error {
	slot := r.rand.IntN(len(r.fleet.slots))
	if r.rand.IntN(4) == 0 {
		r.killAll(ctx)
	} else {
		r.kill(ctx, slot)
	}
	if err := r.fleet.crashed(); err != nil {
		return r.failed(err.Error(), nil)
	}
	p, err := r.fleet.get(ctx, slot)
	if err != nil {
		return err
	}
	got, err := p.ask(ctx, request{Tenant: r.place.tenant, Agent: r.h.Agent, Do: doLook}, 0)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return r.failed("looking at what is there: "+err.Error(), nil)
	}
	problem, undecided := r.h.check(got.Look)
	if problem == "" {
		problem = r.take()
	}
	if problem == "" {
		problem, err = r.followed(ctx, got.Look)
	}
	if err != nil {
		return err
	}
	if problem != "" {
		return r.failed(problem, got.Look)
	}
	r.count(func(p *Progress) {
		p.Histories++
		if undecided {
			p.Undecided++
		}
	})
	return nil
}

// followed compares what a follower of the journal got with what is in it. It waits for the
// rows that the follower does not have yet.
func (r *round) followed(ctx context.Context, end *look) (problem string, err error) {
	for try := 0; len(r.rows) < len(end.Rows) && try < 3; try++ { // the database may be busy
		f := follow{After: int64(len(r.rows)), Until: int64(len(end.Rows)), Wait: followWait}
		if problem, err = r.followOn(ctx, r.rand.IntN(len(r.fleet.slots)), f); problem != "" || err != nil {
			return problem, err
		}
	}
	return sameRows(r.rows, end.Rows), nil
}

// followWait is how long a follower may take to get a change that is there.
const followWait = 10 * time.Second

// sameRows compares the rows that a follower got with those of the journal.
func sameRows(got, want []workspace.Change) string {
	for i, row := range want {
		switch {
		case i >= len(got):
			return fmt.Sprintf("a follower of the journal got %d of %d changes", i, len(want))
		case got[i].Revision != row.Revision || got[i].Author != row.Author || got[i].Path != row.Path ||
			got[i].After != row.After:
			return fmt.Sprintf("a follower of the journal got %+v as change %d, expected %+v", got[i], i+1, row)
		}
	}
	return ""
}

// failed ends the run: it saves the history, and returns errFailed.
func (r *round) failed(problem string, end *look) error {
	if err := r.fleet.crashed(); err != nil {
		problem = err.Error()
	}
	f := Failure{Round: r.h.Round, Seed: r.o.Seed, Problem: problem}
	file, err := r.h.save(r.place.evidence, fmt.Sprintf("torture-seed-%d-round-%d.jsonl", r.o.Seed, r.h.Round), problem,
		end)
	if err != nil {
		f.Problem += fmt.Sprintf(" (the history could not be saved: %v)", err)
	}
	f.File = file
	r.count(func(p *Progress) { p.Failures++ })
	r.report.Failures = append(r.report.Failures, f)
	return errFailed
}

var errFailed = errors.New("a check failed")
