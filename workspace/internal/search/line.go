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
		score, from := 0.0, i
		for ; i < len(hits) && int(hits[i].start) < end; i++ {
			if t := hits[i].term; inLine[t] != at+1 {
				inLine[t] = at + 1
				score += s.rarities[t]
			}
		}
		if at < headEnd {
			score *= 0.99
		}
		if score > bestScore {
			bestAt, bestScore, bestFrom, bestTo = at, score, from, i
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
	at := len(text) - len(bytes.TrimLeftFunc(text, unicode.IsSpace))
	if at == len(text) {
		return 0
	}
	return at - lastLine(text[:at])
}

// lastLine returns the bytes after the last line feed.
func lastLine(text []byte) int { return len(text) - 1 - bytes.LastIndexByte(text, '\n') }

// clip returns a line as it is shown: without control characters, with single spaces, and
// at most MaxText characters, cut at words so that it has as many of the marks as
// possible. The marks are ranges of bytes in ascending order; those that are returned are
// ranges of the text.
func clip(line []byte, marks [][2]int) (string, [][2]int) {
	from, to := window(line, marks)
	var out []byte
	var kept [][2]int
	at := from
	for _, m := range marks {
		if m[0] < from || m[0] >= to {
			continue
		}
		end := min(m[1], to)
		out = appendShown(out, line[at:m[0]])
		kept = append(kept, [2]int{len(out), 0})
		out = appendShown(out, line[m[0]:end])
		kept[len(kept)-1][1] = len(out)
		at = end
	}
	out = bytes.TrimRight(appendShown(out, line[at:to]), " ")
	for i := range kept {
		kept[i] = [2]int{min(kept[i][0], len(out)), min(kept[i][1], len(out))}
	}
	return string(out), kept
}

// appendShown appends a part of a line as it is shown.
func appendShown(out, part []byte) []byte {
	for len(part) > 0 {
		r, size := utf8.DecodeRune(part)
		switch {
		case !isGap(r):
			out = append(out, part[:size]...)
		case len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
		part = part[size:]
	}
	return out
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
	must, mustEnd := 0, 0
	if len(marks) > 0 {
		must, mustEnd = marks[first][0], marks[max(first, first+most-1)][1]
	}
	from = must
	for n := utf8.RuneCount(line[must:mustEnd]); from > 0 && n < MaxText; n += 2 {
		_, size := utf8.DecodeLastRune(line[:from])
		from -= size
	}
	to = from
	for n := 0; to < len(line) && n < MaxText; n++ {
		_, size := utf8.DecodeRune(line[to:])
		to += size
	}
	return cutAtWords(line, from, to, must, mustEnd)
}

// cutAtWords makes a part of a line smaller, so that it begins and ends with whole words.
// What is between must and mustEnd stays. Text without spaces is cut anywhere.
func cutAtWords(line []byte, from, to, must, mustEnd int) (int, int) {
	const reach = 40 // bytes in which a space is looked for
	if i := bytes.IndexAny(line[from:min(must, from+reach)], " \t"); from > 0 && i >= 0 {
		from += i + 1
	}
	begin := min(to, max(mustEnd, to-reach))
	if i := bytes.LastIndexAny(line[begin:to], " \t"); to < len(line) && i >= 0 {
		to = begin + i
	}
	return from, to
}
