package outline_test

import "testing"

// Brackets and quotes within plain values open nothing, and what is open hides
// no more than it holds.
func TestOutlineYAMLValues(t *testing.T) {
	after := "last:\n  inner: x\n"
	seen := []string{"last:", "  inner: x"}
	checkOutlineCases(t, []outlineCase{
		{"a.yaml", "regex: ^[a-z\n" + after, append(seen, "1 regex: ^[a-z"), nil},
		{"a.yaml", "desc: the user's [draft\n" + after, seen, nil},
		{"a.yaml", "pipe: 5\" {wide\nlist:\n- a [b\n- it's {c\n" + after, append(seen, "2 list: list of 2"), nil},
		{"a.yaml", "text: \"one\n  two: three\n\n  four: \\\" five\"\n" + after, seen, []string{"two", "four"}},
		{"a.yaml", "text: 'one\n  two: it''s\n  four: five'\n" + after, seen, []string{"two", "four"}},
		{"a.yaml", "list:\n- \"one\n  two: three\"\n- b\n" + after, append(seen, "1 list: list of 2"), []string{"two"}},
		{"a.yaml", "text: \"unclosed\n" + after, seen, nil},
		{"a.yaml", "flow: [a, b\n" + after, seen, nil},
		{"a.yaml", "flow: [a, 5\" pipe, the user's]\n" + after, seen, nil},
		{"a.yaml", "flow: [\"a]\", '[',\n  b: 1, # ]\n  c: 2]\n" + after, seen, []string{"\n2", "\n3"}},
		{"a.yaml", "flow: {\na: 1,\nb: 2\n}\n" + after, seen, []string{"\n2", "\n3"}},
		{"a.yaml", "flow: &x [\n  a: 1\n]\nmap: !!map {\n  b: 1\n}\n" + after, seen, []string{"\n2", "\n5"}},
		{"a.yaml", "text: &x |\n  a: 1\nbin: !!binary >-\n  b: 1\n" + after, seen, []string{"\n2", "\n4"}},
		{"a.yaml", "list:\n- |\n  a: 1\n- >\n  b: 1\n" + after, append(seen, "1 list: list of 2"), []string{"\n3", "\n5"}},
		{"a.yaml", "text: plain and\n  [more {of it\n" + after, seen, nil},
		{"a.yaml", "base: &base\n  a: 1\nuse:\n  <<: *base\n" + after, append(seen, "2   a: 1", "4   <<: *base"), nil},
		{"a.yaml", "key: # [not open\n  a: 1\n" + after, append(seen, "2   a: 1"), nil},
		{"a.yaml", "a: 1\n---not: x\nb: 2\n--- # two\nc: 3\n...\n---\nd: 4\n", []string{"YAML, 3 documents", "2 ---not: x", "4 --- document 2", "7 --- document 3"}, nil},
		{"a.yaml", "{\n  \"a\": 1,\n  \"b\": [2]\n}\n", []string{"JSON, object of 2 keys", "2 a: integer 1"}, nil},
		{"a.yaml", "a: 1\r\nb: |\r\n  c: 2\r\nlist:\r\n  - d: 3\r\n  - d: 4\r\n", []string{"1 a: 1", "4 list: list of 2", "5   d: 3"}, []string{"c: 2"}},
	})
}
