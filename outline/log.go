package outline

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A pattern is the lines that differ only in numbers and ids.
type pattern struct {
	n, first, last int
	text           string // of the first line, without its time
	general        string // the same with N for numbers and ids
	severe         bool
}

// A logScanner finds the patterns of a log, its times and its levels.
type logScanner struct {
	patterns  []*pattern
	byGeneral map[string]*pattern
	byLevel   map[string]int
	firstTime string
	lastTime  string
}

func scanLog(text string) (outline, bool) {
	s := logScanner{byGeneral: map[string]*pattern{}, byLevel: map[string]int{}}
	for l := range linesOf(text) {
		if !l.blank() {
			s.line(l)
		}
	}
	found := outline{kind: "Log", items: s.items()}
	if s.firstTime != "" {
		found.kind += fmt.Sprintf(", %s to %s", clean(s.firstTime, 40), clean(s.lastTime, 40))
	}
	var counts []string
	for _, level := range levels {
		if n := s.byLevel[level]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", level, n))
		}
	}
	if counts != nil {
		found.notes = append(found.notes, "levels: "+strings.Join(counts, ", "))
	}
	found.notes = append(found.notes, fmt.Sprintf("patterns: %d", len(s.patterns)))
	return found, true
}

func (s *logScanner) line(l textLine) {
	text := l.Text
	if from, to, end := timestamp(text); end > 0 {
		if s.lastTime = strings.Trim(text[from:to], " ]"); s.firstTime == "" {
			s.firstTime = s.lastTime
		}
		text = text[end:]
	} else if s.firstTime != "" && (text[0] == ' ' || text[0] == '\t') {
		return // it continues the line above
	}
	level := levelOf(text)
	s.byLevel[level]++
	like := general.ReplaceAllString(headOf(text, 400), "N")
	p := s.byGeneral[like]
	if p == nil {
		p = &pattern{first: l.N, text: text, general: like, severe: slices.Contains(levels[:4], level)}
		s.byGeneral[p.general] = p
		s.patterns = append(s.patterns, p)
	}
	p.n++
	p.last = l.N
}

// items lists the patterns, those of errors first, and the most frequent first.
// Half of the room is for errors, if there are so many.
func (s *logScanner) items() []item {
	slices.SortStableFunc(s.patterns, func(p, q *pattern) int { return cmp.Compare(q.n, p.n) })
	var errors, others []item
	for _, p := range s.patterns {
		it := item{line: int32(p.first), text: p.text}
		if p.n > 1 {
			it.end = int32(p.last)
			it.text = fmt.Sprintf("×%d %s", p.n, strings.TrimSpace(p.general))
		}
		list := &others
		if p.severe {
			list = &errors
		}
		it.rank = int16(min(len(*list), math.MaxInt16))
		*list = append(*list, it)
	}
	return append(errors, others...)
}

const digits = "0123456789"

// general matches numbers and ids.
var general = regexp.MustCompile(`\b[0-9a-fA-F]{6,}\b|\d+`)

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// stamp matches the time that a line begins with, after what may name or quote it.
var stamp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\{?"?@?(?:time|ts|timestamp)"?[=:] ?)?["\[]?(` +
		`\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d[\d:.,]*\d(?:Z| ?[+-]\d\d:?\d\d)?)?` +
		`|\d\d/[A-Z][a-z]{2}/\d{4}(?:[: ][\d:]+)?` +
		`|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \d{4})?` + // syslog, date
		`|\d\d:\d\d:\d\d[\d.,]*` +
		`)["\]]?,?`)
})

// timestamp returns where the time that a line begins with begins and ends, and
// where what follows begins; 0 for a line without a time.
func timestamp(text string) (from, to, end int) {
	m := stamp().FindStringSubmatchIndex(headOf(text, 80))
	if m == nil {
		return 0, 0, 0
	}
	return m[2], m[3], m[1]
}

// levels are the names of the levels. The first four are those of errors.
var levels = []string{"fatal", "panic", "critical", "error", "warning", "info", "debug", "trace"}

var shortLevels = map[string]string{"err": "error", "warn": "warning", "crit": "critical"}

// levelOf returns the level that a line states among its first words, or "". A word
// states it if it is the first, or not alone and in small letters.
func levelOf(text string) string {
	const marks = "[]<>(){}:\"'|!"
	text = strings.TrimLeft(headOf(text, 200), " \t-:,"+digits)
	if strings.HasPrefix(text, "|") {
		return "" // code that a compiler shows
	}
	for i := 0; i < 6 && text != ""; i++ {
		n := strings.IndexAny(text+" ", " \t,")
		word := strings.Trim(text[:n], marks)
		word = strings.Trim(word[strings.LastIndexAny(word, "=:")+1:], marks)
		level := strings.ToLower(word)
		level = cmp.Or(shortLevels[level], level)
		if slices.Contains(levels, level) && (i == 0 || len(word) < n || word[0] < 'a') {
			return level
		}
		text = strings.TrimLeft(text[n:], " \t,")
	}
	return ""
}
