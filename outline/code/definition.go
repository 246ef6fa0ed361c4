package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A Definition is one of a program, or one statement of SQL.
type Definition struct {
	Line   int    // on which it begins, from 1
	End    int    // on which it ends; 0 if that is not known
	Rank   int    // 0 for what weighs most
	Indent int    // the number of definitions around it
	Text   string // its beginning, as it stands in the text
	Brief  int    // the length of Text up to the end of the name; 0 for all of it
	Doc    string // the comment on it, as it stands in the text
}

const (
	deepest       = 48  // Indent
	longest       = 400 // bytes of Text
	longestDoc    = 4000
	longestHeader = 2000
)

// A reader collects the definitions of one text.
type reader struct {
	*Language
	in    string // the text
	code  string // of the same length: comments are blanks, strings are inString
	defs  []Definition
	about string

	line, at int // the number of the line at a place that was asked for last
}

// Outline returns the definitions of a text in the order of their lines, and a line
// on the text as a whole, which is "" if the text says nothing about itself.
func (l *Language) Outline(text string) (about string, defs []Definition) {
	r := reader{Language: l, in: text, code: blank(text, &l.syntax), line: 1, defs: make([]Definition, 0, 8+len(text)/256)}
	l.read(&r)
	if r.about == "" {
		if s := r.introduction(); s != "" {
			r.about = "about: " + s
		}
	}
	return r.about, r.defs
}

// lineAt returns the number of the line at a place. It is quick for places in order.
func (r *reader) lineAt(at int) int {
	if at < r.at {
		r.line -= strings.Count(r.in[at:r.at], "\n")
	} else {
		r.line += strings.Count(r.in[r.at:at], "\n")
	}
	r.at = at
	return r.line
}

// A place is where a definition is in the text.
type place struct {
	from int // of its annotations
	at   int // of its first word
	name int // after its name; 0 for none
	end  int // after what is shown
}

func (r *reader) add(p place, rank, indent int) *Definition {
	text := strings.TrimRight(excerpt.Head(r.in[p.at:], max(0, min(p.end-p.at, longest))), " \t\r\n{=,;:(")
	d := Definition{Line: r.lineAt(p.at), Rank: rank, Indent: min(indent, deepest), Text: text, Brief: max(0, p.name-p.at), Doc: r.above(p.from)}
	if d.Brief >= len(text) {
		d.Brief = 0
	}
	r.defs = append(r.defs, d)
	return &r.defs[len(r.defs)-1]
}

// match returns the first pattern of the language that holds at a place and matches
// what begins there, or nil. It finds the name.
func (r *reader) match(p *place, here where) *pattern {
	for i := range r.patterns {
		q := &r.patterns[i]
		if here&q.where == 0 {
			continue
		}
		m := r.compiled[i].FindStringSubmatchIndex(strings.TrimRight(r.code[p.at:min(p.end, p.at+longestHeader)], " \t\r\n"))
		if m == nil {
			continue
		}
		if len(m) > 2 {
			p.name = p.at + m[3]
		}
		return q
	}
	return nil
}

// above returns the comment that ends on the line above a place, or "".
func (r *reader) above(at int) string {
	least := max(0, at-longestDoc)
	end := least + strings.LastIndexByte(r.in[least:at], '\n') + 1
	if strings.TrimSpace(r.code[end:at]) != "" {
		return "" // it is on what stands before on the line
	}
	from := end
	for from > least {
		start := least + strings.LastIndexByte(r.in[least:from-1], '\n') + 1
		if strings.TrimSpace(r.in[start:from]) == "" || strings.TrimSpace(r.code[start:from]) != "" || strings.HasPrefix(r.in[start:], "#!") || r.in[start] == '=' {
			break
		}
		from = start
	}
	comment := r.in[from:end]
	if licence(excerpt.Head(comment, longest)) {
		return ""
	}
	if _, after, ok := strings.Cut(comment, "<summary>"); ok {
		comment, _, _ = strings.Cut(after, "</summary>")
	}
	return comment
}

// signature returns where a definition ends that is shown: before its body, or
// with the line on which its brackets are closed.
func (r *reader) signature(name, end int) int {
	depth := 0
	end = min(end, name+longest)
	for i := name; i < end; i++ {
		switch r.code[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{', ';':
			if depth <= 0 {
				return i
			}
		}
		if r.in[i] == '\n' && depth <= 0 && excerpt.LastByte(strings.TrimRight(r.code[name:i], " \r")) != ',' {
			return i
		}
	}
	return end
}

// peek returns a byte of the code, or 0 beyond its end.
func (r *reader) peek(i int) byte {
	if i < 0 || i >= len(r.code) {
		return 0
	}
	return r.code[i]
}

// word returns the word at a place. An @ before it is a part of it.
func (r *reader) word(i int) string {
	if r.peek(i) == '@' {
		return r.code[i : i+1+len(excerpt.Word(r.code, i+1))]
	}
	return excerpt.Word(r.code, i)
}

// listed says whether a list of words has a word.
func listed(list, word string) bool {
	return list != "" && word != "" && strings.Contains(" "+list+" ", " "+word+" ")
}

func skipBlanks(code string, i int) int {
	return len(code) - len(strings.TrimLeft(code[min(i, len(code)):], " \t"))
}

func skipSpace(code string, i int) int {
	return len(code) - len(strings.TrimLeft(code[min(i, len(code)):], " \t\r\n"))
}

// skipGroup returns where the brackets end that begin at a place, or the place.
// Only within < > are these brackets, unless they are a part of << , -> or => .
func skipGroup(code string, i int) int {
	depth, angles := 0, i < len(code) && code[i] == '<'
	for j := i; j < len(code); j++ {
		switch c := code[j]; {
		case c == '(', c == '[', c == '{', c == '<' && angles:
			depth++
		case c == ')', c == ']', c == '}', c == '>' && angles && code[j-1] != '=' && code[j-1] != '-':
			depth--
		case c == ';' && depth == 1 && angles:
			return i
		}
		if depth <= 0 {
			return j + 1
		}
	}
	return i
}
