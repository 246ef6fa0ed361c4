package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var budgetKey = parser.NewContextKey()

// A budget bounds the work of one parse. The parser has loops inside of loops whose
// ends a text decides; a meter spends what they cost at worst before they run. That
// depends on the text alone, not on the clock.
type budget struct {
	left  int // steps; a step is about what it takes to look at a byte
	notes int // footnotes at most, which a reference is compared with

	parent ast.Node // of the inline elements that are being parsed
	size   int      // of the parent, in bytes
}

func (b *budget) spend(steps int) {
	if b.left -= steps; b.left < 0 {
		panic("it takes too many steps")
	}
}

// A meteredReader spends what the parsers of blocks look at.
type meteredReader struct {
	text.Reader
	work *budget
}

func (r meteredReader) PeekLine() ([]byte, text.Segment) {
	line, segment := r.Reader.PeekLine()
	r.work.spend(16 + len(line))
	return line, segment
}

// A meter runs before the parsers of inline elements and the transformers of
// paragraphs. It parses and transforms nothing.
type meter struct{}

// Trigger has the characters with which an inline element may begin or end.
func (meter) Trigger() []byte { return []byte(" ([]!`*_~<") }

// Parse spends the length of the block, which is searched for the other end of the
// element.
func (meter) Parse(parent ast.Node, reader text.Reader, pc parser.Context) ast.Node {
	line, _ := reader.PeekLine()
	if rest := bytes.TrimLeft(line, " ("); bytes.IndexByte([]byte("[]!`*_~<"), line[0]) < 0 &&
		!bytes.HasPrefix(rest, []byte("http")) && !bytes.HasPrefix(rest, []byte("www.")) {
		return nil
	}
	b := pc.Get(budgetKey).(*budget)
	if b.parent != parent {
		b.parent, b.size = parent, 0
		if parent.Type() != ast.TypeInline {
			b.size = len(parent.Lines().Value(reader.Source()))
		}
	}
	b.spend(16 + b.size)
	if bytes.HasPrefix(line, []byte("[^")) {
		b.spend(4 * b.notes)
	}
	return nil
}

// Transform spends what definitions of links and tables cost. A definition is cut out
// of the lines of its paragraph, and the whole paragraph is searched for the end of a
// title. Each row of a table gets as many cells as the widest could have, and each
// escaped bar is compared with each.
func (meter) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, definitions, bars, escaped, size := node.Lines(), 0, 1, 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(reader.Source())
		size += len(line)
		bars = max(bars, bytes.Count(line, []byte("|")))
		escaped += bytes.Count(line, []byte(`\|`))
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("[")) {
			definitions++
		}
	}
	pc.Get(budgetKey).(*budget).spend(definitions*size + 128*bars*lines.Len() + escaped*escaped)
}
