package code

import "regexp"

// Parts of the syntax of many languages.
var (
	slashLine  = span{open: "//", end: "\n", comment: true}
	slashBlock = span{open: "/*", end: "*/", comment: true}
	nested     = span{open: "/*", end: "*/", comment: true, nests: true}
	hash       = span{open: "#", end: "\n", comment: true, apart: true}
	double     = span{open: `"`, end: `"`, escapes: true}
	single     = span{open: `'`, end: `'`, escapes: true}
	doubles    = span{open: `"`, end: `"`, escapes: true, lines: true}
	singles    = span{open: `'`, end: `'`, escapes: true, lines: true}
	triple     = span{open: `"""`, end: `"""`, escapes: true, lines: true}
	triples    = span{open: `'''`, end: `'''`, escapes: true, lines: true}
	rawHash    = span{open: `#"`, end: `"#`, lines: true}
	rawHashes  = span{open: `##"`, end: `"##`, lines: true}

	shellHeredoc = regexp.MustCompile(`^<<[-~]?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.+-]*))`)
	phpHeredoc   = regexp.MustCompile(`^<<<[ \t]*['"]?([A-Za-z_]\w*)`)
	rubyHeredoc  = regexp.MustCompile(`^<<(?:[-~]?'([^'\n]+)'|[-~]?"([^"\n]+)"|[-~](\w+)|([A-Z]\w*))`)

	slashes = syntax{spans: []span{slashLine, slashBlock, double, single}}
	tripled = syntax{spans: []span{slashLine, slashBlock, triple, double, single}}
	braced  = syntax{spans: []span{slashLine, nested, rawHash, triple, double, single}}
	script  = syntax{spans: []span{slashLine, slashBlock, double, single}, templates: true, regexps: true}
	hashes  = syntax{spans: []span{hash, triple, triples, double, single}}
	command = syntax{spans: []span{hash, double}}
)

// Words of all the languages in which a function needs no word of its own.
const (
	neverNames   = "if for while switch else do sizeof synchronized typeof case goto static_assert foreach elif"
	unnamedWords = "return catch new throw using lock assert delete await yield super this defined of in function import package"
	cMarks       = "__attribute__ __declspec alignas _Alignas __nonnull template"
	braceWords   = "public private fileprivate protected internal" // with (set) or the like
)

// Values of JavaScript that are functions or classes.
const scriptValue = `\s*(?:async\b\s*)?(?:function\b|(?:<[^>]*>)?\([^;]*=>|[\w$]+\s*=>)`

// What wraps a whole program of JavaScript, and names of objects with its functions.
var scriptPatterns = []pattern{
	{outside, other, 0, `^(?:const|let|var)\s[^=]*=\s*require\(`},
	{opening, around, 0, `^(?:(?:export|const|let|var)\s+)*([\w$.]+)\s*=\s*\(\s*(?:function\b|\(\s*\))`},
	{outside, leaf, 0, `^(?:(?:export|default|const|let|var)\s+)*([\w$.]+)\s*(?::[^=]*)?=` + scriptValue},
	{outside, block, 0, `^(?:(?:export|const|let|var)\s+)*([\w$.]+)\s*=\s*class\b`},
	{inside, leaf, 2, `^(?:(?:public|private|protected|static|readonly)\s+)*([\w$#]+)\s*(?::[^=]*=|[:=])` + scriptValue},
	{opening, block, 0, `^([\w$.]+\.prototype)\s*=\s*$`},
	{opening, block, 0, `^(?:module\.exports|exports|export\s+default)\s*(?:=\s*)?$`},
	{opening, around, 0, `^(?:define\(|[(!;+~)]).*(?:function\b[^{]*|=>\s*)$`},
}

// Patterns of the family of C: #define without guards of headers, and methods.
var (
	cPatterns = []pattern{
		{directive, other, 0, `^#\s*define\s+\w+_(?:H|HPP|h|hpp)_*$`},
		{directive, minor, 3, `^#\s*define\s+(\w+)`},
		{opening, around, 0, `^extern\s+\x01+$`},
	}
	objectivePatterns = append([]pattern{{anywhere, leaf, 2, `^[-+]\s*\(`}}, cPatterns...)
)

// The table of languages. What a row leaves out, its language has not.
var table = []Language{
	{Name: "Go", files: "go", read: readGo, newlines: true,
		syntax: syntax{spans: []span{slashLine, slashBlock, double, single, {open: "`", end: "`", lines: true}}},
		words:  words{leaf: "func type", minor: "const var"}, signs: "func"},
	{Name: "JavaScript", files: "js jsx mjs cjs", runs: "node", read: readHeaders, syntax: script, patterns: scriptPatterns,
		calls: true, members: true, newlines: true, commas: true, signs: "function",
		words: words{modifier: "export default async static get set", never: neverNames, unnamed: unnamedWords,
			block: "class", leaf: "function", minor: "const let var"}},
	{Name: "TypeScript", files: "ts tsx mts cts", runs: "deno", read: readHeaders, syntax: script, patterns: scriptPatterns,
		calls: true, members: true, newlines: true, commas: true, signs: "function",
		words: words{modifier: "export default async static get set public private protected readonly declare abstract override",
			never: neverNames, unnamed: unnamedWords, space: "namespace module global",
			block: "class interface", leaf: "function type enum", minor: "const let var"}},
	{Name: "Java", files: "java", read: readHeaders, syntax: tripled, calls: true, members: true,
		words: words{modifier: "public private protected static final abstract default synchronized native strictfp sealed non transient volatile",
			never: neverNames, unnamed: unnamedWords, block: "class interface enum record @interface"}},
	{Name: "Kotlin", files: "kt kts", read: readHeaders, syntax: braced, newlines: true,
		words: words{mark: braceWords, modifier: "open final abstract override sealed data inline suspend operator infix tailrec external lateinit const actual expect inner value annotation companion",
			block: "class interface object enum", leaf: "fun typealias constructor", minor: "val var"}},
	{Name: "C", files: "c", read: readHeaders, syntax: slashes, patterns: cPatterns, calls: true, preprocessed: true, wholes: "typedef", bodied: "struct union enum",
		words: words{mark: cMarks, modifier: "extern static", never: neverNames, unnamed: unnamedWords, leaf: "struct enum union typedef"}},
	{Name: "C header", files: "h", read: readHeaders, syntax: slashes, calls: true, preprocessed: true, declares: true, operator: true,
		wholes: "typedef", bodied: "struct union enum class namespace @protocol", splits: "@-+", patterns: objectivePatterns,
		words: words{mark: cMarks, modifier: "extern static", label: "public private protected", never: neverNames, unnamed: unnamedWords,
			space: "namespace", block: "class struct", leaf: "enum union typedef @interface @implementation @protocol"}},
	{Name: "C++", files: "cc cpp cxx hpp hxx hh", read: readHeaders, syntax: slashes, patterns: cPatterns, calls: true, preprocessed: true, declares: true, operator: true,
		wholes: "typedef", bodied: "struct union enum class namespace",
		words: words{mark: cMarks, modifier: "extern static export", label: "public private protected", never: neverNames, unnamed: unnamedWords,
			space: "namespace", block: "class struct", leaf: "enum union typedef using concept"}},
	{Name: "Objective-C", files: "m mm", read: readHeaders, syntax: slashes, calls: true, preprocessed: true,
		wholes: "typedef", bodied: "struct union enum class namespace @protocol", splits: "@-+", patterns: objectivePatterns,
		words: words{mark: cMarks, modifier: "extern static", label: "public private protected", never: neverNames, unnamed: unnamedWords,
			space: "namespace", block: "class struct", leaf: "enum typedef @interface @implementation @protocol"}},
	{Name: "Rust", files: "rs", read: readHeaders, signs: "macro_rules", wholes: "impl",
		patterns: []pattern{{opening, around, 0, `^(?:unsafe\s+)?extern\s+\x01+$`}},
		syntax:   syntax{spans: []span{slashLine, nested, rawHash, rawHashes, doubles, single}, lifetimes: true},
		words: words{mark: "pub", modifier: "async unsafe extern default", space: "mod", block: "trait impl",
			leaf: "fn struct enum union type macro_rules", minor: "const static"}},
	{Name: "PHP", files: "php", runs: "php", read: readHeaders, signs: "function",
		patterns: []pattern{{opening, around, 0, `^(?:if|else|elseif)\b`}},
		syntax:   syntax{spans: []span{{open: "?>", end: "<?", lines: true}, slashLine, slashBlock, hash, doubles, singles}, heredoc: phpHeredoc, embedded: true},
		words: words{mark: "php", modifier: "public private protected static final abstract readonly", space: "namespace",
			block: "class interface trait enum", leaf: "function", minor: "const"}},
	{Name: "C#", files: "cs", read: readHeaders, calls: true, members: true, operator: true,
		syntax: syntax{spans: []span{slashLine, slashBlock, triple, {open: `@"`, end: `"`, lines: true, doubled: true}, double, single}}, attributes: true,
		words: words{modifier: "public private protected internal static sealed abstract virtual override async readonly partial extern unsafe new ref",
			never: neverNames, unnamed: unnamedWords, space: "namespace", block: "class interface struct record", leaf: "enum delegate"}},
	{Name: "Swift", files: "swift", read: readHeaders, syntax: braced, newlines: true, signs: "func init", wholes: "extension",
		words: words{mark: braceWords, modifier: "open final static override mutating indirect convenience required async nonisolated lazy weak",
			block: "class struct enum protocol extension actor", leaf: "func init typealias subscript", minor: "let var"}},
	{Name: "Scala", files: "scala sc", read: readHeaders, syntax: braced, newlines: true, signs: "def",
		words: words{modifier: "private protected final sealed abstract implicit override lazy case inline package",
			block: "class object trait enum", leaf: "def type given", minor: "val var"}},
	{Name: "Dart", files: "dart", read: readHeaders, calls: true, declares: true, operator: true,
		syntax: syntax{spans: []span{slashLine, slashBlock, triple, triples, double, single}},
		words: words{modifier: "abstract static final const late external factory base sealed", never: neverNames, unnamed: unnamedWords,
			block: "class mixin extension", leaf: "enum typedef"}},
	{Name: "Protocol Buffers", files: "proto", read: readHeaders, syntax: slashes,
		words: words{block: "message service", leaf: "enum rpc extend", minor: "package option"}},
	{Name: "GraphQL", files: "graphql gql", read: readHeaders, syntax: hashes, newlines: true,
		words: words{modifier: "extend", leaf: "type interface input enum union scalar directive schema query mutation subscription fragment"}},
	{Name: "HCL", files: "tf hcl", read: readHeaders, newlines: true, patterns: []pattern{{opening, leaf, 0, `^.`}},
		syntax: syntax{spans: []span{slashLine, slashBlock, hash, double}, heredoc: shellHeredoc}},
	{Name: "Zig", files: "zig", read: readHeaders,
		syntax: syntax{spans: []span{slashLine, {open: `\\`, end: "\n", comment: true}, double, single}},
		words:  words{modifier: "pub export inline extern", leaf: "fn", minor: "const var test"}},
	{Name: "CSS", files: "css scss less", read: readHeaders, patterns: []pattern{{opening, block, 0, `^(@.*)`}, {opening, leaf, 0, `^.`}},
		syntax: syntax{spans: []span{slashBlock, double, single}}},

	{Name: "Python", files: "py pyi pyw", runs: "python", read: readIndents, syntax: hashes, joined: true, docstrings: true,
		words:    words{modifier: "async", block: "class", leaf: "def", minor: "type"},
		patterns: []pattern{{outside, minor, 3, `^([A-Z_][A-Z0-9_]*)\s*(?:=[^=]|:)`}}},
	{Name: "Ruby", files: "rb rake", runs: "ruby", read: readIndents, signs: "def",
		syntax: syntax{spans: []span{{open: "\n=begin", end: "\n=end", comment: true}, {open: "\n__END__", comment: true}, hash, doubles, singles}, heredoc: rubyHeredoc, regexps: true},
		words:  words{modifier: "private public protected", block: "class module", leaf: "def"},
		patterns: []pattern{
			{anywhere, block, 0, `^(?:RSpec\.)?(?:describe|context|feature|shared_examples|shared_context|namespace)[ (][^=.,?&|].*(?:\bdo|\{)(?: *\|.*\|)?$`},
			{anywhere, leaf, 0, `^(?:it|specify|scenario|test|task)[ (][^=.,?&|].*(?:\bdo|\{)(?: *\|.*\|)?$`},
			{anywhere, minor, 3, `^([A-Z]\w*(?:::\w+)*)\s*(?:\|\|)?=(?:[^=~>]|$)`},
		}},
	{Name: "Elixir", files: "ex exs", read: readIndents, syntax: hashes, joined: true,
		words: words{block: "defmodule defprotocol defimpl", leaf: "def defp defmacro defmacrop defguard defguardp defdelegate defstruct defexception"}},
	{Name: "Lua", files: "lua", runs: "lua", read: readIndents, joined: true,
		syntax: syntax{spans: []span{
			{open: "--[[", end: "]]", comment: true}, {open: "--[=[", end: "]=]", comment: true}, {open: "--[==[", end: "]==]", comment: true},
			{open: "--", end: "\n", comment: true}, {open: "[[", end: "]]", lines: true}, {open: "[=[", end: "]=]", lines: true}, {open: "[==[", end: "]==]", lines: true}, double, single}},
		words:    words{modifier: "local", leaf: "function"},
		patterns: []pattern{{outside, leaf, 0, `^([\w.:]+)\s*=\s*function\b`}}},
	{Name: "Shell", files: "sh bash zsh", read: readIndents,
		syntax:   syntax{spans: []span{hash, {open: "$'", end: "'", escapes: true, lines: true}, {open: "'", end: "'", lines: true}, doubles}, heredoc: shellHeredoc, escapes: true},
		words:    words{leaf: "function"},
		patterns: []pattern{{anywhere, leaf, 0, `^([\w.:+@$-]+)\s*\(\s*\)`}}},
	{Name: "Perl", files: "pl pm", runs: "perl", read: readIndents, flat: true,
		syntax: syntax{spans: []span{{open: "\n__END__", comment: true, keeps: "=head"}, {open: "\n__DATA__", comment: true, keeps: "=head"},
			{open: "\n=", end: "\n=cut", comment: true, keeps: "=head"}, hash, double}, heredoc: rubyHeredoc},
		words: words{block: "package", leaf: "sub"},
		patterns: []pattern{
			{outside, leaf, 1, `^=head1 .`},
			{outside, minor, 3, `^=head[2-6] .`},
		}},
	{Name: "Julia", files: "jl", read: readIndents, joined: true,
		syntax: syntax{spans: []span{hash, triple, double}},
		words:  words{modifier: "abstract mutable", block: "module", leaf: "function struct macro type", minor: "const"}},
	{Name: "Assembly", files: "s asm", read: readIndents, syntax: slashes, flat: true,
		patterns: []pattern{
			{outside, leaf, 0, `^(TEXT\s+[^\s,(]+)`},
			{outside, minor, 3, `^((?:GLOBL|DATA)\s+[^\s,(]+)`},
			{outside, leaf, 1, `^([\w.$]+):`},
		}},
	{Name: "Makefile", files: "mk /makefile /gnumakefile", runs: "make", read: readIndents, flat: true,
		syntax: syntax{spans: []span{hash}},
		words:  words{leaf: "define"},
		patterns: []pattern{
			{outside, leaf, 0, `^([^\s.:=][^:=]*):(?:[^=]|$)`},
			{outside, minor, 3, `^([^\s:=][^:=]*)[:=]`},
		}},
	{Name: "Dockerfile", files: "dockerfile /dockerfile /containerfile", read: readIndents, flat: true,
		syntax: syntax{spans: []span{hash}},
		words:  words{leaf: "FROM", minor: "RUN COPY ADD CMD ENTRYPOINT EXPOSE ENV ARG WORKDIR USER VOLUME"}},
	{Name: "Awk", files: "awk", read: readIndents, syntax: command, words: words{leaf: "function func"}},
	{Name: "Tcl", files: "tcl", read: readIndents, syntax: command, words: words{leaf: "proc"}},
	{Name: "Fish", files: "fish", read: readIndents, syntax: command, words: words{leaf: "function"}},
	{Name: "SQL", files: "sql ddl", read: readStatements,
		syntax: syntax{dollars: true, spans: []span{
			{open: "\n", end: "\n\\.", comment: true, after: "stdin;"},
			{open: "\n\\", end: "\n", comment: true},
			{open: "--", end: "\n", comment: true}, slashBlock,
			{open: "#", end: "\n", comment: true, needs: "`"},
			{open: "'", end: "'", escapes: true, lines: true, needs: "`"},
			{open: "'", end: "'", lines: true}, {open: `"`, end: `"`}, {open: "`", end: "`"}}}},
}
