package clientconfig

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlExpression is a table header, or a pair of a key and a value.
type tomlExpression struct {
	node   *unstable.Node // valid until the next expression
	table  []string       // that a pair is in
	name   []string       // with that table
	starts []int          // offsets of the parts of the key
	end    int            // offset after the key
	inline bool           // inside the braces of an inline table
}

// at returns where a pair is.
func (e tomlExpression) at() span {
	return span{int(e.node.Raw.Offset), int(e.node.Raw.Offset + e.node.Raw.Length)}
}

// walkTOML calls visit for each expression of a text. Pairs in an inline table come before
// the pair that has the table.
func walkTOML(text []byte, visit func(tomlExpression)) error {
	var in []string
	var pair func(n *unstable.Node, table []string, inline bool)
	pair = func(n *unstable.Node, table []string, inline bool) {
		e := newTOMLExpression(n, table)
		if e.inline = inline; n.Value().Kind == unstable.InlineTable {
			for it := n.Value().Children(); it.Next(); {
				pair(it.Node(), e.name, true)
			}
		}
		visit(e)
	}
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		switch n := parser.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			e := newTOMLExpression(n, nil)
			in = e.name
			visit(e)
		case unstable.KeyValue:
			pair(n, in, false)
		}
	}
	return parser.Error()
}

func newTOMLExpression(n *unstable.Node, table []string) tomlExpression {
	e := tomlExpression{node: n, table: table, name: slices.Clone(table)}
	for it := n.Key(); it.Next(); {
		raw := it.Node().Raw
		e.name = append(e.name, string(it.Node().Data))
		e.starts, e.end = append(e.starts, int(raw.Offset)), int(raw.Offset+raw.Length)
	}
	return e
}

// tomlPair is a pair of a table, and what stands before the pair's own key.
type tomlPair struct {
	at     span
	prefix string // such as "scratchpad." in the table above
	inline bool
}

// tomlPlace is where a text has a table, and in which form.
type tomlPlace struct {
	at     span                // all of it but the tables below it
	pairs  map[string]tomlPair // by their keys
	last   tomlPair            // after which there is room for another one
	header span                // "[a.b]" or "[[a.b]]", without the end of the line; empty: there is none
	array  bool                // the header has double brackets
	key    span                // of the pair that has the table as its value; empty: there is none
	plain  bool                // a header, and pairs without a prefix
	above  span                // a pair in place of the table that this one would be in
	table  []string            // the name of an inline table that this one would be in
}

// findTOML finds a table.
func findTOML(text []byte, table []string) (p tomlPlace, err error) {
	p.plain, p.pairs, p.at.from = true, map[string]tomlPair{}, len(text)
	grow := func(at span) { p.at = span{min(p.at.from, at.from), max(p.at.to, at.to)} }
	err = walkTOML(text, func(e tomlExpression) {
		own := min(len(e.name), len(table))
		isPair, part := e.node.Kind == unstable.KeyValue, len(table)-len(e.table)
		switch {
		case !slices.Equal(e.name[:own], table[:own]):
		case !isPair && own == len(e.name) && own == len(table):
			p.header = lineAround(text, e.starts[0])
			p.array = e.node.Kind == unstable.ArrayTable
			p.plain = p.plain && !p.array
			grow(p.header)
		case isPair && own < len(table):
			if p.above = e.at(); e.node.Value().Kind == unstable.InlineTable {
				p.table = e.name
			}
		case isPair && own == len(e.name):
			p.key, p.plain = span{e.starts[0], e.end}, false
			grow(e.at())
		case isPair && part >= 0:
			pair := tomlPair{e.at(), string(text[e.starts[0]:e.starts[part]]), e.inline}
			p.last, p.plain = pair, p.plain && part == 0 && !e.inline
			if len(e.name) == len(table)+1 {
				p.pairs[e.name[len(table)]] = pair
			}
			grow(pair.at)
		}
	})
	return p, err
}

// lineAround returns the line of an offset, without its end.
func lineAround(text []byte, at int) span {
	from, to := bytes.LastIndexByte(text[:at], '\n')+1, len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i
	}
	return span{from, from + len(bytes.TrimRight(text[from:to], "\r"))}
}

// hasComment reports whether there is a comment inside a pair.
func hasComment(pair []byte) bool {
	parser := unstable.Parser{KeepComments: true}
	parser.Reset(pair)
	for parser.NextExpression() {
		if commentBelow(parser.Expression()) {
			return true
		}
	}
	return parser.Error() != nil
}

func commentBelow(n *unstable.Node) bool {
	for it := n.Children(); it.Next(); {
		if it.Node().Kind == unstable.Comment || commentBelow(it.Node()) {
			return true
		}
	}
	return false
}

// cutTables removes the tables of a name and of those below it, from the line of each
// header to the line of its last pair, and the empty lines after that. Comments after
// that line stay.
func cutTables(text []byte, table []string) ([]byte, error) {
	var cuts []span
	inside := false
	err := walkTOML(text, func(e tomlExpression) {
		last := e.end
		if e.node.Kind == unstable.KeyValue {
			last = e.at().to
		} else if inside = len(e.name) >= len(table) && slices.Equal(e.name[:len(table)], table); inside {
			cuts = append(cuts, span{from: bytes.LastIndexByte(text[:e.starts[0]], '\n') + 1})
		}
		if inside {
			cuts[len(cuts)-1].to = last
		}
	})
	if err != nil {
		return nil, err
	}
	var kept []byte
	at := 0
	for _, c := range cuts {
		kept = append(kept, text[at:c.from]...)
		if at = len(text); bytes.IndexByte(text[c.to:], '\n') >= 0 {
			at = c.to + bytes.IndexByte(text[c.to:], '\n') + 1
		}
		rest := bytes.TrimLeft(text[at:], "\r\n")
		if at = len(text) - len(rest); len(rest) == 0 {
			text := bytes.TrimRight(kept, "\r\n")
			kept = kept[:len(text)+bytes.IndexByte(kept[len(text):], '\n')+1]
		}
	}
	return append(kept, text[at:]...), nil
}
