package linediff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const mebibyte = 1 << 20

// A generator makes lines until they come to a mebibyte.
func text(line func(i int) string) []byte {
	var b []byte
	for i := 0; ; i++ {
		l := line(i)
		if len(b)+len(l)+1 > mebibyte {
			return b
		}
		b = append(append(b, l...), '\n')
	}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// letters makes lines of one of n letters, and empty ones at the given rate.
func letters(seed uint64, n int, empty float64) []byte {
	r := random(seed)
	return text(func(int) string {
		if r.Float64() < empty {
			return ""
		}
		return string(rune('!' + r.IntN(n)))
	})
}

func prose(seed uint64, i int) string {
	return fmt.Sprintf("the line %d of the text %d says nothing that any other says", i, seed)
}

func shuffled(t []byte) []byte {
	lines := strings.SplitAfter(string(t), "\n")
	lines = lines[:len(lines)-1]
	random(9).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return []byte(strings.Join(lines, ""))
}

func reversed(t []byte) []byte {
	lines := strings.SplitAfter(string(t), "\n")
	lines = lines[:len(lines)-1]
	slices.Reverse(lines)
	return []byte(strings.Join(lines, ""))
}

// edited replaces, removes or doubles one line in two.
func edited(t []byte) []byte {
	r := random(2)
	var b []byte
	for l := range strings.Lines(string(t)) {
		switch r.IntN(6) {
		case 0:
			b = append(b, fmt.Sprintf("%d\n", r.IntN(1000))...)
		case 1:
			b = append(b, l+l...)
		case 2:
		default:
			b = append(b, l...)
		}
	}
	return b[:min(len(b), mebibyte)]
}

func short(i int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#"
	return string([]byte{digits[i>>12&63], digits[i>>6&63], digits[i&63]})
}

// source has the lines of programs: some distinct, many that recur.
func source() []byte {
	r := random(1)
	common := []string{"", "}", "\t}", "\treturn nil", "\t\treturn err", "\tif err != nil {"}
	return text(func(int) string {
		if r.IntN(2) == 0 {
			return common[r.IntN(len(common))]
		}
		return fmt.Sprintf("\tx%d", r.IntN(1000))
	})
}

type benchCase struct {
	name     string
	old, new []byte
}

func cases() []benchCase {
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = prose(1, i)
	}
	before := strings.Join(lines, "\n")
	lines[1000] = "changed"
	after := strings.Join(lines, "\n")
	distinct := text(short)
	half := mebibyte / 2
	two := letters(1, 2, 0)
	return []benchCase{
		{"one line of 2000", []byte(before), []byte(after)},
		{"identical", two, slices.Clone(two)},
		{"all different", text(short), text(func(i int) string { return short(262143 - i)[1:] + "~" })},
		{"shuffled", distinct, shuffled(distinct)},
		{"reversed", distinct, reversed(distinct)},
		{"two symbols", two, letters(2, 2, 0)},
		{"700000 lines", letters(1, 60, 0.5), letters(2, 60, 0.5)},
		{"programs edited 1 in 2", source(), edited(source())},
		{"equal tails", slices.Concat(letters(1, 60, 0.5)[:half], two[half:]), slices.Concat(letters(2, 60, 0.5)[:half], two[half:])},
		{"equal tails inserted", two, slices.Concat(letters(3, 2, 0)[:mebibyte/16], two)[:mebibyte]},
		{"one symbol against two", []byte(strings.Repeat("!\n", half)), two},
		{"few against many", letters(1, 60, 0.5)[:10000], letters(2, 60, 0.5)},
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, c := range cases() {
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			var d *linediff.Diff
			for b.Loop() {
				d = linediff.Compare(c.old, c.new)
			}
			b.ReportMetric(float64(changed(d)), "changed-lines")
		})
	}
}
