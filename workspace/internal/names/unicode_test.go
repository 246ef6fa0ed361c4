package names_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// A refusal is a name, and a part of its cause.
type refusal struct{ name, says string }

func checkRefusals(t *testing.T, refusals []refusal) {
	t.Helper()
	for _, c := range refusals {
		if got, cause := names.Unicode.Path(c.name); !strings.Contains(cause, c.says) {
			t.Errorf("Path(%.40q) = %.40q, the cause is %q, want %q", c.name, got, cause, c.says)
		}
	}
}

func TestUnicodePathOfBadCharacters(t *testing.T) {
	checkRefusals(t, []refusal{
		{"", "it is empty"},
		{"é\xff", "byte 3 is 0xff, which is not UTF-8"},
		{strings.Repeat("é", 256), "256 characters, limit 255"},
		{strings.Repeat("a", 4097), "4097 bytes, limit 1024"},

		{"a\x00", "character 2 is U+0000, which does not show"},
		{"می\u200cخواهم", "character 3 is U+200C, which does not show; leave it out"},
		{"a\u202e", "U+202E"},
		{"a\U000e0041", "U+E0041"},
		{"a\ufe0f", "character 2 is U+FE0F, which does not show"},
		{"a" + strings.Repeat("\u0301", 40), "30 marks in a row"},
		{"🙂", "character 1 is '🙂'; allowed are letters, marks and digits"},
		{`é\b`, `character 2 is '\\'`},
		{"a∕b", "character 2 is '∕'"},
	})
}

func TestUnicodePathOfBadSegments(t *testing.T) {
	checkRefusals(t, []refusal{
		{"a/ b", "character 3 is a second space or begins a segment"},
		{"a /b", "the space before character 3 ends a segment"},
		{"é ", "it ends in a space; leave it out"},
		{"a/\u0338b", "character 3 is a mark without a letter before it"},
		{"a \u0301", "character 3 is a mark without a letter before it"},

		{"/é/", `it begins with a slash; use "é"`},
		{"é/", "it ends in a slash"},
		{"é//a", "two slashes in a row"},
		{"é/../a", `it holds ".."`},
		{"scratchpad://a/é", "it is an address"},
	})
}

func TestUnicodePathLikeAnother(t *testing.T) {
	checkRefusals(t, []refusal{
		{"ｎｏｔｅｓ／ａ．ｍｄ", `it looks like "notes/a.md"; use that`},
		{"ﬁle", `it looks like "file"; use that`},
		{"a\u00a0b", `it looks like "a b"; use that`},
		{"x²", `it looks like "x2"; use that`},
		{"ﾊﾞ", `it looks like "バ"; use that`},
		{"ทํางาน", `it looks like "ทำงาน"; use that`},
		{"／ａ", "character 1 is '／'"},
		{"℀", `it looks like "a/c"; use that`},
		{"aŀb", `character 2 is 'ŀ', another form of "l·"; use a plain letter`},
		{strings.Repeat("a", 100) + "ﬁ", `character 101 is 'ﬁ', another form of "fi"`},
		{strings.Repeat("ทํา", 30), "a letter in two parts"},
	})
}

func TestUnicodePrefix(t *testing.T) {
	for _, c := range []struct{ prefix, want, says string }{
		{"", "", ""},
		{"é/", "é/", ""},
		{"e\u0301/", "é/", ""},
		{"/é/", "", `use "é/"`},
		{"my  ", "", "a second space"},
		{"é..", "", `it holds ".."`},
		{"ｎ", "", `it looks like "n"; use that`},
		{"\xe8", "", "not UTF-8"},
	} {
		got, cause := names.Unicode.Prefix(c.prefix)
		if (cause == "") != (c.says == "") || !strings.Contains(cause, c.says) || cause == "" && got != c.want {
			t.Errorf("Prefix(%q) = %q, %q, want %q, %q", c.prefix, got, cause, c.want, c.says)
		}
	}
}

var (
	allowed = regexp.MustCompile(`\A[a-zA-Z0-9_.\-\pL\pM\p{Nd}〇]+( [a-zA-Z0-9_.\-\pL\pM\p{Nd}〇]+)*(/[a-zA-Z0-9_.\-\pL\pM\p{Nd}〇]+( [a-zA-Z0-9_.\-\pL\pM\p{Nd}〇]+)*)*\z`)
	refused = regexp.MustCompile(`\.\.|(\A|/)\.(/|\z)|(\A|[/ ])\pM`)
	nothing = []*unicode.RangeTable{unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector}
)

// isUnicodePath is the rule for paths in NFC, written another way.
func isUnicodePath(name string) bool {
	plain := norm.NFKC.String(name)
	plain = strings.ReplaceAll(strings.ReplaceAll(plain, "\u0e4d\u0e32", "\u0e33"), "\u0ecd\u0eb2", "\u0eb3")
	return len(name) <= 1024 && len([]rune(name)) <= 255 && allowed.MatchString(name) && !refused.MatchString(name) && plain == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, nothing...) || r == '\u17b4' || r == '\u17b5' })
}

// A path is what the rule says, and stays the same when it is checked again. Every part
// from its beginning is a prefix. What is refused has a short cause.
func FuzzUnicodePath(f *testing.F) {
	for _, name := range []string{
		"a/b.md", "e\u0301", "my notes/x", "记/笔", "خُطَّة", "योजना", "ทำ", "ทํา", "ﬁ", "/é/", "a  b", "a /", "\u0301", "..", "é\xff",
		"a" + strings.Repeat("\u0301", 31), strings.Repeat("한", 100), "\u1112\u1161\u11ab", "\u200b", "\u17b4", "\U0001e900\U00020000", "ນ້ຳ",
		strings.Repeat("e\u0301", 255), strings.Repeat("\U00020000", 255), strings.Repeat("\u03b1\u0313\u0300\u0345", 255),
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, given string) {
		path, cause := names.Unicode.Path(given)
		want := utf8.ValidString(given) && len(given) <= 4096 && isUnicodePath(norm.NFC.String(given))
		if (cause == "") != want {
			t.Fatalf("Path(%q) has the cause %q, want it accepted: %t", given, cause, want)
		}
		if _, narrow := names.ASCII.Path(given); narrow == "" && (cause != "" || path != given) {
			t.Fatalf("Path(%q) = %q, %q, want it as by ASCII", given, path, cause)
		}
		if _, bad := names.Unicode.Prefix(given); len(cause) > 250 || len(bad) > 250 || !utf8.ValidString(cause) {
			t.Fatalf("Path(%q): the cause has %d bytes, that of Prefix %d: %q", given, len(cause), len(bad), cause)
		}
		if cause != "" {
			return
		}
		if again, cause := names.Unicode.Path(path); again != path || cause != "" || !fs.ValidPath(path) || path != norm.NFC.String(given) {
			t.Fatalf("Path(%q) = %q, and of that %q, %q", given, path, again, cause)
		}
		for i := range path {
			if got, cause := names.Unicode.Prefix(path[:i]); cause != "" || got != path[:i] {
				t.Fatalf("Prefix(%q) = %q, %q, and %q is a path", path[:i], got, cause, path)
			}
		}
	})
}
