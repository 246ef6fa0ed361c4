package clientconfig

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

// layout is how a file ends its lines and indents them. Its methods change an object
// in that layout; depth is how deep the members of the object are.
type layout struct {
	newline, unit string
	lost          *bool // a comment inside a value that was replaced is lost
}

func layoutOf(top *hujson.Object, text []byte) layout {
	l := layout{newline: "\n", unit: "  ", lost: new(bool)}
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

// object returns the object that is a member, and adds an empty one if there is none or
// null.
func (l layout) object(o *hujson.Object, depth int, name string) (member *hujson.Object, isNew bool, err error) {
	return memberOf(l, o, depth, name, "an object", &hujson.Object{})
}

// array returns the list that is a member, and adds an empty one if there is none or null.
func (l layout) array(o *hujson.Object, depth int, name string) (member *hujson.Array, err error) {
	member, _, err = memberOf(l, o, depth, name, "a list", &hujson.Array{})
	return member, err
}

// memberOf returns the member of a type, and adds an empty one if there is none or null. kind
// is the type in words.
func memberOf[T hujson.ValueTrimmed](
	l layout, o *hujson.Object, depth int, name, kind string, empty T,
) (member T, isNew bool, err error) {
	i, err := memberIndex(o, name)
	switch {
	case err != nil:
		return member, false, err
	case i < 0:
		l.add(o, depth, name, empty)
		return empty, true, nil
	case isNull(o.Members[i].Value):
		o.Members[i].Value.Value = empty
		return empty, true, nil
	}
	member, ok := o.Members[i].Value.Value.(T)
	if !ok {
		return member, false, fail(ErrInvalid, "%q in it is not %s; mend it first", name, kind)
	}
	return member, false, nil
}

// errComment says that a file is not edited, because a comment would be lost.
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
		*l.lost = true
	}
	before.Minimize()
	have.Value = v.Value
	return string(before.Pack()), nil
}

// add appends a member, laid out like those before it. A comment after the last
// member stays there, before the new one.
func (l layout) add(o *hujson.Object, depth int, name string, value hujson.ValueTrimmed) {
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value}}
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

// addElement appends an element on a line of its own. Comments stay where they are.
func (l layout) addElement(list *hujson.Array, depth int, value hujson.ValueTrimmed) {
	v := hujson.Value{Value: value}
	lead, end := l.newline+strings.Repeat(l.unit, depth), l.newline+strings.Repeat(l.unit, depth-1)
	if n := len(list.Elements); n > 0 {
		if indent, ownLine := indentOf(list.Elements[n-1].BeforeExtra); ownLine {
			lead = l.newline + indent
		}
		if list.Elements[n-1].AfterExtra != nil { // there is a comma after the last element
			v.AfterExtra = hujson.Extra{}
		}
	}
	kept := bytes.TrimRight(list.AfterExtra, " \t\r\n")
	if have := string(list.AfterExtra[len(kept):]); strings.Contains(have, "\n") {
		end = have
	}
	v.BeforeExtra = append(bytes.Clone(kept), lead...)
	list.AfterExtra = hujson.Extra(end)
	list.Elements = append(list.Elements, v)
}

// removeMember removes a member, and reports whether there was one. Comments before it
// stay.
func removeMember(o *hujson.Object, name string) bool {
	i, err := memberIndex(o, name)
	if err != nil || i < 0 {
		return false
	}
	next, last := &o.AfterExtra, i == len(o.Members)-1
	if !last {
		next = &o.Members[i+1].Name.BeforeExtra
	}
	carry(o.Members[i].Name.BeforeExtra, next)
	comma := o.Members[i].Value.AfterExtra != nil
	o.Members = append(o.Members[:i:i], o.Members[i+1:]...)
	if last && i > 0 {
		setComma(&o.Members[i-1].Value, comma, &o.AfterExtra)
	}
	if len(o.Members) == 0 && len(bytes.TrimSpace(o.AfterExtra)) == 0 {
		o.AfterExtra = nil
	}
	return true
}

// dropElements removes the elements that match, and reports whether there was one.
// Comments before them stay.
func dropElements(list *hujson.Array, match func(hujson.Value) bool) (dropped bool) {
	for i := len(list.Elements) - 1; i >= 0; i-- {
		if !match(list.Elements[i]) {
			continue
		}
		dropped = true
		next, last := &list.AfterExtra, i == len(list.Elements)-1
		if !last {
			next = &list.Elements[i+1].BeforeExtra
		}
		carry(list.Elements[i].BeforeExtra, next)
		comma := list.Elements[i].AfterExtra != nil
		list.Elements = append(list.Elements[:i:i], list.Elements[i+1:]...)
		if last && i > 0 {
			setComma(&list.Elements[i-1], comma, &list.AfterExtra)
		}
	}
	if len(list.Elements) == 0 && len(bytes.TrimSpace(list.AfterExtra)) == 0 {
		list.AfterExtra = nil
	}
	return dropped
}

// carry puts the comments before a value that goes in front of what follows it.
func carry(before hujson.Extra, next *hujson.Extra) {
	kept := bytes.TrimRight(before, " \t\r\n")
	if len(kept) == 0 {
		return
	}
	if bytes.Contains(kept, []byte("//")) && !bytes.Contains(*next, []byte("\n")) {
		kept = append(bytes.Clone(kept), '\n')
	}
	*next = append(bytes.Clone(kept), *next...)
}

// setComma makes a value the last one, with a comma after it or without.
func setComma(v *hujson.Value, comma bool, after *hujson.Extra) {
	switch {
	case comma && v.AfterExtra == nil:
		v.AfterExtra = hujson.Extra{}
	case !comma && v.AfterExtra != nil:
		*after = append(bytes.Clone(v.AfterExtra), *after...)
		v.AfterExtra = nil
	}
}
