package diff

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var vocabulary = []string{"the", "quick", "Fox", "don't", "3.14", "17", "x_y", "é", "e\u0301", "\u0301", "früh", "用", "户", "かな",
	"カー", "ฉัน", "น้ำ", "ស្រី", "नमस्ते", "한국", "👍🏽", "👩‍💻", "🇩🇪🇫🇷", "🇩🇪🇫", "❤\ufe0f", "1️⃣", "\u202e", "\u200d", "\u00ad", "\x00", "\r", "\xff",
	" ", " ", " ", "  ", "\t", ".", ",", ", ", "'", "\"", "{", "}", "(", ")", ":=", "/", "-", "’"}

// line draws a line of some words.
var line = rapid.Custom(func(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 12).Draw(t, "words")
})

// edited draws a line that has some words of another.
func edited(t *rapid.T, words []string) []string {
	at := rapid.IntRange(0, len(words)).Draw(t, "at")
	end := rapid.IntRange(at, len(words)).Draw(t, "end")
	put := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 3).Draw(t, "put")
	return append(append(append([]string{}, words[:at]...), put...), words[end:]...)
}

// texts draws two texts. The second has lines of the first, lines that are edited and
// lines of its own.
func texts(t *rapid.T) (old, new []byte) {
	ends := []string{"\n", "\n", "\r\n"}
	for range rapid.IntRange(0, rapid.SampledFrom([]int{4, 30}).Draw(t, "limit")).Draw(t, "lines") {
		a := line.Draw(t, "line")
		e := rapid.SampledFrom(ends).Draw(t, "end")
		was, is := strings.Join(a, "")+e, strings.Join(a, "")+e
		switch rapid.IntRange(0, 5).Draw(t, "edit") {
		case 0, 1:
			is = strings.Join(edited(t, edited(t, a)), "") + rapid.SampledFrom(ends).Draw(t, "new end")
		case 2:
			was = ""
		case 3:
			is = ""
		}
		old, new = append(old, was...), append(new, is...)
	}
	if rapid.Bool().Draw(t, "cut") {
		old = bytes.TrimSuffix(old, []byte("\n"))
	}
	if rapid.Bool().Draw(t, "cut new") {
		new = bytes.TrimSuffix(new, []byte("\n"))
	}
	return old, new
}

// bytesOf has the bytes of each line end.
var bytesOf = map[LineEnd]string{LF: "\n", CRLF: "\r\n", NoNewline: ""}

// check reports where rows are not the two texts in order, gaps filled from the texts.
func check(rows []Row, old, new []byte, o Options) error {
	oldLines, newLines := bytes.SplitAfter(old, []byte("\n")), bytes.SplitAfter(new, []byte("\n"))
	i, j := 0, 0
	take := func(s Side, lines [][]byte, at *int) error {
		if s.Line == 0 && !reflect.DeepEqual(s, Side{}) {
			return fmt.Errorf("no line, but %+v", s)
		}
		if s.Line == 0 {
			return nil
		}
		if s.Line != *at+1 || s.Text+bytesOf[s.End] != string(lines[*at]) {
			return fmt.Errorf("side %+v, want line %d, %q", s, *at+1, lines[*at])
		}
		*at++
		return nil
	}
	for _, r := range rows {
		oldHas, newHas := r.Old.Line > 0, r.New.Line > 0
		switch r.Kind {
		case Gap:
			if r.Old.Line != i+1 || r.New.Line != j+1 || r.Lines < 2 || o.Context < 0 {
				return fmt.Errorf("gap %+v at %d, %d", r, i, j)
			}
			if !reflect.DeepEqual(oldLines[i:i+r.Lines], newLines[j:j+r.Lines]) {
				return fmt.Errorf("gap %+v hides a change", r)
			}
			i, j = i+r.Lines, j+r.Lines
			continue
		case Equal:
			if !oldHas || !newHas || r.Old.Text != r.New.Text || r.Old.End != r.New.End || r.Marked || r.EndDiffers {
				return fmt.Errorf("equal row %+v", r)
			}
		case Changed:
			if !oldHas || !newHas || !o.SideBySide {
				return fmt.Errorf("changed row %+v", r)
			}
		default:
			if oldHas != (r.Kind == Removed) || newHas != (r.Kind == Added) {
				return fmt.Errorf("row %+v", r)
			}
		}
		if err := take(r.Old, oldLines, &i); err != nil {
			return err
		}
		if err := take(r.New, newLines, &j); err != nil {
			return err
		}
	}
	if i+1 < len(oldLines) || j+1 < len(newLines) {
		return fmt.Errorf("rows end at lines %d and %d of %d and %d", i, j, len(oldLines), len(newLines))
	}
	return nil
}

// All rows together are both texts, to the byte. Pages of a view are the view. In both
// layouts marks stand on characters, and the lines of a pair are equal without them.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := texts(t)
		o := Options{SideBySide: rapid.Bool().Draw(t, "side by side"), Context: rapid.IntRange(-1, 4).Draw(t, "context")}
		d := Compare(old, new)
		v := d.View(o)
		rows := v.Rows(0, v.Len()+5)
		if len(rows) != v.Len() {
			t.Fatalf("%d rows, Len %d", len(rows), v.Len())
		}
		testkit.Must(t, check(rows, old, new, o))
		size := rapid.IntRange(1, 7).Draw(t, "page")
		var pages []Row
		for at := 0; at < v.Len(); at += size {
			pages = append(pages, v.Rows(at, at+size)...)
		}
		if len(rows) > 0 && !reflect.DeepEqual(pages, rows) {
			t.Fatalf("pages of %d rows differ from the view", size)
		}
	})
}
