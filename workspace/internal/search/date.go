package search

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A date is a day, or a month of a year.
type date struct {
	year, month, day int // a year or a day of 0 is not known
	start, end       int // where its text is
}

// maxDates is how many dates of a query are known as dates.
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
	left, sep := cutSeparator(before, bytes.CutSuffix)
	right, sep2 := cutSeparator(after, bytes.CutPrefix)
	first, firstSize := numberBefore(left)
	last, lastSize := number(right)
	d.start = len(before) - len(left) + firstSize
	switch {
	case firstSize == 4 && sep != "" && (sep2 == "" || lastSize == 0):
		d.year = first
		return
	case firstSize == 4 && sep != "" && lastSize <= 2:
		d.year, d.day = first, last
	case lastSize == 4 && sep == "." && sep2 == "." && firstSize > 0 && firstSize <= 2:
		d.year, d.day = last, first
	}
	d.end = len(after) - len(right) + lastSize
}

func cutSeparator(text []byte, cut func(text, sep []byte) ([]byte, bool)) (rest []byte, sep string) {
	for _, sep := range []string{"-", "/", ".", "年", "月"} {
		if rest, found := cut(text, []byte(sep)); found {
			return rest, sep
		}
	}
	return text, ""
}

// aroundName reads 8 May 2023, 8th of May, May 8th, 2023 or May 2023 around the name of the month.
func (d *date) aroundName(before, after []byte) {
	const gaps = " .,-\n\t"
	left := bytes.TrimRight(before, gaps)
	left = bytes.TrimRight(bytes.TrimSuffix(left, []byte("of")), gaps)
	left = trimOrdinal(left, bytes.TrimSuffix)
	if n, size := numberBefore(left); size > 0 && size <= 2 {
		d.day, d.start = n, len(before)-len(left)+size
	}
	right := bytes.TrimLeft(after, gaps)
	n, size := number(right)
	if d.day == 0 && size > 0 && size <= 2 {
		d.day, d.end = n, len(after)-len(right)+size
		right = bytes.TrimLeft(trimOrdinal(right[size:], bytes.TrimPrefix), gaps)
		n, size = number(right)
	}
	if size == 4 {
		d.year, d.end = n, len(after)-len(right)+size
	}
}

func trimOrdinal(text []byte, trim func(text, end []byte) []byte) []byte {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		text = trim(text, []byte(end))
	}
	return text
}

// number returns the number at the beginning of a text, and how many digits it has.
func number(text []byte) (n, size int) {
	for size < len(text) && text[size] >= '0' && text[size] <= '9' && size < 9 {
		n = n*10 + int(text[size]-'0')
		size++
	}
	return n, size
}

// numberBefore returns the number at the end of a text.
func numberBefore(text []byte) (n, size int) {
	from := len(text)
	for from > 0 && text[from-1] >= '0' && text[from-1] <= '9' {
		from--
	}
	return number(text[from:])
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

// date adds the term of a date. In a text, it begins at the name or the number of its month.
func (b *builder) date(d date) {
	name := months[d.month-1]
	term, isNew := b.term(fmt.Sprint("\x00", d.year, d.month, d.day), 1)
	if isNew {
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
	}
	b.follow(term, b.pos)
	b.pos++
}
