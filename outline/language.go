package outline

import (
	"strings"
	"sync"
)

// A language says how its definitions look.
type language struct {
	name string
	syntax

	modifiers string // words before a definition
	blocks    string // words that define, with definitions of interest within
	leaves    string // words that define
	minor     string // the same, of less interest

	calls     bool // functions have no word of their own: name(...) {
	members   bool // but only within blocks
	header    bool // name(...); defines too
	indents   bool // indentation nests, not braces
	brackets  bool // a line goes on where brackets are open
	any       bool // every block at the top is a definition
	operators bool // the name of a function may be operator and a sign
	define    bool // #define

	kinds map[string]wordKind
}

type wordKind uint8

const (
	otherWord wordKind = iota
	modifier
	block
	leaf
	minor
)

var (
	slashes  = syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`}
	tripled  = syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, triple: true}
	nesting  = syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, triple: true, nests: true}
	scripted = syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, template: '`', regexp: true}
	hashes   = syntax{hash: true, quotes: `"'`, triple: true}
	shelly   = syntax{hash: true, quotes: `"'`, heredoc: "<<", long: true, shell: true}
	ruby     = syntax{hash: true, quotes: `"'`, heredoc: "<<", long: true, shift: true, regexp: true, pages: [2]string{"=begin", "=end"}}
	perl     = syntax{hash: true, quotes: `"`, heredoc: "<<", shift: true, pages: [2]string{"=", "=cut"}}
)

// languages gives a language by the end of a file's name.
var languages = sync.OnceValue(func() map[string]*language {
	byEnd := map[string]*language{}
	for ends, l := range languageTable {
		l.kinds = map[string]wordKind{}
		for kind, words := range map[wordKind]string{modifier: l.modifiers, block: l.blocks, leaf: l.leaves, minor: l.minor} {
			for word := range strings.FieldsSeq(words) {
				l.kinds[word] = kind
			}
		}
		for end := range strings.FieldsSeq(ends) {
			byEnd[end] = &l
		}
	}
	return byEnd
})

var languageTable = map[string]language{
	"go": {name: "Go", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, raw: '`'}},
	"js jsx mjs cjs": {name: "JavaScript", syntax: scripted, calls: true, members: true,
		modifiers: "export default async static get set",
		blocks:    "class", leaves: "function", minor: "const let var"},
	"ts tsx mts cts": {name: "TypeScript", syntax: scripted, calls: true, members: true,
		modifiers: "export default async static get set public private protected readonly declare abstract override",
		blocks:    "class interface namespace module global", leaves: "function type enum", minor: "const let var"},
	"java": {name: "Java", syntax: tripled, calls: true, members: true,
		modifiers: "public private protected static final abstract default synchronized native strictfp sealed non transient volatile",
		blocks:    "class interface enum record @interface"},
	"kt kts": {name: "Kotlin", syntax: nesting,
		modifiers: "public private protected internal open final abstract override sealed data inline suspend operator infix tailrec external lateinit const actual expect companion inner value annotation",
		blocks:    "class interface object enum", leaves: "fun typealias constructor", minor: "val var"},
	"c": {name: "C", syntax: slashes, calls: true, define: true, leaves: "struct enum union typedef"},
	"h": {name: "C header", syntax: slashes, operators: true, calls: true, header: true, define: true,
		blocks: "namespace class struct @interface @implementation @protocol", leaves: "enum union typedef"},
	"cc cpp cxx hpp hxx hh": {name: "C++", syntax: slashes, operators: true, calls: true, header: true, define: true,
		modifiers: "export", blocks: "namespace class struct", leaves: "enum union typedef using concept"},
	"m mm": {name: "Objective-C", syntax: slashes, calls: true, define: true,
		blocks: "@interface @implementation @protocol", leaves: "struct enum typedef"},
	"rs": {name: "Rust", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, nests: true, rust: true},
		modifiers: "pub async unsafe extern default", blocks: "trait impl mod",
		leaves: "fn struct enum union type macro_rules", minor: "const static"},
	"php": {name: "PHP", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, hash: true, quotes: `"'`, heredoc: "<<<", long: true, php: true},
		modifiers: "public private protected static final abstract readonly",
		blocks:    "namespace class interface trait enum", leaves: "function", minor: "const"},
	"cs": {name: "C#", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, triple: true, verbatim: true}, operators: true, calls: true, members: true,
		modifiers: "public private protected internal static sealed abstract virtual override async readonly partial extern unsafe new ref",
		blocks:    "namespace class interface struct record", leaves: "enum delegate"},
	"swift": {name: "Swift", syntax: nesting,
		modifiers: "public private fileprivate internal open final static override mutating indirect convenience required async nonisolated lazy weak",
		blocks:    "class struct enum protocol extension actor", leaves: "func init typealias subscript", minor: "let var"},
	"scala sc": {name: "Scala", syntax: nesting,
		modifiers: "private protected final sealed abstract implicit override lazy case inline package",
		blocks:    "class object trait enum", leaves: "def type given", minor: "val var"},
	"dart": {name: "Dart", syntax: tripled, operators: true, calls: true,
		modifiers: "abstract static final const late external factory base sealed",
		blocks:    "class mixin extension", leaves: "enum typedef"},
	"proto": {name: "Protocol Buffers", syntax: slashes, blocks: "message service", leaves: "enum rpc extend", minor: "package option"},
	"graphql gql": {name: "GraphQL", syntax: hashes, modifiers: "extend",
		leaves: "type interface input enum union scalar directive schema query mutation subscription fragment"},
	"tf hcl":        {name: "HCL", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, hash: true, quotes: `"`, heredoc: "<<"}, any: true},
	"zig":           {name: "Zig", syntax: syntax{line: "//", block: [2]string{`\\`, "\n"}, quotes: `"'`}, modifiers: "pub export inline extern", leaves: "fn", minor: "const var test"},
	"css scss less": {name: "CSS", syntax: syntax{block: [2]string{"/*", "*/"}, quotes: `"'`}, any: true},

	"py pyi pyw":  {name: "Python", syntax: hashes, indents: true, brackets: true, modifiers: "async", blocks: "class", leaves: "def", minor: "type"},
	"rb rake":     {name: "Ruby", syntax: ruby, indents: true, modifiers: "private public protected", blocks: "class module", leaves: "def"},
	"ex exs":      {name: "Elixir", syntax: hashes, indents: true, brackets: true, blocks: "defmodule defprotocol defimpl", leaves: "def defp defmacro defmacrop defguard defguardp defdelegate defstruct defexception"},
	"lua":         {name: "Lua", syntax: syntax{line: "--", quotes: `"'`, lua: true}, indents: true, brackets: true, modifiers: "local", leaves: "function"},
	"sh bash zsh": {name: "Shell", syntax: shelly, indents: true, leaves: "function"},
	"pl pm":       {name: "Perl", syntax: perl, indents: true, blocks: "package", leaves: "sub"},
	"jl":          {name: "Julia", syntax: syntax{hash: true, quotes: `"`, triple: true}, indents: true, brackets: true, modifiers: "abstract mutable", blocks: "module", leaves: "function struct macro type", minor: "const"},
	"s asm":       {name: "Assembly", syntax: slashes, indents: true, leaves: "TEXT", minor: "GLOBL DATA"},
	"mk":          {name: "Makefile", syntax: syntax{hash: true}, indents: true, leaves: "define"},
	"dockerfile": {name: "Dockerfile", syntax: syntax{hash: true}, indents: true,
		leaves: "FROM", minor: "RUN COPY ADD CMD ENTRYPOINT EXPOSE ENV ARG WORKDIR USER VOLUME"},
}
