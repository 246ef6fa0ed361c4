package evidence

import (
	"regexp"
	"strings"
	"sync"
)

// A pattern finds one kind of exact string in a line. The patterns are frozen: each
// serves a common form, and a rare form is not worth another. TestPatterns has
// examples of each.
type pattern struct {
	name string
	kind kind
	in   where
	has  string                   // what the line has, or else it is passed over; a 0 before it: and a digit
	expr string                   // a regular expression: the string is its group
	keep func(text string) string // returns what is kept of the string, "" for nothing; nil for all
}

// A where says in which lines a pattern is looked for.
type where uint8

const (
	anywhere where = iota
	written        // by the user or the model
	suspect        // those, and lines that report an error
)

// longestLine is how much of a line is searched, in bytes.
const longestLine = 8 << 10

// Parts of the patterns.
const (
	apart   = `(?:^|[^\pL\d_./@:#$~-])` // what stands before a string
	number  = `\d+(?:[.,_']\d+)*`
	between = number + `(?:[-–x×]` + number + `)*` // or a range, or a size
	letter  = `[\p{Latin}\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{Devanagari}\p{M}\d_]`
	segment = `(?:` + letter + `|[.@+%~$=-])*` + letter // of a path
	wide    = `(?:[\pL\p{M}\d_.@+%~$=-])*[\pL\p{M}\d_]` // of a path that begins with a slash
	back    = `[\pL\p{M}\d_.\\~%+@&-]*[\pL\d_]`         // of a path with backslashes
	place   = `(?::\d+){0,2}`
)

// patterns stand in the order in which they are tried. A part of a line that one has
// found is not searched by the next.
var patterns = []pattern{
	{"URL", urlKind, anywhere, "://",
		`\b([a-z][a-z0-9+.-]*://[^\s"'<>|\\{}^` + "`" + `\x00\x{3000}-\x{303F}\x{FF00}-\x{FF1F}]+)`, keepURL},
	{"UUID", idKind, anywhere, "0-", `\b([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\b`, nil},
	{"digest", idKind, anywhere, "0:", `\b(sha\d*:[0-9a-f]{7,128})\b`, nil},
	{"address in memory", idKind, anywhere, "0x", `\b(0x[0-9a-fA-F]{3,64})\b`, nil},
	{"range of commits", idKind, anywhere, "0..", apart + `([0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40})\b`, nil},
	{"IPv4", idKind, anywhere, "0.", apart + `(\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?)\b`, nil},
	{"IPv6", idKind, anywhere, "0:", apart + `((?:[0-9a-fA-F]{1,4}::?){1,7}[0-9a-fA-F]{1,4})\b`, keepIPv6},
	{"package with a version", idKind, anywhere, "@",
		`(?:^|[\s"'=(` + "`" + `])(@?[\w./-]+@(?:[\^~]?v?\d[\w.+-]*|latest))\b`, nil},
	{"mail address or clone", idKind, anywhere, "@", apart + `([\w.+-]+@[\w-]+(?:\.[\w-]+)+(?::[\w./-]+)?)\b`, nil},
	{"date", idKind, written, "0-",
		apart + `(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)\b`, nil},
	{"time", idKind, written, "0:", apart + `(\d\d:\d\d(?::\d\d)?)\b`, nil},
	{"version", idKind, anywhere, "0.",
		apart + `((?:go|[vV])\d+(?:\.\d+){1,3}(?:[-+][\w.]+)?|[\^~=]?\d+\.\d+\.\d+(?:[-+][\w.]+)?)\b`, keepVersion},
	{"ticket or error code", idKind, anywhere, "0", apart + `([A-Z]{2,10}-\d[\d-]*\d|[A-Z]{1,4}\d{3,6})\b`, keepTicket},
	{"issue", idKind, anywhere, "0#", `(?:^|[\s(\[])((?:[\w.-]+/)?[\w.-]*#[1-9]\d{0,6})\b`, nil},
	{"system error", idKind, suspect, "", `\b(E[A-Z]{2,}|SIG[A-Z]+|OOMKilled)\b`, in(systemErrors)},
	{"image with a tag", pathKind, anywhere, "0/", apart + `([\w.-]+(?:/[\w.-]+)+:v?\d+(?:\.\d+)+[\w.-]*)\b`, nil},
	{"name with a tag", idKind, anywhere, "0:", apart + `([a-zA-Z][\w.-]*:v?\d+(?:\.\d+)+[\w.-]*)\b`, nil},

	{"money", numberKind, anywhere, "0", `((?:US)?[$€£¥₹]` + number + `[kKmMbB]?)\b`, keepNumber},
	{"number and unit", numberKind, anywhere, "0",
		`(?:^|[^\pL\d_./@#$])(` + between + `[%‰×°€£¥\pL][\pL\d/%]*)`, keepUnit},
	{"duration", numberKind, written, "0",
		`(?:^|[^\pL\d_./@#$])(` + between + `[smhd](?:\d+(?:[smh]|ms))*)\b`, keepNumber},
	{"number and word", numberKind, anywhere, "0",
		`(?:^|[^\pL\d_./@#$])(` + between + `[ \x{A0}\x{202F}][%‰°€£¥\pL][\pL/]*)`, keepUnit},
	{"labelled number", numberKind, written, "0",
		`(?i)\b((?:(?:exit|status|error) )?(?:` + labels + `)[ :=]+\d[\d.,]*)\b`, nil},
	{"loud number", numberKind, anywhere, "0",
		`(?i)\b((?:(?:exit|status|error) )?(?:commit|port|code|http|errno|sqlstate|signal|pid)[ :=]+\d[\d.]+)\b`, nil},
	{"named version", numberKind, anywhere, "0", `\b([A-Z][\w.]+ ` + number + `)\b`, keepNamedVersion},

	{"Windows path", pathKind, anywhere, "\\",
		apart + `([A-Za-z]:\\` + back + `|\\\\` + back + `|\.{1,2}\\` + back + `|` + wide + `(?:\\` + wide + `)*\\` +
			wide + `\.\w{1,8})`, keepWindows},
	{"rooted path", pathKind, anywhere, "/",
		`(?:^|[^\pL\d_./:@<$~}-])((?:~|\.{1,2}|\$\w+)?(?:/` + wide + `)+/?` + place + `)`, keepRooted},
	{"path", pathKind, anywhere, "/",
		`(?:^|[^\w./@:#$~-])(` + segment + `(?:/` + segment + `)+/?` + place + `|` + segment + `/)`, keepPath},
	{"file", pathKind, anywhere, ".", `(?:^|[^\w./@:#$~-])(` + segment + `\.[A-Za-z]\w{0,10}` + place + `)`, keepFile},
	{"dot file", pathKind, anywhere, ".", `(?:^|[^\w/.-])(\.[a-z][\w.-]*)`, in(fileNames)},
	{"known file", pathKind, anywhere, "file", `(?:^|[^\w/.-])([A-Z]\w*file)\b`, in(fileNames)},
	{"numbered name", idKind, anywhere, "0-", apart + `([A-Za-z][\w.]*(?:-[\w.]+)+)\b`, keepNumbered},
	{"hash", idKind, anywhere, "0", apart + `([0-9a-f]{7,128}|[0-9A-F]{7,128})\b`, keepHash},
	{"host with a port", idKind, anywhere, "0:", apart + `((?:[\w-]+\.)+[\w-]+:\d{2,5}|localhost:\d{2,5})\b`, nil},
	{"name with a port", idKind, written, "0:", apart + `([A-Za-z][a-zA-Z\d-]*:\d{2,5})\b`, nil},

	{"flag", nameKind, suspect, "--", `(?:^|[\s"'(\[` + "`" + `])(--[A-Za-z][\w.-]{2,})\b`, nil},
	{"scoped name", nameKind, suspect, "::", apart + `([A-Za-z_]\w*(?:::\w+)+)\b`, nil},
	{"dotted name", nameKind, suspect, ".", apart + `([A-Za-z_]\w+(?:\.[A-Za-z_][\w-]+)+)\b`, keepName},
	{"name with underscores", nameKind, suspect, "_", apart + `([A-Za-z]\w*_[\w]*[A-Za-z\d])\b`, keepName},
	{"name with humps", nameKind, suspect, "",
		apart + `([a-z]\w*[A-Z]\w*|[A-Z]+[a-z]\w*[A-Z]\w*|[A-Z]{3,}[a-z]{3,}\w*)\b`, keepName},
}

// lazy returns a function that compiles the expression when it is first called, because a
// program that starts may not need it.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// compiled has the regular expressions of the patterns, compiled at the first use.
var compiled = sync.OnceValue(func() []*regexp.Regexp {
	list := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		list[i] = regexp.MustCompile(p.expr)
	}
	return list
})

// words searches a line with all patterns.
func (f *finder) words(line string) {
	line = line[:min(len(line), longestLine)]
	rest, digit := []byte(line), hasDigit(line)
	dense := strings.ReplaceAll(strings.TrimRight(line, "."), ". ", " ") // the points between sentences tell nothing
	for _, span := range escapes().FindAllStringIndex(line, -1) {
		clear(rest[span[0]:span[1]])
	}
	for i, expr := range compiled() {
		p := &patterns[i]
		has, number := strings.CutPrefix(p.has, "0")
		switch {
		case p.in == written && !f.exact, p.in == suspect && !f.exact && !f.trouble:
			continue
		case number && !digit, !strings.Contains(dense, has):
			continue
		}
		for at := 0; ; {
			m := expr.FindSubmatchIndex(rest[at:])
			if m == nil {
				break
			}
			start, end := at+m[2], at+m[3]
			at = max(at+1, end-1) // what stands after one string may stand before the next
			text := line[start:end]
			if p.keep != nil {
				text = p.keep(text)
			}
			if text == "" {
				continue
			}
			clear(rest[start : start+len(text)])
			if p.kind == pathKind && !f.exact {
				text = withoutPlace(text)
			}
			f.add(p.kind, text)
		}
	}
}

// escapes are the sequences with which a program colours what it prints.
var escapes = lazy(`\x1b\[[0-9;?]*[ -/]*[@-~]`)

var placeEnd = lazy(place + `$`)

// withoutPlace returns a path without its line number, so that a hundred hits in one
// file give one string, and without the side of a diff.
func withoutPlace(path string) string {
	path = path[:placeEnd().FindStringIndex(path)[0]]
	if rest, ok := strings.CutPrefix(path, "a/"); ok && keepPath(rest) != "" {
		return rest
	}
	if rest, ok := strings.CutPrefix(path, "b/"); ok && keepPath(rest) != "" {
		return rest
	}
	return path
}
