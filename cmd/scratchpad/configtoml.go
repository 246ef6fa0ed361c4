package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// tomlConfig is a file of TOML with a table mcp_servers.NAME.
type tomlConfig struct{}

const tomlServers = "mcp_servers"

func (tomlConfig) snippet(name string, s server) string {
	b, err := toml.Marshal(s)
	if err != nil {
		panic(err) // strings and lists of strings have no such error
	}
	return fmt.Sprintf("[%s.%s]\n%s", tomlServers, name, b)
}

// edit changes the text only where it must. What it makes is read again, and
// must be what was there with the server in it.
func (t tomlConfig) edit(old []byte, name string, s server) (content []byte, changed []string, err error) {
	before, err := readTOML(old)
	if err != nil {
		return nil, nil, err
	}
	servers, _ := before[tomlServers].(map[string]any)
	entry, there := servers[name].(map[string]any)
	vars, err := joinedVars(entry["env_vars"], s.EnvVars)
	if err != nil {
		return nil, nil, byHand(err.Error(), t.snippet(name, s))
	}
	s.EnvVars = vars
	newline := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		newline = "\r\n"
	}
	switch {
	case !there && servers[name] == nil:
		snippet := strings.ReplaceAll(t.snippet(name, s), "\n", newline)
		content, changed = appendBlock(old, snippet, newline), []string{fmt.Sprintf("%s: added to %s", name, tomlServers)}
	case entry["url"] != nil:
		return nil, nil, fmt.Errorf("%s in it is a server at a URL; give another name with --server-name, or remove that one: %w", name, workspace.ErrConflict)
	default:
		content, changed, err = replaceTOML(old, name, entry, s, newline)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(changed) == 0 {
		return old, nil, nil
	}
	if after, err := readTOML(content); err != nil || !reflect.DeepEqual(after, withServer(before, name, s)) {
		return nil, nil, t.byHand(old, name, servers[name] != nil, s)
	}
	return content, changed, nil
}

// byHand has what can be pasted where the file has its servers: a table of its
// own would be a second definition beside an inline one.
func (t tomlConfig) byHand(old []byte, name string, there bool, s server) error {
	const why = "it is written in a way that this program cannot edit"
	table, key, err := inlineTOML(old, []string{tomlServers, name})
	if err != nil || table == nil {
		return byHand(why, t.snippet(name, s))
	}
	if len(table) == 1 {
		key = []string{name}
	}
	pair := t.inline(strings.Join(key, "."), s)
	if there {
		return fmt.Errorf("%s; put this by hand in place of the %s there:\n%s%w", why, name, pair, errByHand)
	}
	return fmt.Errorf("%s; put this by hand inside of the braces of %s:\n%s%w", why, strings.Join(table, "."), pair, errByHand)
}

// inline is the pair of a server in a table of servers.
func (tomlConfig) inline(key string, s server) string {
	b, err := toml.Marshal(s)
	if err != nil {
		panic(err) // strings and lists of strings have no such error
	}
	return fmt.Sprintf("%s = { %s }\n", key, strings.ReplaceAll(strings.TrimSpace(string(b)), "\n", ", "))
}

// inlineTOML returns the name of the inline table that is the table, or that the
// table would be in, and the key before its braces; nil if there is none.
func inlineTOML(text []byte, table []string) (found, key []string, err error) {
	var in []string
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		e := parser.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		var k []string
		for it := e.Key(); it.Next(); {
			k = append(k, string(it.Node().Data))
		}
		if e.Kind != unstable.KeyValue {
			in = k
			continue
		}
		full := append(slices.Clone(in), k...)
		if e.Value().Kind == unstable.InlineTable && len(full) <= len(table) && slices.Equal(full, table[:len(full)]) {
			found, key = full, k
		}
	}
	return found, key, parser.Error()
}

var errByHand = errors.New("nothing was changed")

func byHand(why, snippet string) error {
	return fmt.Errorf("%s; put this in it by hand:\n%s%w", why, snippet, errByHand)
}

// commentInside is why a value is not replaced.
const commentInside = "there is a comment inside of what would be replaced"

func readTOML(text []byte) (map[string]any, error) {
	all := map[string]any{}
	err := toml.Unmarshal(text, &all)
	var where *toml.DecodeError
	if errors.As(err, &where) {
		row, column := where.Position()
		return nil, fmt.Errorf("it is no valid TOML: line %d, column %d: %v; mend it first: %w", row, column, err, workspace.ErrInvalid)
	}
	if err != nil {
		return nil, fmt.Errorf("it is no valid TOML: %v; mend it first: %w", err, workspace.ErrInvalid)
	}
	return all, nil
}

// withServer is what the file must say after the edit.
func withServer(before map[string]any, name string, s server) map[string]any {
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
	entry["command"], entry["args"] = s.Command, anySlice(s.Args)
	if len(s.EnvVars) > 0 {
		entry["env_vars"] = anySlice(s.EnvVars)
	}
	servers[name], all[tomlServers] = entry, servers
	return all
}

// joinedVars are the names that an entry hands on already, and those that the
// server needs; none where it needs none.
func joinedVars(have any, need []string) (all []string, err error) {
	if len(need) == 0 {
		return nil, nil
	}
	noList := errors.New("env_vars in it is no list of names")
	list, ok := have.([]any)
	if have != nil && !ok {
		return nil, noList
	}
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			return nil, noList
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

func anySlice(list []string) (all []any) {
	for _, s := range list {
		all = append(all, s)
	}
	return all
}

func appendBlock(old []byte, block, newline string) []byte {
	text := strings.TrimRight(string(old), " \t\r\n")
	if text == "" {
		return []byte(block)
	}
	return []byte(text + newline + newline + block)
}

// replaceTOML replaces the pairs of an entry that differ, comments after them
// excluded.
func replaceTOML(old []byte, name string, entry map[string]any, s server, newline string) (content []byte, changed []string, err error) {
	pairs, header, err := findTOML(old, []string{tomlServers, name})
	if err != nil {
		return nil, nil, err
	}
	content = bytes.Clone(old)
	type replacement struct {
		at   unstable.Range
		text string
	}
	var all []replacement
	type field struct {
		key  string
		want any
		pair any // for the encoder
	}
	fields := []field{
		{"command", s.Command, struct {
			V string `toml:"command"`
		}{s.Command}},
		{"args", anySlice(s.Args), struct {
			V []string `toml:"args"`
		}{s.Args}},
	}
	if len(s.EnvVars) > 0 {
		fields = append(fields, field{"env_vars", anySlice(s.EnvVars), struct {
			V []string `toml:"env_vars"`
		}{s.EnvVars}})
	}
	for _, f := range fields {
		if reflect.DeepEqual(entry[f.key], f.want) {
			continue
		}
		b, err := toml.Marshal(f.pair)
		if err != nil {
			return nil, nil, err
		}
		text, at := strings.TrimRight(string(b), "\n"), pairs[f.key]
		if at.Length == 0 {
			at, text = unstable.Range{Offset: uint32(header)}, text+newline
		} else if hasComment(old[at.Offset : at.Offset+at.Length]) {
			return nil, nil, byHand(commentInside, tomlConfig{}.snippet(name, s))
		}
		all = append(all, replacement{at, text})
		was := "not there"
		if entry[f.key] != nil {
			was = quoteJSON(entry[f.key])
		}
		changed = append(changed, fmt.Sprintf("%s: %s was %s, is %s", name, f.key, was, quoteJSON(f.want)))
	}
	slices.SortStableFunc(all, func(a, b replacement) int { return int(b.at.Offset+b.at.Length) - int(a.at.Offset+a.at.Length) })
	for _, r := range all { // from the end, so that offsets stay
		content = slices.Replace(content, int(r.at.Offset), int(r.at.Offset+r.at.Length), []byte(r.text)...)
	}
	return content, changed, nil
}

// hasComment reports whether there is a comment inside of a pair.
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

// findTOML returns where the pairs of a table are, and the offset of the line
// after the table's header; the end of the text if it has none.
func findTOML(text []byte, table []string) (pairs map[string]unstable.Range, header int, err error) {
	pairs = map[string]unstable.Range{}
	var in []string
	parser := unstable.Parser{}
	parser.Reset(text)
	header32 := uint32(len(text))
	for parser.NextExpression() {
		e := parser.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		var key []string
		var end uint32
		for it := e.Key(); it.Next(); {
			key = append(key, string(it.Node().Data))
			end = it.Node().Raw.Offset + it.Node().Raw.Length
		}
		if e.Kind != unstable.KeyValue {
			in = key
			if slices.Equal(in, table) {
				header32 = end
			}
			continue
		}
		full := append(slices.Clone(in), key...)
		if len(full) == len(table)+1 && slices.Equal(full[:len(table)], table) {
			pairs[full[len(table)]] = e.Raw
		}
	}
	if err := parser.Error(); err != nil {
		return nil, 0, err
	}
	header = int(header32)
	if i := bytes.IndexByte(text[header:], '\n'); i >= 0 {
		return pairs, header + i + 1, nil
	}
	return pairs, len(text), nil
}
