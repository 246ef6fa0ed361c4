package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFormat is a TOML file with a table mcp_servers.NAME for each server.
type tomlFormat struct{}

const tomlServers = "mcp_servers"

func (tomlFormat) within() string { return tomlServers }

func (tomlFormat) fields(s Server) (all []field) {
	switch {
	case s.URL != "" && s.TokenVariable != "":
		return []field{{"url", s.URL}, {"bearer_token_env_var", s.TokenVariable}}
	case s.URL != "":
		return []field{{"url", s.URL}}
	case len(s.EnvVars) > 0:
		all = []field{{"env_vars", anySlice(s.EnvVars)}}
	}
	return append([]field{{"command", s.Command}, {"args", anySlice(s.Args)}}, all...)
}

func (tomlFormat) entry(text []byte, name string) (any, error) {
	all, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	servers, ok := all[tomlServers].(map[string]any)
	if all[tomlServers] != nil && !ok {
		return nil, fail(ErrInvalid, "%s in it is not a table; write [%s.NAME] for each server", tomlServers,
			tomlServers)
	}
	return servers[name], nil
}

// cannotEdit is why a file is not edited.
const cannotEdit = "this program cannot edit the way in which it is written"

// set changes only the values of the fields. It reads the new text again, and returns an
// error unless that is the old content with the fields in it.
func (t tomlFormat) set(old []byte, name string, entry map[string]any, fields []field) (text []byte, err error) {
	want, err := readTOML(old)
	if err != nil {
		return nil, err
	}
	servers, _ := want[tomlServers].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
	}
	isNew := entry == nil
	entry = maps.Clone(entry)
	if isNew {
		entry = map[string]any{}
	}
	for _, f := range fields {
		entry[f.key] = f.value
	}
	servers[name], want[tomlServers] = entry, servers
	newline := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		newline = "\r\n"
	}
	place := findTOML(old, name)
	switch {
	case isNew && place.around != nil:
		return nil, fail(ErrByHand, "%s; put this by hand between the braces of %s in %s:\n%s\n%v", cannotEdit,
			tomlServers, linesOf(old, place.around.at), inlineTOML(name, entry), ErrByHand)
	case isNew:
		text = appendBlock(old, name, fields, newline)
	case place.header == nil:
		return nil, byHand(cannotEdit, old, place.at, name, place.prefix()+inlineTOML(name, entry))
	default:
		text = old
		for _, f := range slices.Backward(fields) { // what is not there yet goes after the header
			if text, err = setTOML(text, name, f, newline); err != nil {
				return nil, err
			}
		}
	}
	if got, err := readTOML(text); err != nil || !sameTOML(got, want) {
		return nil, fail(ErrByHand, "%s; put this by hand into the file:\n%s%v", cannotEdit,
			appendBlock(nil, name, fields, "\n"), ErrByHand)
	}
	return text, nil
}

// setTOML sets a field of an entry that has a header.
func setTOML(text []byte, name string, f field, newline string) ([]byte, error) {
	place, line := findTOML(text, name), encodeTOML(f)
	pair, found := place.pairs[f.key]
	switch value := text[pair.from:pair.to]; {
	case !found:
		at := lineEnd(text, place.header.at.to)
		return splice(text, span{at, at}, newline+line), nil
	case bytes.Contains(value, []byte("\n")) && bytes.Contains(value, []byte("#")):
		return nil, byHand(commentInside, text, pair, f.key, line)
	}
	return splice(text, pair, line), nil
}

// remove takes out the table of a server, and those below it. It reads the new text
// again, and returns an error unless that is the old content without the server.
func (t tomlFormat) remove(old []byte, name string) ([]byte, error) {
	want, err := readTOML(old)
	if err != nil {
		return nil, err
	}
	servers, _ := want[tomlServers].(map[string]any)
	delete(servers, name)
	text := cutTables(old, []string{tomlServers, name})
	got, err := readTOML(text)
	for _, all := range []map[string]any{got, want} {
		if rest, ok := all[tomlServers].(map[string]any); ok && len(rest) == 0 {
			delete(all, tomlServers)
		}
	}
	if err != nil || !sameTOML(got, want) {
		return nil, fail(ErrByHand, "%s; remove %s, in %s, by hand", cannotEdit, name,
			linesOf(old, findTOML(old, name).at))
	}
	return text, nil
}

// readTOML decodes a file.
func readTOML(text []byte) (map[string]any, error) {
	all := map[string]any{}
	err := toml.Unmarshal(text, &all)
	if where, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, column := where.Position()
		return nil, fail(ErrInvalid, "it is not valid TOML: line %d, column %d: %v; mend it first", row, column, where)
	}
	if err != nil {
		return nil, fail(ErrInvalid, "it is not valid TOML: %v; mend it first", err)
	}
	return all, nil
}

// sameTOML reports whether two documents have the same content. Unlike reflect.DeepEqual it
// takes nan for the same as nan. Package fmt sorts the keys of maps.
func sameTOML(a, b map[string]any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// appendBlock appends a table after an empty line.
func appendBlock(old []byte, name string, fields []field, newline string) []byte {
	text := strings.TrimRight(string(old), " \t\r\n")
	if text != "" {
		text += newline + newline
	}
	text += fmt.Sprintf("[%s.%s]%s", tomlServers, name, newline)
	for _, f := range fields {
		text += encodeTOML(f) + newline
	}
	return []byte(text)
}

// encodeTOML returns a field as a line of TOML, without its end.
func encodeTOML(f field) string {
	line, err := toml.Marshal(map[string]any{f.key: f.value})
	if err != nil {
		panic(err) // nothing can be wrong with texts
	}
	return strings.TrimSuffix(string(line), "\n")
}

// inlineTOML returns an entry as a pair with an inline table.
func inlineTOML(name string, entry map[string]any) string {
	var b strings.Builder
	if err := toml.NewEncoder(&b).SetTablesInline(true).Encode(map[string]any{name: entry}); err != nil {
		panic(err) // all of it was decoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A tomlPart is a header, or a pair of a key and a value.
type tomlPart struct {
	at     span     // without a comment after it
	table  []string // the name in the header, or in the one above the pair
	key    []string // of a pair
	header bool
}

// partsOf returns the parts of a valid text.
func partsOf(text []byte) (parts []tomlPart) {
	var table []string
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		part := tomlPart{header: e.Kind != unstable.KeyValue}
		at := e.Raw
		for it := e.Key(); it.Next(); {
			part.key = append(part.key, string(it.Node().Data))
			if part.header {
				at = it.Node().Raw
			}
		}
		part.at = span{int(at.Offset), int(at.Offset + at.Length)}
		if part.header {
			table, part.key = part.key, nil
			part.at.from = bytes.LastIndexByte(text[:part.at.from], '\n') + 1
		}
		part.table = table
		parts = append(parts, part)
	}
	return parts
}

// lineEnd returns where the line of an offset ends.
func lineEnd(text []byte, at int) int {
	rest, _, _ := bytes.Cut(text[at:], []byte("\n"))
	return at + len(bytes.TrimSuffix(rest, []byte("\r")))
}

// tomlPlace is where a text has the entry of a server.
type tomlPlace struct {
	at     span            // all of it
	header *tomlPart       // nil: there is none
	pairs  map[string]span // below the header, by their keys
	first  tomlPart
	around *tomlPart // a pair that has all servers
}

// findTOML finds the entry of a server.
func findTOML(text []byte, name string) tomlPlace {
	p := tomlPlace{pairs: map[string]span{}}
	for _, part := range partsOf(text) {
		path := slices.Concat(part.table, part.key)
		switch {
		case len(path) == 1 && !part.header && path[0] == tomlServers:
			p.around = &part
		case len(path) < 2 || path[0] != tomlServers || path[1] != name:
			continue
		case part.header && len(path) == 2:
			p.header = &part
		case len(part.table) == 2 && len(part.key) == 1:
			p.pairs[part.key[0]] = part.at
		}
		if p.at.to == 0 {
			p.at.from, p.first = part.at.from, part
		}
		p.at.to = part.at.to
	}
	return p
}

// prefix returns what stands before the name in a pair in place of the entry.
func (p tomlPlace) prefix() string {
	if len(p.first.table) > 0 || p.around != nil {
		return ""
	}
	return tomlServers + "."
}

// cutTables removes the tables of a name and of those below it, from the line of each
// header to the line of its last pair, and the empty lines after that. Comments after
// that line stay.
func cutTables(text []byte, name []string) []byte {
	var cuts []span
	for _, p := range partsOf(text) {
		if len(p.table) < len(name) || !slices.Equal(p.table[:len(name)], name) {
			continue
		}
		if p.header {
			cuts = append(cuts, p.at)
		}
		cuts[len(cuts)-1].to = p.at.to
	}
	for _, c := range slices.Backward(cuts) {
		end := lineEnd(text, c.to)
		rest := bytes.TrimLeft(text[end:], "\r\n")
		kept := text[:c.from]
		if len(rest) == 0 {
			trimmed := bytes.TrimRight(kept, "\r\n")
			kept = kept[:len(trimmed)+bytes.IndexByte(kept[len(trimmed):], '\n')+1]
		}
		text = slices.Concat(kept, rest)
	}
	return text
}
