package outline_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
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

// realFiles are of different kinds, of the Go distribution and of this module.
func realFiles(t testing.TB) []string {
	root := testkit.GoRoot(t)
	files := []string{
		"../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../workspace/summary.go", "../tokens/testdata/python/train.txt", "../tokens/testdata/chinese/story.txt",
		"../tokens/testdata/other/arabic.txt", "../tokens/testdata/other/hindi.txt", "../tokens/testdata/other/russian.txt", "../tokens/testdata/other/yaml.txt", "../tokens/testdata/prose/letters.txt", "../go.sum", "../go.mod",
	}
	for _, name := range []string{
		"src/net/http/server.go", "src/runtime/proc.go", "src/syscall/zerrors_linux_amd64.go", "src/unicode/tables.go", "src/runtime/asm_amd64.s", "doc/go_spec.html", "doc/godebug.md",
		"src/cmd/vendor/golang.org/x/sys/unix/mkerrors.sh", "lib/wasm/wasm_exec.js", "api/go1.txt", "src/cmd/go/internal/modfetch/zip_sum_test/testdata/zip_sums.csv", "LICENSE", "src/make.bash",
		"src/runtime/cgo/gcc_util.c", "src/runtime/cgo/libcgo.h", "src/go/doc/headscan.go", "src/net/http/pprof/pprof.go",
	} {
		files = append(files, filepath.Join(root, name))
	}
	if testkit.Long() {
		return files
	}
	var some []string // of each kind
	for i := 0; i < len(files); i += 3 {
		some = append(some, files[i])
	}
	return some
}

// An outline of a real file keeps its budget, by the estimate and by the count,
// and says of everything that it is there, or that it is not.
func TestBudget(t *testing.T) {
	for _, file := range realFiles(t) {
		content := testkit.ReadFile(t, file)
		checkOutline(t, file, content, 600)
		for _, most := range []int{0, 40, 200, 2000} {
			text := outline.Text(file, content, most)
			if most == 0 {
				most = 600
			}
			if n, exact := tokens.Estimate(text), o200k.Count(text); n > most || exact > most {
				t.Errorf("%s: about %d tokens, %d by o200k, at most %d:\n%s", file, n, exact, most, text)
			}
		}
	}
}

// What is shown and what is said not to be come to what there is.
func TestCountsWhatIsNotShown(t *testing.T) {
	for _, file := range realFiles(t) {
		if !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".js") && !strings.HasSuffix(file, ".s") && !strings.HasSuffix(file, ".html") {
			continue
		}
		content := testkit.ReadFile(t, file)
		all, _ := shownAndHidden(outline.Text(file, content, plenty))
		for _, most := range []int{100, 200, 400, 600, 1000} {
			shown, hidden := shownAndHidden(outline.Text(file, content, most))
			if shown+hidden != all {
				t.Errorf("%s in %d tokens: %d shown and %d more, want %d", file, most, shown, hidden, all)
			}
			if most >= 600 && all > 0 && shown < min(all, 15) {
				t.Errorf("%s in %d tokens: only %d of %d shown", file, most, shown, all)
			}
		}
	}
}

func shownAndHidden(text string) (shown, hidden int) {
	for l := range strings.SplitSeq(text, "\n") {
		if m := gap.FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[1])
			hidden += n
		} else if numbered.MatchString(l) {
			shown++
		}
	}
	return shown, hidden
}

// The exported declarations of a file outlast the others.
func TestShowsUpperRanksFirst(t *testing.T) {
	var b strings.Builder
	b.WriteString("package big\n")
	for i := range 200 {
		fmt.Fprintf(&b, "\nfunc helper%d(a, b int) error { return nil }\n", i)
		if i%20 == 10 {
			fmt.Fprintf(&b, "\nfunc Public%d(a, b int) error { return nil }\n", i)
		}
	}
	text := outline.Text("big.go", b.String(), 0)
	if n := strings.Count(text, "func Public"); n != 10 {
		t.Errorf("%d of 10 exported functions are in\n%s", n, text)
	}
	if !strings.Contains(text, "func helper0") || !strings.Contains(text, "helper199") {
		t.Errorf("neither end of the rest is in\n%s", text)
	}
}

// What is at the top is shown before what is within it, whatever the gaps cost.
func TestShowsClassesBeforeMethods(t *testing.T) {
	for classes := 20; classes <= 48; classes += 4 {
		var b strings.Builder
		for i := range classes {
			fmt.Fprintf(&b, "class ArgumentHelper%d(Action):\n\n", i)
			for j := range 1 + i%3*4 {
				fmt.Fprintf(&b, "    def method_%d(self):\n        pass\n\n", j)
			}
		}
		checkOutline(t, "a.py", b.String(), 600)
		text := outline.Text("a.py", b.String(), 0)
		if n := strings.Count(text, "class ArgumentHelper"); n < classes && strings.Contains(text, "def method") {
			t.Errorf("%d of %d classes, and methods, in\n%s", n, classes, text)
		}
	}
}
