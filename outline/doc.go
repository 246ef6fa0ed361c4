// Package outline says what is in a text, and where: the headings of a document,
// the definitions of a program, the keys of a configuration, the columns of a
// table. It works offline, and the same text always gives the same outline.
//
//	fmt.Println(outline.Text("report.md", text, 0))
//
// It is not a parser. It may miss a rare form, or list a line that is not a
// definition. A line of an outline is a hint where to read.
//
// The rules are frozen. They serve the common forms of common files; a rare form is
// not worth a rule. Fix what is wrong, slow or over budget, and then change [Rules].
package outline
