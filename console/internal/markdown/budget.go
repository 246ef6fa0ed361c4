package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// parse is safe for concurrent use: what belongs to one text is in its context. It has no
// parser of HTML, in blocks or in lines, so that HTML is text.
var parse = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(block{parser.NewSetextHeadingParser()}, 100),
		util.Prioritized(block{parser.NewThematicBreakParser()}, 200),
		util.Prioritized(block{parser.NewListParser()}, 300),
		util.Prioritized(block{parser.NewListItemParser()}, 400),
		util.Prioritized(block{parser.NewCodeBlockParser()}, 500),
		util.Prioritized(block{parser.NewATXHeadingParser()}, 600),
		util.Prioritized(block{parser.NewFencedCodeBlockParser()}, 700),
		util.Prioritized(block{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(block{parser.NewParagraphParser()}, 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(inline{parser.NewCodeSpanParser(), wholeBlock}, 100),
		util.Prioritized(links{inline{parser.NewLinkParser(), linkCost}}, 200),
		util.Prioritized(inline{parser.NewAutoLinkParser(), toBracket}, 300),
		util.Prioritized(inline{parser.NewEmphasisParser(), delimiter}, 500),
		util.Prioritized(inline{extension.NewStrikethroughParser(), delimiter}, 500),
		util.Prioritized(bareAddress{extension.NewLinkifyParser()}, 999),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100),
		util.Prioritized(table{extension.NewTableParagraphTransformer()}, 200),
	),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

var budgetKey = parser.NewContextKey()

// A budget bounds the work of one parse. The parser has loops inside of loops whose
// ends a text decides; before each part of the work its wrapper here spends what the part costs
// at worst. That depends on the text alone, not on the clock.
type budget struct {
	left int // steps; a step is about what it takes to look at a byte

	parent     ast.Node // of the inline elements that are being parsed
	size       int      // of the parent, in bytes
	delimiters int      // of the parent, so far
}

func spend(pc parser.Context, steps int) { pc.Get(budgetKey).(*budget).spend(steps) }

func (b *budget) spend(steps int) {
	if b.left -= steps; b.left < 0 {
		panic("it takes too many steps")
	}
}

func (b *budget) spendSquare(n int) { b.spend(min(n, 1<<20) * min(n, 1<<20)) }

// enter notes which block the parser is in.
func (b *budget) enter(parent ast.Node) {
	if b.parent == parent {
		return
	}
	b.parent, b.size, b.delimiters = parent, 0, 0
	if parent.Type() != ast.TypeInline {
		lines := parent.Lines()
		for i := range lines.Len() {
			line := lines.At(i)
			b.size += line.Len()
		}
	}
}

// A block is a parser of blocks. It looks at the rest of a line to open a block, and at
// each further line for each block that is open.
type block struct{ parser.BlockParser }

func (b block) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	spend(pc, 16+len(line))
	return b.BlockParser.Open(parent, reader, pc)
}

func (b block) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, _ := reader.PeekLine()
	spend(pc, 64+len(line))
	return b.BlockParser.Continue(node, reader, pc)
}

// An inline is a parser of elements in a block, and what a call costs at worst.
type inline struct {
	parser.InlineParser
	cost func(b *budget, line []byte) int
}

func (i inline) Parse(parent ast.Node, reader text.Reader, pc parser.Context) ast.Node {
	line, _ := reader.PeekLine()
	b := pc.Get(budgetKey).(*budget)
	b.enter(parent)
	b.spend(16 + i.cost(b, line))
	return i.InlineParser.Parse(parent, reader, pc)
}

// wholeBlock is the cost of looking for the end of an element.
func wholeBlock(b *budget, _ []byte) int { return b.size }

// toBracket is the cost of reading an address in angle brackets, twice.
func toBracket(_ *budget, line []byte) int {
	if n := bytes.IndexAny(line[1:], "<> \t\n"); n >= 0 {
		return 4 * n
	}
	return 4 * len(line)
}

// linkCost is that of a closing bracket: the block is searched for the end of the
// address, and all since the opening bracket for a link. An opening one is kept in lists.
func linkCost(b *budget, line []byte) int {
	if line[0] == ']' {
		return 4 * b.size
	}
	return 512
}

// delimiter is the cost of comparing a delimiter with all before it in the block.
func delimiter(b *budget, _ []byte) int {
	b.delimiters++
	return 4 * b.delimiters
}

// links is a parser that wants to know when its block ends.
type links struct{ inline }

func (l links) CloseBlock(parent ast.Node, reader text.Reader, pc parser.Context) {
	l.InlineParser.(parser.CloseBlocker).CloseBlock(parent, reader, pc)
}

// A bareAddress parses addresses that stand in the text without brackets. Addresses of mail
// are left alone.
type bareAddress struct{ parser.InlineParser }

func (a bareAddress) Parse(parent ast.Node, reader text.Reader, pc parser.Context) ast.Node {
	line, _ := reader.PeekLine()
	rest := line
	if bytes.IndexByte([]byte(" *_~("), line[0]) >= 0 {
		rest = line[1:]
	}
	for _, begin := range [][]byte{[]byte("http://"), []byte("https://"), []byte("www.")} {
		if bytes.HasPrefix(rest, begin) {
			spend(pc, 16+8*len(line))
			return a.InlineParser.Parse(parent, reader, pc)
		}
	}
	return nil
}

// A table is made of a paragraph. Each row gets as many cells as the widest row could
// have, whether they are in the text or not.
type table struct{ parser.ParagraphTransformer }

func (t table) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, columns := node.Lines(), 0
	for i := range lines.Len() {
		segment := lines.At(i)
		if line := segment.Value(reader.Source()); len(bytes.Trim(line, "|:- \t\v\f\r\n")) == 0 {
			columns = max(columns, 1+bytes.Count(line, []byte("-")))
		}
	}
	if columns > 0 {
		spend(pc, 128*min(columns, MaxInput)*lines.Len())
	}
	t.ParagraphTransformer.Transform(node, reader, pc)
}

// Definitions stand at the beginning of a paragraph. Each is cut out of the lines of the
// paragraph, and for the end of a title the whole paragraph is searched.
type definitions struct{ parser.ParagraphTransformer }

func (d definitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, brackets, open, size := node.Lines(), 0, 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := bytes.TrimLeft(segment.Value(reader.Source()), " ")
		if size += len(line); len(line) > 0 && line[0] == '[' {
			brackets++
		}
		if bytes.Count(line, []byte(`"`))%2+bytes.Count(line, []byte("'"))%2+bytes.Count(line, []byte("("))-bytes.Count(line, []byte(")")) != 0 {
			open++
		}
	}
	spend(pc, min(brackets, MaxInput)*(16*lines.Len()))
	spend(pc, min(brackets, open)*size)
	d.ParagraphTransformer.Transform(node, reader, pc)
}
