package code

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// scanSQL lists statements; those of the same kind one after the other are one.
func scanSQL(text string) []Definition {
	s := sqlScanner{text: text, n: 1, fresh: true, mark: ";"}
	for l := range excerpt.Lines(blankSQL(text)) {
		s.line(l)
	}
	s.flush()
	return s.defs
}

type sqlScanner struct {
	text  string
	defs  []Definition
	n     int    // the line that is next
	fresh bool   // a statement may begin
	mark  string // ends a statement
	last  string // what the last has in common with others of its kind
	same  int    // how many of them there are
	body  bool   // the statement may hold others
	depth int    // BEGIN without END in it
}

func (s *sqlScanner) flush() {
	if i := len(s.defs) - 1; i >= 0 && s.same > 1 {
		s.defs[i].Text = fmt.Sprintf("%s ×%d", s.last, s.same)
		s.defs[i].Brief = 0
	}
}

func (s *sqlScanner) line(l excerpt.Line) {
	at := s.n
	s.n += 1 + strings.Count(l.Text, string(rune(StringFeed)))
	from := skipBlanks(l.Text, 0)
	if from == len(l.Text) {
		return
	}
	first := excerpt.Word(l.Text, from)
	if s.fresh || s.body {
		first = strings.ToUpper(first)
	}
	if first == "DELIMITER" {
		if fields := strings.Fields(s.text[l.At+from : l.At+len(l.Text)]); len(fields) > 1 {
			s.mark, s.fresh = fields[1], true
		}
		return
	}
	if s.fresh || s.depth > 0 && from == 0 && first == "CREATE" {
		s.depth = 0
		s.begin(at, first, s.text[l.At+from:l.At+len(l.Text)], l.Text[from:])
	}
	end := strings.TrimRight(l.Text, " \t\r")
	if s.body && (first == "BEGIN" || strings.HasSuffix(strings.ToUpper(end), " BEGIN")) {
		s.depth++
	}
	if s.depth > 0 {
		if first == "END" && !endsPart(l.Text[from:]) {
			s.depth--
		}
	}
	s.fresh = s.depth == 0 && strings.HasSuffix(end, s.mark)
}

// begin notes a statement, which is raw, and without strings code.
func (s *sqlScanner) begin(at int, first, raw, code string) {
	head := statement(raw)
	if head != "" && head == s.last {
		s.same++
		s.defs[len(s.defs)-1].End = s.n - 1
		return
	}
	if !IsStatement(first) {
		return
	}
	s.flush()
	s.last, s.same = head, 1
	rank := 1
	if first == "CREATE" || first == "ALTER" {
		rank = 0
	}
	upper := strings.ToUpper(code[:min(len(code), 200)])
	s.body = first == "CREATE" && (strings.Contains(upper, " TRIGGER ") || strings.Contains(upper, " PROCEDURE ") || strings.Contains(upper, " FUNCTION "))
	raw = raw[:excerpt.Until(code, "(")]
	raw, _, _ = strings.Cut(raw, "\n")
	s.defs = append(s.defs, Definition{Line: at, Rank: rank, Text: strings.TrimRight(raw, " (\t"), Brief: min(len(head), len(raw))})
}

// endsPart says whether END is that of IF, LOOP or the like.
func endsPart(text string) bool {
	fields := strings.Fields(strings.ToUpper(text[:min(len(text), 40)]))
	if len(fields) < 2 {
		return false
	}
	switch strings.TrimRight(fields[1], ";") {
	case "IF", "LOOP", "CASE", "WHILE", "REPEAT", "AS", "FOR":
		return true
	}
	return false
}

// blankSQL makes a text of the same length, as blank does, in which comments and
// the data of COPY and commands of psql are blanks, and strings and bodies in $$ are marked.
func blankSQL(text string) string {
	head := text[:min(len(text), 1<<16)]
	mysql, dollars := strings.Contains(head, "`"), !strings.Contains(head, "DELIMITER ")
	out := []byte(text)
	endless := 0
	for i := 0; i < len(text); {
		if c := text[i]; c == ' ' || c == '\n' || excerpt.IsWord(c) && c != '$' {
			i++
			continue
		}
		rest, n, feed := text[i:], 0, byte('\n')
		fill := byte(' ')
		switch c := text[i]; {
		case c == '\\' && beginsLine(text[max(0, i-64):i]):
			n = excerpt.Until(rest, "\n")
			if n > 1 && rest[1] == 'g' {
				out[i] = ';'
				i++
				n--
			}
		case c == '-' && strings.HasPrefix(rest, "--"), c == '#' && mysql:
			n = excerpt.Until(rest, "\n")
		case c == '/' && strings.HasPrefix(rest, "/*"):
			n = min(len(rest), 2+excerpt.Until(rest[2:], "*/")+2)
		case c == ';' && strings.HasPrefix(strings.TrimLeft(rest[1:min(len(rest), 4)], " \r"), "\n") && isCopy(text[:i]):
			i++
			n = min(len(rest)-1, excerpt.Until(rest, "\n\\.")+2)
		case c == '\'' || c == '"' || c == '`':
			escapes := c == '\'' && (mysql || i > 0 && text[i-1]|0x20 == 'e')
			n, fill, feed = sqlString(rest, escapes, &endless), inString, StringFeed
		case c == '$' && dollars && (i == 0 || !excerpt.IsWord(text[i-1])):
			n, fill, feed = dollarString(rest, &endless), inString, StringFeed
		}
		if n == 0 {
			out[i] = max(text[i], ' ')
			i++
			continue
		}
		for end := i + n; i < end; i++ {
			if out[i] == '\n' {
				out[i] = feed
			} else {
				out[i] = fill
			}
		}
	}
	return string(out)
}

// beginsLine says whether what follows a text is the first of its line.
func beginsLine(text string) bool {
	return strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " \t") == ""
}

// isCopy says whether the last line is a statement whose data follow.
func isCopy(text string) bool {
	line := text[max(strings.LastIndexByte(text, '\n')+1, len(text)-2000):]
	return len(line) > 10 && strings.EqualFold(line[:5], "copy ") && strings.EqualFold(line[len(line)-10:], "from stdin")
}

// sqlString is the length of a string in the quotes that it begins with. One
// without an end, or whose end looks like another's beginning, is of one line.
func sqlString(text string, escapes bool, endless *int) int {
	lines := text[0] == '\'' && *endless < 8
	feed := 0
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && escapes:
			i++
		case c == text[0] && i+1 < len(text) && text[i+1] == c:
			i++
		case c == text[0]:
			if feed > 0 && i+1 < len(text) && excerpt.IsWord(text[i+1]) {
				*endless++
				return feed
			}
			return i + 1
		case c == '\n':
			if !lines {
				return i
			}
			if feed == 0 {
				feed = i
			}
		}
	}
	*endless++
	return max(feed, 1)
}

// dollarString is the length of $tag$...$tag$, or 0.
func dollarString(text string, endless *int) int {
	n := 1
	for n < len(text) && n < 64 && (excerpt.IsWord(text[n]) && text[n] != '$' && (n > 1 || text[n] > '9')) {
		n++
	}
	if n == len(text) || text[n] != '$' || *endless >= 8 {
		return 0
	}
	end := strings.Index(text[n+1:], text[:n+1])
	if end < 0 {
		*endless++
		return 0
	}
	return n + 1 + end + n + 1
}

// statement is the words of one that tell it from others.
func statement(text string) string {
	w := strings.ToUpper(excerpt.Word(text, 0))
	if w != "INSERT" && w != "UPDATE" && w != "DELETE" && w != "GRANT" && w != "SELECT" && w != "SET" && w != "COMMENT" {
		return ""
	}
	fields := strings.Fields(text[:min(len(text), 200)])
	most := 2
	if w == "INSERT" || w == "DELETE" {
		most = 3
	}
	head := strings.Join(fields[:min(len(fields), most)], " ")
	return head[:excerpt.Until(head, "(")]
}

// IsStatement says whether a word in capitals begins a statement of SQL.
func IsStatement(word string) bool {
	switch word {
	case "CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "SELECT", "WITH", "GRANT", "REVOKE", "COMMENT", "TRUNCATE", "COPY", "SET", "DO", "CALL", "BEGIN", "COMMIT", "PRAGMA", "MERGE":
		return true
	}
	return false
}
