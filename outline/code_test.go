package outline_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
)

// What is listed of code, by its lines alone: those at the left margin that open
// something, and those at the next margin where the first has few.
func TestCode(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.py", "import os\n\n@cached\ndef one(a,\n        b):\n    if a:\n        pass\n\nif x:\n    pass\n\nclass Two:\n    def inner(self):\n        pass\n\nasync def three():\n    pass\n",
			"4 def one(a,\n12 class Two\n16 async def three()"},
		{"A.java", "package a;\n\n/** class No {} */\npublic final class A<T> {\n    private int x;\n\n    public int get(int a) {\n        if (a > 1) {\n            return 2;\n        }\n    }\n\n    A() {\n        x = 1;\n    }\n}\n",
			"4 public final class A<T>\n7   public int get(int a)\n13   A()"},
		{"a.c", "#include <x.h>\nstatic int\nopen_it(const char *s)\n{\n\treturn 1;\n}\n\nstruct a {\n\tint x;\n};\nint last(void)\n{\n}\n",
			"3 open_it(const char *s)\n8 struct a\n11 int last(void)"},
		{"a.css", "/* c { */\n.b {\n  d: e\n}\n\n@media print {\n  f { g: h }\n}\n\n#i {\n  j: k\n}\n", "2 .b\n6 @media print\n10 #i"},
		{"a.toml", "a = 1\n\n[one]\nb = 2\n\n# [no]\n[[two]]\nc = 3\n\n[three]\n", "3 [one]\n7 [[two]]"},
		{"a.sql", "-- CREATE TABLE no (\nCREATE TABLE one (\n  id int\n);\nINSERT INTO one VALUES\n  (1);\nCREATE TABLE two (\n  id int\n);\n", "2 CREATE TABLE one\n5 INSERT INTO one VALUES\n7 CREATE TABLE two"},
		{"a.xml", "<?xml version=\"1.0\"?>\n<a>\n  <b c=\"d\">\n    <e/>\n  </b>\n</a>\n", "2 <a>\n3   <b c=\"d\">"},
	} {
		checkOutline(t, c.path, c.text, 600)
		_, got, _ := strings.Cut(outline.Text(c.path, c.text, 0), "\n")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.path, got, c.want)
		}
	}
}

// The values of environment variables may be secrets.
func TestEnvironmentHidesValues(t *testing.T) {
	const text = "# A comment\nTOKEN=hidden\nexport KEY=\"hidden\nhidden\"\nOTHER='hidden'\n\nOPEN=\"hidden\n"
	for _, path := range []string{".env", "prod.env", "a/.env.local"} {
		got := outline.Text(path, text, 0)
		if strings.Contains(got, "hidden") || !strings.Contains(got, "TOKEN=…") || !strings.Contains(got, "\n7 OPEN=…") {
			t.Errorf("the outline of %s is\n%s", path, got)
		}
	}
}

// A Go file with mistakes has the declarations that can be read, and one whose
// brackets nest too deep is read as other code.
func TestGoWithMistakes(t *testing.T) {
	got := outline.Text("a.go", "package a\n\nfunc One() {}\n\nfunc (\n\nfunc Two() {\n\treturn\n}\n", 0)
	if !strings.Contains(got, "3 func One()") {
		t.Errorf("a file with mistakes: %s", got)
	}
	got = outline.Text("a.go", "package a\n\nvar x = "+strings.Repeat("(", 5000)+"\n\nfunc Two() {\n\treturn\n}\n", 0)
	if !strings.Contains(got, "5 func Two()") {
		t.Errorf("a file that nests deep: %s", got)
	}
}
