package evidence

import "strings"

// isName reports whether a word is an identifier of a program, such as camelCase,
// CamelCase, snake_case, CONSTANT_CASE, dotted.Name, scoped::name or --flag.
func isName(text string, has wordTrait) bool {
	if len(text) < 4 || len(text) > 80 || has&(hasLower|hasUpper) == 0 || has&(hasSlash|hasBackslash|hasAt|hasHash|hasForeign) != 0 || looksEncoded(text) {
		return false
	}
	if flag, ok := strings.CutPrefix(text, "--"); ok {
		return len(flag) > 2 && isPlainWord(flag)
	}
	if products[text] || has&hasMark != 0 || has&hasDash != 0 || isDigit(text[0]) {
		return false
	}
	switch {
	case has&hasColon != 0:
		return strings.Contains(text, "::") && !strings.Contains(text, ":::") && isPlainWord(strings.ReplaceAll(strings.ReplaceAll(text, "::", ""), "_", ""))
	case has&hasDot != 0:
		return isDotted(text)
	case has&hasUnderscore != 0:
		return strings.Contains(strings.Trim(text, "_"), "_")
	case has&hasHump != 0:
		return !isPlural(text)
	}
	return isAcronymName(text, has)
}

// isPlural reports whether a word is an abbreviation with an ending, such as URLs
// or PRs.
func isPlural(text string) bool {
	head := strings.TrimRight(text, "sdr'")
	return len(text)-len(head) == 1 && head == strings.ToUpper(head)
}

// isAcronymName reports whether a word is capitals and then a word, such as
// HTTPServer.
func isAcronymName(text string, has wordTrait) bool {
	if has&^(hasLower|hasUpper) != 0 || has&hasLower == 0 {
		return false
	}
	capitals := len(text) - len(strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return capitals > 2 && len(text)-capitals > 3
}

// isDotted reports whether a word is two or more names with points between them.
func isDotted(text string) bool {
	segments := 0
	for segment := range strings.SplitSeq(text, ".") {
		if len(segment) < 2 || isDigit(segment[0]) || segment[0] == '-' {
			return false
		}
		for i := range len(segment) {
			if c := segment[i]; !isLetterOrDigit(c) && c != '_' && c != '-' {
				return false
			}
		}
		segments++
	}
	return segments > 1
}
