package code

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A statementReader reads SQL. Statements of the same kind one after the other
// are one.
type statementReader struct {
	*reader
	fresh bool   // a statement may begin
	mark  string // ends a statement
	last  string // what the last has in common with others of its kind
	same  int    // how many of them there are
	body  bool   // the statement may hold others
	depth int    // BEGIN without END in it
}

// Words that begin a statement.
const statements = "CREATE ALTER DROP INSERT UPDATE DELETE SELECT WITH GRANT REVOKE COMMENT TRUNCATE COPY SET DO CALL BEGIN COMMIT PRAGMA MERGE"

// What ends BEGIN, and what ends IF and the like.
var (
	endsBlock = regexp.MustCompile(`^(?i:END)\b`)
	endsPart  = regexp.MustCompile(`^(?i:END\s+(?:IF|LOOP|CASE|WHILE|REPEAT|AS|FOR)\b)`)
)

func readStatements(r *reader) {
	s := statementReader{reader: r, fresh: true, mark: ";"}
	for l := range excerpt.Lines(r.code) {
		s.read(l)
	}
	s.flush()
}

func (s *statementReader) flush() {
	if i := len(s.defs) - 1; i >= 0 && s.same > 1 {
		s.defs[i].Text = fmt.Sprintf("%s ×%d", s.last, s.same)
		s.defs[i].Brief = 0
	}
}

func (s *statementReader) read(l excerpt.Line) {
	from := skipBlanks(l.Text, 0)
	if raw := strings.TrimLeft(s.in[l.At:l.At+len(l.Text)], " \t"); strings.HasPrefix(raw, `\`) { // a command of psql
		s.fresh = s.fresh || strings.HasPrefix(raw, `\g`)
		return
	}
	if from == len(l.Text) {
		return
	}
	first := excerpt.Word(l.Text, from)
	if s.fresh || s.body {
		first = strings.ToUpper(first)
	}
	if first == "DELIMITER" {
		if fields := strings.Fields(s.in[l.At+from : l.At+len(l.Text)]); len(fields) > 1 {
			s.mark, s.fresh = fields[1], true
		}
		return
	}
	if s.fresh || s.depth > 0 && from == 0 && first == "CREATE" {
		s.depth = 0
		s.begin(l.At+from, l.At+len(l.Text), first)
	}
	end := strings.TrimRight(l.Text, " \t\r")
	if s.body && (first == "BEGIN" || strings.HasSuffix(strings.ToUpper(end), " BEGIN")) {
		s.depth++
	}
	if s.depth > 0 && endsBlock.MatchString(l.Text[from:]) && !endsPart.MatchString(l.Text[from:]) {
		s.depth--
	}
	s.fresh = s.depth == 0 && strings.HasSuffix(end, s.mark)
}

// begin notes the statement that begins at a place.
func (s *statementReader) begin(at, end int, first string) {
	head := statement(s.in[at:end])
	if head != "" && head == s.last {
		s.same++
		s.defs[len(s.defs)-1].End = s.lineAt(end)
		return
	}
	if !listed(statements, first) {
		return
	}
	s.flush()
	s.last, s.same = head, 1
	rank := 1
	if first == "CREATE" || first == "ALTER" {
		rank = 0
	}
	code := s.code[at:end]
	upper := strings.ToUpper(excerpt.Head(code, 200))
	s.body = first == "CREATE" && (strings.Contains(upper, " TRIGGER ") || strings.Contains(upper, " PROCEDURE ") || strings.Contains(upper, " FUNCTION "))
	shown := min(excerpt.Until(code, "("), excerpt.Until(s.in[at:end], "\n"))
	s.add(place{at, at, at + min(len(head), shown), at + shown}, rank, 0).Doc = ""
}

// statement returns the words that a statement shares with others of its kind, or
// "" if each is shown.
func statement(text string) string {
	fields := strings.Fields(text[:min(len(text), 200)])
	words := 0
	switch w := strings.ToUpper(excerpt.Word(text, 0)); {
	case listed("INSERT DELETE", w):
		words = 3
	case listed("UPDATE GRANT SELECT SET COMMENT", w):
		words = 2
	}
	head := strings.Join(fields[:min(len(fields), words)], " ")
	return head[:excerpt.Until(head, "(")]
}
