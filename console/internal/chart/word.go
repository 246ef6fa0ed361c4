package chart

import (
	"math"
	"strconv"
)

// A step is a larger or smaller unit.
type step struct {
	size float64
	unit string
}

var (
	byteSteps   = []step{{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}
	secondSteps = []step{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}
)

// word returns a value with its unit, with three digits that count.
func word(v float64, unit string) string {
	steps := []step{{1, unit}}
	switch unit {
	case "B":
		steps = byteSteps
	case "s":
		steps = secondSteps
	}
	use := steps[len(steps)-1]
	for _, s := range steps {
		if math.Abs(v) >= s.size {
			use = s
			break
		}
	}
	if v == 0 {
		use = step{1, unit}
	}
	text := digits(v / use.size)
	switch use.unit {
	case "", "/s":
		return text + use.unit
	}
	return text + "\u00a0" + use.unit
}

// digits returns a number with three digits that count, and no exponent unless it is huge or
// next to nothing.
func digits(v float64) string {
	switch size := math.Abs(v); {
	case v == math.Trunc(v) && size < 1e6:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case size >= 1e6:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case size >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
