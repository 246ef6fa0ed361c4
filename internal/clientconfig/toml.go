package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFormat is a TOML file with a table mcp_servers.NAME for each server.
type tomlFormat struct{}

const tomlServers = "mcp_servers"

func (tomlFormat) snippet(name string, s Server) string {
	return fmt.Sprintf("[%s.%s]\n%s", tomlServers, name, encodeEntry(s))
}

// encodeEntry returns the fields of a server as lines of TOML.
func encodeEntry(s Server) (lines string) {
	for _, f := range tomlFields(s) {
		lines += encodeTOML(f) + "\n"
	}
	return lines
}

// encodeTOML returns a field of a server as a line of TOML, without its end.
func encodeTOML(f tomlField) string {
	if text, ok := f.value.(string); ok {
		return f.key + " = " + quoteTOML(text)
	}
	var items []string
	for _, v := range f.value.([]any) {
		items = append(items, quoteTOML(v.(string)))
	}
	return f.key + " = [" + strings.Join(items, ", ") + "]"
}

// quoteTOML returns a text as TOML writes it: a literal string if that can hold it, and
// else a basic one.
func quoteTOML(text string) string {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	if !strings.Contains(text, "'") && !strings.ContainsFunc(text, isControl) && utf8.ValidString(text) {
		return "'" + text + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case strings.ContainsRune("\b\f\n\r\t", r):
			b.WriteString("\\" + string("bfnrt"[strings.IndexRune("\b\f\n\r\t", r)]))
		case isControl(r) || r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\u%04X`, text[i])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// edit changes only the values that differ. It reads the new text again, and returns
// an error unless that is the old content with the server in it.
func (t tomlFormat) edit(old []byte, name string, s Server) (content []byte, changed []string, err error) {
	before, err := readTOML(old)
	if err != nil {
		return nil, nil, err
	}
	servers, _ := before[tomlServers].(map[string]any)
	entry, isTable := servers[name].(map[string]any)
	vars, err := joinedVars(entry["env_vars"], s.EnvVars)
	if err != nil {
		return nil, nil, byHand(err.Error(), inFile, t.snippet(name, s))
	}
	s.EnvVars = vars
	newline := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		newline = "\r\n"
	}
	switch {
	case !isTable && servers[name] == nil:
		snippet := strings.ReplaceAll(t.snippet(name, s), "\n", newline)
		content, changed = appendBlock(old, snippet, newline), []string{fmt.Sprintf("%s: added to %s", name, tomlServers)}
	case s.URL == "" && entry["url"] != nil:
		return nil, nil, fail(ErrTaken, "it has a server at a URL under the name %s", name)
	case s.URL != "" && entry["command"] != nil:
		return nil, nil, fail(ErrTaken, "it has a server that the client starts under the name %s", name)
	default:
		content, changed, err = t.replace(old, name, entry, s, newline)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(changed) == 0 {
		return old, nil, nil
	}
	if after, err := readTOML(content); err != nil || !sameTOML(after, withServer(before, name, s)) {
		return nil, nil, t.byHand(old, name, servers[name] != nil, s)
	}
	return content, changed, nil
}

// remove takes out the table of a server, and those below it. It reads the new text
// again, and returns an error unless that is the old content without the server.
func (t tomlFormat) remove(old []byte, name string) (content []byte, changed []string, err error) {
	before, err := readTOML(old)
	if err != nil {
		return nil, nil, err
	}
	servers, _ := before[tomlServers].(map[string]any)
	if servers[name] == nil {
		return old, nil, nil
	}
	if content, err = cutTables(old, []string{tomlServers, name}); err != nil {
		return nil, nil, err
	}
	left := maps.Clone(servers)
	if delete(left, name); len(left) == 0 {
		delete(before, tomlServers)
	} else {
		before[tomlServers] = left
	}
	after, err := readTOML(content)
	if err == nil {
		if rest, ok := after[tomlServers].(map[string]any); ok && len(rest) == 0 {
			delete(after, tomlServers)
		}
	}
	if err != nil || !sameTOML(after, before) {
		return nil, nil, fail(ErrByHand, "this program cannot edit the way in which it is written; remove %s from %s by hand", name, tomlServers)
	}
	return content, []string{fmt.Sprintf("%s: removed from %s", name, tomlServers)}, nil
}

func (tomlFormat) entry(text []byte, name string) (any, error) {
	all, err := readTOML(text)
	servers, _ := all[tomlServers].(map[string]any)
	return servers[name], err
}

func (tomlFormat) read(content []byte, name string) (s Server, found bool, err error) {
	all, err := readTOML(content)
	if err != nil {
		return Server{}, false, err
	}
	servers, _ := all[tomlServers].(map[string]any)
	entry, found := servers[name].(map[string]any)
	s.Command, _ = entry["command"].(string)
	args, _ := entry["args"].([]any)
	for _, arg := range args {
		text, _ := arg.(string)
		s.Args = append(s.Args, text)
	}
	return s, found, nil
}

// byHand returns an error with a text that can be pasted at the place where the file
// has its servers. If that is an inline table, the text is a pair for it, because a
// table of its own would define the servers twice.
func (t tomlFormat) byHand(old []byte, name string, exists bool, s Server) error {
	const why = "this program cannot edit the way in which it is written"
	table, key, err := inlineTable(old, []string{tomlServers, name})
	if err != nil || table == nil {
		return byHand(why, inFile, t.snippet(name, s))
	}
	if len(table) == 1 {
		key = []string{name}
	}
	fields := strings.ReplaceAll(strings.TrimSpace(encodeEntry(s)), "\n", ", ")
	pair := fmt.Sprintf("%s = { %s }\n", strings.Join(key, "."), fields)
	if exists {
		return byHand(why, "in place of the "+name+" there", pair)
	}
	return byHand(why, "between the braces of "+strings.Join(table, "."), pair)
}

// readTOML decodes a file.
func readTOML(text []byte) (map[string]any, error) {
	all, err := decodeTOML(text)
	var where *unstable.ParserError
	if errors.As(err, &where) {
		before := text[:min(max(0, cap(text)-cap(where.Highlight)), len(text))] // the highlight is a part of the text
		row, column := 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n')
		return nil, fail(ErrInvalid, "it is not valid TOML: line %d, column %d: toml: %v; mend it first", row, column, where)
	}
	if err != nil {
		return nil, fail(ErrInvalid, "it is not valid TOML: %v; mend it first", err)
	}
	return all, nil
}

// sameTOML reports whether two documents have the same content. Unlike reflect.DeepEqual it
// takes nan for the same as nan. Package fmt sorts the keys of maps.
func sameTOML(a, b map[string]any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// withServer returns what the file must contain after the edit.
func withServer(before map[string]any, name string, s Server) map[string]any {
	all := maps.Clone(before)
	servers, _ := before[tomlServers].(map[string]any)
	entry, _ := servers[name].(map[string]any)
	servers, entry = maps.Clone(servers), maps.Clone(entry)
	if servers == nil {
		servers = map[string]any{}
	}
	if entry == nil {
		entry = map[string]any{}
	}
	for _, f := range tomlFields(s) {
		entry[f.key] = f.value
	}
	servers[name], all[tomlServers] = entry, servers
	return all
}

// joinedVars returns the names that an entry passes on, and then those that the
// server needs. It returns none if the server needs none.
func joinedVars(have any, need []string) (all []string, err error) {
	if len(need) == 0 {
		return nil, nil
	}
	notNames := errors.New("env_vars in it is not a list of names")
	list, ok := have.([]any)
	if have != nil && !ok {
		return nil, notNames
	}
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			return nil, notNames
		}
		all = append(all, name)
	}
	for _, name := range need {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all, nil
}

// appendBlock appends a table after an empty line.
func appendBlock(old []byte, block, newline string) []byte {
	text := strings.TrimRight(string(old), " \t\r\n")
	if text == "" {
		return []byte(block)
	}
	return []byte(text + newline + newline + block)
}

// tomlField is a field of an entry.
type tomlField struct {
	key   string
	value any // as the decoder returns it
}

func tomlFields(s Server) []tomlField {
	if s.URL != "" {
		fields := []tomlField{{"url", s.URL}}
		if s.TokenVariable != "" {
			fields = append(fields, tomlField{"bearer_token_env_var", s.TokenVariable})
		}
		return fields
	}
	fields := []tomlField{{"command", s.Command}, {"args", anySlice(s.Args)}}
	if len(s.EnvVars) > 0 {
		fields = append(fields, tomlField{"env_vars", anySlice(s.EnvVars)})
	}
	return fields
}

func anySlice(list []string) (all []any) {
	for _, s := range list {
		all = append(all, s)
	}
	return all
}

// replace replaces the fields of an entry that differ. Comments after them stay.
func (t tomlFormat) replace(old []byte, name string, entry map[string]any, s Server, newline string) (content []byte, changed []string, err error) {
	pairs, header, err := findPairs(old, []string{tomlServers, name})
	if err != nil {
		return nil, nil, err
	}
	type replacement struct {
		at   unstable.Range
		text string
	}
	var all []replacement
	for _, f := range tomlFields(s) {
		if reflect.DeepEqual(entry[f.key], f.value) {
			continue
		}
		text, at := encodeTOML(f), pairs[f.key]
		if at.Length == 0 {
			at, text = unstable.Range{Offset: uint32(header)}, text+newline
		} else if hasComment(old[at.Offset : at.Offset+at.Length]) {
			return nil, nil, byHand(commentInside, inFile, t.snippet(name, s))
		}
		all = append(all, replacement{at, text})
		was := "not there"
		if entry[f.key] != nil {
			was = quoteJSON(entry[f.key])
		}
		changed = append(changed, fmt.Sprintf("%s: %s was %s, is %s", name, f.key, was, quoteJSON(f.value)))
	}
	// From the end, so that offsets stay right.
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Offset+all[i].at.Length > all[j].at.Offset+all[j].at.Length })
	content = bytes.Clone(old)
	for _, r := range all {
		content = slices.Replace(content, int(r.at.Offset), int(r.at.Offset+r.at.Length), []byte(r.text)...)
	}
	return content, changed, nil
}
