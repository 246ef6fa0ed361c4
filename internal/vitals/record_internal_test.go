package vitals

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/meter"
)

var nan = math.NaN()

// same reports whether figures are the same. NaN is the same as NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool {
		return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9
	})
}

// feed samples values of one kind at times, which are seconds, and returns the figures.
func feed(k kind, samples ...[2]float64) []float64 {
	var now reading
	r := newRecorder([]source{{name: "x", kind: k, read: func() reading { return now }}})
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) // a time that can be set back
	for _, s := range samples {
		now.number = s[1]
		r.sample(begin.Add(time.Duration(s[0] * float64(time.Second))))
	}
	return r.series()[0].Points
}

func TestRates(t *testing.T) {
	for name, c := range map[string]struct {
		k       kind
		samples [][2]float64
		want    []float64
	}{
		"a gauge":                {gauge, [][2]float64{{0, 5}, {10, 3}, {20, 0}}, []float64{5, 3, 0}},
		"a rate":                 {counter, [][2]float64{{0, 100}, {10, 120}, {20, 120}, {30, 125}}, []float64{nan, 2, 0, .5}},
		"a counter went back":    {counter, [][2]float64{{0, 100}, {10, 120}, {20, 5}, {30, 25}}, []float64{nan, 2, nan, 2}},
		"late by a little":       {counter, [][2]float64{{0, 0}, {14, 28}, {20, 40}}, []float64{nan, 2, 2}},
		"late by more":           {counter, [][2]float64{{0, 0}, {16, 32}, {20, 32}, {30, 60}}, []float64{nan, nan, 2, 2}},
		"stopped for a while":    {counter, [][2]float64{{0, 0}, {40, 80}, {50, 90}}, []float64{nan, nan, nan, nan, 2, 1}},
		"gauge stopped":          {gauge, [][2]float64{{0, 1}, {30, 2}}, []float64{1, nan, nan, 2}},
		"the clock set back":     {counter, [][2]float64{{0, 0}, {10, 20}, {-3600, 40}, {-3590, 60}}, []float64{nan, 2, nan, 2}},
		"a gauge, set back":      {gauge, [][2]float64{{0, 1}, {10, 2}, {5, 3}, {15, 4}}, []float64{1, 2, 3, 4}},
		"twice at the same time": {counter, [][2]float64{{0, 0}, {10, 20}, {10, 30}, {20, 40}}, []float64{nan, 2, nan, 1}},
	} {
		if got := feed(c.k, c.samples...); !same(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// However long a server runs, and however long it was stopped, an hour is kept.
func TestAnHourIsKept(t *testing.T) {
	var samples [][2]float64
	for i := range 1000 {
		samples = append(samples, [2]float64{float64(10 * i), float64(i)})
	}
	got := feed(gauge, samples...)
	if len(got) != points || got[0] != 640 || got[points-1] != 999 || !slices.IsSorted(got) {
		t.Errorf("%d points from %v to %v", len(got), got[0], got[len(got)-1])
	}
	got = feed(gauge, append(samples, [2]float64{1e9, 7})...)
	if len(got) != points || got[points-1] != 7 || !math.IsNaN(got[0]) || !math.IsNaN(got[points-2]) {
		t.Errorf("after a long stop: %d points, the last are %v", len(got), got[points-3:])
	}
}

func timing(counts ...int64) meter.Timing {
	t := meter.Timing{Buckets: make([]meter.Bucket, len(counts))}
	for i, n := range counts {
		t.Count += n
		t.Buckets[i] = meter.Bucket{AtMost: time.Duration(i+1) * time.Second, Count: t.Count}
	}
	return t
}

func TestPercentile(t *testing.T) {
	above := timing(1, 0)
	above.Count += 99
	for name, c := range map[string]struct {
		a, b meter.Timing
		want float64
	}{
		"all in one bucket":       {timing(0, 0, 0), timing(0, 100, 0), 1.99},
		"only what is new":        {timing(1000, 0, 0), timing(1000, 0, 1), 2.99},
		"nearly all in the first": {timing(0, 0), timing(99, 1), 1},
		"above the last bound":    {timing(0, 0), above, 2},
		"nothing new":             {timing(5, 5), timing(5, 5), nan},
		"it went back":            {timing(5, 5), timing(1, 0), nan},
		"one bucket went back":    {timing(5, 0), timing(2, 50), nan},
		"nothing to count":        {meter.Timing{}, meter.Timing{}, nan},
		"other buckets":           {timing(1), timing(1, 2), nan},
	} {
		if got := percentile99(c.a, c.b); !same([]float64{got}, []float64{c.want}) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A server takes a sample each ten seconds, until Close.
func TestSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		v := Start(Options{Tools: func() meter.Timing { asked++; return timing(int64(10 * asked)) }})
		time.Sleep(30*time.Second + time.Millisecond)
		synctest.Wait()
		series := v.recorder.series()
		if got := series[0]; got.Name != "Calls of tools" || got.Unit != perSecond || got.Step != Step || !same(got.Points, []float64{nan, 2, 2, 2}) {
			t.Errorf("the calls are %+v", got) // each sample asks twice: for the rate and the times
		}
		if got := series[len(series)-1]; got.Name != "Goroutines" || len(got.Points) != 4 || got.Points[0] < 1 {
			t.Errorf("the goroutines are %+v", got)
		}
		if got := series[len(series)-2]; got.Unit != bytes || got.Points[0] < 1<<20 {
			t.Errorf("the memory is %+v", got)
		}
		v.Close()
		before := asked
		time.Sleep(time.Minute)
		if asked != before {
			t.Errorf("%d samples after Close", asked-before)
		}
	})
}
