// Package outline says what is in a text, and where: the headings of a document,
// the definitions of a program, the keys of a configuration, the columns of a
// table. It works offline, and the same text always gives the same outline.
//
//	fmt.Println(outline.Text("report.md", text, 0))
//
// It is no parser. It may miss a rare form, or take a line for a definition that is
// none. A line of an outline is a hint where to read.
package outline
