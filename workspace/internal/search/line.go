package search

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// MaxText is the most characters of the text of a hit.
const MaxText = 200

// bestLine returns the line of the last passage that was matched which says most: the
// one with the rarest terms. A heading, which ends before headEnd, is shown if no other
// line says as much. line counts from 0.
func (s *scorer) bestLine(body *scanner, text []byte, headEnd int) (line int, shown string, marks [][2]int) {
	hits := body.hits
	inLine := make([]int, len(s.q.terms)) // of each term: the last line with it, from 1
	if len(s.q.phrases) > 0 {             // they come last
		slices.SortStableFunc(hits, func(a, b hit) int { return int(a.start) - int(b.start) })
	}
	bestAt, bestScore, bestFrom, bestTo := firstText(text), -1.0, 0, 0
	for i := 0; i < len(hits); {
		at := int(hits[i].start) - lastLine(text[:hits[i].start])
		end := at + lineSize(text[at:])
		score, from, terms := 0.0, i, 0
		for ; i < len(hits) && int(hits[i].start) < end; i++ {
			if t := hits[i].term; inLine[t] != at+1 {
				inLine[t] = at + 1
				score += s.rarities[t]
				terms++
			}
		}
		if at < headEnd {
			score *= 0.99
		}
		if score > bestScore {
			bestAt, bestScore, bestFrom, bestTo = at, score, from, i
		}
		if terms == len(body.seen) && terms <= 2 && at >= headEnd {
			break // no line says more; sums of more terms differ by their order
		}
	}
	end := bestAt + lineSize(text[bestAt:])
	for _, h := range hits[bestFrom:bestTo] {
		if s.q.terms[h.term].weight == 0 {
			continue
		}
		mark := [2]int{int(h.start) - bestAt, min(int(h.end), end) - bestAt}
		if n := len(marks); n > 0 && mark[0] <= marks[n-1][1] {
			marks[n-1][1] = max(marks[n-1][1], mark[1])
		} else {
			marks = append(marks, mark)
		}
	}
	shown, marks = clip(text[bestAt:end], marks)
	return bytes.Count(text[:bestAt], []byte("\n")), shown, marks
}

// firstText returns where the first line begins that is not blank.
func firstText(text []byte) int {
	for at := 0; at < len(text); {
		size := lineSize(text[at:])
		if !isBlank(text[at : at+size]) {
			return at
		}
		at += size
	}
	return 0
}

// lastLine returns the bytes after the last line feed.
func lastLine(text []byte) int {
	n := 0
	for n < len(text) && text[len(text)-1-n] != '\n' {
		n++
	}
	return n
}

// clip returns a line as it is shown: without control characters, with single spaces, and
// at most MaxText characters, cut at words so that it has as many of the marks as
// possible. The marks are ranges of bytes in ascending order; those that are returned are
// ranges of the text.
func clip(line []byte, marks [][2]int) (string, [][2]int) {
	from, to := window(line, marks)
	out := make([]byte, 0, to-from)
	var kept [][2]int
	next := 0
	for next < len(marks) && marks[next][0] < from {
		next++
	}
	for i := from; i < to; {
		if next < len(marks) && i >= marks[next][0] {
			kept = append(kept, [2]int{len(out), -1})
			for end := min(marks[next][1], to); i < end; {
				out, i = appendShown(out, line, i)
			}
			kept[len(kept)-1][1] = len(out)
			next++
			continue
		}
		out, i = appendShown(out, line, i)
	}
	for len(out) > 0 && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	for i := range kept {
		kept[i] = [2]int{min(kept[i][0], len(out)), min(kept[i][1], len(out))}
	}
	return string(out), kept
}

// appendShown appends the character at i, and returns where the next one is.
func appendShown(out, line []byte, i int) ([]byte, int) {
	if b := line[i]; b > ' ' && b < 0x7f {
		return append(out, b), i + 1
	}
	r, size := utf8.DecodeRune(line[i:])
	if !isGap(r) {
		return append(out, line[i:i+size]...), i + size
	}
	if len(out) > 0 && out[len(out)-1] != ' ' {
		out = append(out, ' ')
	}
	return out, i + size
}

// isGap also reports the characters that turn the direction of a text around: a hit that
// is cut could turn what follows it.
func isGap(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		'\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// window returns which part of a line is shown.
func window(line []byte, marks [][2]int) (from, to int) {
	if utf8.RuneCount(line) <= MaxText {
		return 0, len(line)
	}
	// The mark from which most marks are within reach.
	first, most := 0, 0
	for i, last := 0, 0; i < len(marks); i++ {
		for last < len(marks) && marks[last][1]-marks[i][0] <= MaxText {
			last++
		}
		if last-i > most {
			first, most = i, last-i
		}
	}
	used := 0
	if len(marks) > 0 {
		from = marks[first][0]
		last := marks[max(first, first+most-1)][1]
		used = utf8.RuneCount(line[from:last])
	}
	before := max(0, (MaxText-used)/2)
	start := from
	for n := 0; start > 0 && n < before; n++ {
		_, size := utf8.DecodeLastRune(line[:start])
		start -= size
	}
	to = start
	for n := 0; to < len(line) && n < MaxText; n++ {
		_, size := utf8.DecodeRune(line[to:])
		to += size
	}
	return cutAtWords(line, start, to, from, from+used)
}

// cutAtWords makes a part of a line smaller, so that it begins and ends with whole words.
// What is between must and mustEnd stays. Text without spaces is cut anywhere.
func cutAtWords(line []byte, from, to, must, mustEnd int) (int, int) {
	const reach = 40 // bytes in which a space is looked for
	if from > 0 && !isGap(rune(line[from-1])) {
		for i := from; i < must && i < from+reach; i++ {
			if line[i] == ' ' || line[i] == '\t' {
				from = i + 1
				break
			}
		}
	}
	if to < len(line) && !isGap(rune(line[to])) {
		for i := to - 1; i > mustEnd && i > to-reach; i-- {
			if line[i] == ' ' || line[i] == '\t' {
				to = i
				break
			}
		}
	}
	return from, to
}
