package chart_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/chart"
)

var update = flag.Bool("update", false, "write the golden files")

var nan, inf = math.NaN(), math.Inf(1)

func fill(n int, f func(int) float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = f(i)
	}
	return values
}

var charts = map[string][]float64{
	"none":      nil,
	"one":       {5},
	"zero":      {0, 0, 0, 0},
	"level":     {3, 3, 3, 3, 3},
	"rising":    {0, 1, 2, 3, 4, 5},
	"negative":  {-1, -2, 1, -4},
	"gaps":      {1, 2, nan, 2, 3, nan, nan, 4, nan, 1, 2},
	"missing":   {nan, nan, nan},
	"infinite":  {1, inf, 2, -inf, 3, nan},
	"huge":      {math.MaxFloat64, -math.MaxFloat64, 0, math.MaxFloat64 / 2},
	"tiny":      {math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64},
	"hour":      fill(360, func(i int) float64 { return 50 + 50*math.Sin(float64(i)/20) }),
	"spike":     fill(360, func(i int) float64 { return map[bool]float64{true: 1000}[i == 181] }),
	"hole":      fill(360, func(i int) float64 { return map[bool]float64{true: nan, false: 2}[i == 181] }),
	"restarted": fill(360, func(i int) float64 { return map[bool]float64{true: nan, false: 2}[i < 300] }),
}

func TestGolden(t *testing.T) {
	for name, values := range charts {
		got := string(chart.Chart{Name: "Calls", Values: values, Unit: "/s"}.HTML()) + "\n"
		file := filepath.Join("testdata", name+".html")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || got != string(want) {
			t.Errorf("%s is\n%swant\n%s(%v)", name, got, want, err)
		}
	}
}

// hostile returns values that a careless sampler could give.
func hostile() map[string][]float64 {
	all := map[string][]float64{
		"long":        fill(1_000_000, func(i int) float64 { return float64(i * 7919 % 1009) }),
		"alternating": fill(360, func(i int) float64 { return [...]float64{nan, 1, inf, 1e300}[i%4] }),
		"extremes":    fill(360, func(i int) float64 { return math.MaxFloat64 * float64(i%3-1) }),
		"noise":       fill(360, func(i int) float64 { return float64(i * 7919 % 1009) }),
	}
	for name, values := range charts {
		all[name] = values
	}
	return all
}

var number = regexp.MustCompile(`[MlhvZ]|-?\d+`)

// What is drawn is well formed, within its box, short, and free of styles and scripts.
func TestHostile(t *testing.T) {
	for name, values := range hostile() {
		got := string(chart.Chart{Name: `<script>"&'`, Values: values, Unit: "<i>"}.HTML())
		if len(got) > 3000 {
			t.Errorf("%s has %d bytes", name, len(got))
		}
		for _, bad := range []string{"style", "<script", "<i>", "NaN", "Inf"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s has %q:\n%.500s", name, bad, got)
			}
		}
		d := xml.NewDecoder(strings.NewReader(got))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v in\n%s", name, err, got)
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
				for _, a := range e.Attr {
					if a.Name.Local == "d" {
						within(t, name, a.Value)
					}
				}
			}
		}
	}
}

// within follows a path and tests that it does not leave the box.
func within(t *testing.T, name, path string) {
	t.Helper()
	if left := number.ReplaceAllString(path, ""); strings.Trim(left, " ") != "" {
		t.Errorf("%s: path has %q", name, left)
	}
	parts := number.FindAllString(path, -1)
	x, y := 0, 0
	for i := 0; i < len(parts); {
		var dx, dy int
		op := parts[i]
		n := map[string]int{"M": 2, "l": 2, "h": 1, "v": 1}[op]
		args := strings.Join(parts[i+1:i+1+n], " ")
		i += 1 + n
		switch op {
		case "M":
			x, y = 0, 0
			fmt.Sscan(args, &dx, &dy)
		case "l":
			fmt.Sscan(args, &dx, &dy)
		case "h":
			fmt.Sscan(args, &dx)
		case "v":
			fmt.Sscan(args, &dy)
		}
		if x, y = x+dx, y+dy; x < 0 || x > 240 || y < 0 || y > 40 {
			t.Fatalf("%s: the path leaves the box at %d %d: %.200s", name, x, y, path)
		}
	}
}

// The text alternative says what the eye sees.
func TestAlternative(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, `aria-label="Memory: no values yet"`},
		{[]float64{nan, inf}, `aria-label="Memory: no values yet"`},
		{[]float64{1, 3, 2}, `aria-label="Memory: now 2, least 1, most 3"`},
		{[]float64{1, 3, nan}, `aria-label="Memory: no value now, least 1, most 3, 1 of 3 values missing"`},
	} {
		if got := string(chart.Chart{Name: "Memory", Values: c.values}.HTML()); !strings.Contains(got, c.want) {
			t.Errorf("%v has not %s:\n%s", c.values, c.want, got)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0, "B", "0\u00a0B"}, {999, "B", "999\u00a0B"}, {1536, "B", "1.54\u00a0kB"}, {512e6, "B", "512\u00a0MB"}, {-2000, "B", "-2\u00a0kB"},
		{0, "s", "0\u00a0s"}, {0.0123, "s", "12.3\u00a0ms"}, {2.5, "s", "2.5\u00a0s"}, {0.00025, "s", "250\u00a0µs"},
		{0.1, "/s", "0.1/s"}, {12.34, "/s", "12.3/s"}, {99.99, "/s", "100/s"}, {99999, "", "99999"}, {1234567.8, "", "1.23e+06"}, {0.00001, "", "1e-05"},
	} {
		got := string(chart.Chart{Name: "x", Values: []float64{c.value}, Unit: c.unit}.HTML())
		if want := "<b>" + c.want + "</b>"; !strings.Contains(got, want) {
			t.Errorf("%v of %q has not %s:\n%s", c.value, c.unit, want, got)
		}
	}
}
