package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
)

// The oracle does what the package promises the slow way: it folds whole texts with
// package norm, and looks for each word in each place.

// A letter is a folded character. kind is 'w' in words, '2' and '3' in runs, ' ' for white
// space and '.' for the rest; part says that a part of a camelCase word begins with it.
type letter struct {
	r    rune
	kind byte
	up   bool
	part bool
}

func oracleKind(r rune) byte {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r == 'ー' || r == '々' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && !unicode.IsPunct(r) && !unicode.IsSymbol(r):
		return '2'
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && (unicode.IsLetter(r) || unicode.In(r, unicode.Mc)):
		return '3'
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.In(r, unicode.Mc):
		return 'w'
	}
	return '.'
}

// letters returns a text without marks, folded.
func letters(text string) (all []letter) {
	var plain []rune
	for _, r := range norm.NFKD.String(text) {
		if !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			plain = append(plain, r)
		}
	}
	for _, r := range norm.NFC.String(string(plain)) {
		folded := []rune(strings.ToLower(strings.ToUpper(string(r))))
		if r == 'ß' || r == 'ẞ' {
			folded = []rune("ss")
		}
		for i, f := range folded {
			all = append(all, letter{r: f, kind: oracleKind(f), up: unicode.IsUpper(r) && i == 0})
		}
	}
	for i := range all {
		l := &all[i]
		first := i == 0 || all[i-1].kind != 'w'
		upper := l.up && (first || !all[i-1].up)
		beforeLower := l.up && i+1 < len(all) && all[i+1].kind == 'w' && !all[i+1].up && unicode.IsLetter(all[i+1].r)
		l.part = l.kind == 'w' && (first || upper || beforeLower)
	}
	return all
}

// An oracleTerm is a word, a gram or a phrase.
type oracleTerm struct {
	text      []letter
	phrase    bool
	banned    bool
	forms     []string // of a word
	oneLetter bool     // one letter of a longer name, which finds nothing by itself
}

// oracleQuery cuts a query into terms.
func oracleQuery(query string) (terms []oracleTerm) {
	known := map[string]bool{}
	oneLetter := false
	add := func(text []letter, phrase, banned bool) {
		key := fmt.Sprint(plainOf(text), phrase, banned)
		if !known[key] {
			terms = append(terms, oracleTerm{text, phrase, banned, nil, true})
		}
		known[key] = true
		for i := range terms {
			t := &terms[i]
			t.oneLetter = t.oneLetter && (oneLetter || fmt.Sprint(plainOf(t.text), t.phrase, t.banned) != key)
		}
	}
	items := oracleItems(query)
	for i, item := range items {
		if item.text == "OR" && !item.quoted && !item.banned && i > 0 && i < len(items)-1 && len(terms) > 0 {
			continue
		}
		all := letters(item.text)
		runs := oracleRuns(all)
		oneLetter = false
		switch {
		case len(runs) == 0:
		case item.banned && len(runs) == 1 && !item.quoted && runs[0][0].kind == 'w':
			add(runs[0], false, true)
		case item.quoted || item.banned:
			for oracleKind(all[0].r) == '.' || all[0].kind == ' ' {
				all = all[1:]
			}
			for last := all[len(all)-1]; last.kind == '.' || last.kind == ' '; last = all[len(all)-1] {
				all = all[:len(all)-1]
			}
			add(singleSpaces(all), true, item.banned)
		default:
			isLong := slices.ContainsFunc(runs, func(r []letter) bool { return len(r) > 1 || r[0].kind != 'w' })
			for _, run := range runs {
				oneLetter = isLong && len(run) == 1 && run[0].kind == 'w'
				if size := int(run[0].kind - '0'); run[0].kind != 'w' {
					for i := 0; i == 0 || i+size <= len(run); i++ {
						add(run[i:min(i+size, len(run))], false, false)
					}
				} else {
					add(run, false, false)
					widenOracle(terms, item.text, run)
					for _, part := range oracleParts(run) {
						add(part, false, false)
					}
				}
			}
		}
	}
	return terms
}

// widenOracle gives the term of a word its forms, if it is one of ASCII letters that is no name.
func widenOracle(terms []oracleTerm, item string, run []letter) {
	word := plainOf(run)
	for i, l := range run {
		if l.r >= 0x80 || unicode.IsDigit(l.r) || i > 0 && l.up {
			return
		}
	}
	if !standsPlain(item, word) {
		return
	}
	for i := range terms {
		if t := &terms[i]; plainOf(t.text) == word && !t.phrase && !t.banned && !strings.ContainsAny(strings.TrimRight(item, ".:"), "_./:@#") {
			t.forms = search.Forms(word)
		}
	}
}

// standsPlain reports whether a word is in a text as ASCII letters without marks.
func standsPlain(text, word string) bool {
	text = strings.Map(func(r rune) rune {
		if r < 0x80 {
			return unicode.ToLower(r)
		}
		return r
	}, text)
	for _, after := range strings.Split(text, word)[1:] {
		if next, _ := utf8.DecodeRuneInString(after); !unicode.In(next, unicode.Mn, unicode.Me, unicode.Cf) {
			return true
		}
	}
	return false
}

type oracleItem struct {
	text           string
	quoted, banned bool
}

func oracleItems(query string) (items []oracleItem) {
	for query = strings.TrimSpace(query); query != ""; query = strings.TrimSpace(query) {
		var item oracleItem
		if len(query) > 1 && query[0] == '-' && query[1] != '-' {
			item.banned, query = true, query[1:]
		}
		if item.quoted = query[0] == '"'; item.quoted {
			item.text, query, _ = strings.Cut(query[1:], `"`)
		} else if i := strings.IndexFunc(query, unicode.IsSpace); i >= 0 {
			item.text, query = query[:i], query[i:]
		} else {
			item.text, query = query, ""
		}
		items = append(items, item)
	}
	return items
}

func oracleRuns(all []letter) (runs [][]letter) {
	for i, l := range all {
		if l.kind == ' ' || l.kind == '.' {
			continue
		}
		if i > 0 && all[i-1].kind == l.kind {
			runs[len(runs)-1] = append(runs[len(runs)-1], l)
		} else {
			runs = append(runs, []letter{l})
		}
	}
	return runs
}

// oracleParts returns the parts of a word in camelCase, nil if it is one part.
func oracleParts(run []letter) (parts [][]letter) {
	for i, l := range run {
		if l.part {
			parts = append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], run[i])
	}
	if len(parts) == 1 {
		return nil
	}
	return parts
}

func singleSpaces(all []letter) (plain []letter) {
	for i, l := range all {
		if l.kind != ' ' || i > 0 && all[i-1].kind != ' ' {
			plain = append(plain, l)
		}
	}
	return plain
}

// plainOf returns letters as text, with one space for white space.
func plainOf(all []letter) string {
	var b strings.Builder
	for i, l := range all {
		if l.kind != ' ' {
			b.WriteRune(l.r)
		} else if i > 0 && all[i-1].kind != ' ' {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// occurs reports whether a passage has a term, as a word, a part of one or its beginning.
func (t oracleTerm) occurs(all []letter) bool {
	if t.phrase {
		all = singleSpaces(all)
	}
	for _, run := range oracleRuns(all) {
		if run[0].kind == 'w' && slices.Contains(t.forms, plainOf(run)) {
			return true
		}
	}
	for i := 0; i+len(t.text) <= len(all); i++ {
		if !equalLetters(t, all[i:]) {
			continue
		}
		end := i + len(t.text)
		inWord := end < len(all) && all[end].kind == 'w' && all[end-1].kind == 'w'
		found := false
		switch kind := t.text[0].kind; {
		case t.phrase:
			found = !(kind == 'w' && i > 0 && all[i-1].kind == 'w' || inWord)
		case kind != 'w':
			found = true
		case all[i].part:
			found = !inWord || all[end].part || len(t.text) >= 4 && !t.banned
		}
		if found {
			return true
		}
	}
	return false
}

func equalLetters(t oracleTerm, all []letter) bool {
	for i, l := range t.text {
		if l.kind == ' ' && all[i].kind == ' ' {
			continue
		}
		if all[i].r != l.r || all[i].kind != l.kind {
			return false
		}
	}
	return true
}

// oracleMatches reports whether a passage matches.
func oracleMatches(terms []oracleTerm, passage string) (matches bool) {
	all := letters(passage)
	for _, t := range terms {
		there := t.occurs(all)
		if t.banned && there || t.phrase && !t.banned && !there {
			return false
		}
		matches = matches || !t.banned && there && !t.oneLetter
	}
	return matches
}

var scripts = map[string]string{
	"latin":      "abAB é ÉeßÅñ1_-",
	"english":    "osped sOR",
	"odd":        "ﬁ K ſ İ sSkK1#\u200b\u0301",
	"greek":      "αβΑΒ άΆσςΣ ϊ",
	"cyrillic":   "абАБ ёЁйЙ -",
	"arabic":     "ابتَ",
	"devanagari": "कखिु",
	"han":        "日本語中文、。 aB",
	"kana":       "かがハバﾊﾞｶﾞー々 ",
	"hangul":     "한국어가각 ᄀ\u1161\u11a8ㄱa",
	"thai":       "กขคาำ ิี่้ a",
}

func drawText(t *rapid.T, alphabet, label string, least, most int) string {
	runes := append([]rune(alphabet), ' ', ' ', 'a', 'b')
	return strings.TrimSpace(strings.ReplaceAll(rapid.StringOfN(rapid.SampledFrom(runes), least, most, -1).Draw(t, label), "\n", " "))
}

// Whatever is searched, the same passages are found as by the oracle.
func TestSearchIsTheOracle(t *testing.T) {
	for name, alphabet := range scripts {
		t.Run(name, func(t *testing.T) {
			found := 0
			rapid.Check(t, func(t *rapid.T) {
				var texts []search.Text
				for i := range rapid.IntRange(1, 6).Draw(t, "texts") {
					texts = append(texts, search.Text{Path: fmt.Sprint(9000 + i), Entry: 1, Content: []byte(drawText(t, alphabet, "text", 0, 40))})
				}
				var query []string
				for range rapid.IntRange(1, 3).Draw(t, "items") {
					form := rapid.SampledFrom([]string{"%s", "%ss", "%sing", "%s", "%sed", "%s OR", `"%s"`, "-%s", `-"%s"`}).Draw(t, "form")
					word := drawText(t, alphabet, "word", 1, 6)
					if from := []rune(string(rapid.SampledFrom(texts).Draw(t, "from").Content)); len(from) > 0 && rapid.Bool().Draw(t, "there") {
						at := rapid.IntRange(0, len(from)-1).Draw(t, "at")
						word = string(from[at:min(len(from), at+rapid.IntRange(1, 9).Draw(t, "size"))])
					}
					if !strings.Contains(form, `"`) {
						word = strings.TrimLeft(strings.ReplaceAll(word, " ", ""), "-")
					}
					query = append(query, fmt.Sprintf(form, word))
				}
				found += checkOracle(t, strings.Join(query, " "), texts)
			})
			if t.Logf("%d hits", found); found < 50 && testkit.Long() {
				t.Errorf("only %d hits: the texts prove little", found)
			}
		})
	}
}

// checkOracle compares a search with the oracle and returns how many passages matched.
func checkOracle(t rapid.TB, query string, texts []search.Text) int {
	t.Helper()
	terms := oracleQuery(query)
	some := slices.ContainsFunc(terms, func(t oracleTerm) bool { return !t.banned })
	q, cause := search.Parse(query)
	if (cause == "") != some {
		t.Fatalf("Parse(%q) says %q, want an error: %v", query, cause, !some)
	}
	if !some {
		return 0
	}
	got, err := search.Rank(background, q, search.Window{Limit: 50}, pagesOf(texts, 2))
	testkit.Must(t, err)
	var paths, want []string
	for _, h := range got.Hits {
		paths = append(paths, h.Path)
	}
	for _, text := range texts {
		if oracleMatches(terms, string(text.Content)) {
			want = append(want, text.Path)
		}
	}
	slices.Sort(paths)
	if !slices.Equal(paths, want) || got.Total != int64(len(want)) {
		t.Fatalf("query %q found %q, %d in all, want %q\n%+v", query, paths, got.Total, want, textsOf(texts))
	}
	for _, h := range got.Hits {
		checkShown(t, h)
	}
	return len(want)
}

func textsOf(texts []search.Text) (all []string) {
	for _, t := range texts {
		all = append(all, fmt.Sprintf("%s: %q", t.Path, t.Content))
	}
	return all
}
