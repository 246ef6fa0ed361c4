// Package hostile holds names and texts that try to break a page that shows them: scripts for
// every place of a document, characters that do not show, headers, paths, Markdown. Only
// tests import it.
//
// What runs says so: a dialog, a request to a host under example.com or .invalid or to a path
// that begins with /hostile, a title, class, or attribute "hostile", a property hostile of
// window or of Object.prototype. No text names another host.
package hostile

import "slices"

// A Case is one hostile text.
type Case struct {
	Name string // short, of a-z, 0-9 and hyphens, unlike that of any other case
	Text string
}

// Texts returns the cases that are the content of a file or an entry of a log.
func Texts() []Case {
	return slices.Concat(scripts(), injections(), characters(), markdown(), blocks())
}

// Names returns the cases that are short: for paths, authors, searches, and form fields.
// Some are valid paths by workspace.UnicodePaths. The others serve as text only, and a request
// that has one in its address is refused.
func Names() []Case {
	return slices.Concat(names(), paths())
}

// All returns the texts and the names.
func All() []Case { return append(Texts(), Names()...) }
