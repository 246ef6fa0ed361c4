package clientconfig

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A tomlPart is a header, or a pair of a key and a value.
type tomlPart struct {
	at     span     // its lines, without the end of the last one
	table  []string // the name in the header, or in the one above the pair
	header bool
	array  bool           // the header has double brackets
	value  map[string]any // of the part alone
	prefix string         // of a pair of an entry: what stands before its own key
}

// longestPart is how many lines a part may have. It ends where go-toml can decode it, and
// that is tried for each line.
const longestPart = 1000

// partsOf returns the parts of a valid text, up to one that is too long.
func partsOf(text []byte) (parts []tomlPart) {
	var table []string
	for at := 0; at < len(text); {
		line, n := lineAround(text, at), 1
		end := line.to
		value, ok := decodeAlone(text[at:end])
		for ; !ok && n < longestPart && end < len(text); n++ {
			end = lineAround(text, nextLine(text, end)).to
			value, ok = decodeAlone(text[at:end])
		}
		if !ok {
			return parts
		}
		p := tomlPart{at: span{at, end}, value: value}
		if first := bytes.TrimLeft(text[at:end], " \t"); len(first) > 0 && first[0] == '[' {
			p.header, p.array = true, bytes.HasPrefix(first, []byte("[["))
			table = namesIn(value)
		}
		p.table = table
		if len(value) > 0 {
			parts = append(parts, p)
		}
		at = nextLine(text, end)
	}
	return parts
}

func decodeAlone(part []byte) (value map[string]any, ok bool) {
	value = map[string]any{}
	return value, toml.Unmarshal(part, &value) == nil
}

// namesIn returns the name of a header, which alone is a table in a table.
func namesIn(v any) []string {
	switch v := v.(type) {
	case []any:
		return namesIn(v[0])
	case map[string]any:
		for name, below := range v {
			return append([]string{name}, namesIn(below)...)
		}
	}
	return nil
}

// nextLine returns where the line after an end of a line begins.
func nextLine(text []byte, end int) int {
	if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
		return end + i + 1
	}
	return len(text)
}

// lineAround returns the line of an offset, without its end.
func lineAround(text []byte, at int) span {
	from, to := bytes.LastIndexByte(text[:at], '\n')+1, len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i
	}
	return span{from, from + len(bytes.TrimRight(text[from:to], "\r"))}
}

// isClosed reports whether the value of a pair at a path is no table, or an inline one: TOML
// lets nobody add to these.
func (p tomlPart) isClosed(text []byte, path []string) bool {
	more := strings.Join(path, ".") + ".scratchpad-adds-this = 1\n"
	_, open := decodeAlone(slices.Concat(text[p.at.from:p.at.to], []byte("\n"), []byte(more)))
	return !open
}

// valueEnd returns where the value of a pair ends, before a comment after it.
func (p tomlPart) valueEnd(text []byte) int {
	for at := p.at.from; at < p.at.to; at++ {
		if text[at] != '#' {
			continue
		}
		if value, ok := decodeAlone(text[p.at.from:at]); ok && sameTOML(value, p.value) {
			return p.at.from + len(bytes.TrimRight(text[p.at.from:at], " \t"))
		}
	}
	return p.at.to
}

// hasComment reports whether there is a comment inside the value of a pair: without it the
// pair is the same.
func (p tomlPart) hasComment(text []byte, end int) bool {
	for at := p.at.from; at < end; at++ {
		if text[at] != '#' {
			continue
		}
		rest := text[min(lineAround(text, at).to, end):end]
		if value, ok := decodeAlone(slices.Concat(text[p.at.from:at], rest)); ok && sameTOML(value, p.value) {
			return true
		}
	}
	return false
}

// tomlPlace is where a text has the entry of a server, and in which form.
type tomlPlace struct {
	at     span                // all of it but the tables below it
	header *tomlPart           // nil: there is none
	pairs  map[string]tomlPart // by their keys
	last   tomlPart            // the last of the pairs
	plain  bool                // a header with single brackets and the pairs below it
	whole  *tomlPart           // a pair that has the entry as its value
	shared bool                // the same pair has other entries too
	above  *tomlPart           // a pair in place of the table that the entry would be in
	braces bool                // that pair has an inline table
}

// findTOML finds the entry of a server.
func findTOML(text []byte, name string) tomlPlace {
	target := []string{tomlServers, name}
	p := tomlPlace{plain: true, pairs: map[string]tomlPart{}, at: span{from: len(text)}}
	for _, part := range partsOf(text) {
		own := min(len(part.table), len(target))
		if len(part.table) > len(target) || !slices.Equal(part.table, target[:own]) {
			continue
		}
		if !part.header {
			p.addPair(text, part, target[own:])
		} else if own == len(target) {
			p.header, p.plain = &part, p.plain && !part.array
			p.grow(part.at)
		}
	}
	return p
}

func (p *tomlPlace) grow(at span) { p.at = span{min(p.at.from, at.from), max(p.at.to, at.to)} }

// addPair notes a pair of the entry. path leads from the table that the pair is in to the
// entry.
func (p *tomlPlace) addPair(text []byte, part tomlPart, path []string) {
	var v any = part.value
	for n, name := range path {
		table, ok := v.(map[string]any)
		if v = table[name]; v != nil {
			continue
		}
		if n > 0 && part.isClosed(text, path[:n]) {
			p.above, p.braces = &part, ok
		}
		return
	}
	p.grow(part.at)
	if len(path) > 0 && part.isClosed(text, path) {
		p.whole, p.plain = &part, false
		p.shared = len(path) > 1 && part.isClosed(text, path[:1])
		return
	}
	for _, name := range path {
		part.prefix += name + "."
	}
	p.plain = p.plain && len(path) == 0
	for key := range v.(map[string]any) {
		p.pairs[key] = part
	}
	p.last = part
}

// replaceWhole replaces the pair that has the entry as its value.
func (p tomlPlace) replaceWhole(old []byte, name string, entry map[string]any, s Server) []byte {
	pair := inlineTOML(name, entry, s)
	if len(p.whole.table) == 0 {
		pair = tomlServers + "." + pair
	}
	return slices.Concat(old[:p.at.from], []byte(pair), old[p.whole.valueEnd(old):])
}

// replace replaces the fields of an entry that differ. Comments after them stay. lost says
// that comments inside them do not.
func (p tomlPlace) replace(
	old []byte, name string, entry map[string]any, s Server, newline string,
) (content []byte, lost bool) {
	type replacement struct {
		at   span
		text string
	}
	var all []replacement
	for _, f := range tomlFields(s) {
		if sameTOML(map[string]any{"": entry[f.key]}, map[string]any{"": f.value}) {
			continue
		}
		text := encodeTOML(f)
		pair, found := p.pairs[f.key]
		switch {
		case found:
			from, end := pair.at.from, pair.valueEnd(old)
			lost = lost || pair.hasComment(old, end)
			indent := len(old[from:end]) - len(bytes.TrimLeft(old[from:end], " \t"))
			all = append(all, replacement{span{from + indent, end}, pair.prefix + text})
		case p.header != nil:
			all = append(all, replacement{span{p.header.at.to, p.header.at.to}, newline + text})
		default:
			all = append(all, replacement{span{p.last.at.to, p.last.at.to}, newline + p.last.prefix + text})
		}
	}
	if p.header != nil && p.header.array {
		all = append(all, replacement{p.header.at, "[" + tomlServers + "." + name + "]"})
	}
	slices.SortStableFunc(all, func(a, b replacement) int { return a.at.from - b.at.from })
	at := 0
	for _, r := range all {
		content = append(append(content, old[at:r.at.from]...), r.text...)
		at = r.at.to
	}
	return append(content, old[at:]...), lost
}

// cutTables removes the tables of a name and of those below it, from the line of each
// header to the line of its last pair, and the empty lines after that. Comments after
// that line stay.
func cutTables(text []byte, table []string) []byte {
	var cuts []span
	inside := false
	for _, p := range partsOf(text) {
		if p.header {
			if inside = len(p.table) >= len(table) && slices.Equal(p.table[:len(table)], table); inside {
				cuts = append(cuts, span{from: p.at.from})
			}
		}
		if inside {
			cuts[len(cuts)-1].to = p.at.to
		}
	}
	var kept []byte
	at := 0
	for _, c := range cuts {
		kept = append(kept, text[at:c.from]...)
		at = nextLine(text, c.to)
		rest := bytes.TrimLeft(text[at:], "\r\n")
		if at = len(text) - len(rest); len(rest) == 0 {
			text := bytes.TrimRight(kept, "\r\n")
			kept = kept[:len(text)+bytes.IndexByte(kept[len(text):], '\n')+1]
		}
	}
	return append(kept, text[at:]...)
}
