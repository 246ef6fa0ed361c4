package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
		return nil, Errorf(store.ErrInvalid, "%s in it is not a table; write [%s.NAME] for each server", tomlServers,
			tomlServers)
	}
	return servers[name], nil
}

// set puts the entry at the end of the file, with the other fields that it has. It reads the new text again,
// and returns an error unless that is the old content with the fields in it.
func (t tomlFormat) set(old []byte, name string, entry []field) (text []byte, err error) {
	want, err := readTOML(old)
	if err != nil {
		return nil, err
	}
	servers, _ := want[tomlServers].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
		want[tomlServers] = servers
	}
	fields, _ := servers[name].(map[string]any)
	others := maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
		servers[name] = fields
	}
	block := fmt.Sprintf("[%s.%s]\n", tomlServers, name)
	for _, f := range entry {
		delete(others, f.key)
		fields[f.key] = f.value
		block += encodeTOML(f) + "\n"
	}
	advice := block
	for _, f := range fieldsOf(others) {
		block += encodeTOML(f) + "\n"
	}
	rest, was := cutTables(old, name)
	if rest = strings.TrimRight(rest, " \t\r\n"); rest != "" {
		block = "\n\n" + block
	}
	if bytes.Contains(old, []byte("\r\n")) {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	text = []byte(rest + block)
	if got, err := readTOML(text); err != nil || !sameTOML(got, want) || strings.Contains(was, "#") {
		return nil, Errorf(ErrByHand, "%s; put these lines into it by hand, in place of what is there:\n%s%v",
			cannotEdit, advice, ErrByHand)
	}
	return text, nil
}

// cannotEdit is why a file is not edited.
const cannotEdit = "this program cannot edit the way in which it is written"

// remove takes out the table of a server, and those below it. It reads the new text
// again, and returns an error unless that is the old content without the server.
func (t tomlFormat) remove(old []byte, name string) ([]byte, error) {
	want, err := readTOML(old)
	if err != nil {
		return nil, err
	}
	servers, _ := want[tomlServers].(map[string]any)
	delete(servers, name)
	rest, _ := cutTables(old, name)
	text := []byte(rest)
	got, err := readTOML(text)
	for _, all := range []map[string]any{got, want} {
		if rest, ok := all[tomlServers].(map[string]any); ok && len(rest) == 0 {
			delete(all, tomlServers)
		}
	}
	if err != nil || !sameTOML(got, want) {
		return nil, Errorf(ErrByHand, "%s; remove %s from %s by hand", cannotEdit, name, tomlServers)
	}
	return text, nil
}

// readTOML decodes a file.
func readTOML(text []byte) (map[string]any, error) {
	if err := checkMark(text); err != nil {
		return nil, err
	}
	all := map[string]any{}
	err := toml.Unmarshal(text, &all)
	if where, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, column := where.Position()
		return nil, Errorf(store.ErrInvalid, "it is not valid TOML: line %d, column %d: %v; mend it first", row,
			column, where)
	}
	if err != nil {
		return nil, Errorf(store.ErrInvalid, "it is not valid TOML: %v; mend it first", err)
	}
	return all, nil
}

// sameTOML reports whether two documents have the same content. Unlike reflect.DeepEqual it
// takes nan for the same as nan. Package fmt sorts the keys of maps.
func sameTOML(a, b map[string]any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// encodeTOML returns a field as a line of TOML, without its end.
func encodeTOML(f field) string {
	var b strings.Builder
	if err := toml.NewEncoder(&b).SetTablesInline(true).Encode(map[string]any{f.key: f.value}); err != nil {
		panic(err) // all of it was decoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// header is the line of a header.
var header = regexp.MustCompile(`^\s*\[`)

// cutTables takes out the tables of a server and those below it, from the line of each header to its last
// line, and the empty lines after that. Comments between that line and the next header stay. A line of a
// long value may look like a header: the callers compare the result.
func cutTables(text []byte, name string) (rest, cut string) {
	own := regexp.MustCompile(`^\s*\[\s*` + tomlServers + `\s*\.\s*["']?` + regexp.QuoteMeta(name) + `["']?\s*[\].]`)
	var kept strings.Builder
	isOwn, after := false, "" // the empty lines and comments after the last line that was cut
	for line := range strings.Lines(string(text)) {
		if header.MatchString(line) {
			isOwn = own.MatchString(line)
		}
		bare := strings.TrimSpace(line)
		switch {
		case !isOwn:
			kept.WriteString(strings.TrimLeft(after, "\r\n") + line)
			after = ""
		case bare == "" || bare[0] == '#':
			after += line
		default:
			cut, after = cut+after+line, ""
		}
	}
	return kept.String() + strings.TrimLeft(after, "\r\n"), cut
}
