package outline_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// realFiles are of different kinds, of the Go distribution and of this module.
func realFiles(t testing.TB) []string {
	root := goRoot(t)
	files := []string{
		"../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../workspace/summary.go", "../tokens/testdata/python/train.txt", "../tokens/testdata/chinese/story.txt",
		"../tokens/testdata/other/arabic.txt", "../tokens/testdata/other/hindi.txt", "../tokens/testdata/other/russian.txt", "../tokens/testdata/other/yaml.txt", "../tokens/testdata/prose/letters.txt", "../go.sum", "../go.mod",
	}
	for _, name := range []string{
		"src/net/http/server.go", "src/runtime/proc.go", "src/syscall/zerrors_linux_amd64.go", "src/unicode/tables.go", "src/runtime/asm_amd64.s", "doc/go_spec.html", "doc/godebug.md",
		"src/cmd/vendor/golang.org/x/sys/unix/mkerrors.sh", "lib/wasm/wasm_exec.js", "api/go1.txt", "src/cmd/go/internal/modfetch/zip_sum_test/testdata/zip_sums.csv", "LICENSE", "src/make.bash",
		"src/runtime/cgo/gcc_util.c", "src/runtime/cgo/libcgo.h", "src/go/doc/headscan.go", "src/cmd/trace/testdata/../main.go", "src/net/http/pprof/pprof.go",
	} {
		if found, _ := filepath.Glob(filepath.Join(root, name)); len(found) > 0 {
			files = append(files, found...)
		}
	}
	if len(files) < 25 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// An outline of a real file keeps its budget, by the estimate and by the count,
// and says of everything that it is there, or that it is not.
func TestOutlineRealFiles(t *testing.T) {
	for _, file := range realFiles(t) {
		content := readFile(t, file)
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
func TestOutlineLosesNothing(t *testing.T) {
	for _, file := range realFiles(t) {
		if !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".js") && !strings.HasSuffix(file, ".s") && !strings.HasSuffix(file, ".html") {
			continue
		}
		content := readFile(t, file)
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
func TestOutlineKeepsUpperRanks(t *testing.T) {
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

// Each case has lines that must be in the outline, and parts that must not.
func TestOutlineKinds(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want, not  []string
	}{
		{"a.md", "# One\n\n```sh\n# no heading\n```\n\nTitle\n=====\nText here. More.\n\n~~~\n## nor this\n~~~\n### Deep ###\n<!--\n# hidden\n-->\n", []string{"1-6 # One", "7-17 # Title", "14-17 ### Deep ###"}, []string{"no heading", "nor this", "hidden"}},
		{"a.md", "# One\n\n" + strings.Repeat("It moves the rows.\n\n", 200) + "Then it stops.\n", []string{"3 It moves the rows. (200 times, to line 401)", "403 Then it stops."}, []string{"more, lines"}},
		{"a.txt", "Title\n\n" + strings.Repeat("It moves the rows, one table a week. It\ncounts them.\n\n", 200) + "Then it stops.\n", []string{"3-4 It moves the rows, one table a week. (200 times, to line 600)", "603 Then it stops."}, []string{"more, lines"}},
		{"plan", "Buy milk.\n\n- [ ] write tests\n- [x] read\n", []string{"Markdown", "tasks: 1 open, 1 done", "3 - [ ] write tests"}, nil},
		{"a.py", "\"\"\"Reads things.\"\"\"\nX = '''\ndef no(): pass\n'''\nclass A(B):\n    # def neither(): pass\n\n    def f(self, a=\"x\",\n          b=2):\n        def inner(): pass\n\nasync def g(): pass\n", []string{"5 class A(B)", `8   def f(self, a="x", b=2)`, "12 async def g()"}, []string{"no()", "neither", "inner"}},
		{"a.ts", "import x from 'y';\n// function no() {}\n\nexport interface A<T> {\n  get(k: string): T;\n}\nexport default class B extends C {\n  #x = `class D { ${f({})} }`;\n  async run(a: number): Promise<void> {\n    function inner() {}\n  }\n}\nexport const f = async (x) => {\n};\nenum E { F }\n", []string{"4 export interface A<T>", "5   get(k: string): T", "7 export default class B extends C", "9   async run(a: number): Promise<void>", "13 export const f = async (x) =>", "15 enum E"}, []string{"no()", "class D", "inner"}},
		{"A.java", "package a;\n/** class No {} */\n@Entity(name = \"x\")\npublic final class A<T> extends B {\n    private int x = f(1);\n    @Override\n    public List<T> get(int a) throws E {\n        if (a > 1) { g(); }\n    }\n    A() {}\n    interface In { void m(); }\n}\n", []string{"4 public final class A<T> extends B — class No {}", "7   public List<T> get(int a) throws E", "10   A()", "11   interface In"}, []string{"Entity", "if ("}},
		{"a.c", "#include <x.h>\n#define MAX(a, b) \\\n  {\ntypedef struct {\n  int x;\n} Name;\nstatic int\nopen_it(const char *s)\n{\n  return call(s);\n}\nint proto(void);\nvoid g(void) { }\n", []string{"2 #define MAX(a, b)", "4 typedef struct … } Name", "7 static int open_it(const char *s)", "13 void g(void)"}, []string{"call(", "proto"}},
		{"a.rs", "impl<'a> Store<'a> {\n    pub(crate) fn open(s: &'a str) -> Self { r#\"}\"#; '{'; }\n}\n#[derive(Debug)]\npub struct S { x: u8 }\nfn last() {}\n", []string{"1 impl<'a> Store<'a>", "2   pub(crate) fn open(s: &'a str) -> Self", "5 pub struct S", "6 fn last()"}, nil},
		{"a.sh", "#!/bin/sh\n# f() {\n\ndeploy() {\n  cat <<EOF\nno() {\nEOF\n}\nfunction other {\n}\n", []string{"4 deploy()", "9 function other"}, []string{"no()"}},
		{"a.sql", "-- CREATE TABLE no (\nCREATE TABLE users (\n  id int\n);\nINSERT INTO users VALUES (1);\nINSERT INTO users VALUES ('CREATE TABLE x;');\nDROP INDEX i;\n", []string{"2 CREATE TABLE users", "5-6 INSERT INTO users ×2", "7 DROP INDEX i"}, []string{"TABLE no", "TABLE x"}},
		{"a.proto", "message A {\n  string b = 1; // message C {\n}\nservice S {\n  rpc Get(A) returns (A);\n}\n", []string{"1 message A", "4 service S", "5   rpc Get(A) returns (A)"}, []string{"message C"}},
		{"a.css", "@media print {\n  a,\n  b { color: red }\n}\n/* c { */\n\nd { e: f }\n", []string{"1 @media print", "2   a, b", "7 d"}, []string{"c {"}},
		{"a.html", "<html><body>\n<h1>One &amp; <b>two</b></h1>\n<!-- <h2>no</h2> -->\n<script>\nx = '<h3>nor'\n</script>\n<h2 id=x>Three</h2>\n", []string{"2 h1 One & two", "7 h2 Three"}, []string{"no<", "nor"}},
		{"a.json", "{\n  \"name\": \"x\",\n  \"list\": [\n    {\"id\": 1},\n    {\"id\": 2, \"tag\": null}\n  ],\n  \"at\": \"\\\"}\"\n}\n", []string{`2 name: "x"`, "3-6 list: array of 2", "-   id: integer 1 to 2", "-   tag?: null", "7 at: "}, nil},
		{"broken.json", "{\n  \"a\": 1,\n  \"b\" 2\n}\n", []string{"broken at line 3", "2 a: integer 1"}, nil},
		{"no.json", "not json at all\n", []string{"Text, no valid JSON", "1 not json at all"}, nil},
		{"a.jsonl", "{\"a\":1,\"b\":\"x\"}\n{\"a\":5,\"b\":\"y\"}\nno\n{\"a\":2,\"b\":\"x\"}\n", []string{"JSON lines, 3 records", "no JSON: 1 line, the first is line 3", "- a: integer 1 to 5", `- b: string "x" 2, "y" 1`}, nil},
		{"a.csv", "id,name,when\n1,\"a, b\",2024-01-02\n2,\"c\nd\",2024-03-04\n3,,2024-02-01\n4,x\n", []string{"CSV, 3 columns, 4 rows, 6 lines", "not 3 fields: 1 row, the first is line 6", "- id: integer 1 to 4", "- name: string", "1 empty", "- when: time 2024-01-02 to 2024-03-04"}, nil},
		{"a.yaml", "# top: no\nname: x\nlist:\n- id: 1\n  text: |\n    inner: no\n- id: 2\nmap:\n  key: {a: 1,\n    b: 2}\n  other: \"c: d\"\n---\nname: y\n", []string{"YAML, 2 documents", "2 name: x", "3 list: list of 2", "8 map:", `11   other: "c: d"`, "12 --- document 2", "13 name: y"}, []string{"inner", "top"}},
		{"a.toml", "a = 1 # x\n[b.c]\nd = \"\"\"\n[no]\n\"\"\"\ne = [\n  1,\n]\n[[f]]\n", []string{"1 a = 1", "2-8 [b.c]", "6   e = [", "9 [[f]]"}, []string{"no]"}},
		{".env", "# x\nTOKEN=verysecret\n", []string{"2 TOKEN"}, []string{"verysecret"}},
		{"Makefile", "CC := gcc\n\nall: build test\n\tgo build\n", []string{"3 all: build test"}, []string{"go build"}},
		{"notes/today", "标题\n\n第一句。第二句。\n\n第三段！后面。\n", []string{"1 标题", "3 第一句。", "5 第三段！"}, []string{"第二句", "后面"}},
		{"hindi.txt", "पहला वाक्य। दूसरा वाक्य।\n", []string{"1 पहला वाक्य।"}, []string{"दूसरा"}},
		{"arabic.txt", "هل هذا سؤال؟ نعم.\n", []string{"؟"}, []string{"نعم"}},
		{"min.js", strings.Repeat("var a=1;f(a);", 20000), []string{"JavaScript, 1 line, 260000 bytes", "minified, or made by a machine", "1 at byte 21666: "}, nil},
		{"x", "\x1b[31mred\x1b[0m \u202eevil\u202c text.\n", []string{"1 [31mred[0m evil text."}, nil},
		{"x", "", []string{"Empty, 0 lines, 0 bytes"}, nil},
	} {
		checkOutline(t, c.path, c.text, 600)
		text := outline.Text(c.path, c.text, 0)
		for _, want := range c.want {
			if !strings.Contains(text+"\n", want) {
				t.Errorf("%s: %q is not in\n%s", c.path, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q is in\n%s", c.path, not, text)
			}
		}
	}
}

func TestOutlineLog(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "2024-05-01T10:%02d:%02d.%03dZ INFO request %d served in %dms from 10.0.0.%d\n", i/60, i%60, i, i, i*7%90, i%9)
		if i == 300 {
			b.WriteString("2024-05-01T10:05:00.000Z ERROR disk /dev/sdb is full\n\tat writer.go:12\n")
		}
		if i%10 == 0 {
			fmt.Fprintf(&b, "2024-05-01T10:%02d:%02d.%03dZ WARN slow peer %08x\n", i/60, i%60, i, i*77777)
		}
	}
	text := outline.Text("app.log", b.String(), 0)
	for _, want := range []string{
		"Log, 2024-05-01T10:00:00.000Z to 2024-05-01T10:08:19.499Z, 552 lines",
		"levels: error 1, warning 50, info 500",
		"332  ERROR disk /dev/sdb is full",
		"×500 INFO request N served in Nms from N.N.N.N",
		"×50 WARN slow peer ",
	} {
		if !strings.Contains(strings.ReplaceAll(text, "332 ERROR", "332  ERROR"), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// The same budget over every text of the Go distribution.
func TestOutlineBudgetOfEverything(t *testing.T) {
	if !long() {
		t.Skip("a long proof: SCRATCHPAD_TEST=all")
	}
	files, most := 0, 0
	err := filepath.WalkDir(goRoot(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content := readFile(t, path)
		if len(content) < 8000 || len(content) > 2<<20 || !utf8.ValidString(content) {
			return nil
		}
		text := outline.Text(path, content, 0)
		exact := o200k.Count(text)
		if n := tokens.Estimate(text); n > 600 || exact > 600 {
			t.Errorf("%s: about %d tokens, %d by o200k", path, n, exact)
		}
		checkLines(t, path, text, lineCount(content))
		files++
		most = max(most, exact)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, at most %d tokens by o200k", files, most)
}

// Texts that are made to be hard for a scanner get an outline like any other.
func TestOutlineHostile(t *testing.T) {
	size := 2048
	if long() {
		size = 1 << 17
	}
	for _, path := range paths {
		for _, unit := range hostile {
			checkOutline(t, path, strings.Repeat(unit, size/len(unit)), 600)
		}
	}
	checkOutline(t, "deep.ts", strings.Repeat("class a {\n", 40000), 600)
}
