package condition

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

// A set has a bit for each condition of a List.
type set uint16

// A scope is an array or an object that is open.
type scope struct {
	object bool
	names  int // how many names were there before
	asked  set // the conditions whose names lead to it
}

// Match reports whether an entry is a JSON object without a duplicate name, and all conditions
// hold for it.
func (l *List) Match(entry []byte) bool {
	if !l.mayMatch(entry) || !json.Valid(entry) || strictjson.Trim(entry)[0] != '{' {
		return false
	}
	l.open, l.names = l.open[:0], l.names[:0]
	all := set(1)<<len(l.conditions) - 1
	asked, met, named := all, set(0), true // asked are the conditions whose names lead to the next value
	for i := 0; i < len(entry); {
		switch c := entry[i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		case '{', '[':
			l.open = append(l.open, scope{c == '{', len(l.names), asked})
			asked, named = 0, false
			i++
		case '}', ']':
			if !l.leave() {
				return false
			}
			i++
		default:
			end := strictjson.ValueEnd(entry, i)
			raw := entry[i:end]
			i = end
			if top := l.open[len(l.open)-1]; top.object && !named {
				name, _ := strictjson.Text(raw)
				named, asked = true, l.lead(top.asked, name)
				continue
			}
			if !l.hold(asked, raw) {
				return false
			}
			met |= asked
			asked, named = 0, false
		}
	}
	return met == all
}

// mayMatch finds most entries that cannot match. It is fast.
func (l *List) mayMatch(entry []byte) bool {
	lacks := func(text []byte) bool { return !bytes.Contains(entry, text) }
	return bytes.IndexByte(entry, '\\') >= 0 || !slices.ContainsFunc(l.texts, lacks)
}

// lead keeps the name of a member, and returns the conditions whose names lead to its value.
func (l *List) lead(asked set, name string) (led set) {
	l.names = append(l.names, name)
	level := len(l.open) - 1
	for i := 0; asked>>i > 0; i++ {
		field := l.conditions[i].field
		if asked>>i&1 > 0 && level < len(field) && field[level] == name {
			led |= 1 << i
		}
	}
	return led
}

// hold reports whether the conditions whose names lead to a value hold for it.
func (l *List) hold(asked set, raw []byte) bool {
	for i := 0; asked>>i > 0; i++ {
		c := &l.conditions[i]
		if asked>>i&1 > 0 && (len(c.field) != len(l.open) || !c.holds(raw)) {
			return false
		}
	}
	return true
}

// leave closes an array or an object. It reports whether no name stands twice.
func (l *List) leave() bool {
	top := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	names := l.names[top.names:]
	l.names = l.names[:top.names]
	slices.Sort(names)
	return len(slices.Compact(names)) == len(names)
}
