package evidence

import "strings"

// isID reports whether a word is a name with digits, such as a hash, a UUID, an
// address, a version, a ticket or the name of a machine. Dates and times count
// only if exact is set: in the output of programs they begin the lines of a log.
func isID(text string, has wordTrait, exact bool) bool {
	if has&hasDigit == 0 || has&hasForeign != 0 || has&(hasSlash|hasBackslash) != 0 && !strings.Contains(text, "#") {
		return isConstantError(text, has)
	}
	switch {
	case has&hasHash != 0:
		return isIssue(text)
	case isHash(text), isUUID(text), isErrorCode(text, has):
		return true
	case has&hasAt != 0:
		return false
	case has&hasDot != 0 && isVersion(text), isIP(text):
		return true
	case has&hasColon != 0:
		return isHostPort(text, exact) || exact && isTime(text)
	case has&hasDash != 0 && isDate(text):
		return exact
	case has&hasDash != 0 && has&(hasLower|hasUpper) != 0:
		return isNumbered(text)
	}
	return false
}

// isHash reports whether a word is a hash: 7 to 128 hexadecimal digits, with at
// least one digit and one letter. The name of the hash function may stand before
// it, as in sha256:.
func isHash(text string) bool {
	if name, hash, ok := strings.Cut(text, ":"); ok {
		return strings.HasPrefix(name, "sha") && len(hash) >= 7 && isHex(hash)
	}
	if rest, ok := strings.CutPrefix(text, "0x"); ok {
		return len(rest) >= 3 && isHex(rest)
	}
	if from, to, ok := strings.Cut(text, ".."); ok { // as git prints the range of a push
		return isHash(from) && isHash(strings.TrimPrefix(to, "."))
	}
	if len(text) < 7 || len(text) > 128 || !isHex(text) {
		return false
	}
	has := traitsOf(text)
	return has&hasDigit != 0 && has&(hasLower|hasUpper) != 0 && has&(hasLower|hasUpper) != hasLower|hasUpper
}

func isUUID(text string) bool {
	return len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' &&
		isHex(text[:8]) && isHex(text[24:])
}

// isIssue reports whether a word with # in it is a ticket: #123, owner/name#123.
func isIssue(text string) bool {
	before, number, _ := strings.Cut(text, "#")
	return number != "" && len(number) <= 7 && strings.Trim(number, "0123456789") == "" && number[0] != '0' &&
		(before == "" || isPlainWord(strings.ReplaceAll(strings.ReplaceAll(before, "/", ""), "_", "")))
}

// isErrorCode reports whether a word is the code of an error, a rule or a ticket,
// such as E0308, TS2345, CVE-2024-3094, ORA-00942 or PROJ-1234.
func isErrorCode(text string, has wordTrait) bool {
	if has&^(hasUpper|hasDigit|hasDash) != 0 || has&hasUpper == 0 || standards[text] {
		return false
	}
	letters := 0
	for letters < len(text) && wordTraits[text[letters]] == hasUpper {
		letters++
	}
	rest := text[letters:]
	if dashed, ok := strings.CutPrefix(rest, "-"); ok {
		return letters >= 2 && letters <= 10 && strings.Trim(dashed, "0123456789-") == "" && len(dashed) >= 2 && !standards[text[:letters]]
	}
	return letters >= 1 && letters <= 4 && len(rest) >= 3 && len(rest) <= 6 && strings.Trim(rest, "0123456789") == ""
}

// isConstantError reports whether a word is an error of the system, such as
// ECONNREFUSED.
func isConstantError(text string, has wordTrait) bool { return has == hasUpper && systemErrors[text] }

// isVersion reports whether a word is a version, such as 1.2.3, v1.2, go1.26,
// ^18.2.0 or 2.0.0-rc.1.
func isVersion(text string) bool {
	text = strings.TrimLeft(text, "^~=")
	bare := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "go"), "v"), "V")
	named := bare != text
	if bare == "" || !isDigit(bare[0]) {
		return false
	}
	core, suffix := bare, ""
	if i := strings.IndexAny(bare, "-+"); i >= 0 {
		core, suffix = bare[:i], bare[i+1:]
	}
	numbers := 0
	for part := range strings.SplitSeq(core, ".") {
		if part == "" || len(part) > 8 || strings.Trim(part, "0123456789") != "" {
			return false
		}
		numbers++
	}
	return (numbers == 3 || numbers == 4 && suffix != "" || numbers == 2 && named) && !looksEncoded(suffix) && !strings.Contains(suffix, ":")
}

// isIP reports whether a word is an IPv4 address, with or without a port or the
// length of a prefix, or an IPv6 address.
func isIP(text string) bool {
	host, port, _ := strings.Cut(text, ":")
	host, _, _ = strings.Cut(host, "/")
	numbers := 0
	for part := range strings.SplitSeq(host, ".") {
		if part == "" || len(part) > 3 || strings.Trim(part, "0123456789") != "" || len(part) == 3 && part > "255" {
			numbers = 0
			break
		}
		numbers++
	}
	if numbers == 4 {
		return strings.Trim(port, "0123456789") == ""
	}
	if len(text) < 5 || strings.Count(text, ":") < 3 && !strings.Contains(text, "::") {
		return false
	}
	return isHex(strings.ReplaceAll(text, ":", "")) && strings.Count(text, ":") <= 7
}

// isHostPort reports whether a word is a host with a port or an image with a tag.
// A host without a point needs exact, unless it is localhost.
func isHostPort(text string, exact bool) bool {
	host, port, _ := strings.Cut(text, ":")
	if strings.Contains(port, ":") || looksEncoded(host) {
		return false
	}
	number := len(port) >= 2 && len(port) <= 5 && strings.Trim(port, "0123456789") == ""
	if host == "" || !isLetterOrDigit(host[0]) || !hasLetter(host) {
		return false
	}
	if number && !strings.Contains(host, "_") {
		return exact || host == "localhost" || strings.Contains(host, ".")
	}
	return strings.Contains(port, ".") && (isVersion(port) || isVersion("v"+port))
}

// isTime reports whether a word is a time of day.
func isTime(text string) bool {
	return (len(text) == 5 || len(text) == 8) && text[2] == ':' && strings.Trim(text, "0123456789:") == ""
}

// isDate reports whether a word is a date, with or without its time.
func isDate(text string) bool {
	return len(text) >= 10 && text[4] == '-' && text[7] == '-' && strings.Trim(text[:10], "0123456789-") == "" &&
		strings.Trim(text[10:], "0123456789:.-+TZ") == ""
}

// isNumbered reports whether a word with dashes and digits names one thing, such
// as eu-west-1 or api-7d9f8b6c5-x2x4z. A word such as top-10 does not.
func isNumbered(text string) bool {
	if !isLetterOrDigit(text[0]) || isDigit(text[0]) || len(text) < 6 || standards[text] {
		return false
	}
	dashes, digits := 0, 0
	for i := range len(text) {
		switch t := wordTraits[text[i]]; {
		case t == hasDash:
			dashes++
		case t == hasDigit:
			digits++
		case t&(hasLower|hasUpper|hasUnderscore|hasDot) == 0:
			return false
		}
	}
	return dashes > 1 || digits > 2
}

// isAddress reports whether a word with @ is a mail address, a package with its
// version, or an address to clone from.
func isAddress(text string) bool {
	at := strings.LastIndexByte(text, '@')
	name, rest := text[:at], text[at+1:]
	if name == "" || rest == "" {
		return false
	}
	if isVersion(rest) || rest == "latest" || isHash(rest) {
		return true
	}
	host, _, _ := strings.Cut(rest, ":")
	return !strings.HasPrefix(text, "/") && isDotted(host) || strings.Contains(host, "-") && hasLetter(host)
}
