package code

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// A Language says how the definitions of a programming language look. It is
// immutable.
type Language struct {
	Name string // for people, as in "C++"

	files string // ends of the names of files; /name is a whole name
	runs  string // is in the first line of its scripts

	syntax
	words    words
	patterns []pattern
	read     func(*reader)

	calls        bool   // a function needs no word of its own: name(...) {
	members      bool   // but only within types
	declares     bool   // name(...); declares a function outside of types too
	operator     bool   // a function's name may be "operator" and a sign
	bodied       string // words that define only what has a body
	signs        string // words before names that may begin with a sign
	wholes       string // words before a definition that has no name next to them
	commas       bool   // members of a type may end with commas
	attributes   bool   // [...] before a definition is an attribute
	newlines     bool   // a header may end with its line
	splits       string // a header ends before a line that begins with one of these
	preprocessed bool   // lines that begin with # are not code
	flat         bool   // what is indented may define something too
	joined       bool   // a line goes on while brackets are open
	docstrings   bool   // a definition is described by the string below it

	kinds    map[string]kind
	compiled []*regexp.Regexp // of the patterns
}

// A kind says what a word means for a definition.
type kind uint8

const (
	other    kind = iota
	never         // begins no definition, and is no function's name
	unnamed       // the same, but a method may be called so
	label         // stands alone before a colon
	mark          // may stand before any definition, with something in brackets
	modifier      // stands before a word that defines, or before a type
	around        // of a block with definitions that defines nothing itself
	space         // defines a block; what is within counts as if it were outside
	block         // defines a type: a block with definitions
	leaf          // defines something without further definitions
	minor         // the same, of less interest
)

// Words lists the words of each kind, with blanks between them. Of two kinds with
// the same word the later one counts.
type words map[kind]string

// A pattern says which headers or lines define something that no word announces.
// A match of the first group, if there is one, is the name.
type pattern struct {
	where where
	kind  kind
	rank  int
	expr  string
}

// A where is a set of places in which a pattern holds.
type where uint8

const (
	outside   where = 1 << iota // of types
	inside                      // types
	opening                     // before a brace, in parentheses too
	directive                   // in a line for C's preprocessor
	anywhere  = outside | inside
)

// languages finds a language by its files.
var languages = sync.OnceValue(func() map[string]*Language {
	byFile := map[string]*Language{}
	for i := range table {
		l := &table[i]
		l.kinds = map[string]kind{}
		for k := range minor + 1 {
			for word := range strings.FieldsSeq(l.words[k]) {
				l.kinds[word] = k
			}
		}
		for _, q := range l.patterns {
			l.compiled = append(l.compiled, regexp.MustCompile("(?s)"+q.expr))
		}
		for file := range strings.FieldsSeq(l.files) {
			byFile[file] = l
		}
	}
	return byFile
})

// Find returns the language of a file by its name or path, or nil.
func Find(name string) *Language {
	base := strings.ToLower(path.Base(name))
	if ext := path.Ext(base); len(ext) > 1 {
		if l := languages()[ext[1:]]; l != nil {
			return l
		}
	}
	first, _, _ := strings.Cut(base, ".")
	return languages()["/"+first]
}

// Interpreter returns the language of a script by its first line, which begins
// with #!. It is the shell's if the line names no language that is known.
func Interpreter(line string) *Language {
	shell := languages()["sh"]
	for i := range table {
		if l := &table[i]; l.runs != "" && strings.Contains(line, l.runs) {
			return l
		}
	}
	return shell
}
