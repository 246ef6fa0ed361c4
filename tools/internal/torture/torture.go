package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"time"
)

// Options of [Run]. Program is needed.
type Options struct {
	// Program returns a command that has not started, which calls [Work] with its standard
	// input and output.
	Program func() (*exec.Cmd, error)

	// Database is the address of a PostgreSQL server, postgres://…, or the folder in which
	// a SQLite database is made; "": the current folder.
	Database string

	// Evidence is the folder for the history of a failure. "": Database if it is a folder, or else
	// the current folder.
	Evidence string
	For      time.Duration // no round begins later; 0: a minute
	Rounds   int           // at most; 0: as many as there is time for
	First    int           // the number of the first round, from 1; 0: 1
	Seed     uint64        // of the calls and the faults; 0: a random one
	Servers  int           // processes; 0: 3
	Clients  int           // that make calls at the same time; 0: 8
	Calls    int           // of each client in a round; 0: 25
	Stop     time.Duration // the longest time for which a server is stopped; 0: 300 ms

	// Show is called after each change of the progress, by several goroutines, one after the
	// other; nil: it is not called.
	Show func(Progress)
}

func (o Options) withDefaults() (Options, error) {
	if o.Program == nil {
		return o, errors.New("torture: there is no program")
	}
	for _, n := range []int{o.Rounds, o.First, o.Servers, o.Clients, o.Calls, int(o.For), int(o.Stop)} {
		if n < 0 {
			return o, fmt.Errorf("torture: %d is negative", n)
		}
	}
	if o.For == 0 {
		o.For = time.Minute
	}
	if o.Seed == 0 {
		o.Seed = 1 + rand.Uint64N(1_000_000_000)
	}
	o.First = or(o.First, 1)
	o.Servers, o.Clients, o.Calls = or(o.Servers, 3), or(o.Clients, 8), or(o.Calls, 25)
	o.Stop = max(or(o.Stop, 300*time.Millisecond), time.Millisecond)
	return o, nil
}

// or returns n, or a default for 0.
func or[T comparable](n, byDefault T) T {
	var zero T
	if n == zero {
		return byDefault
	}
	return n
}

// Progress is how far a run has come.
type Progress struct {
	Elapsed    time.Duration `json:"-"`
	Histories  int64         `json:"histories"` // that were checked
	Undecided  int64         `json:"undecided"` // of those: no decision about their order in time
	Calls      int64         `json:"calls"`
	Retries    int64         `json:"retries"` // calls that were sent again with their keys
	Canaries   int64         `json:"canary_writes"`
	Kills      int64         `json:"kills"`
	Stops      int64         `json:"stops"`
	Terminated int64         `json:"terminated_backends"`
	Unknown    int64         `json:"unknown_outcomes"` // calls that the client never learned the outcome of
	Failures   int64         `json:"failures"`
}

// A Report is what a run has found.
type Report struct {
	Progress
	Seed     uint64    // of [Options]
	Database string    // what was tortured, without a password
	Kept     string    // what was kept because a check failed: the folder, or the agents; "": nothing
	Failures []Failure // nil: all checks passed
}

// A Failure is a check that did not pass.
type Failure struct {
	Round   int    `json:"round"`
	Seed    uint64 `json:"seed"`
	Problem string `json:"problem"`
	File    string `json:"file,omitempty"` // the history; "": there is none
}

// A run is what all rounds share.
type run struct {
	o      Options
	place  *place
	report Report
	began  time.Time

	mu       sync.Mutex // guards the following
	progress Progress
	problem  string // that was found beside the checks of a history
}

// Run tortures a database until the time is over, ctx ends, or a check fails. An error says
// that it could not go on; it is no verdict about the database. The end of ctx is no error.
func Run(ctx context.Context, o Options) (Report, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Report{}, err
	}
	r := &run{o: o, began: time.Now()}
	if r.place, err = newPlace(o); err != nil {
		return Report{}, err
	}
	r.report.Seed, r.report.Database = o.Seed, r.place.shown
	err = r.rounds(ctx)
	failed := errors.Is(err, errFailed)
	if failed || err != nil && ctx.Err() != nil {
		err = nil
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if cleaned := r.place.clean(late, failed); err == nil {
		err = cleaned
	}
	if failed {
		r.report.Kept = r.place.keeps
	}
	r.report.Progress = r.now()
	return r.report, err
}

// rounds runs one round after the other.
func (r *run) rounds(ctx context.Context) error {
	for n := 0; ctx.Err() == nil && (r.o.Rounds == 0 || n < r.o.Rounds) && (n == 0 || time.Since(r.began) < r.o.For); {
		played, err := r.era(ctx, r.o.First+n, min(eraRounds, max(r.o.Rounds-n, 0)))
		if err != nil {
			return err
		}
		n += played
	}
	return ctx.Err()
}

// eraRounds is how many rounds are played with the same SQLite database.
const eraRounds = 50

// era plays rounds on one database: as many as most, or eraRounds if it is 0.
func (r *run) era(ctx context.Context, first, most int) (played int, err error) {
	if err := r.place.renew(ctx); err != nil {
		return 0, err
	}
	start := launcher(r.o.Program, r.place.database, r.place.tenant)
	servers, err := newFleet(ctx, r.o.Servers, start)
	if err != nil {
		return 0, err
	}
	defer servers.kill()
	others, err := r.newChoir(ctx, servers, start)
	if err != nil {
		return 0, err
	}
	defer others.stop()
	for played = 0; played < or(most, eraRounds) && ctx.Err() == nil &&
		(played == 0 || time.Since(r.began) < r.o.For); played++ {
		if err := r.round(ctx, servers, first+played); err != nil {
			return played, err
		}
	}
	others.stop()
	if problem := r.take(); problem != "" {
		return played, r.failedBeside(first+played-1, problem)
	}
	if err := servers.end(); err != nil && ctx.Err() == nil {
		return played, r.failedBeside(first+played-1, err.Error())
	}
	if ctx.Err() != nil {
		return played, ctx.Err()
	}
	if err := r.place.verify(ctx); err != nil {
		return played, r.failedBeside(first+played-1, err.Error())
	}
	return played, nil
}

// round plays a round and checks it.
func (r *run) round(ctx context.Context, servers *fleet, n int) error {
	now := &round{
		run: r, fleet: servers, rand: rand.New(rand.NewPCG(r.o.Seed, uint64(n))),
		h: newHistory(r.o.Seed, n, fmt.Sprintf("agent-%d", n)),
	}
	now.play(ctx)
	// What was done is checked, even if the time is over.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	if err := now.judge(late); err != nil {
		return err
	}
	p, err := servers.get(ctx, n%r.o.Servers)
	if err != nil {
		return err
	}
	if _, err := p.ask(ctx, request{Tenant: r.place.tenant, Agent: now.h.Agent, Do: doForget}, 0); err != nil &&
		ctx.Err() == nil {
		return now.failed("deleting the agent: "+err.Error(), nil)
	}
	return nil
}

// fail remembers a problem that was found beside the checks of a history.
func (r *run) fail(problem string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.problem == "" {
		r.problem = problem
	}
}

// take returns the problem that fail remembers.
func (r *run) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.problem
}

// failedBeside ends the run for a problem that no history shows.
func (r *run) failedBeside(round int, problem string) error {
	r.count(func(p *Progress) { p.Failures++ })
	r.report.Failures = append(r.report.Failures, Failure{Round: round, Seed: r.o.Seed, Problem: problem})
	return errFailed
}

// count changes the progress and shows it.
func (r *run) count(change func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.progress)
	if r.o.Show != nil {
		p := r.progress
		p.Elapsed = time.Since(r.began)
		r.o.Show(p)
	}
}

func (r *run) now() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.progress
	p.Elapsed = time.Since(r.began)
	return p
}
