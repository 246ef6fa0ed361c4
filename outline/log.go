package outline

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A pattern is the lines that differ only in numbers and ids.
type pattern struct {
	n, first, last int
	text           string // of the first line, without its time
	general        string // the same with N for numbers and X for ids
	severe         bool
}

// A logScanner finds the patterns of a log, its times and its levels.
type logScanner struct {
	patterns  []pattern
	byGeneral map[string]int
	byLevel   [8]int
	firstTime string
	lastTime  string
	continued int // indented lines, which continue the one above
	buf       []byte
}

func scanLog(text string) (outline, bool) {
	s := logScanner{byGeneral: map[string]int{}}
	for l := range excerpt.Lines(text) {
		if !l.Blank() {
			s.line(l)
		}
	}
	found := outline{kind: "Log", items: s.items()}
	if s.firstTime != "" {
		found.kind += fmt.Sprintf(", %s to %s", excerpt.Clean(s.firstTime, 40), excerpt.Clean(s.lastTime, 40))
	}
	var counts []string
	for i, n := range s.byLevel {
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", levels[i], n))
		}
	}
	if counts != nil {
		found.notes = append(found.notes, "levels: "+strings.Join(counts, ", "))
	}
	note := fmt.Sprintf("patterns: %d", len(s.patterns))
	if s.continued > 0 {
		note += "; " + plural(s.continued, "indented line")
	}
	found.notes = append(found.notes, note)
	return found, true
}

func (s *logScanner) line(l excerpt.Line) {
	text := l.Text
	if from, to, end := timestamp(text); end > 0 {
		if s.lastTime = strings.Trim(text[from:to], " ]"); s.firstTime == "" {
			s.firstTime = s.lastTime
		}
		text = text[end:]
	} else if s.firstTime != "" && (text[0] == ' ' || text[0] == '\t') {
		s.continued++
		return
	}
	level := levelOf(text)
	if level >= 0 {
		s.byLevel[level]++
	}
	s.buf = generalize(s.buf[:0], excerpt.Head(text, 400))
	i, known := s.byGeneral[string(s.buf)]
	if !known {
		i = len(s.patterns)
		general := string(s.buf)
		s.byGeneral[general] = i
		s.patterns = append(s.patterns, pattern{first: l.N, text: text, general: general, severe: level >= 0 && level <= lastSevere})
	}
	s.patterns[i].n++
	s.patterns[i].last = l.N
}

// items lists the patterns, the most frequent first. Every second line is one of
// an error, while there are any.
func (s *logScanner) items() []item {
	slices.SortStableFunc(s.patterns, func(p, q pattern) int { return cmp.Compare(q.n, p.n) })
	var items []item
	var n [2]int // severe ones, others
	for _, p := range s.patterns {
		it := item{line: int32(p.first), text: p.text}
		if p.n > 1 {
			it.end = int32(p.last)
			it.text = fmt.Sprintf("×%d %s", p.n, strings.TrimSpace(p.general))
		}
		of := 1
		if p.severe {
			of = 0
		}
		n[of]++
		it.rank = int16(min(2*n[of]+of, math.MaxInt16))
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b item) int { return int(a.rank) - int(b.rank) })
	return items
}

// generalize appends a text to buf with N for numbers and X for ids.
func generalize(buf []byte, text string) []byte {
	for i := 0; i < len(text); {
		from := i
		digits, hex, letters := 0, 0, 0
		for ; i < len(text) && excerpt.IsWord(text[i]); i++ {
			switch c := text[i]; {
			case isDigit(c):
				digits++
			case c|0x20 >= 'a' && c|0x20 <= 'f':
				hex++
			default:
				letters++
			}
		}
		switch word := text[from:i]; {
		case word == "":
			buf = append(buf, text[i])
			i++
		case letters == 0 && digits > 0 && (hex > 0 && len(word) >= 6 || len(word) >= 8), digits >= 4 && hex+letters >= 4:
			buf = append(buf, 'X')
		default:
			for j := range len(word) {
				if !isDigit(word[j]) {
					buf = append(buf, word[j])
				} else if j == 0 || !isDigit(word[j-1]) {
					buf = append(buf, 'N')
				}
			}
		}
	}
	return buf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// stamp matches the time that a line begins with, after what may name or quote it.
var stamp = regexp.MustCompile(`^(?:\{?"?@?(?:time|ts|timestamp)"?[=:] ?)?["\[]?(` +
	`\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d[\d:.,]*\d(?:Z| ?[+-]\d\d:?\d\d)?)?` +
	`|\d\d/[A-Z][a-z]{2}/\d{4}(?:[: ][\d:]+)?` +
	`|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \d{4})?` + // syslog, date
	`|[A-Z]\d{4} \d\d:\d\d:\d\d[\d.]*` + // glog
	`|\d\d:\d\d:\d\d[\d.,]*` +
	`| *\d+\.\d{6}\]` + // dmesg
	`)["\]]?,?`)

// timestamp returns where the time that a line begins with begins and ends, and
// where what follows begins; 0 for a line without a time.
func timestamp(text string) (from, to, end int) {
	m := stamp.FindStringSubmatchIndex(excerpt.Head(text, 80))
	if m == nil {
		return 0, 0, 0
	}
	return m[2], m[3], m[1]
}

// levels are the names of the levels, the most severe first.
var levels = []string{"fatal", "panic", "critical", "error", "warning", "info", "debug", "trace"}

const lastSevere = 3 // index of error

var levelWords = map[string]int{
	"fatal": 0, "emerg": 0, "panic": 1, "critical": 2, "crit": 2, "alert": 2, "severe": 2, "error": 3, "err": 3,
	"warning": 4, "warn": 4, "info": 5, "notice": 5, "debug": 6, "trace": 7,
}

// levelOf returns the index of the level that a line states among its first words,
// or -1. A word states it if it is the first, or not alone and in small letters.
func levelOf(text string) int {
	const marks = "[]<>(){}:\"'|!"
	text = strings.TrimLeft(excerpt.Head(text, 200), " \t0123456789-:,")
	if strings.HasPrefix(text, "|") {
		return -1 // code that a compiler shows
	}
	for i := 0; i < 6 && text != ""; i++ {
		n := strings.IndexAny(text, " \t,")
		if n < 0 {
			n = len(text)
		}
		word := strings.Trim(text[:n], marks)
		word = strings.Trim(word[strings.LastIndexAny(word, "=:")+1:], marks)
		if level, ok := levelWords[strings.ToLower(word)]; ok && (i == 0 || len(word) < n || word[0] < 'a') {
			return level
		}
		text = strings.TrimLeft(text[n:], " \t,")
	}
	return -1
}
