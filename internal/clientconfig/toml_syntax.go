package clientconfig

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlExpression is a table header, or a pair of a key and a value.
type tomlExpression struct {
	node *unstable.Node // valid until the next expression
	key  []string       // as written
	name []string       // with the table that a pair is in
	from int            // offset of the key
	end  int            // offset after the key
}

// walkTOML calls visit for each expression of a text.
func walkTOML(text []byte, visit func(tomlExpression)) error {
	var in []string
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		e := tomlExpression{node: parser.Expression()}
		switch e.node.Kind {
		case unstable.Table, unstable.ArrayTable, unstable.KeyValue:
		default:
			continue
		}
		for it := e.node.Key(); it.Next(); {
			if e.key == nil {
				e.from = int(it.Node().Raw.Offset)
			}
			e.key = append(e.key, string(it.Node().Data))
			e.end = int(it.Node().Raw.Offset + it.Node().Raw.Length)
		}
		if e.node.Kind == unstable.KeyValue {
			e.name = slices.Concat(in, e.key)
		} else {
			in, e.name = e.key, e.key
		}
		visit(e)
	}
	return parser.Error()
}

// inlineTable finds the inline table that is the table of a name, or that this
// table would be in. It returns the name of what it has found, and the key before
// its braces; nil if there is none.
func inlineTable(text []byte, table []string) (found, key []string, err error) {
	err = walkTOML(text, func(e tomlExpression) {
		if e.node.Kind == unstable.KeyValue && e.node.Value().Kind == unstable.InlineTable &&
			len(e.name) <= len(table) && slices.Equal(e.name, table[:len(e.name)]) {
			found, key = e.name, e.key
		}
	})
	return found, key, err
}

// findPairs returns where the pairs of a table are, by their keys, and the offset of
// the line after the table's header: the end of the text if there is no header.
func findPairs(text []byte, table []string) (pairs map[string]unstable.Range, header int, err error) {
	pairs, header = map[string]unstable.Range{}, len(text)
	err = walkTOML(text, func(e tomlExpression) {
		last := len(e.name) - 1
		switch {
		case e.node.Kind != unstable.KeyValue:
			if slices.Equal(e.name, table) {
				header = e.end
			}
		case slices.Equal(e.name[:last], table):
			pairs[e.name[last]] = e.node.Raw
		}
	})
	if err != nil {
		return nil, 0, err
	}
	if i := bytes.IndexByte(text[header:], '\n'); i >= 0 {
		return pairs, header + i + 1, nil
	}
	return pairs, len(text), nil
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
	type span struct{ from, to int }
	var cuts []span
	inside := false
	err := walkTOML(text, func(e tomlExpression) {
		last := e.end
		if e.node.Kind == unstable.KeyValue {
			last = int(e.node.Raw.Offset + e.node.Raw.Length)
		} else if inside = len(e.name) >= len(table) && slices.Equal(e.name[:len(table)], table); inside {
			cuts = append(cuts, span{from: bytes.LastIndexByte(text[:e.from], '\n') + 1})
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
