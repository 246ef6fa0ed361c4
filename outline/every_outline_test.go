package outline_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

const plenty = 1 << 30 // tokens

var (
	numbered = regexp.MustCompile(`^(\d+)(?:-(\d+))? `)
	gap      = regexp.MustCompile(`^… (\d+) more$`)
)

// checkOutline reports what is true of every outline.
func checkOutline(t *testing.T, path, content string, most int) {
	t.Helper()
	text := outline.Text(path, content, most)
	if n := tokens.Estimate(text); n > most || n == 0 {
		t.Errorf("%s: %d tokens of %d:\n%s", path, n, most, text)
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s: not UTF-8: %q", path, text)
	}
	if strings.Contains(text, "\uFFFD") && utf8.ValidString(content) && !strings.Contains(content, "\uFFFD") {
		t.Errorf("%s: a part of a character in %q", path, text)
	}
	for _, r := range text {
		if r != '\n' && unicode.IsControl(r) || r >= '\u202A' && r <= '\u202E' {
			t.Errorf("%s: the control character %q in\n%q", path, r, text)
			break
		}
	}
	if again := outline.Text(path, content, most); again != text {
		t.Errorf("%s: the second outline is another:\n%s\n%s", path, text, again)
	}
	checkLines(t, path, text, lineCount(content))
}

// checkLines reports numbers that are not those of lines.
func checkLines(t *testing.T, path, text string, lines int) {
	t.Helper()
	for l := range strings.SplitSeq(text, "\n") {
		m := numbered.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		from, err := strconv.Atoi(m[1])
		to := from
		if err == nil && m[2] != "" {
			to, err = strconv.Atoi(m[2])
		}
		if err != nil || from < 1 || to < from || to > lines {
			t.Errorf("%s: %q in a text of %d lines", path, l, lines)
		}
	}
}

// lineCount counts as the contract does: "a\nb" has two lines, "" none.
func lineCount(text string) int {
	if text == "" {
		return 0
	}
	return len(strings.Split(strings.TrimSuffix(text, "\n"), "\n"))
}

func FuzzOutline(f *testing.F) {
	seeds := map[string]string{
		"a.md":    "---\ntitle: x\n---\n# One\n```\n# no\n```\nTwo\n---\n- [ ] a\n- [x] b\n",
		"a.go":    "package a\n\n// F does.\nfunc F[T any](x T) {}\n\nconst (\n\tA = `\nfunc no() {`\n\tB\n)\n",
		"a.json":  `{"a": [1, {"b": null}], "c": "\u0041"}`,
		"a.jsonl": "{\"a\":1}\n{\"a\":\"x\"}\nno\n",
		"a.csv":   "a,b\n1,\"x\ny\"\n2,\n",
		"a.yaml":  "a:\n- b: 1\n  c: |\n    d: e\n- f\n---\ng: [1,\n 2]\n",
		"a.log":   "2024-01-02T03:04:05Z ERROR x 12\n\tat y\n2024-01-02T03:04:06Z INFO z\n",
		"a.py":    "class A:\n    '''Doc.\n    def no(): pass'''\n    def f(self,\n          x): pass\nX = 1\n",
		"a.ts":    "export class A<T> {\n  get(x: string): `a${`b`}` { return /[/]`/ }\n}\nconst f = () => {}\n",
		"a.toml":  "a = 1\n[b]\nc = [\n1,\n]\n",
		"a.sh":    "f() {\ncat <<EOF\ng() {\nEOF\n}\n",
		"a":       "第一句。第二句。\n\nपहला वाक्य। दूसरा।\n",
		"b":       "\x1b[31mred\x07 \u202eevil\n\x00\r\n",
	}
	for path, content := range seeds {
		f.Add(path, content, 600)
	}
	f.Fuzz(func(t *testing.T, path, content string, most int) {
		if most < 40 || most > 5000 {
			most = 40 + (most&0xff)*4
		}
		checkOutline(t, path, content, most)
		at := strings.LastIndexByte(path, '.')
		for other := range seeds { // the same text as if it were something else
			if len(content) < 400 && strings.HasSuffix(other, path[at+1:]) {
				continue
			}
			if len(content) < 200 {
				checkOutline(t, other, content, most)
			}
		}
	})
}
