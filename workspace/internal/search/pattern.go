package search

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A Pattern is looked for in each line: a string, byte for byte, or a regular expression.
// It is safe for concurrent use.
type Pattern struct {
	exact []byte
	re    *regexp.Regexp
	size  int // instructions of re
}

// maxProgram is the most instructions of a regular expression.
const maxProgram = 5000

// Exact returns the pattern of a string. If there is none, cause says why.
func Exact(text string) (p *Pattern, cause string) {
	if strings.Contains(text, "\n") {
		return nil, "it has a line feed, and text is looked for line by line; give one line of it"
	}
	return &Pattern{exact: []byte(text)}, ""
}

// Regexp returns the pattern of a regular expression. If there is none, cause says why.
func Regexp(text string) (p *Pattern, cause string) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err.Error()
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err.Error()
	}
	if len(program.Inst) > maxProgram {
		return nil, "the regular expression is too large; use smaller repetitions"
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err.Error()
	}
	return &Pattern{re: re, size: len(program.Inst)}, ""
}

// find returns where the pattern first occurs in a line; nil: nowhere.
func (p *Pattern) find(ctx context.Context, line []byte) []int {
	const quick = 1 << 21 // steps, which take some milliseconds
	switch {
	case p.re == nil:
		i := bytes.Index(line, p.exact)
		if i < 0 {
			return nil
		}
		return []int{i, i + len(p.exact)}
	case p.size*len(line) <= quick:
		return p.re.FindIndex(line)
	}
	return p.re.FindReaderIndex(&stoppable{ctx: ctx, text: line})
}

// stoppable reads a text until the context ends.
type stoppable struct {
	ctx  context.Context
	text []byte
	n    int
}

func (s *stoppable) ReadRune() (r rune, size int, err error) {
	const often = 64
	if s.n++; s.n%often == 0 && s.ctx.Err() != nil || len(s.text) == 0 {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(s.text)
	s.text = s.text[size:]
	return r, size, nil
}

// lines offers the lines of a text that match, and returns how many those are. Errors: those of
// [Text.Check].
func (p *Pattern) lines(ctx context.Context, t *Text, best *top) (matched int64, err error) {
	m := new(match) // the next one
	for at, number := 0, 1; at < len(t.Content) && ctx.Err() == nil; number++ {
		if p.re == nil { // from here to the next line that has it
			i := bytes.Index(t.Content[at:], p.exact)
			if i < 0 {
				break
			}
			skipped := i - lastLine(t.Content[at:at+i])
			number += bytes.Count(t.Content[at:at+skipped], []byte("\n"))
			at += skipped
		}
		size := lineSize(t.Content[at:])
		line := bytes.TrimRight(t.Content[at:at+size], "\n")
		if mark := p.find(ctx, line); mark != nil {
			if matched++; matched == 1 {
				if err := t.check(); err != nil {
					return 0, err
				}
			}
			*m = match{Hit: t.hit(), at: at}
			if best.offer(m) {
				m.Line = number
				m.Text, m.Marks = clip(line, [][2]int{{mark[0], mark[1]}})
				m = new(match)
			}
		}
		at += size
	}
	return matched, nil
}
