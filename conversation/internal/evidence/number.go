package evidence

import (
	"strings"
	"unicode/utf8"
)

// number adds the number at the word if it has a unit or a label. The unit may be
// the next word. number returns where the finding ends, or 0 if there is none.
func (f *finder) number(line string, before, word wordSpan) int {
	start := word.start
	for start < word.end && strings.IndexByte("~+-:*", line[start]) >= 0 {
		start++
	}
	text := line[start:word.end]
	if currency := currencySize(text); currency > 0 {
		if end := digitsEnd(text, currency); end > currency {
			end = start + end
			if end < word.end && strings.IndexByte("kKmMbB", line[end]) >= 0 {
				end++
			}
			return f.addNumber(line, start, end)
		}
		return 0
	}
	end := digitsEnd(text, 0)
	if end == 0 {
		return 0
	}
	for end+1 < len(text) && (text[end] == '-' || text[end] == 'x' || strings.HasPrefix(text[end:], "–") || strings.HasPrefix(text[end:], "×")) {
		_, size := utf8.DecodeRuneInString(text[end:])
		next := digitsEnd(text, end+size)
		if next == end+size {
			break
		}
		end = next
	}
	if end < len(text) {
		if isUnits(text, end) && (f.exact || !isElapsed(line, start, text)) {
			return f.addNumber(line, start, word.end)
		}
		return 0
	}
	if next, ok := unitAfter(line, word.end); ok {
		if !f.exact && word.end-start < 3 && strings.HasSuffix(line[:next], " rows") { // the last line of a table
			return next
		}
		return f.addNumber(line, start, next)
	}
	if from, ok := f.labelBefore(line, before, start); ok && (f.exact || word.end-start > 1) {
		f.add(numberKind, line[from:word.end])
		return word.end
	}
	return 0
}

// addNumber adds the number between start and end, and returns end. A number of
// zeros alone is not added: each progress bar begins with one.
func (f *finder) addNumber(line string, start, end int) int {
	if strings.ContainsAny(line[start:end], "123456789") {
		f.add(numberKind, line[start:end])
	}
	return end
}

// isElapsed reports whether a word of a result is a duration or an age that a test
// runner or a table prints beside each name.
func isElapsed(line string, start int, text string) bool {
	last := text[len(text)-1]
	if strings.IndexByte("dhms", last) < 0 || len(text) > 1 && strings.IndexByte("nmuµ", text[len(text)-2]) >= 0 {
		return false
	}
	if !strings.Contains(text, ".") {
		return len(text) < 6
	}
	return last == 's' && start > 0 && (line[start-1] == '(' || line[start-1] == '\t')
}

// currencySize returns the bytes of the currency sign at the start of text, or 0.
func currencySize(text string) int {
	for _, sign := range [...]string{"$", "€", "£", "¥", "₹", "US$"} {
		if strings.HasPrefix(text, sign) {
			return len(sign)
		}
	}
	return 0
}

// digitsEnd returns where the number at i ends. Marks between its digits belong to
// it. It returns i if there is no number.
func digitsEnd(text string, i int) int {
	end := i
	for end < len(text) {
		switch c := text[end]; {
		case isDigit(c):
		case (c == '.' || c == ',' || c == '_' || c == '\'') && end > i && end+1 < len(text) && isDigit(text[end+1]):
		default:
			return end
		}
		end++
	}
	return end
}

// isUnits reports whether text from i on is a unit, or units and numbers in turn,
// as in 1h30m.
func isUnits(text string, i int) bool {
	for i < len(text) {
		end := i
		for end < len(text) && !isDigit(text[end]) {
			end++
		}
		if !tightUnits[text[i:end]] {
			return false
		}
		i = digitsEnd(text, end)
		if i < len(text) && i == end {
			return false
		}
	}
	return true
}

// unitAfter returns where the unit after one space ends. It reports whether there
// is a unit.
func unitAfter(line string, end int) (int, bool) {
	rest := line[end:]
	switch {
	case strings.HasPrefix(rest, " "):
		end++
	case strings.HasPrefix(rest, "\u00a0"), strings.HasPrefix(rest, "\u202f"):
		end += len(rest) - len(strings.TrimLeft(rest, "\u00a0\u202f"))
	default:
		return 0, false
	}
	start := end
	for end < len(line) && end-start < 16 && line[end] > ' ' && strings.IndexByte(",;:!?()[]{}|\"'`<>", line[end]) < 0 {
		end++
	}
	unit := strings.TrimRight(line[start:end], ".*_")
	return start + len(unit), looseUnits[unit]
}

// labelBefore returns where the label before the bare number at start begins, as
// in port 5432, exit code 137, HTTP 503 or Python 3.12. It reports whether there
// is a label.
func (f *finder) labelBefore(line string, before wordSpan, start int) (int, bool) {
	if before.end <= before.start || before.end >= start || start-before.end > 3 {
		// A colon may end the label.
		if start-before.end != 1 || before.end == 0 {
			return 0, false
		}
	}
	label := strings.TrimRight(line[before.start:before.end], ":")
	if gap := strings.Trim(line[before.end:start], " ="); gap != "" || len(label) > 16 {
		return 0, false
	}
	lower := strings.ToLower(label)
	if !(f.exact && labels[lower] || loudLabels[lower]) && !(versioned[lower] && label != lower) && !strings.HasPrefix(lower, "http/") {
		return 0, false
	}
	from := before.start
	for _, w := range [...]string{"exit ", "Exit ", "status ", "error "} {
		if strings.HasSuffix(line[:from], w) {
			from -= len(w)
			break
		}
	}
	return from, true
}
