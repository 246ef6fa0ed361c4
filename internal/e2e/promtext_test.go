package e2e

import (
	"bytes"
	"math"
	"testing"

	"github.com/prometheus/common/expfmt"
	names "github.com/prometheus/common/model"

	"github.com/agent-scratchpad/scratchpad/internal/promtext"
)

// Prometheus's own parser reads back what was written, whatever the labels and the help hold.
func TestPrometheusReadsMetrics(t *testing.T) {
	const evil = "a\\b\"c\"\nevil_total 1\n# TYPE x gauge\xff"
	took := promtext.NewTimer([]float64{.001, .25, 1})
	for _, v := range []float64{.001, .0010001, .25, 2, 1e9} {
		took.Observe(v)
	}
	var text bytes.Buffer
	err := promtext.Write(&text, []promtext.Family{
		{Name: "took_seconds", Help: "How long.", Kind: promtext.Histogram, Series: []promtext.Series{took.Series(promtext.Label("tool", evil)), took.Series("")}},
		{Name: "b_total", Help: evil, Kind: promtext.Counter, Series: []promtext.Series{{Labels: promtext.Label("of", evil), Value: math.MaxInt64}}},
		{Name: "none_total", Help: "It has no series.", Kind: promtext.Counter},
		{Name: "b_total", Help: "A second part of b_total.", Kind: promtext.Counter, Series: []promtext.Series{{Labels: promtext.Label("of", "a"), Value: 3}}},
		{Name: "g", Help: "A gauge.", Kind: promtext.Gauge, Series: []promtext.Series{{Value: math.Inf(1)}}},
		{Name: "s", Help: "A summary.", Kind: promtext.Summary, Series: []promtext.Series{{Count: 2, Sum: .5, Parts: []promtext.Part{{At: .5, Value: .2}, {At: 1, Value: .3}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := expfmt.NewTextParser(names.LegacyValidation)
	all, err := p.TextToMetricFamilies(&text)
	if err != nil || len(all) != 4 {
		t.Fatalf("%d metrics, %v", len(all), err)
	}
	const read = "a\\b\"c\"\nevil_total 1\n# TYPE x gauge\uFFFD"
	b := all["b_total"].Metric
	if len(b) != 2 || b[0].Label[0].GetValue() != "a" || b[0].Counter.GetValue() != 3 || b[1].Label[0].GetValue() != read || b[1].Counter.GetValue() != math.MaxInt64 {
		t.Errorf("b_total = %v", b)
	}
	if g := all["g"].Metric[0].Gauge.GetValue(); !math.IsInf(g, 1) {
		t.Errorf("g = %v", g)
	}
	s := all["s"].Metric[0].Summary
	if s.GetSampleCount() != 2 || s.GetSampleSum() != .5 || len(s.Quantile) != 2 || s.Quantile[1].GetQuantile() != 1 || s.Quantile[1].GetValue() != .3 {
		t.Errorf("s = %v", s)
	}
	for _, m := range all["took_seconds"].Metric {
		h := m.Histogram
		if h.GetSampleCount() != 5 || len(h.Bucket) != 4 {
			t.Fatalf("took_seconds = %v", h)
		}
		for i, want := range []uint64{1, 3, 3, 5} {
			if h.Bucket[i].GetCumulativeCount() != want {
				t.Errorf("bucket %v = %d, want %d", h.Bucket[i].GetUpperBound(), h.Bucket[i].GetCumulativeCount(), want)
			}
		}
	}
}
