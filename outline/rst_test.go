package outline_test

import "testing"

// Titles of reStructuredText are underlined, some overlined too; what is indented
// is no title and no code of another language.
func TestOutlineReStructured(t *testing.T) {
	text := "=====\nTitle\n=====\n\nIt is here. More.\n\nPart one\n--------\n\nText::\n\n    # In ~/.aws/credentials:\n    [x]\n\n    Deep\n    ----\n\n.. note::\n   Hidden.\n\nSub\n~~~\n\nPart two\n--------\n\n======  ====\nA       B\n======  ====\n1       2\n======  ====\n"
	want := []string{"reStructuredText, 31 lines", "1-31 Title — It is here.", "7-23   Part one — Text::", "21-23     Sub", "24-31   Part two"}
	not := []string{"credentials", "Deep", "=====", "----"}
	checkOutlineCases(t, []outlineCase{
		{"a.rst", text, want, not},
		{"a.rst", "Été\n===\n\nText.\n\nB\n=\n\nC\n\n=\n", []string{"1-5 Été", "6-11 B"}, nil},
		{"a.rst", "**To describe**\n\nThe following tells. ::\n\n    aws x\n    {\n        \"a\": {\n        }\n    }\n\nOutput::\n\n    key: 1;\n", []string{"reStructuredText", "1 **To describe**", "3 The following tells.", "11 Output::"}, []string{"aws", "TypeScript", "key"}},
		{"a.rst", "One two\n-------\n\nx\n\nY\n", []string{"1-6 One two"}, nil},
	})
}
