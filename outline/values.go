package outline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

const fewDistinct = 6

// Values are what a key or a column has held.
type values struct {
	numbers, texts, bools, nulls, objects, arrays int

	min, max float64
	whole    bool // all numbers are
	distinct []distinct
	many     bool   // more of them than are kept
	first    string // text
	low      string // of dates
	high     string
	dates    int
}

type distinct struct {
	text string
	n    int
}

func (v *values) total() int {
	return v.numbers + v.texts + v.bools + v.nulls + v.objects + v.arrays
}

func (v *values) number(text string) {
	n, whole := smallInt(text)
	if !whole {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			v.text(text)
			return
		}
		n = f
	}
	if v.numbers == 0 {
		v.min, v.max, v.whole = n, n, true
	}
	v.min, v.max = min(v.min, n), max(v.max, n)
	v.whole = v.whole && whole
	v.numbers++
}

// smallInt reads a whole number of up to 15 digits.
func smallInt(text string) (float64, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 15 {
		return 0, false
	}
	n := 0
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = 10*n + int(digits[i]-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return float64(n), true
}

func (v *values) text(text string) {
	if v.texts == 0 {
		v.first = text
	}
	v.texts++
	if len(text) >= 10 && text[4] == '-' && text[7] == '-' && text[0] >= '0' && text[0] <= '9' {
		if v.dates == 0 || text < v.low {
			v.low = text
		}
		if v.dates == 0 || text > v.high {
			v.high = text
		}
		v.dates++
	}
	if v.many {
		return
	}
	for i := range v.distinct {
		if v.distinct[i].text == text {
			v.distinct[i].n++
			return
		}
	}
	if len(v.distinct) == fewDistinct || len(text) > 60 {
		v.many = true
		return
	}
	v.distinct = append(v.distinct, distinct{text, 1})
}

// describe says what the values are: their types, and what they are like.
func (v *values) describe() string {
	var parts []string
	if v.objects > 0 {
		parts = append(parts, "object")
	}
	if v.arrays > 0 {
		parts = append(parts, "array")
	}
	if v.numbers > 0 {
		kind := "number"
		if v.whole {
			kind = "integer"
		}
		if v.min == v.max {
			parts = append(parts, kind+" "+formatNumber(v.min))
		} else {
			parts = append(parts, fmt.Sprintf("%s %s to %s", kind, formatNumber(v.min), formatNumber(v.max)))
		}
	}
	if v.texts > 0 {
		parts = append(parts, v.describeTexts())
	}
	if v.bools > 0 {
		parts = append(parts, "bool")
	}
	if v.nulls > 0 {
		parts = append(parts, "null")
	}
	return strings.Join(parts, " or ")
}

func (v *values) describeTexts() string {
	switch {
	case v.dates == v.texts && v.low != v.high:
		return fmt.Sprintf("time %s to %s", excerpt.Clean(v.low, 32), excerpt.Clean(v.high, 32))
	case v.texts == 1:
		return strconv.Quote(excerpt.Clean(v.first, 40))
	case !v.many && len(v.distinct) < v.texts:
		slices.SortStableFunc(v.distinct, func(a, b distinct) int { return b.n - a.n })
		var list []string
		for _, d := range v.distinct {
			list = append(list, fmt.Sprintf("%q %d", excerpt.Clean(d.text, 24), d.n))
		}
		return "string " + strings.Join(list, ", ")
	}
	return "string, e.g. " + strconv.Quote(excerpt.Clean(v.first, 40))
}

func formatNumber(n float64) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', 6, 64)
}
