package code

import (
	"path"
	"strings"
	"sync"
)

// A Language says how its definitions look.
type Language struct {
	Name string
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
	sql       bool // statements

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
	scripts  = syntax{hash: true, quotes: `"`}
	ruby     = syntax{hash: true, quotes: `"'`, heredoc: "<<", long: true, shift: true, regexp: true, pages: [2]string{"=begin", "=end"}}
	perl     = syntax{hash: true, quotes: `"`, heredoc: "<<", shift: true, pages: [2]string{"=", "=cut"}}
)

// A Definition is one of a program, or one statement of SQL.
type Definition struct {
	Line   int    // on which it begins, from 1
	End    int    // on which it ends; 0 if that is not known
	Rank   int    // 0 for what weighs most
	Indent int    // how many definitions are around it
	Text   string // as it stands in the text
	Brief  int    // the bytes of Text up to the end of its name; 0 for all
	Doc    string // what is said about it, as it stands in the text
}

// deepest is the largest Indent.
const deepest = 48

// Find returns the language of a file by its path, or nil.
func Find(name string) *Language {
	base := strings.ToLower(path.Base(name))
	ext := strings.TrimPrefix(path.Ext(base), ".")
	switch l := languages()[ext]; {
	case l != nil && ext != "":
		return l
	case base == "makefile" || base == "gnumakefile":
		return languages()["mk"]
	case strings.HasPrefix(base, "dockerfile") || base == "containerfile":
		return languages()["dockerfile"]
	}
	return nil
}

// Interpreter returns the language that the first line of a script names: #!.
// Without a name that is known it is the shell's.
func Interpreter(line string) *Language {
	for _, s := range [...][2]string{{"python", "py"}, {"node", "js"}, {"deno", "ts"}, {"ruby", "rb"}, {"perl", "pl"}, {"php", "php"}, {"lua", "lua"}, {"make", "mk"}} {
		if strings.Contains(line, s[0]) {
			return languages()[s[1]]
		}
	}
	return languages()["sh"]
}

// languages gives a language by the end of a file's name.
var languages = sync.OnceValue(func() map[string]*Language {
	byEnd := map[string]*Language{}
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

var languageTable = map[string]Language{
	"go": {Name: "Go", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, raw: '`'}},
	"js jsx mjs cjs": {Name: "JavaScript", syntax: scripted, calls: true, members: true,
		modifiers: "export default async static get set",
		blocks:    "class", leaves: "function", minor: "const let var"},
	"ts tsx mts cts": {Name: "TypeScript", syntax: scripted, calls: true, members: true,
		modifiers: "export default async static get set public private protected readonly declare abstract override",
		blocks:    "class interface namespace module global", leaves: "function type enum", minor: "const let var"},
	"java": {Name: "Java", syntax: tripled, calls: true, members: true,
		modifiers: "public private protected static final abstract default synchronized native strictfp sealed non transient volatile",
		blocks:    "class interface enum record @interface"},
	"kt kts": {Name: "Kotlin", syntax: nesting,
		modifiers: "public private protected internal open final abstract override sealed data inline suspend operator infix tailrec external lateinit const actual expect companion inner value annotation",
		blocks:    "class interface object enum", leaves: "fun typealias constructor", minor: "val var"},
	"c": {Name: "C", syntax: slashes, calls: true, define: true, leaves: "struct enum union typedef"},
	"h": {Name: "C header", syntax: slashes, operators: true, calls: true, header: true, define: true,
		blocks: "namespace class struct @interface @implementation @protocol", leaves: "enum union typedef"},
	"cc cpp cxx hpp hxx hh": {Name: "C++", syntax: slashes, operators: true, calls: true, header: true, define: true,
		modifiers: "export", blocks: "namespace class struct", leaves: "enum union typedef using concept"},
	"m mm": {Name: "Objective-C", syntax: slashes, calls: true, define: true,
		blocks: "@interface @implementation @protocol", leaves: "struct enum typedef"},
	"rs": {Name: "Rust", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, nests: true, rust: true},
		modifiers: "pub async unsafe extern default", blocks: "trait impl mod",
		leaves: "fn struct enum union type macro_rules", minor: "const static"},
	"php": {Name: "PHP", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, hash: true, quotes: `"'`, heredoc: "<<<", long: true, php: true},
		modifiers: "public private protected static final abstract readonly",
		blocks:    "namespace class interface trait enum", leaves: "function", minor: "const"},
	"cs": {Name: "C#", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`, triple: true, verbatim: true}, operators: true, calls: true, members: true,
		modifiers: "public private protected internal static sealed abstract virtual override async readonly partial extern unsafe new ref",
		blocks:    "namespace class interface struct record", leaves: "enum delegate"},
	"swift": {Name: "Swift", syntax: nesting,
		modifiers: "public private fileprivate internal open final static override mutating indirect convenience required async nonisolated lazy weak",
		blocks:    "class struct enum protocol extension actor", leaves: "func init typealias subscript", minor: "let var"},
	"scala sc": {Name: "Scala", syntax: nesting,
		modifiers: "private protected final sealed abstract implicit override lazy case inline package",
		blocks:    "class object trait enum", leaves: "def type given", minor: "val var"},
	"dart": {Name: "Dart", syntax: tripled, operators: true, calls: true,
		modifiers: "abstract static final const late external factory base sealed",
		blocks:    "class mixin extension", leaves: "enum typedef"},
	"proto": {Name: "Protocol Buffers", syntax: slashes, blocks: "message service", leaves: "enum rpc extend", minor: "package option"},
	"graphql gql": {Name: "GraphQL", syntax: hashes, modifiers: "extend",
		leaves: "type interface input enum union scalar directive schema query mutation subscription fragment"},
	"tf hcl":        {Name: "HCL", syntax: syntax{line: "//", block: [2]string{"/*", "*/"}, hash: true, quotes: `"`, heredoc: "<<"}, any: true},
	"zig":           {Name: "Zig", syntax: syntax{line: "//", block: [2]string{`\\`, "\n"}, quotes: `"'`}, modifiers: "pub export inline extern", leaves: "fn", minor: "const var test"},
	"css scss less": {Name: "CSS", syntax: syntax{block: [2]string{"/*", "*/"}, quotes: `"'`}, any: true},

	"py pyi pyw":  {Name: "Python", syntax: hashes, indents: true, brackets: true, modifiers: "async", blocks: "class", leaves: "def", minor: "type"},
	"rb rake":     {Name: "Ruby", syntax: ruby, indents: true, modifiers: "private public protected", blocks: "class module", leaves: "def"},
	"ex exs":      {Name: "Elixir", syntax: hashes, indents: true, brackets: true, blocks: "defmodule defprotocol defimpl", leaves: "def defp defmacro defmacrop defguard defguardp defdelegate defstruct defexception"},
	"lua":         {Name: "Lua", syntax: syntax{line: "--", quotes: `"'`, lua: true}, indents: true, brackets: true, modifiers: "local", leaves: "function"},
	"sh bash zsh": {Name: "Shell", syntax: shelly, indents: true, leaves: "function"},
	"pl pm":       {Name: "Perl", syntax: perl, indents: true, blocks: "package", leaves: "sub"},
	"jl":          {Name: "Julia", syntax: syntax{hash: true, quotes: `"`, triple: true}, indents: true, brackets: true, modifiers: "abstract mutable", blocks: "module", leaves: "function struct macro type", minor: "const"},
	"s asm":       {Name: "Assembly", syntax: slashes, indents: true, leaves: "TEXT", minor: "GLOBL DATA"},
	"mk":          {Name: "Makefile", syntax: syntax{hash: true}, indents: true, leaves: "define"},
	"awk":         {Name: "Awk", syntax: scripts, indents: true, leaves: "function func"},
	"tcl":         {Name: "Tcl", syntax: scripts, indents: true, leaves: "proc"},
	"fish":        {Name: "Fish", syntax: scripts, indents: true, leaves: "function"},
	"cmake":       {Name: "CMake", syntax: scripts, indents: true},
	"m4":          {Name: "M4", syntax: scripts, indents: true},
	"sql ddl":     {Name: "SQL", sql: true},
	"dockerfile": {Name: "Dockerfile", syntax: syntax{hash: true}, indents: true,
		leaves: "FROM", minor: "RUN COPY ADD CMD ENTRYPOINT EXPOSE ENV ARG WORKDIR USER VOLUME"},
}
