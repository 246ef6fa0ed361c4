package search

import (
	"slices"
	"strings"
)

// maxForms is how many forms all words of a query may have together.
const maxForms = 128

const vowels = "aeiouy"

// forms returns the other regular English forms of a word in lower case: its plural or singular,
// and the forms with -ed and -ing. There are some that no English text has, such as "prics"; they
// match nothing. A word that is no English word has forms by the same rules.
func forms(word string) (all []string) {
	bases := []string{word}
	for cut := 1; cut <= 4 && len(word)-cut >= 2; cut++ {
		for _, end := range []string{"", "e", "y"} {
			if base := word[:len(word)-cut] + end; slices.Contains(inflected(base), word) {
				bases = append(bases, base)
			}
		}
	}
	for _, base := range bases {
		for _, f := range append(inflected(base), base) {
			longer := len(word) >= prefixLen && strings.HasPrefix(f, word) // is found by its beginning
			if !longer && f != word && !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// inflected returns the forms that a base of at least 3 letters has by the rules of English, with
// the endings -s, -ed and -ing.
func inflected(base string) []string {
	n := len(base)
	if n < 3 || !strings.ContainsAny(strings.TrimSuffix(base, "e"), vowels) || base == "new" {
		return nil
	}
	last, before, stem := base[n-1:], base[n-2:n-1], base[:n-1]
	switch vowelBefore := strings.Contains("aeiou", before); {
	case last == before && n > 3 && strings.Contains("bdgmnprt", last): // no base, as in "runn"
		return nil
	case last == "e" && before == "e" && n < 4: // "feed" is no form of "fee"
		return []string{base + "s"}
	case last == "e" && strings.Contains("eoy", before):
		return []string{base + "s", base + "d", base + "ing"}
	case last == "e":
		return []string{base + "s", base + "d", stem + "ing"}
	case last == "y" && !vowelBefore:
		return []string{stem + "ies", stem + "ied", base + "ing"}
	case strings.Contains("sxz", last), strings.HasSuffix(base, "ch"), strings.HasSuffix(base, "sh"):
		return []string{base + "es", base + "ed", base + "ing"}
	case last == "u": // "status" is no form of "statu"
		return nil
	case last == "o":
		return []string{base + "s", base + "es", base + "ed", base + "ing"}
	case strings.Contains("aiwy", last), !vowelBefore, n > 3 && strings.Contains("aeiou", base[n-3:n-2]):
		return []string{base + "s", base + "ed", base + "ing"}
	case n == 3 || !strings.ContainsAny(base[:n-2], vowels): // one vowel before the last letter, which is doubled
		return []string{base + "s", base + last + "ed", base + last + "ing"}
	}
	return []string{base + "s", base + "ed", base + "ing", base + last + "ed", base + last + "ing"}
}

// widen makes the forms of a word match its term. Only words of ASCII letters have forms, and
// no names such as getURL.
func (b *builder) widen(units []unit, term int32) {
	for i, u := range units {
		if u.end-u.start > 1 || u.c == digit || i > 0 && u.c == upper {
			return
		}
	}
	text := string(appendPlain(nil, nil, units))
	root := text
	for _, f := range forms(text) {
		if b.forms == maxForms {
			break
		}
		b.forms++
		b.q.begin[f[0]] = append(b.q.begin[f[0]], word{text: f, term: term, form: true})
		for !strings.HasPrefix(f, root) {
			root = root[:len(root)-1]
		}
	}
	b.q.words[slices.Index(b.q.words, text)] = root
}
