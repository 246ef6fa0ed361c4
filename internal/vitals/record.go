package vitals

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/meter"
)

const (
	// Step is the time between two samples.
	Step = 10 * time.Second

	// points is how many samples are kept: those of an hour.
	points = 360
)

// A recorder keeps the figures of the last hour, in memory that does not grow.
type recorder struct {
	sources []source

	// Only the goroutine of run uses the following.
	first    time.Time // of slot 0; the zero Time: there is no sample
	last     time.Time
	slot     int64 // of the last sample
	previous []reading

	mu   sync.Mutex  // guards the following
	ring [][]float64 // of each series, all of the same length
	next int         // where the next sample goes
	kept int         // how many samples there are
}

func newRecorder(sources []source) *recorder {
	r := &recorder{sources: sources, ring: make([][]float64, len(sources))}
	for i := range r.ring {
		r.ring[i] = make([]float64, points)
	}
	return r
}

// run takes a sample at once, and then each Step until ctx ends.
func (r *recorder) run(ctx context.Context) {
	tick := time.NewTicker(Step)
	defer tick.Stop()
	for {
		r.sample(time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sample reads the sources. Times that were missed, as by a process that was stopped, become
// gaps. A sample too soon after the last one is left out; the next one covers its time.
func (r *recorder) sample(now time.Time) {
	elapsed := now.Sub(r.last)
	slot := int64((now.Sub(r.first) + Step/2) / Step)
	switch {
	case r.last.IsZero() || elapsed <= 0: // a clock that was set back begins anew
		r.first, slot, r.slot, elapsed = now, 0, -1, 0
	case slot == r.slot:
		return
	}
	values, readings := make([]float64, len(r.sources)), make([]reading, len(r.sources))
	for i, s := range r.sources {
		readings[i] = s.read()
		if s.kind == gauge {
			values[i] = readings[i].number
		} else if values[i] = math.NaN(); elapsed > 0 {
			values[i] = s.kind.between(r.previous[i], readings[i], elapsed)
		}
	}
	r.add(min(slot-r.slot-1, points), values)
	r.last, r.slot, r.previous = now, slot, readings
}

// add adds a sample after so many gaps.
func (r *recorder) add(gaps int64, values []float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range gaps + 1 {
		for i := range r.ring {
			if r.ring[i][r.next] = math.NaN(); n == gaps {
				r.ring[i][r.next] = values[i]
			}
		}
		r.next = (r.next + 1) % points
		r.kept = min(r.kept+1, points)
	}
}

// series returns copies of all series. Before the first sample they have no points.
func (r *recorder) series() []console.Series {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]console.Series, len(r.sources))
	for i, s := range r.sources {
		oldest := r.ring[i][:r.next]
		if r.kept == points {
			oldest = slices.Concat(r.ring[i][r.next:], oldest)
		}
		all[i] = console.Series{Name: s.name, Unit: s.unit, Points: slices.Clone(oldest), Step: Step}
	}
	return all
}

// A reading is what a source says at one moment.
type reading struct {
	number float64      // of a gauge or a counter
	timing meter.Timing // of a latency
}

// A kind says how readings become figures.
type kind int

const (
	gauge   kind = iota // a reading is a figure
	counter             // the figure is the rate of two
	latency             // the figure is the 99th percentile of what happened between two
)

// between returns the figure of the time between two readings. It is NaN for a counter that
// went back, and for a latency if nothing happened.
func (k kind) between(a, b reading, elapsed time.Duration) float64 {
	if k == latency {
		return percentile99(a.timing, b.timing)
	}
	if b.number < a.number {
		return math.NaN()
	}
	return (b.number - a.number) / elapsed.Seconds()
}

// percentile99 returns the time in seconds that 99 of 100 of what b counts and a does not
// took or less, as near as the buckets tell. Above the last bucket it is that one's bound.
func percentile99(a, b meter.Timing) float64 {
	if len(a.Buckets) != len(b.Buckets) || len(b.Buckets) == 0 || b.Count <= a.Count {
		return math.NaN()
	}
	rank := 0.99 * float64(b.Count-a.Count)
	below, bound := 0.0, 0.0
	for i, now := range b.Buckets {
		n, most := float64(now.Count-a.Buckets[i].Count), now.AtMost.Seconds()
		switch {
		case n < below:
			return math.NaN() // it went back
		case n >= rank:
			return bound + (most-bound)*(rank-below)/(n-below)
		}
		below, bound = n, most
	}
	return bound
}
