package evidence

import (
	"strings"
	"unicode"
)

// in returns a keep that keeps the words of a set.
func in(set func(string) bool) func(string) string {
	return func(text string) string { return when(set(text), text) }
}

func when(ok bool, text string) string {
	if ok {
		return text
	}
	return ""
}

const digits = "0123456789"

func hasDigit(text string) bool { return strings.ContainsAny(text, digits) }

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// keepURL leaves out what ends a sentence, and brackets around the URL.
func keepURL(text string) string {
	if open := strings.Index(text, "]("); open > 0 { // Markdown writes [text](address)
		text = text[:open]
	}
	text = strings.TrimRight(text, ".,:;!?*_~")
	for _, pair := range [...]string{"()", "[]"} {
		if strings.HasSuffix(text, pair[1:]) && strings.Count(text, pair[:1]) < strings.Count(text, pair[1:]) {
			text = strings.TrimRight(text, pair[1:]+".,:;")
		}
	}
	_, rest, _ := strings.Cut(text, "://")
	return when(len(rest) > 2 && (hasLetter(rest) || hasDigit(rest)), text)
}

func keepIPv6(text string) string {
	return when(strings.Count(text, ":") > 2 || strings.Contains(text, "::"), text)
}

func keepVersion(text string) string { return when(!looksEncoded(text), text) }

func keepTicket(text string) string {
	before, _, _ := strings.Cut(text, "-")
	return when(!standards(text) && !standards(before), text)
}

// keepNumber leaves out zeros alone: each progress bar begins with one.
func keepNumber(text string) string { return when(strings.ContainsAny(text, "123456789"), text) }

var unitStart = lazy(`[%‰×°€£¥\pL]`)

// keepUnit keeps a number with a unit, or units and numbers in turn.
func keepUnit(text string) string {
	_, unit, spaced := strings.Cut(text, " ")
	if !spaced {
		at := unitStart().FindStringIndex(text)[0]
		unit = text[at:]
		spaced = strings.HasSuffix(text[:at], "\u00a0") || strings.HasSuffix(text[:at], "\u202f")
	}
	units := tightUnits
	if spaced {
		units = looseUnits
	}
	for part := range strings.FieldsFuncSeq(unit, unicode.IsDigit) {
		if !units(part) {
			return ""
		}
	}
	return keepNumber(text)
}

// keepWindows keeps a path with a drive, a host, or a file at its end.
func keepWindows(text string) string {
	last := text[strings.LastIndexByte(text, '\\')+1:]
	return when(len(text) > 4 && (text[1] == ':' || text[0] == '.' || strings.HasPrefix(text, `\\`) ||
		keepFile(last) != ""), text)
}

func keepNamedVersion(text string) string {
	name, _, _ := strings.Cut(text, " ")
	return when(versioned(strings.ToLower(name)), text)
}

// keepRooted keeps a path that begins with a slash, a point, a tilde or a variable.
func keepRooted(text string) string {
	return when(len(text) > 2 && hasLetter(text) && !looksEncoded(text), text)
}

var (
	fewLetters = lazy(`^[A-Z]{1,4}/|^\d`)         // TCP/IP, 24/7
	bothPlain  = lazy(`^[\pL]*/[\pL]*(?::\d+)*$`) // and/or
)

// keepPath keeps a path of more than one name, but not two words for one thing.
func keepPath(text string) string {
	first, rest, _ := strings.Cut(text, "/")
	last := text[strings.LastIndexByte(text, '/')+1:]
	switch {
	case !hasLetter(text) || looksEncoded(text):
		return ""
	case folders(first), keepFile(last) != "", fileNames(last), strings.Contains(rest, "/") && len(first) > 1:
		return when(!strings.HasPrefix(text, "HTTP/"), text)
	case rest == "":
		return when(len(first) > 2 && text[0] >= 'a', text)
	}
	return when(!fewLetters().MatchString(text) && !bothPlain().MatchString(text) && len(last) > 1 &&
		hasLetter(first) && hasLetter(last), text)
}

// keepFile keeps a name with an extension that files have.
func keepFile(text string) string {
	path := text[:placeEnd().FindStringIndex(text)[0]]
	dot := strings.LastIndexByte(path, '.')
	return when(dot > 0 && extensions(path[dot+1:]) && !products(path) && hasLetter(path[:dot]) &&
		!looksEncoded(path) || fileNames(text), text)
}

// keepNumbered keeps a name with dashes and digits that names one thing, such as
// eu-west-1 or api-7d9f8b6c5-x2x4z, and not top-10.
func keepNumbered(text string) string {
	count := 0
	for _, d := range digits {
		count += strings.Count(text, string(d))
	}
	return when(len(text) > 5 && count > 0 && (strings.Count(text, "-") > 1 || count > 2) && !standards(text) &&
		!looksEncoded(text), text)
}

func keepHash(text string) string { return when(hasDigit(text) && hasLetter(text), text) }

// keepName keeps a name of a program, and not the name of a product or the plural of
// an abbreviation.
func keepName(text string) string {
	head := strings.TrimRight(text, "s")
	return when(len(text) > 3 && len(text) <= 80 && !products(text) && !looksEncoded(text) &&
		(head == text || head != strings.ToUpper(head)), text)
}

var (
	encoded = lazy(`[A-Za-z\d+/=]{24,}`)
	turns   = lazy(`[a-z][A-Z]|[A-Z]\d|\d[A-Za-z]|[a-z]\d`)
)

// looksEncoded reports whether a text has base64: long, with capitals, small letters and
// digits in no order.
func looksEncoded(text string) bool {
	part := encoded().FindString(text)
	return part != "" && strings.Trim(part, digits+"abcdefABCDEF") != "" && hasDigit(part) &&
		5*len(turns().FindAllString(part, -1)) > len(part)
}

// isHex reports whether a text has hexadecimal digits alone.
func isHex(text string) bool { return strings.Trim(text, digits+"abcdefABCDEF") == "" }
