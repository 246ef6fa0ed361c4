package clientconfig

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlTable is a table of a document, and how the document may go on with it: TOML lets
// nobody define anything twice.
type tomlTable struct {
	kind     tomlKind
	explicit bool // a header of its own has named it
	keys     map[string]*tomlTable
	before   []map[string]any // with tomlTables: the elements before this one
	value    any              // with tomlValue
}

// A tomlKind says how something was defined.
type tomlKind int

const (
	tomlHeader tomlKind = iota // by a header, or by one of a table below it
	tomlDotted                 // by a key with dots: only such keys may add to it
	tomlTables                 // by a header in double brackets: the last element
	tomlValue                  // by a key: nothing may add to it
)

// decodeTOML returns the content of a document: tables are map[string]any, arrays []any,
// and values string, bool, int64, float64 and tomlTime. The parser knows the syntax, and
// decodeTOML what may stand together. Package toml has a decoder too, which brings 200 kB
// of reflection into the program.
func decodeTOML(text []byte) (map[string]any, error) {
	root := newTOMLTable(tomlHeader)
	current := root
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		var err error
		switch n := parser.Expression(); n.Kind {
		case unstable.Table:
			current, err = root.open(n.Key(), tomlHeader)
		case unstable.ArrayTable:
			current, err = root.open(n.Key(), tomlTables)
		case unstable.KeyValue:
			err = current.set(n)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := parser.Error(); err != nil {
		return nil, err
	}
	return root.content(), nil
}

func newTOMLTable(kind tomlKind) *tomlTable {
	return &tomlTable{kind: kind, keys: map[string]*tomlTable{}}
}

// open returns the table that a header names. kind is that of the header.
func (t *tomlTable) open(key unstable.Iterator, kind tomlKind) (*tomlTable, error) {
	for key.Next() {
		name := string(key.Node().Data)
		below, last := t.keys[name], key.IsLast()
		switch {
		case below == nil && last:
			below = newTOMLTable(kind)
			below.explicit = true
			t.keys[name] = below
		case below == nil:
			below = newTOMLTable(tomlHeader)
			t.keys[name] = below
		case below.kind == tomlValue, last && below.kind != kind, last && kind == tomlHeader && below.explicit:
			return nil, fmt.Errorf("toml: %s is already defined", name)
		case last && kind == tomlTables:
			below.before = append(below.before, below.content())
			below.keys = map[string]*tomlTable{}
		case last:
			below.explicit = true
		}
		t = below
	}
	return t, nil
}

// set defines a key of the table.
func (t *tomlTable) set(pair *unstable.Node) error {
	for key := pair.Key(); key.Next(); {
		name := string(key.Node().Data)
		below := t.keys[name]
		switch {
		case below != nil && (key.IsLast() || below.kind != tomlDotted):
			return fmt.Errorf("toml: key %s is already defined", name)
		case key.IsLast():
			value, err := valueOfTOML(pair.Value())
			if err != nil {
				return err
			}
			below = &tomlTable{kind: tomlValue, value: value}
		case below == nil:
			below = newTOMLTable(tomlDotted)
		}
		t.keys[name] = below
		t = below
	}
	return nil
}

// content returns the table and what is below it.
func (t *tomlTable) content() map[string]any {
	all := make(map[string]any, len(t.keys))
	for name, below := range t.keys {
		switch below.kind {
		case tomlValue:
			all[name] = below.value
		case tomlTables:
			var list []any
			for _, each := range below.before {
				list = append(list, each)
			}
			all[name] = append(list, below.content())
		default:
			all[name] = below.content()
		}
	}
	return all
}

// valueOfTOML returns a value as decodeTOML has it.
func valueOfTOML(n *unstable.Node) (value any, err error) {
	text := string(n.Data)
	switch n.Kind {
	case unstable.String:
		return text, nil
	case unstable.Bool:
		return text == "true", nil
	case unstable.Integer:
		value, err = strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
	case unstable.Float:
		if strings.TrimLeft(text, "+-") == "nan" {
			return math.NaN(), nil
		}
		value, err = strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	case unstable.Array:
		list := []any{}
		for it := n.Children(); it.Next(); {
			each, err := valueOfTOML(it.Node())
			if err != nil {
				return nil, err
			}
			list = append(list, each)
		}
		return list, nil
	case unstable.InlineTable:
		table := newTOMLTable(tomlHeader)
		for it := n.Children(); it.Next(); {
			if err := table.set(it.Node()); err != nil {
				return nil, err
			}
		}
		return table.content(), nil
	default:
		value, err = timeOfTOML(text)
	}
	if err != nil {
		return nil, unstable.NewParserError(n.Data, "%v", err)
	}
	return value, nil
}

// A tomlTime is a date, a time or both, as it was written.
type tomlTime string

// tomlLayouts are the times that TOML knows, with "T" for the space and the small letters
// that it allows. Any may have a part of a second.
var tomlLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
	time.DateOnly, time.TimeOnly, "15:04",
}

func timeOfTOML(text string) (tomlTime, error) {
	clean := strings.ToUpper(strings.Replace(text, " ", "T", 1))
	for _, layout := range tomlLayouts {
		_, err := time.Parse(layout, clean)
		if i := strings.IndexByte(clean, ':'); i >= 0 && i != strings.IndexByte(layout, ':') {
			continue // package time takes an hour of one digit
		}
		if strings.HasSuffix(layout, "Z07:00") && err == nil && !strings.HasSuffix(clean, "Z") {
			_, err = time.Parse("15:04", clean[len(clean)-5:]) // package time takes 24:60 for an offset
		}
		if err == nil {
			return tomlTime(text), nil
		}
	}
	return "", fmt.Errorf("there is no time %s", text)
}
