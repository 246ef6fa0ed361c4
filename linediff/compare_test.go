package linediff_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
)

// texts draws two texts of few distinct lines, the second often an edit of the first.
func texts(t *rapid.T) (old, new []byte) {
	alphabet := []string{"a\n", "b\n", "\n", "a\r\n", "\x00\n", "a b\n", "<\u2028>\"\\\n"}
	alphabet = alphabet[:rapid.IntRange(1, len(alphabet)).Draw(t, "symbols")]
	line := rapid.SampledFrom(alphabet)
	limit := rapid.SampledFrom([]int{6, 30, 200}).Draw(t, "limit")
	lines := rapid.SliceOfN(line, 0, limit).Draw(t, "old")
	other := rapid.SliceOfN(line, 0, limit).Draw(t, "new")
	if rapid.Bool().Draw(t, "edit") {
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		end := rapid.IntRange(at, len(lines)).Draw(t, "end")
		other = append(append(append([]string{}, lines[:at]...), other[:min(3, len(other))]...), lines[end:]...)
	}
	rest := rapid.SampledFrom([]string{"", "", "a", "b", "\r", "\x00"})
	return []byte(strings.Join(lines, "") + rest.Draw(t, "old rest")),
		[]byte(strings.Join(other, "") + rest.Draw(t, "new rest"))
}

// checkRuns reports where the runs are not, in order, the lines of both texts, maximal, and truly equal where they say so.
func checkRuns(d *linediff.Diff, old, new []byte) error {
	oldLines, newLines := bytes.SplitAfter(old, []byte("\n")), bytes.SplitAfter(new, []byte("\n"))
	i, j, removed, added := 0, 0, 0, 0
	last := linediff.Op(255)
	for _, r := range d.Runs() {
		if r.Old != i || r.New != j || r.Lines < 1 {
			return fmt.Errorf("run %+v, want it at %d, %d", r, i, j)
		}
		if r.Op == last || last == linediff.Add && r.Op == linediff.Remove {
			return fmt.Errorf("run %+v after %s", r, last)
		}
		last = r.Op
		for range r.Lines {
			switch r.Op {
			case linediff.Equal:
				if !bytes.Equal(oldLines[i], newLines[j]) {
					return fmt.Errorf("run %+v: %q and %q are not equal", r, oldLines[i], newLines[j])
				}
				i, j = i+1, j+1
			case linediff.Remove:
				removed += len(oldLines[i])
				i++
			case linediff.Add:
				added += len(newLines[j])
				j++
			}
		}
	}
	if i != linediff.Lines(old) || j != linediff.Lines(new) {
		return fmt.Errorf("runs end at %d, %d, want %d, %d", i, j, linediff.Lines(old), linediff.Lines(new))
	}
	if gotRemoved, gotAdded := d.Size(); gotRemoved != removed || gotAdded != added {
		return fmt.Errorf("size %d, %d, want %d, %d", gotRemoved, gotAdded, removed, added)
	}
	return nil
}

func checkDiff(d *linediff.Diff, old, new []byte) error {
	if err := checkRuns(d, old, new); err != nil {
		return err
	}
	for context := -1; context <= 4; context++ {
		got, err := linediff.Apply(old, d.Chunks(context))
		if err != nil {
			return fmt.Errorf("context %d: %w", context, err)
		}
		if !bytes.Equal(got, new) {
			return fmt.Errorf("context %d: applied is %q, want %q", context, got, new)
		}
	}
	return nil
}

// changed is the number of lines removed and added.
func changed(d *linediff.Diff) int {
	n := 0
	for _, r := range d.Runs() {
		if r.Op != linediff.Equal {
			n += r.Lines
		}
	}
	return n
}

// least is the number of lines that a minimal difference removes and adds, by the table of common subsequences.
func least(old, new []byte) int {
	a, b := strings.SplitAfter(string(old), "\n"), strings.SplitAfter(string(new), "\n")
	a, b = a[:linediff.Lines(old)], b[:linediff.Lines(new)]
	return len(a) + len(b) - 2*linediff.Longest(a, b)
}

func TestCompareIsAppliedAndMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := texts(t)
		d := linediff.Compare(old, new)
		testkit.Must(t, checkDiff(d, old, new))
		if got, want := changed(d), least(old, new); got != want {
			t.Fatalf("%d lines changed, want %d", got, want)
		}
	})
}

func TestCompareWithinAnyWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := texts(t)
		work := rapid.SampledFrom([]int64{-1, 0, 100, 1000, 3000, 10_000, 30_000, 100_000}).Draw(t, "work")
		testkit.Must(t, checkDiff(linediff.CompareWithin(old, new, work), old, new))
	})
}

// The large texts go the ways that small ones do not.
func TestCompareLargeTexts(t *testing.T) {
	testkit.SkipUnlessLong(t)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			d := linediff.Compare(c.old, c.new)
			testkit.Must(t, checkRuns(d, c.old, c.new))
			for _, context := range []int{0, 3, -1} {
				got, err := linediff.Apply(c.old, d.Chunks(context))
				if err != nil || !bytes.Equal(got, c.new) {
					t.Fatalf("context %d: applying does not give the new text: %v", context, err)
				}
			}
		})
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd"), int64(0))
	f.Add([]byte(""), []byte("\r\n\x00"), int64(100))
	f.Add([]byte("a\n\n\na"), []byte("\n\na\n"), int64(1000))
	f.Add(bytes.Repeat([]byte("a\nb\n"), 50), bytes.Repeat([]byte("b\nb\na\n"), 40), int64(2000))
	f.Add([]byte("a\nb\nc\na\n"), []byte("b\na\nc\nb\n"), int64(-65))
	f.Fuzz(func(t *testing.T, old, new []byte, work int64) {
		d := linediff.Compare(old, new)
		if err := checkDiff(d, old, new); err != nil {
			t.Error(err)
		}
		if len(old)+len(new) < 500 && changed(d) != least(old, new) {
			t.Errorf("%d lines changed, want %d", changed(d), least(old, new))
		}
		if err := checkDiff(linediff.CompareWithin(old, new, work), old, new); err != nil {
			t.Errorf("work %d: %v", work, err)
		}
	})
}
