package outline_test

import (
	"fmt"
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

func repeatf(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Lines of JSON are so whatever the file is called, with some lines that are not.
func TestOutlineJSONLog(t *testing.T) {
	records := repeatf(1000, "{\"level\":\"info\",\"msg\":\"took job\",\"id\":%d}\n")
	whole := []string{"JSON lines, 2000 records", "- level: string \"info\" 2000", "- id: integer 0 to 999"}
	var cases []outlineCase
	for _, path := range []string{"a.log", "a.json", "a", "a.jsonl"} {
		cases = append(cases,
			outlineCase{path, records + "panic: runtime error\n" + records, append(whole, "no JSON: 1 line, the first is line 1001: panic: runtime error"), []string{"?"}},
			outlineCase{path, "{\"level\":\"info\",\"id\":1}\npanic: early\n" + records, []string{"1001 records", "line 2: panic: early"}, nil},
			outlineCase{path, "Started.\n" + records + records, append(whole, "line 1: Started."), []string{"?"}},
			outlineCase{path, records + records + "{\"level\":\"in", append(whole, "line 2001: {"), []string{"?"}},
			outlineCase{path, records + "10 goroutines\n\n" + records, whole, []string{"each", "integer 10"}},
		)
	}
	cases = append(cases,
		outlineCase{"a.json", "[\n1\n2\n3\n4\n", nil, []string{"JSON lines"}},
		outlineCase{"a.jsonl", "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}\n", []string{"JSON, object of 2 keys", "2 a: integer 1"}, nil},
		outlineCase{"a", "[draft] What to do.\n\nFirst this. Then that.\n", []string{"Text", "1 [draft] What to do."}, []string{"JSON"}},
		outlineCase{"a", "[1] Smith, 2010\n[2] Miller, 2012\n", []string{"[1] Smith"}, []string{"JSON"}},
	)
	checkOutlineCases(t, cases)
}

// Of JSON that is cut or broken it says what was seen, and on which line it ends.
func TestOutlineBrokenJSON(t *testing.T) {
	items := repeatf(200, "  {\"id\": %d, \"name\": \"x\"},\n")
	checkOutlineCases(t, []outlineCase{
		{"a.json", "{ \"items\": [\n" + items, []string{"JSON, cut off at line 201, object of 1 or more keys, 201 lines", "1-201 items: array of 200 or more", "-   id: integer 0 to 199", "  name: string"}, []string{"?"}},
		{"a.json", "{ \"items\": [\n" + items + "  {\"id\": 200, \"na", []string{"cut off at line 202, object", "1-202 items: array of 201 or more", "-   id: integer 0 to 200"}, []string{"?"}},
		{"a.json", "{ \"items\": [\n" + items + "  {\"id\": 200 \"name\": 1}\n]}\n", []string{"JSON, broken at line 202, object of 1 or more keys, 203 lines", "items: array of 201 or more"}, []string{"?"}},
		{"a.json", "{\"broken\": [1,2,", []string{"cut off at line 1", "- broken: array of 2 or more × integer 1 to 2"}, []string{"array of 0"}},
		{"a.json", "{\"a\": 1,\n\"b\":", []string{"cut off at line 2, object of 2 or more keys", "2 b: not read"}, nil},
		{"a.json", "{\"a\": 1,\n\"b\": wrong}", []string{"broken at line 2", "2 b: not read"}, nil},
		{"a.json", "[[1, 2, 3], [4, 5, 6], [7", []string{"array of 3 or more × array of 3 × integer 1 to 7"}, nil},
		{"a.json", "[", []string{"JSON, cut off at line 1, array of 0 or more"}, nil},
		{"a.json", "{\n\n\n", []string{"JSON, cut off at line 3, object of 0 or more keys"}, nil},
		{"a.json", "{\"a\": {\"b\": [\"x", []string{"a: object of 1 or more keys", "b: array of 1 or more"}, []string{"× "}},
		{"a.json", "{\n\"a\": 1\n}\n{\n\"a\": 2,\n\"b\": 3\n}\n", []string{"JSON, 2 documents, object of 2 keys", "- a: integer 1 to 2", "- b?: integer 3"}, nil},
		{"a.json", "{\"a\": 1} trailing\n", []string{"broken at line 1, object of 1 key,", "1 a: integer 1"}, []string{"not read"}},
	})
}

// Bodies, strings and data of SQL are no statements.
func TestOutlineSQLBodies(t *testing.T) {
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
func TestOutlineSQLCommands(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"a.sql", "\\connect db\nCREATE TABLE a (x int);\nCREATE TABLE b (x int);\n", []string{"2 CREATE TABLE a", "3 CREATE TABLE b"}, nil},
		{"a.sql", "/* it's */\n-- x\n\\echo Use \"CREATE EXTENSION it's\" to load. \\quit\n\nCREATE FUNCTION f()\nRETURNS trigger;\n", []string{"SQL", "5 CREATE FUNCTION f"}, []string{"no valid"}},
		{"a.sql", "SELECT 'x'\n\\gexec\nDROP TABLE a;\n  \\d a\nDROP TABLE b;\n", []string{"1 SELECT", "3 DROP TABLE a", "5 DROP TABLE b"}, nil},
		{"a.sql", "INSERT INTO a VALUES ('\n\\g');\nDROP TABLE a;\n", []string{"1 INSERT INTO a", "3 DROP TABLE a"}, nil},
	})
}

// A quote within a field of a table is a character like any other.
func TestOutlineTableQuotes(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"a.tsv", "name\tsize\npipe\t5\"\n\"wide\" pipe\t5\"\n\"\tx\nrod\t6\" or 7\"\n", []string{"TSV, 2 columns, 4 rows, 5 lines", "3 \"wide\" pipe 5\""}, []string{"not 2 fields"}},
		{"a.tsv", "name\ttext\na\t\"one\ttwo\"\nb\t\"one\nmore \"\"x\"\" \"\nc\td\n", []string{"TSV, 2 columns, 3 rows"}, []string{"not 2 fields"}},
		{"a.csv", "name;text\r\na;\"one\r\ntwo; three\"\r\nb;\"\"\r\n", []string{"CSV with semicolons, 2 columns, 2 rows", "1 empty"}, []string{"not 2 fields"}},
		{"a.csv", "name,size\npipe,5\" x\n\"wide\" pipe,5\"\nrod,\"6\" \n", []string{"CSV, 2 columns, 3 rows"}, []string{"not 2 fields"}},
		{"a.csv", "a,b\n1,\"open\n2,x\n3,y\n", []string{"CSV, 2 columns, 3 rows"}, nil},
	})
}

// A time in brackets is shown without them.
func TestOutlineLogTimes(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"a.log", "[2026-01-01 10:00:00,123] INFO a\n[2026-01-01 10:00:01,123] ERROR b\n", []string{"Log, 2026-01-01 10:00:00,123 to 2026-01-01 10:00:01,123,", "2 ERROR b", "1 INFO a"}, []string{"["}},
		{"a.log", "[10:00:00] INFO a\n[10:00:01] ERROR b\n", []string{"Log, 10:00:00 to 10:00:01,", "2 ERROR b"}, []string{"["}},
		{"a.log", "{\"time\":\"2026-01-01T10:00:00Z\",\"level\":\"ERROR\",\"msg\":\"b\"}\n{\"time\":\"2026-01-01T10:00:01Z\",\"level\":\"INFO\",\"msg\":\"a\"}\n", []string{"Log, 2026-01-01T10:00:00Z to 2026-01-01T10:00:01Z,", "1 \"level\":\"ERROR\""}, []string{"{"}},
		{"a.log", "time=\"2026-01-01T10:00:00Z\" level=error msg=b\n", []string{"Log, 2026-01-01T10:00:00Z to 2026-01-01T10:00:00Z,", "1 level=error msg=b"}, nil},
		{"a.log", "[   12.345678] usb 1-1: new\n[   13.345678] usb 1-2: error\n", []string{"Log, 12.345678 to 13.345678,", "usb 1-1: new"}, []string{"["}},
		{"a.log", "[Mon Jan  1 10:00:00 2026] a\n[Mon Jan  1 10:00:01 2026] b\n", []string{"Log, Mon Jan 1 10:00:00"}, []string{"["}},
	})
}

// Only TOML has values over lines.
func TestOutlineINIValues(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"a.ini", "[one]\nlist=[a\nuser's={b\n[two]\nc=1\n", []string{"1-3 [one]", "3   user's={b", "4-5 [two]"}, nil},
		{"a.toml", "a = 'x [y'\nb = 1 # [\nc = [\n  'd = [',\n]\n[two]\ne = 1\n", []string{"1 a = ", "2 b = 1", "3 c = [", "6-7 [two]"}, []string{"\n4"}},
	})
}

// An indented line goes on with the value of the key above it.
func TestOutlineINIContinued(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"setup.cfg", "[metadata]\nclassifiers =\n    License :: MIT\n    Topic :: Text\n\n    More: x\nname = a\n", []string{"1-7 [metadata]", "2-6   classifiers =", "7   name = a"}, []string{"License", "Topic", "More"}},
		{"a.conf", "  [one]\n  a = 1\n  b = 2\n\n  [two]\n  c = 3\n", []string{"1-4 [one]", "a = 1", "b = 2", "c = 3"}, nil},
		{".gitconfig.ini", "[user]\n\tname = a\n\temail = b\n[core]\n\tpager = c\n", []string{"name = a", "email = b", "pager = c"}, nil},
		{"a.properties", "a = one \\\n    two: three\nb = 1\n", []string{"1-2 a = one \\\n", "3 b = 1"}, []string{"two:"}},
		{"a.toml", "a = 1\n  b = 2\n", []string{"1 a = 1", "2 b = 2"}, nil},
	})
}

// A level is a word of its own near the beginning of what a line says.
func TestOutlineLogLevels(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"dpkg.log", "2026-01-01 10:00:00 status installed shared-mime-info:amd64 2.2\n2026-01-01 10:00:01 trigproc shared-mime-info:amd64 2.2\n", nil, []string{"levels"}},
		{"build.log", "a.c:95: warning: unused x\n 1032 95 | func = ERR_func_error_string(e, WARNING);\n   95 | int error = 1, warning: 3;\na.c:96: error: no y\n", []string{"levels: error 1, warning 1\n"}, nil},
		{"npm.log", "0 verbose cli a\n1 verbose b\n1 info b\n2 info ok b\n3 warn old thing\n4 error failed x\nnpm ERR! code 1\nnpm WARN old y\n", []string{"levels: error 2, warning 2, info 2\n"}, nil},
		{"a.log", "2026-01-01 10:00:00 INFO a\n2026-01-01 10:00:00,1 [main] ERROR b\n2026-01-01 10:00:00 - app - WARNING - c\n2026-01-01 10:00:00 level=debug d\n2026-01-01 10:00:00 <info> e\n2026-01-01 10:00:00 h app[1]: error: f\n", []string{"levels: error 2, warning 1, info 2, debug 1\n"}, nil},
		{"a.log", "2026-01-01 10:00:00 \"level\":\"error\",\"msg\":\"b\"\n2026-01-01 10:00:00 Error: x\n2026-01-01 10:00:00 No error was found\n", []string{"levels: error 2\n"}, nil},
		{"a.log", "E0102 10:00:00.1 1 a.go:1] b\nW0102 10:00:00.1 1 a.go:1] c\n", nil, nil},
	})
}

// Tables of an array in TOML are told apart by the first that each says.
func TestOutlineTOMLTables(t *testing.T) {
	var tables string
	for i := range 60 {
		tables += fmt.Sprintf("[[test]]\nname = \"case%d\"\npath = \"a\"\nn = 1\n\n", i)
	}
	checkOutlineCases(t, []outlineCase{
		{"a.toml", tables, []string{"1-5 [[test]] name = \"case0\"\n"}, []string{"[[test]]\n"}},
		{"a.toml", "[[a]]\nn = 1\n[[b]]\nx = [\"y\"]\n[c]\nname = \"d\"\n[[e]]\n# it's\nid = 'f'\n", []string{"1-2 [[a]]\n", "2   n = 1", "3-4 [[b]]\n", "5-6 [c]\n", "6   name = \"d\"", "7-9 [[e]] id = 'f'\n"}, nil},
	})
}
