package search

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A date is a day, or a month of a year.
type date struct {
	year, month, day int // a year or a day of 0 is not known
	start, end       int // where its text is
}

// maxDates is how many dates of a query are known as dates; those after them are words.
const maxDates = 8

var months = strings.Fields("january february march april may june july august september october november december")

// monthOf returns the number of a month by its name in lower case, or by the beginning of the name;
// 0: it is none.
func monthOf(word string) int {
	return 1 + slices.IndexFunc(months, func(name string) bool {
		return word == name || word == name[:3] || word == "sept" && name[0] == 's'
	})
}

// dateAt returns the date in a text whose month is the word from start to end, a name or a number.
func dateAt(text []byte, start, end int) (d date, ok bool) {
	const reach = 24 // bytes before and after the month
	before, after := text[max(0, start-reach):start], text[end:min(len(text), end+reach)]
	word := bytes.ToLower(text[start:end])
	if n, size := number(word); size == len(word) && size <= 2 {
		d.month = n
		d.inNumbers(before, after)
	} else {
		d.month = monthOf(string(word))
		d.aroundName(before, after)
	}
	d.start, d.end = start-d.start, end+d.end
	return d, d.month >= 1 && d.month <= 12 && d.day <= 31 && (d.day > 0 || d.year > 0)
}

// inNumbers reads 2023-05-08, 2023-05, 2023年5月8日 or 08.05.2023 around the month. It leaves in start
// and end how many bytes the date has before and after the month.
func (d *date) inNumbers(before, after []byte) {
	const separators = "-/.年月"
	left, right := bytes.TrimRight(before, separators), bytes.TrimLeft(after, separators)
	first, firstSize := numberBefore(left)
	last, lastSize := number(right)
	isYear := firstSize == 4 && len(left) < len(before)
	isGerman := lastSize == 4 && bytes.HasSuffix(before, dot) && bytes.HasPrefix(after, dot)
	d.start = len(before) - len(left) + firstSize
	switch {
	case isYear && (lastSize == 0 || len(right) == len(after)):
		d.year = first
		return
	case isYear && lastSize <= 2:
		d.year, d.day = first, last
	case isGerman && (firstSize == 1 || firstSize == 2):
		d.year, d.day = last, first
	}
	d.end = len(after) - len(right) + lastSize
}

var dot = []byte(".")

// aroundName reads 8 May 2023, 8th of May, May 8th, 2023 or May 2023 around the name of the month.
func (d *date) aroundName(before, after []byte) {
	const gaps, ordinal = " .,-\n\t", "stndrh" // letters of 1st, 2nd, 3rd and 4th
	left := bytes.TrimRight(before, gaps)
	left = bytes.TrimRight(bytes.TrimSuffix(left, []byte("of")), gaps)
	left = bytes.TrimRight(left, ordinal)
	if n, size := numberBefore(left); size > 0 && size <= 2 {
		d.day, d.start = n, len(before)-len(left)+size
	}
	right := bytes.TrimLeft(after, gaps)
	n, size := number(right)
	if d.day == 0 && size > 0 && size <= 2 {
		d.day, d.end = n, len(after)-len(right)+size
		right = bytes.TrimLeft(bytes.TrimLeft(right[size:], ordinal), gaps)
		n, size = number(right)
	}
	if size == 4 {
		d.year, d.end = n, len(after)-len(right)+size
	}
}

const digits = "0123456789"

// number returns the number at the beginning of a text, and how many digits it has.
func number(text []byte) (n, size int) {
	size = len(text) - len(bytes.TrimLeft(text, digits))
	n, _ = strconv.Atoi(string(text[:size])) // those that are too large are no part of a date
	return n, size
}

// numberBefore returns the number at the end of a text.
func numberBefore(text []byte) (n, size int) {
	return number(text[len(bytes.TrimRight(text, digits)):])
}

// is reports whether a date in a text is the day, or a day of the month, that a query names.
func (d *date) is(found date) bool {
	return d.month == found.month && (d.day == 0 || d.day == found.day) &&
		(d.year == found.year || d.day > 0 && (d.year == 0 || found.year == 0))
}

// dates returns the dates in the text of a query.
func dates(text string) (all []date) {
	for i := 0; i < len(text) && len(all) < maxDates; i++ {
		start := i
		for i < len(text) && byteClass[text[i]]&(byteLower|byteUpper) != 0 {
			i++
		}
		last := len(all) - 1
		if d, ok := dateAt([]byte(text), start, i); i > start && ok && (last < 0 || d.start >= all[last].end) {
			all = append(all, d)
		}
	}
	return all
}

// date adds the term of a date, if the query has none. In a text, it begins at the name or the
// number of its month.
func (b *builder) date(d date) {
	term, isNew := b.term(fmt.Sprint("\x00", d.year, d.month, d.day), 1)
	if !isNew {
		return
	}
	name := months[d.month-1]
	names := []string{name, name[:3], fmt.Sprint(d.month), fmt.Sprintf("%02d", d.month)}
	if d.month == 9 {
		names = append(names, "sept")
	}
	for _, text := range slices.Compact(names) {
		b.q.begin[text[0]] = append(b.q.begin[text[0]], word{text: text, term: term, date: &d})
	}
	b.q.words = append(b.q.words, name[:3])
	if d.year == 0 { // else a date in numbers has the year, which is a word of the query
		b.q.words = append(b.q.words, names[2])
	}
	b.follow(term, b.pos)
	b.pos++
}
