package outline_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
)

// An outlineCase is a text with what must be in its outline, and what must not.
type outlineCase struct {
	path, text string
	want, not  []string
}

func checkOutlineCases(t *testing.T, cases []outlineCase) {
	t.Helper()
	for _, c := range cases {
		checkOutline(t, c.path, c.text, 600)
		text := outline.Text(c.path, c.text, 0)
		for _, want := range c.want {
			if !strings.Contains("\n"+text+"\n", want) {
				t.Errorf("%s: %q is not in\n%s", c.path, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains("\n"+text+"\n", not) {
				t.Errorf("%s: %q is in\n%s", c.path, not, text)
			}
		}
	}
}

func TestPrograms(t *testing.T) {
	comments := "# How to use\n#\n# Copy this.\n"
	no := []string{"# How", "Markdown"}
	checkOutlineCases(t, []outlineCase{
		{"a.py", "\"\"\"Reads things.\"\"\"\nX = '''\ndef no(): pass\n'''\nclass A(B):\n    # def neither(): pass\n\n    def f(self, a=\"x\",\n          b=2):\n        def inner(): pass\n\nasync def g(): pass\n", []string{"5 class A(B)", `8   def f(self, a="x", b=2)`, "12 async def g()"}, []string{"no()", "neither", "inner"}},
		{"a.ts", "import x from 'y';\n// function no() {}\n\nexport interface A<T> {\n  get(k: string): T;\n}\nexport default class B extends C {\n  #x = `class D { ${f({})} }`;\n  async run(a: number): Promise<void> {\n    function inner() {}\n  }\n}\nexport const f = async (x) => {\n};\nenum E { F }\n", []string{"4 export interface A<T>", "5   get(k: string): T", "7 export default class B extends C", "9   async run(a: number): Promise<void>", "13 export const f = async (x) =>", "15 enum E"}, []string{"no()", "class D", "inner"}},
		{"A.java", "package a;\n/** class No {} */\n@Entity(name = \"x\")\npublic final class A<T> extends B {\n    private int x = f(1);\n    @Override\n    public List<T> get(int a) throws E {\n        if (a > 1) { g(); }\n    }\n    A() {}\n    interface In { void m(); }\n}\n", []string{"4 public final class A<T> extends B — class No {}", "7   public List<T> get(int a) throws E", "10   A()", "11   interface In"}, []string{"Entity", "if ("}},
		{"a.c", "#include <x.h>\n#define MAX(a, b) \\\n  {\ntypedef struct {\n  int x;\n} Name;\nstatic int\nopen_it(const char *s)\n{\n  return call(s);\n}\nint proto(void);\nvoid g(void) { }\n", []string{"2 #define MAX(a, b)", "4 typedef struct … } Name", "7 static int open_it(const char *s)", "13 void g(void)"}, []string{"call(", "proto"}},
		{"a.rs", "impl<'a> Store<'a> {\n    pub(crate) fn open(s: &'a str) -> Self { r#\"}\"#; '{'; }\n}\n#[derive(Debug)]\npub struct S { x: u8 }\nfn last() {}\n", []string{"1 impl<'a> Store<'a>", "2   pub(crate) fn open(s: &'a str) -> Self", "5 pub struct S", "6 fn last()"}, nil},
		{"a.sh", "#!/bin/sh\n# f() {\n\ndeploy() {\n  cat <<EOF\nno() {\nEOF\n}\nfunction other {\n}\n", []string{"4 deploy()", "9 function other"}, []string{"no()"}},
		{"a.sql", "-- CREATE TABLE no (\nCREATE TABLE users (\n  id int\n);\nINSERT INTO users VALUES (1);\nINSERT INTO users VALUES ('CREATE TABLE x;');\nDROP INDEX i;\n", []string{"2 CREATE TABLE users", "5-6 INSERT INTO users ×2", "7 DROP INDEX i"}, []string{"TABLE no", "TABLE x"}},
		{"a.proto", "message A {\n  string b = 1; // message C {\n}\nservice S {\n  rpc Get(A) returns (A);\n}\n", []string{"1 message A", "4 service S", "5   rpc Get(A) returns (A)"}, []string{"message C"}},
		{"a.css", "@media print {\n  a,\n  b { color: red }\n}\n/* c { */\n\nd { e: f }\n", []string{"1 @media print", "2   a, b", "7 d"}, []string{"c {"}},
		{"Makefile", "CC := gcc\n\nall: build test\n\tgo build\n", []string{"3 all: build test"}, []string{"go build"}},
		{"a.cmake", comments + "\nfunction(one a)\n  set(b)\nendfunction()\n\n# Two\nmacro(two)\nendmacro()\n", nil, no[1:]},
		{"a.tcl", comments + "\nproc one {a} {\n  b\n}\n\n# Two\nproc ns::two {} {}\n", []string{"Tcl", "proc one", "proc ns::two"}, no},
		{"a.fish", comments + "\nfunction one --description x\n  b\nend\n", []string{"Fish", "function one"}, no},
		{"a.awk", comments + "\nfunction one(a, b) {\n  return a\n}\n\n# Two\nBEGIN { x = 1 }\n", []string{"Awk", "function one"}, no},
		{"a.m4", comments + "\nAC_DEFUN([ONE], [\n# Two\nx\n])\n", nil, no[1:]},
	})
}

// Bodies, strings and data of SQL are no statements.
func TestSQLBodies(t *testing.T) {
	after := "DROP TABLE last;\n"
	seen := []string{"DROP TABLE last"}
	hidden := []string{"INSERT INTO no", "SELECT no", "UPDATE no"}
	checkOutlineCases(t, []outlineCase{
		{"a.sql", "CREATE FUNCTION f() RETURNS int AS $$\nBEGIN\n  INSERT INTO no VALUES (1);\n  -- it's\n  SELECT no;\nEND;\n$$ LANGUAGE plpgsql;\n" + after, append(seen, "1 CREATE FUNCTION f"), append(hidden, "BEGIN")},
		{"a.sql", "DO $body$\nBEGIN\n  EXECUTE $$\n SELECT no;\n$$;\n  UPDATE no SET a = 1;\nEND $body$;\n" + after, append(seen, "DO"), append(hidden, "BEGIN")},
		{"a.sql", "INSERT INTO a VALUES ($1, 'it''s;\nSELECT no;\n');\n" + after, append(seen, "1 INSERT INTO a"), hidden},
		{"a.sql", "INSERT INTO a VALUES (E'it\\'s', 'C:\\', 'x');\n" + after, seen, nil},
		{"a.sql", "CREATE TABLE `a` (b int);\nINSERT INTO `a` VALUES ('it\\'s', '\\\\');\n# it's\n" + after, append(seen, "2 INSERT INTO `a`"), nil},
		{"a.sql", "COPY a (b) FROM stdin;\nit's\t1\nSELECT no;\n\\.\n" + after, append(seen, "1 COPY a"), hidden},
		{"a.sql", "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  UPDATE no SET a = 1;\n  SELECT CASE WHEN 1 THEN 2 END;\nEND;\n" + after, append(seen, "1 CREATE TRIGGER t"), append(hidden, "END")},
		{"a.sql", "DELIMITER //\nCREATE PROCEDURE p()\nBEGIN\n  UPDATE no SET a = 1;\nEND //\nDELIMITER ;\n" + after, append(seen, "2 CREATE PROCEDURE p"), hidden},
		{"a.sql", "SELECT 1 /* ; \nSELECT no; */;\nCREATE TABLE \"it's\" (\n a int);\n" + after, append(seen, "3 CREATE TABLE \"it's\""), hidden},
		{"a.sql", "SELECT $$unclosed;\n" + after, nil, nil},
	})
}

// A command of psql ends with its line, and \\g ends a statement.
func TestSQLCommands(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"a.sql", "\\connect db\nCREATE TABLE a (x int);\nCREATE TABLE b (x int);\n", []string{"2 CREATE TABLE a", "3 CREATE TABLE b"}, nil},
		{"a.sql", "/* it's */\n-- x\n\\echo Use \"CREATE EXTENSION it's\" to load. \\quit\n\nCREATE FUNCTION f()\nRETURNS trigger;\n", []string{"SQL", "5 CREATE FUNCTION f"}, []string{"no valid"}},
		{"a.sql", "SELECT 'x'\n\\gexec\nDROP TABLE a;\n  \\d a\nDROP TABLE b;\n", []string{"1 SELECT", "3 DROP TABLE a", "5 DROP TABLE b"}, nil},
		{"a.sql", "INSERT INTO a VALUES ('\n\\g');\nDROP TABLE a;\n", []string{"1 INSERT INTO a", "3 DROP TABLE a"}, nil},
	})
}
