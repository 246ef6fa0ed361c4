package outline

import "github.com/agent-scratchpad/scratchpad/outline/code"

// codeKind is the kind of a program. One without definitions is read as prose:
// it is a script, or minified.
func codeKind(l *code.Language) kind {
	return kind{l.Name, func(text string) (outline, bool) {
		found := scanProgram(l, text)
		if len(found.items) < 12 && hasLongLine(text) {
			found.items = append(found.items, samples(text)...)
			found.notes = append(found.notes, "minified, or made by a machine: samples from all over the text")
		}
		if len(found.items) == 0 {
			rest := scanProse(text)
			found.items, found.notes = rest.items, append(found.notes, rest.notes...)
		}
		return found, true
	}}
}

func scanProgram(l *code.Language, text string) outline {
	about, defs := l.Outline(text)
	found := outline{kind: l.Name, items: make([]item, len(defs))}
	if about != "" {
		found.notes = append(found.notes, about)
	}
	for i, d := range defs {
		found.items[i] = item{
			line: int32(d.Line), end: int32(d.End), rank: int16(d.Rank), indent: int16(d.Indent),
			text: d.Text, brief: int32(d.Brief), more: d.Doc,
		}
	}
	return found
}
