package outline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A pattern is lines that differ in numbers, times and names alone.
type pattern struct {
	n           int
	first, last int
	at, end     int // of the first in the text
	level       int // index of levels; -1: none
}

const manyPatterns = 8192

// levels are the severest first.
var levels = []string{"fatal", "panic", "critical", "error", "warning", "info", "debug", "trace"}

const lastError = 3 // of levels

func scanLog(text string) (outline, bool) {
	s := logScanner{text: text, byHash: map[uint64]int{}}
	for l := range excerpt.Lines(text) {
		s.line(l)
	}
	found := outline{kind: "Log", items: s.items(), ranked: true}
	if s.firstTime != "" {
		found.kind += fmt.Sprintf(", %s to %s", excerpt.Clean(s.firstTime, 40), excerpt.Clean(s.lastTime, 40))
	}
	if note := s.counts(); note != "" {
		found.notes = append(found.notes, note)
	}
	note := fmt.Sprintf("patterns: %d", len(s.patterns))
	if s.lost > 0 {
		note += fmt.Sprintf(" kept, %s of others", plural(s.lost, "line"))
	}
	if s.continued > 0 {
		note += fmt.Sprintf("; %s of those above", plural(s.continued, "further line"))
	}
	found.notes = append(found.notes, note)
	return found, true
}

type logScanner struct {
	text      string
	patterns  []pattern
	byHash    map[uint64]int
	byLevel   [8]int
	firstTime string
	lastTime  string
	timed     int
	continued int
	lost      int
	number    int // that the line above begins with, from 1; 0: none
}

func (s *logScanner) line(l excerpt.Line) {
	if l.Blank() {
		return
	}
	n := timestamp(l.Text)
	if n > 0 {
		from := beforeTime(l.Text)
		s.lastTime = l.Text[from:n]
		if s.timed++; s.timed == 1 {
			s.firstTime = s.lastTime
		}
		if from > 0 {
			n = len(l.Text) - len(strings.TrimLeft(strings.TrimLeft(l.Text[n:], `"]`), ", "))
		}
	} else if s.timed > 0 && (l.Text[0] == ' ' || l.Text[0] == '\t') {
		s.continued++
		return
	}
	number, digits := lineNumber(l.Text)
	numbered := n == 0 && number > 0 && (l.N == 1 || s.number > 0 && (number == s.number || number == s.number+1))
	if s.number = number; numbered {
		n = digits + 1
	}
	level := -1
	if n > 0 || !quoted(l.Text) {
		level = levelOf(l.Text[n:], numbered)
	}
	if level >= 0 {
		s.byLevel[level]++
	}
	hash := hashPattern(l.Text[n:])
	i, known := s.byHash[hash]
	if !known {
		if len(s.patterns) >= manyPatterns {
			s.lost++
			return
		}
		i = len(s.patterns)
		s.byHash[hash] = i
		s.patterns = append(s.patterns, pattern{first: l.N, at: l.At + n, end: l.At + len(l.Text), level: level})
	}
	s.patterns[i].n++
	s.patterns[i].last = l.N
}

func (s *logScanner) counts() string {
	var list []string
	for i, n := range s.byLevel {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s %d", levels[i], n))
		}
	}
	if list == nil {
		return ""
	}
	return "levels: " + strings.Join(list, ", ")
}

// items are rare errors as they are, then patterns, the commonest first.
func (s *logScanner) items() []item {
	order := make([]int, len(s.patterns))
	for i := range order {
		order[i] = i
	}
	weight := func(p pattern) int {
		if p.level >= 0 && p.level <= lastError {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b int) int {
		p, q := s.patterns[a], s.patterns[b]
		if w := weight(q) - weight(p); w != 0 {
			return w
		}
		return q.n - p.n
	})
	items := make([]item, 0, len(order))
	errors := 0
	for _, i := range order {
		p := s.patterns[i]
		it := item{line: int32(p.first), text: s.text[p.at:p.end]}
		if p.n > 1 {
			it.end = int32(p.last)
			it.text = fmt.Sprintf("×%d %s", p.n, generalise(s.text[p.at:min(p.end, p.at+400)]))
		}
		if weight(p) == 1 {
			errors++
		}
		items = append(items, it)
	}
	return interleave(items, errors)
}

// interleave lets errors have no more than every second line.
func interleave(items []item, errors int) []item {
	mixed := make([]item, 0, len(items))
	a, b := items[:errors], items[errors:]
	for len(a) > 0 || len(b) > 0 {
		if len(a) > 0 {
			mixed, a = append(mixed, a[0]), a[1:]
		}
		if len(b) > 0 {
			mixed, b = append(mixed, b[0]), b[1:]
		}
	}
	return mixed
}

// hashPattern hashes a line so that lines which differ in what varies are the same.
func hashPattern(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(text); {
		n, kind := variable(text, i)
		if kind != 0 {
			h = (h ^ uint64(kind)) * 1099511628211
			i += n
			continue
		}
		for range max(n, 1) {
			h = (h ^ uint64(text[i])) * 1099511628211
			i++
		}
	}
	return h
}

// generalise writes a line as a pattern.
func generalise(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n, kind := variable(text, i)
		if kind != 0 {
			b.WriteByte(kind)
			i += n
			continue
		}
		n = max(n, 1)
		b.WriteString(text[i : i+n])
		i += n
	}
	return strings.ToValidUTF8(b.String(), "")
}

// variable returns how long the word at i is, and what stands for it: N for
// numbers, X for hexadecimal and mixed ids; 0: it stays.
func variable(text string, i int) (n int, kind byte) {
	digits, letters, hex := 0, 0, 0
	j := i
	for ; j < min(len(text), i+64); j++ {
		c := text[j]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			letters++
			hex++
		case excerpt.IsWord(c):
			letters++
		default:
			goto end
		}
	}
end:
	n = j - i
	switch {
	case digits == 0:
		return n, 0
	case letters == 0 && n < 8:
		return n, 'N'
	case hex == letters && n >= 6 || digits >= 4 && letters >= 4:
		return n, 'X'
	}
	for k := i; k < j; k++ { // a name with a number, as worker12 or 35ms
		if text[k] >= '0' && text[k] <= '9' {
			if k > i {
				return k - i, 0
			}
			for k < j && text[k] >= '0' && text[k] <= '9' {
				k++
			}
			return k - i, 'N'
		}
	}
	return n, 0
}

// beforeTime is the length of the marks and names before a time.
func beforeTime(text string) int {
	i := 0
	for _, skip := range [...]string{"{", `"time":"`, `"ts":"`, `"timestamp":"`, `"@timestamp":"`, "time=", "ts=", `"`, "["} {
		if strings.HasPrefix(text[i:], skip) {
			i += len(skip)
		}
	}
	return i
}

// timestamp is where the time that a line begins with ends, or 0.
func timestamp(text string) int {
	i := beforeTime(text)
	switch t := text[i:]; {
	case matches(t, "0000-00-00"), matches(t, "0000/00/00"):
		return i + stampEnd(t, 10)
	case matches(t, "00/aaa/0000"):
		return i + stampEnd(t, 11)
	case matches(t, "aaa _0 00:00:00"), matches(t, "aaa 00 00:00:00"):
		return i + 15
	case matches(t, "aaa aaa _0 00:00:00"), matches(t, "aaa aaa 00 00:00:00"):
		if matches(t[19:], " 0000") {
			return i + 24
		}
		return i + 19
	case matches(t, "a0000 00:00:00"):
		return i + stampEnd(t, 14)
	case matches(t, "00:00:00"):
		return i + stampEnd(t, 8)
	case i > 0 && text[i-1] == '[':
		end := strings.IndexByte(t[:min(len(t), 24)], ']')
		if end > 0 && strings.Trim(t[:end], " .0123456789") == "" && strings.Contains(t[:end], ".") {
			return i + end
		}
	}
	return 0
}

func stampEnd(text string, i int) int {
	if i < len(text)-1 && (text[i] == ' ' || text[i] == 'T' || text[i] == ':') && text[i+1] >= '0' && text[i+1] <= '9' {
		i++
	}
	for i < len(text) && i < 40 && (text[i] >= '0' && text[i] <= '9' || strings.IndexByte(":.,+-Z", text[i]) >= 0) {
		i++
	}
	return len(strings.TrimRight(text[:i], ",:-"))
}

// matches compares with a form: 0 is a digit, a a letter, _ a blank.
func matches(text, form string) bool {
	if len(text) < len(form) {
		return false
	}
	for i := range len(form) {
		c := text[i]
		switch form[i] {
		case '0':
			if c < '0' || c > '9' {
				return false
			}
		case 'a':
			if c < 'A' || c > 'z' || c > 'Z' && c < 'a' {
				return false
			}
		case '_':
			if c != ' ' {
				return false
			}
		default:
			if c != form[i] {
				return false
			}
		}
	}
	return true
}

var levelWords = map[string]int{
	"fatal": 0, "emerg": 0, "panic": 1, "critical": 2, "crit": 2, "alert": 2, "severe": 2, "error": 3, "err": 3,
	"warning": 4, "warn": 4, "info": 5, "notice": 5, "debug": 6, "trace": 7,
}

// lineNumber is the number that a line begins with, from 1, and its length; 0: none.
func lineNumber(text string) (number, length int) {
	for length < min(len(text), 9) && text[length] >= '0' && text[length] <= '9' {
		number = number*10 + int(text[length]-'0')
		length++
	}
	if length == 0 || length == len(text) || text[length] != ' ' {
		return 0, 0
	}
	return number + 1, length
}

// quoted says whether a line is of a source that a compiler shows.
func quoted(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " 0123456789"), "|")
}

// levelOf finds the level that a line states near its beginning, or -1. In a
// numbered one its first word is it, however it is written.
func levelOf(text string, numbered bool) int {
	var word [9]byte
	n := 0
	for i := range min(len(text)+1, 200) {
		var c byte
		if i < len(text) {
			c = text[i]
		}
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			if n < len(word) {
				word[n] = c | 0x20
			}
			n++
			continue
		}
		if n >= 3 && n < len(word) && !joined(text, i-n, c) {
			if level, ok := levelWords[string(word[:n])]; ok && (numbered && i == n || stated(text, i, n, c)) {
				return level
			}
		}
		n = 0
	}
	return -1
}

// stated says whether the n bytes before i, which c follows, look like a level.
func stated(text string, i, n int, c byte) bool {
	return upper(text[i-n]) || c == '"' || c == ' ' && text[i-1-min(n, i-1)] == '=' || c == ']' || c == ':' || c == '>'
}

// joined says whether a word is a part of a name.
func joined(text string, at int, next byte) bool {
	joins := func(c byte) bool {
		return c == '_' || c == '-' && !upper(text[at]) || c >= '0' && c <= '9'
	}
	return next == '(' || joins(next) || at > 0 && joins(text[at-1])
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
