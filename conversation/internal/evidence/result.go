package evidence

import (
	"slices"
	"strings"
)

// result searches what a program printed. It takes words, but identifiers only
// from lines that report an error, and nothing from lines that report success. It
// takes no sentences and no commands: the text of a page or a file must not reach
// a system message.
func (f *finder) result(text string, failed bool) {
	exact := f.exact
	f.exact = false
	lines, code, after, log := 0, 0, false, 0
	for line := range strings.Lines(text) {
		if len(f.found) >= mostFindings {
			break
		}
		line = trimGutter(line)
		if line == "" || isIdleLine(line) {
			continue
		}
		lines++
		f.trouble = after // the line after an error belongs to it
		after = false
		if isCodeLine(line) {
			code++
			if isImport(line) {
				continue
			}
		} else if reportsError(line) || failed && len(text) < shortFailure {
			f.trouble, after = true, true
		}
		start := len(f.found)
		if !f.trouble && start >= mostCalm {
			continue
		}
		if n := hexEnd(line); n > 0 && n == log {
			f.add(idKind, line[:n]) // in a log of commits a hash may have digits alone
		} else if log = 0; keepHash(line[:n]) != "" {
			log = n
		}
		f.words(line)
		if f.trouble {
			f.promote(start)
			f.trouble = false
		}
	}
	f.exact = exact
	f.code = code > 4 && code*4 > lines
}

// promote makes the findings from start on urgent, except numbers and names. The
// numbers on a line with an error are mostly durations.
func (f *finder) promote(start int) {
	for i := start; i < len(f.found); i++ {
		if k := f.found[i].kind; k != numberKind && k != nameKind {
			f.found[i].kind = urgentKind
		}
	}
}

// hexEnd returns the length of the first word of a line if it may be a commit of
// git, else 0.
func hexEnd(line string) int {
	n := strings.IndexByte(line[:min(len(line), 41)], ' ')
	if n < 7 || !isHex(line[:n]) {
		return 0
	}
	return n
}

// trimGutter returns a line without the blanks around it, and without the line
// number that tools for reading files print before it.
func trimGutter(line string) string {
	line = strings.Trim(line, " \t\r\n")
	rest := strings.TrimLeft(line, digits)
	if len(rest) < len(line) && (strings.HasPrefix(rest, "→") || strings.HasPrefix(rest, "\t")) {
		return strings.TrimLeft(rest, "→ \t")
	}
	return line
}

// isIdleLine reports whether a test runner prints such a line for a test that
// passed.
func isIdleLine(line string) bool {
	return beginsWith(line, idleLines)
}

// isCodeLine reports whether a line looks like program code.
func isCodeLine(line string) bool {
	switch line[len(line)-1] {
	case '{', ';':
		return true
	case '}', '(':
		if len(line) < 3 || line[len(line)-1] == '(' {
			return true
		}
	case ':':
		return strings.HasPrefix(line, "def ") || strings.HasPrefix(line, "class ") || strings.HasSuffix(line, "):")
	}
	if strings.Contains(line, " := ") || strings.HasPrefix(line, "\"") && strings.HasSuffix(line, "\"") {
		return true
	}
	return beginsWith(line, codeLines)
}

func beginsWith(line string, list []string) bool {
	return slices.ContainsFunc(list, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// isImport reports whether a line of code imports another file.
func isImport(line string) bool {
	return line[0] == '"' || strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ") ||
		strings.HasPrefix(line, "#include") ||
		strings.HasPrefix(line, "use ") || strings.HasPrefix(line, "export ") || strings.Contains(line, "require(")
}

// reportsError reports whether a line has one of the words in troubles.
func reportsError(line string) bool {
	if len(line) > 2048 {
		return false // a page on one line
	}
	return slices.ContainsFunc(troubles, func(word string) bool { return strings.Contains(line, word) })
}
