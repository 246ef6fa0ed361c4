package evidence

import (
	"strings"
	"unicode/utf8"
)

// cutPlace splits a path from the line and column after it.
func cutPlace(text string) (path, place string) {
	end := len(text)
	for range 2 {
		i := end
		for i > 0 && isDigit(text[i-1]) {
			i--
		}
		if i == end || i < 2 || text[i-1] != ':' {
			break
		}
		end = i - 1
	}
	return text[:end], text[end:]
}

// isPath reports whether a word is the path of a file or a folder.
func isPath(text string, has wordTrait) bool {
	if has&(hasLower|hasUpper|hasForeign) == 0 || len(text) < 3 {
		return false
	}
	switch {
	case has&hasBackslash != 0:
		return isWindowsPath(text)
	case has&hasSlash == 0:
		return isFileName(text, has)
	case strings.Contains(text, "//"), strings.HasPrefix(text, "@/") && len(text) < 4:
		return false
	}
	if has&hasColon != 0 {
		name, tag, _ := strings.Cut(text, ":")
		if strings.Contains(tag, ":") || !strings.ContainsAny(text, "0123456789") || strings.HasPrefix(name, "/") && len(name) < 3 {
			return false
		}
	}
	segments := 0
	for segment := range strings.SplitSeq(strings.Trim(text, "/"), "/") {
		if segment == "" || looksEncoded(segment) {
			return false
		}
		segments++
	}
	switch c := text[0]; {
	case c == '/':
		return isLetterOrDigit(text[1]) || text[1] == '.' || text[1] == '_' || text[1] == '@' || text[1] >= utf8.RuneSelf
	case strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"), strings.HasPrefix(text, "~/"), c == '$':
		return true
	case c == '-', c == '+', c == '#', c == '%', c == '~':
		return false
	}
	first, rest, _ := strings.Cut(text, "/")
	last := text[strings.LastIndexByte(text, '/')+1:]
	if rest == "" { // a folder with its slash
		return len(first) > 2
	}
	if !hasLetter(first) || first == "HTTP" || first == "TLS" {
		return false
	}
	return segments > 2 && len(first) > 1 || isFileName(last, traitsOf(last)) || last == "" && segments > 1 || folders[first] ||
		segments == 2 && strings.ContainsAny(first, "_-.0123456789@") && len(last) > 1 ||
		segments == 2 && strings.ContainsAny(last, "_-0123456789") && first == strings.ToLower(first) && len(first) > 2 && hasLetter(last)
}

// isWindowsPath reports whether a word with backslashes is a path and not a
// pattern.
func isWindowsPath(text string) bool {
	if strings.ContainsAny(text, "^$*+") {
		return false
	}
	switch {
	case len(text) > 3 && text[1] == ':' && text[2] == '\\' && hasLetter(text[:1]):
		return true
	case strings.HasPrefix(text, `\\`) && len(text) > 4 && isLetterOrDigit(text[2]):
		return strings.Count(text, `\`) > 2
	case strings.HasPrefix(text, `..\`), strings.HasPrefix(text, `.\`), strings.HasPrefix(text, "%"):
		return len(text) > 4
	}
	last := text[strings.LastIndexByte(text, '\\')+1:]
	return text[0] != '\\' && isFileName(last, traitsOf(last))
}

// isFileName reports whether a word without slashes is the name of a file.
func isFileName(text string, has wordTrait) bool {
	if has&hasDot == 0 {
		return fileNames[text]
	}
	dot := strings.LastIndexByte(text, '.')
	if dot == 0 || has&(hasAt|hasHash) != 0 || strings.ContainsAny(text, ":%") {
		return fileNames[text]
	}
	return extensions[text[dot+1:]] && !products[text] && hasLetter(text[:dot])
}

// looksEncoded reports whether a text looks like base64: long, with capitals,
// small letters and digits in no order.
func looksEncoded(text string) bool {
	if len(text) < 12 || isHex(text) {
		return false
	}
	changes, digits := 0, 0
	for i := 1; i < len(text); i++ {
		a, b := wordTraits[text[i-1]], wordTraits[text[i]]
		if a != b && !(a == hasUpper && b == hasLower) && a|b&^(hasLower|hasUpper|hasDigit) != 0 && (a|b)&^(hasLower|hasUpper|hasDigit) == 0 {
			changes++
		}
		if b == hasDigit {
			digits++
		}
	}
	return changes*3 > len(text) || len(text) > 64 && digits > 4 && !strings.ContainsAny(text, "-_.")
}

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}
