package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// mebibyte and many are smaller in the plain run.
var (
	mebibyte = testkit.Pick(1<<16, 1<<20, 1<<20)
	many     = testkit.Pick(2000, 20_000, 20_000)
)

// lines makes n lines.
func lines(n int, line func(i int) string) []byte {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return []byte(b.String())
}

type hostile struct {
	name     string
	old, new []byte
}

func random(n int, alphabet string, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// hostiles are texts that are made to cost much, and large texts that a person has.
func hostiles() []hostile {
	item := func(i int) string { return fmt.Sprintf("item %d has a price of %d and a name", i, i*7%1000) }
	moved := func(i int) string { return fmt.Sprintf("item %d has a price of %d and a name", i, i*11%1000) }
	symbols := func(n int, alphabet string, seed uint64) func(int) string {
		return func(i int) string { return random(n, alphabet, seed+uint64(i)) }
	}
	long := strings.Repeat("word, ", mebibyte/6-10)
	head := lines(100, func(i int) string { return fmt.Sprintf("a new beginning, %d", i) })
	return []hostile{
		{"every line changed", lines(many, item), lines(many, moved)},
		{"every line changed below new ones", lines(many, item), append(head, lines(many, moved)...)},
		{"carriage returns", lines(many, item), lines(many, func(i int) string { return item(i) + "\r" })},
		{"indented and changed", lines(many, item), lines(many, func(i int) string {
			if i%3 == 0 {
				return "\t" + moved(i)
			}
			return "\t" + item(i)
		})},
		{"nothing in common", lines(many, item), lines(many, symbols(30, "xyzXYZ ", 1))},
		{"two symbols", lines(many, symbols(40, "a ", 1)), lines(many, symbols(40, "a ", 1000000))},
		{"punctuation", lines(128, symbols(8000, "{}[]", 1)), lines(128, symbols(8000, "{}[]", 1000))},
		{"lines of 256 tokens", lines(4000, symbols(256, ".,", 1)), lines(4000, symbols(256, ".,", 100000))},
		{"one long line", []byte(long + "old" + long[:100]), []byte(long + "new" + long[:100])},
		{"one long line of marks", []byte("a" + strings.Repeat("\u0301", mebibyte/2-10)), []byte("a" + strings.Repeat("\u0301", mebibyte/2-11))},
		{"one long line of flags", []byte("a" + strings.Repeat("🇩🇪", mebibyte/8-2)), []byte(strings.Repeat("🇩🇪", mebibyte/8-2))},
		{"only line feeds", []byte(strings.Repeat("\n", mebibyte/4)), []byte(strings.Repeat(" \n", mebibyte/8))},
		{"short lines", lines(mebibyte/3, symbols(2, "abcdef", 1)), lines(mebibyte/3, symbols(2, "uvwxyz", 1))},
		{"few against many", lines(2, item), lines(many, func(i int) string { return moved(i + 5) })},
	}
}

// All rows together are both texts.
func TestHostileTexts(t *testing.T) {
	testkit.SkipInShort(t)
	for _, c := range hostiles() {
		t.Run(c.name, func(t *testing.T) {
			d := Compare(c.old, c.new)
			o := Options{SideBySide: true, Context: 3}
			v := d.View(o)
			if !testkit.Long() {
				v.Rows(0, 100)
				return
			}
			testkit.Must(t, check(v.Rows(0, v.Len()), c.old, c.new, o))
		})
	}
}
