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

// cannotEdit is why a file is not edited.
const cannotEdit = "this program cannot edit the way in which it is written"

// edit changes only the values that differ. It reads the new text again, and returns
// an error unless that is the old content with the server in it.
func (t tomlFormat) edit(old []byte, name string, s Server) (content []byte, changed []string, err error) {
	before, err := readTOML(old)
	if err != nil {
		return nil, nil, err
	}
	servers, _ := before[tomlServers].(map[string]any)
	entry, _ := servers[name].(map[string]any)
	if list, ok := servers[name].([]any); ok && len(list) == 1 {
		entry, _ = list[0].(map[string]any)
	}
	why := ""
	vars, err := joinedVars(entry["env_vars"], s.EnvVars)
	if err != nil {
		why = err.Error()
	} else {
		s.EnvVars = vars
	}
	switch {
	case s.URL == "" && entry["url"] != nil:
		return nil, nil, fail(ErrTaken, "it has a server at a URL under the name %s", name)
	case s.URL != "" && entry["command"] != nil:
		return nil, nil, fail(ErrTaken, "it has a server that the client starts under the name %s", name)
	}
	place, err := findTOML(old, []string{tomlServers, name})
	if err != nil {
		return nil, nil, fail(ErrInvalid, "it is not valid TOML: %v; mend it first", err)
	}
	newline := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		newline = "\r\n"
	}
	if servers[name] == nil {
		snippet := strings.ReplaceAll(t.snippet(name, s), "\n", newline)
		content, changed = appendBlock(old, snippet, newline), []string{fmt.Sprintf("%s: added to %s", name, tomlServers)}
	} else {
		var lost bool
		content, changed, lost = t.replace(old, place, name, entry, s, newline)
		switch {
		case len(changed) == 0:
			return old, nil, nil
		case lost && why == "":
			why = commentInside
		case !place.plain && why == "":
			why = cannotEdit
		}
	}
	after, err := readTOML(content)
	right := err == nil && sameTOML(after, withServer(before, name, entry, s))
	if why != "" || !right {
		return nil, nil, t.byHand(old, content, right, place, why, name, s)
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
		place, _ := findTOML(old, []string{tomlServers, name})
		return nil, nil, fail(ErrByHand, "%s; remove %s, in %s, by hand", cannotEdit, name, linesOf(old, place.at))
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

// byHand returns an error that says which lines the user is to replace, and by what. want is
// the file after the edit, if it is right. If the file has no server of the name yet, the
// text is for the inline table of all servers, because a table of its own would define the
// servers twice.
func (t tomlFormat) byHand(old, want []byte, right bool, place tomlPlace, why, name string, s Server) error {
	if why == "" {
		why = cannotEdit
	}
	fields := "{ " + strings.ReplaceAll(strings.TrimSpace(encodeEntry(s)), "\n", ", ") + " }"
	switch {
	case right:
		where, text := inPlace(old, want, place.at, name)
		return byHand(why, where, text)
	case place.at.to > 0:
		where := fmt.Sprintf("into the file, and remove %s, which begins in %s", name, linesOf(old, span{place.at.from, place.at.from}))
		return byHand(why, where, t.snippet(name, s))
	case place.table != nil:
		where := fmt.Sprintf("between the braces of %s in %s", strings.Join(place.table, "."), linesOf(old, place.above))
		return byHand(why, where, name+" = "+fields+"\n")
	case place.above != span{}:
		return byHand(why, "in place of "+linesOf(old, place.above), fmt.Sprintf("%s = { %s = %s }\n", tomlServers, name, fields))
	}
	return byHand(why, "into the file", t.snippet(name, s))
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
func withServer(before map[string]any, name string, entry map[string]any, s Server) map[string]any {
	all := maps.Clone(before)
	servers, _ := before[tomlServers].(map[string]any)
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

// replace replaces the fields of an entry that differ. Comments after them stay. lost says
// that comments inside them do not.
func (t tomlFormat) replace(old []byte, place tomlPlace, name string, entry map[string]any, s Server, newline string) (content []byte, changed []string, lost bool) {
	type replacement struct {
		at   span
		text string
	}
	var all []replacement
	var pairs []string
	for _, f := range tomlFields(s) {
		text := encodeTOML(f)
		if pairs = append(pairs, text); reflect.DeepEqual(entry[f.key], f.value) {
			continue
		}
		pair, found := place.pairs[f.key]
		switch {
		case found:
			lost = lost || hasComment(old[pair.at.from:pair.at.to])
			all = append(all, replacement{pair.at, pair.prefix + text})
		case place.header != span{}:
			all = append(all, replacement{span{place.header.to, place.header.to}, newline + text})
		case place.last.inline:
			all = append(all, replacement{span{place.last.at.to, place.last.at.to}, ", " + place.last.prefix + text})
		default:
			end := lineAround(old, place.last.at.to).to
			all = append(all, replacement{span{end, end}, newline + place.last.prefix + text})
		}
		was := "not there"
		if entry[f.key] != nil {
			was = quoteJSON(entry[f.key])
		}
		changed = append(changed, fmt.Sprintf("%s: %s was %s, is %s", name, f.key, was, quoteJSON(f.value)))
	}
	if place.key != (span{}) && place.last == (tomlPair{}) { // a value that is no table, or an empty one
		all = []replacement{{place.at, string(old[place.key.from:place.key.to]) + " = { " + strings.Join(pairs, ", ") + " }"}}
	}
	if place.array {
		all = append(all, replacement{place.header, fmt.Sprintf("[%s.%s]", tomlServers, name)})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.from < all[j].at.from })
	at := 0
	for _, r := range all {
		content = append(append(content, old[at:r.at.from]...), r.text...)
		at = r.at.to
	}
	return append(content, old[at:]...), changed, lost
}
