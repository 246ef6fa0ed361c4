// Package markdown makes a page's HTML of Markdown that somebody else wrote: CommonMark
// with the tables, struck text, task lists, footnotes and bare addresses of GitHub.
//
// The text is data. goldmark's renderer writes the elements and escapes the text. HTML in
// the text is shown as it stands. Before the tree is rendered, links are checked: they lead
// to http, https and where the caller lets relative ones lead. Images are not loaded; each
// is shown as its words. Characters that do not show are marked as package text does.
//
// Time, memory and the result are bounded for every input: see [Render].
package markdown
