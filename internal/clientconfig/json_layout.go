package clientconfig

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

// layout is how a file ends its lines and indents them. Its methods change an object
// in that layout; depth is how deep the members of the object are.
type layout struct{ newline, unit string }

func layoutOf(top *hujson.Object, text []byte) layout {
	l := layout{"\n", "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	if len(top.Members) > 0 {
		if indent, ok := indentOf(top.Members[0].Name.BeforeExtra); ok && indent != "" {
			l.unit = indent
		}
	}
	return l
}

// indentOf returns the space before a member, and whether the member begins a line.
func indentOf(before hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 {
		return "", false
	}
	indent := string(before[i+1:])
	return indent, strings.Trim(indent, " \t") == ""
}

// object returns the object that is a member, and adds an empty one if there is none.
func (l layout) object(o *hujson.Object, depth int, name string) (member *hujson.Object, isNew bool, err error) {
	i, err := memberIndex(o, name)
	if err != nil {
		return nil, false, err
	}
	if i < 0 {
		member = &hujson.Object{}
		l.add(o, depth, name, member)
		return member, true, nil
	}
	member, ok := o.Members[i].Value.Value.(*hujson.Object)
	if !ok {
		return nil, false, fail(ErrInvalid, "%q in it is not an object; mend it first", name)
	}
	return member, false, nil
}

// errComment says that a value is not replaced, because a comment would be lost.
var errComment = errors.New(commentInside)

// setField sets a field, and returns what it was before: "" if it is the same.
func (l layout) setField(o *hujson.Object, depth int, name string, value any) (was string, err error) {
	v, err := hujson.Parse([]byte(inlineJSON(value)))
	if err != nil {
		return "", err
	}
	i, err := memberIndex(o, name)
	if err != nil {
		return "", err
	}
	if i < 0 {
		l.add(o, depth, name, v.Value)
		return "not there", nil
	}
	have := &o.Members[i].Value
	if sameJSON(*have, v) {
		return "", nil
	}
	before := hujson.Value{Value: have.Value}
	before = before.Clone()
	if commented(before) {
		return "", errComment
	}
	before.Minimize()
	have.Value = v.Value
	return string(before.Pack()), nil
}

// add appends a member, laid out like those before it. A comment after the last
// member stays there, before the new one.
func (l layout) add(o *hujson.Object, depth int, name string, value hujson.ValueTrimmed) {
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value}}
	lead := l.newline + strings.Repeat(l.unit, depth)
	inline := false
	if n := len(o.Members); n > 0 {
		last := o.Members[n-1]
		indent, ownLine := indentOf(last.Name.BeforeExtra)
		switch {
		case ownLine:
			lead = l.newline + indent
		case !bytes.Contains(o.AfterExtra, []byte("//")):
			lead, inline = " ", true
		}
		if last.Value.AfterExtra != nil { // there is a comma after the last member
			m.Value.AfterExtra = hujson.Extra{}
		}
	}
	kept := bytes.TrimRight(o.AfterExtra, " \t\r\n")
	end := string(o.AfterExtra[len(kept):])
	if !inline && !strings.Contains(end, "\n") {
		end = l.newline + strings.Repeat(l.unit, depth-1)
	}
	m.Name.BeforeExtra = append(bytes.Clone(kept), lead...)
	o.AfterExtra = hujson.Extra(end)
	o.Members = append(o.Members, m)
}
