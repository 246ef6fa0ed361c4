package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A wordTrait is a set of the kinds of characters in a word. Most words can be
// passed over by that alone.
type wordTrait uint16

const (
	hasDigit wordTrait = 1 << iota
	hasLower
	hasUpper
	hasSlash
	hasBackslash
	hasDot
	hasUnderscore
	hasDash
	hasColon
	hasAt
	hasHash
	hasHump // a capital after a small letter
	hasForeign
	hasMark // %, $ and other marks that belong to a word
	endsWord
)

var wordTraits = func() (t [256]wordTrait) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = hasForeign
		case '0' <= c && c <= '9':
			t[c] = hasDigit
		case 'a' <= c && c <= 'z':
			t[c] = hasLower
		case 'A' <= c && c <= 'Z':
			t[c] = hasUpper
		default:
			t[c] = endsWord
		}
	}
	for c, trait := range map[byte]wordTrait{
		'/': hasSlash, '\\': hasBackslash, '.': hasDot, '_': hasUnderscore, '-': hasDash, ':': hasColon, '@': hasAt, '#': hasHash,
		'%': hasMark, '$': hasMark, '~': hasMark, '+': hasMark, '^': hasMark, '*': hasMark,
	} {
		t[c] = trait
	}
	return t
}()

func isLetterOrDigit(c byte) bool { return wordTraits[c]&(hasDigit|hasLower|hasUpper) != 0 }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf })
}

// A wordSpan is the place of a word in a line, in bytes.
type wordSpan struct{ start, end int }

// words searches the words of a line.
func (f *finder) words(line string) {
	var before wordSpan
	for i := 0; i < len(line); {
		c := line[i]
		if t := wordTraits[c]; t&endsWord != 0 {
			if c == 0x1B {
				i = escapeEnd(line, i)
			} else {
				i++
			}
			continue
		}
		end, has := wordEnd(line, i)
		if end == i { // a mark outside ASCII
			_, size := utf8.DecodeRuneInString(line[i:])
			i += size
			continue
		}
		word := wordSpan{i, end}
		if has&hasColon != 0 && strings.Contains(line[i:end], "://") {
			end = f.url(line, word)
		} else if has&^(hasLower|hasUpper) != 0 || has&hasUpper != 0 && end-i > 2 && (wordTraits[line[i+1]] == hasUpper || fileNames[line[i:end]]) {
			end = f.word(line, before, word, has)
		}
		before = word
		i = max(end, word.end)
	}
}

// escapeEnd returns where the terminal's escape sequence at i ends.
func escapeEnd(line string, i int) int {
	i++
	if i < len(line) && line[i] == '[' {
		for i++; i < len(line) && (line[i] < 0x40 || line[i] > 0x7E); i++ {
		}
		i++
	}
	return min(i, len(line))
}

// wordEnd returns where the word at i ends, and its traits. Commas and points
// within a number belong to it. Outside of a path, a word also ends where a script
// that is written without spaces meets another script.
func wordEnd(line string, i int) (int, wordTrait) {
	var has, last wordTrait
	start := i
	for i < len(line) {
		c := line[i]
		t := wordTraits[c]
		switch {
		case t == endsWord:
			if (c != ',' && c != '\'') || last != hasDigit || i+1 >= len(line) || !isDigit(line[i+1]) {
				return i, has
			}
			i++
			continue
		case t == hasForeign:
			r, size := utf8.DecodeRuneInString(line[i:])
			if !isWordRune(r) || r == utf8.RuneError && size == 1 {
				return i, has
			}
			if isSpaceless(r) && last&(hasLower|hasUpper|hasDigit) != 0 {
				return i, has
			}
			i += size
			if isSpaceless(r) && i < len(line) && isLetterOrDigit(line[i]) {
				return i, has | t
			}
			has |= t
			last = t
			continue
		case t == hasUpper && last == hasLower && i > start:
			has |= hasHump
		}
		has |= t
		last = t
		i++
	}
	return i, has
}

// isWordRune reports whether a rune outside ASCII can be part of a word.
func isWordRune(r rune) bool {
	return isSpaceless(r) || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Sc, r) || r == '×' || r == '°' || r == '–'
}

// isSpaceless reports whether a rune is of a script that is written without spaces
// between words, or that adds endings to words of other scripts: Thai, Kana, Han
// and Hangul.
func isSpaceless(r rune) bool {
	return r >= 0x0E01 && (r <= 0x0E4E || r >= 0x1100 && r <= 0x11FF || r >= 0x3041 && r <= 0x30FF && r != '・' && r != '゠' ||
		r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0xF900 && r <= 0xFAD9 || r >= 0x20000 && r <= 0x323AF)
}

// word adds the finding at a word, if there is one. It returns where the word
// ends, or the finding if that is longer.
func (f *finder) word(line string, before, word wordSpan, has wordTrait) int {
	text := line[word.start:word.end]
	if !strings.HasSuffix(text, "/...") {
		text = strings.TrimRight(text, ".:-*_^~+")
	}
	if text == "" {
		return word.end
	}
	if has&(hasDigit|hasForeign|hasMark) != 0 {
		if end := f.number(line, before, wordSpan{word.start, word.start + len(text)}); end > 0 {
			return end
		}
	}
	if word.start > 0 && line[word.start-1] == '<' && text[0] == '/' {
		return word.end // a closing tag
	}
	if kind, found, ok := f.classify(text); ok {
		f.add(kind, found)
	}
	return word.end
}

// url adds the URL that begins with the word, and returns where it ends.
func (f *finder) url(line string, word wordSpan) int {
	scheme, _, _ := strings.Cut(line[word.start:word.end], "://")
	if scheme = strings.TrimLeft(scheme, "*_~"); !isPlainWord(scheme) {
		return word.end
	}
	word.start = strings.Index(line[word.start:], scheme) + word.start
	end := word.end
	for end < len(line) && !strings.ContainsRune(" \t\r\n\"'`<>|\\{}^", rune(line[end])) && line[end] > ' ' && line[end] != 0x7F {
		if line[end] >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(line[end:])
			if !isWordRune(r) {
				break
			}
			end += size
			continue
		}
		end++
	}
	text := strings.TrimRight(line[word.start:end], ".,:;!?*_~")
	for _, pair := range [...]string{"()", "[]"} {
		if strings.HasSuffix(text, pair[1:]) && strings.Count(text, pair[:1]) < strings.Count(text, pair[1:]) {
			text = strings.TrimRight(text, pair[1:]+".,:;")
		}
	}
	// Markdown writes [text](address).
	if open := strings.Index(text, "]("); open > 0 {
		text = text[:open]
	}
	_, rest, _ := strings.Cut(text, "://")
	if len(rest) < 3 || !hasLetter(rest) && !strings.ContainsAny(rest, "0123456789") {
		return word.end
	}
	f.add(urlKind, text)
	return end
}

// isPlainWord reports whether text is a name of letters, digits, dashes, points
// and plus signs, like the scheme of a URL.
func isPlainWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isLetterOrDigit(c) && c != '-' && c != '+' && c != '.' {
			return false
		}
	}
	return text != "" && !isDigit(text[0])
}

// traitsOf returns the traits of a text.
func traitsOf(text string) wordTrait {
	var has, last wordTrait
	for i := range len(text) {
		t := wordTraits[text[i]]
		if t == hasUpper && last == hasLower {
			has |= hasHump
		}
		has |= t
		last = t
	}
	return has
}

// classify returns the kind of a word that is not a number, and the part of it to
// keep. The path in a result loses its line number, so that a hundred hits in one
// file give one string.
func (f *finder) classify(text string) (kind, string, bool) {
	text = trimWord(text)
	if len(text) < 2 || len(text) > longest {
		return 0, "", false
	}
	has := traitsOf(text)
	if isID(text, has, f.exact) {
		return idKind, text, true
	}
	if has&hasAt != 0 && isAddress(text) {
		return idKind, text, true
	}
	if path, place := cutPlace(text); isPath(path, traitsOf(path)) {
		if !f.exact {
			place = ""
		}
		if rest, ok := strings.CutPrefix(path, "a/"); ok && !f.exact || !f.exact && strings.HasPrefix(path, "b/") {
			if !ok {
				rest = path[2:]
			}
			if isPath(rest, traitsOf(rest)) { // a path in a diff
				return pathKind, rest, true
			}
		}
		return pathKind, path + text[len(path):len(path)+len(place)], true
	}
	if (f.exact || f.trouble) && isName(text, has) {
		return nameKind, text, true
	}
	return 0, "", false
}

// trimWord removes the marks that prose and Markdown put around a word.
func trimWord(text string) string {
	if !strings.Contains(text, "/") {
		text = strings.Trim(text, "*")
	}
	if strings.HasPrefix(text, "**") {
		if bare := strings.Trim(text, "*"); !strings.HasPrefix(bare, "/") {
			text = bare
		}
	}
	text = strings.TrimLeft(text, ":+%")
	if len(text) > 2 && text[0] == '-' && text[1] != '-' {
		text = text[1:]
	}
	return text
}
