// Package promtext writes metrics in the text format of Prometheus, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats/. It stands in place of
// Prometheus's own library, which adds 2.7 MB to the program.
package promtext

import (
	"bytes"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// ContentType is the type of what [Write] writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

// A Kind is the type of a metric.
type Kind string

// The kinds of metrics.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
	Summary   Kind = "summary"
)

// A Family is a metric with its series.
type Family struct {
	Name, Help string
	Kind       Kind
	Series     []Series
}

// A Series is the state of a metric for one set of labels.
type Series struct {
	Labels string  // as [Label] makes them, with commas between; "": none
	Value  float64 // of a Counter or a Gauge

	Count uint64  // of a Histogram or a Summary
	Sum   float64 // of a Histogram or a Summary
	Parts []Part  // the buckets of a Histogram without that of +Inf, or the quantiles of a Summary; in order
}

// A Part is a bucket of a Histogram: how many observations were at most At. Of a Summary it
// is the quantile At.
type Part struct{ At, Value float64 }

// Escapes of values and of help texts. A Replacer takes 6 KiB, so there is one of each.
var (
	inLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	inHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// Label returns a label.
func Label(name, value string) string {
	return name + `="` + inLabel.Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}

// Write writes the families in order of their names, and the series of each in order of
// their labels. Families of the same name are one. A family without series is left out.
func Write(to io.Writer, families []Family) error {
	sort.SliceStable(families, func(i, j int) bool { return families[i].Name < families[j].Name })
	var b bytes.Buffer
	for len(families) > 0 {
		f, n := families[0], 1
		all := slices.Clone(f.Series)
		for ; n < len(families) && families[n].Name == f.Name; n++ {
			all = append(all, families[n].Series...)
		}
		families = families[n:]
		if len(all) == 0 {
			continue
		}
		sort.SliceStable(all, func(i, j int) bool { return all[i].Labels < all[j].Labels })
		b.WriteString("# HELP " + f.Name + " " + inHelp.Replace(f.Help) + "\n# TYPE " + f.Name + " " + string(f.Kind) + "\n")
		for _, s := range all {
			s.write(&b, f.Name, f.Kind)
		}
	}
	_, err := to.Write(b.Bytes())
	return err
}

func (s Series) write(b *bytes.Buffer, name string, kind Kind) {
	line := func(end, labels, value string) {
		b.WriteString(name + end)
		if labels != "" {
			b.WriteString("{" + labels + "}")
		}
		b.WriteString(" " + value + "\n")
	}
	switch kind {
	case Histogram:
		for _, p := range s.Parts {
			line("_bucket", join(s.Labels, Label("le", number(p.At))), number(p.Value))
		}
		line("_bucket", join(s.Labels, `le="+Inf"`), number(float64(s.Count)))
	case Summary:
		for _, p := range s.Parts {
			line("", join(s.Labels, Label("quantile", number(p.At))), number(p.Value))
		}
	default:
		line("", s.Labels, number(s.Value))
		return
	}
	line("_sum", s.Labels, number(s.Sum))
	line("_count", s.Labels, number(float64(s.Count)))
}

func join(labels, last string) string {
	if labels == "" {
		return last
	}
	return labels + "," + last
}

func number(f float64) string {
	if math.IsInf(f, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
