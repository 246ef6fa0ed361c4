package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
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

// set puts the entry at the end of the file. It reads the new text again, and returns an error unless that
// is the old content with the entry in it.
func (t tomlFormat) set(old []byte, name string, entry []field) (text []byte, err error) {
	want, err := readTOML(old)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	header := fmt.Sprintf("[%s.%s]\n", tomlServers, name)
	block := header
	for _, f := range entry {
		fields[f.key] = f.value
		block += encodeTOML(f) + "\n"
	}
	servers, _ := want[tomlServers].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
	}
	servers[name], want[tomlServers] = fields, servers
	rest, was := cutTables(old, name)
	if quoted := regexp.MustCompile(`"(\\.|[^"\\])*"|'[^']*'`); strings.Contains(quoted.ReplaceAllString(was, ""), "#") {
		shown := ""
		for _, f := range withoutValues(entry) {
			shown += encodeTOML(f) + "\n"
		}
		return nil, byHand(commentInside, header+shown)
	}
	if rest = strings.TrimRight(rest, " \t\r\n"); rest != "" {
		block = "\n\n" + block
	}
	if bytes.Contains(old, []byte("\r\n")) {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	text = []byte(rest + block)
	if got, err := readTOML(text); err != nil || !sameTOML(got, want) {
		return nil, byHand(cannotEdit, block)
	}
	return text, nil
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
	rest, _ := cutTables(old, name)
	text := []byte(rest)
	got, err := readTOML(text)
	for _, all := range []map[string]any{got, want} {
		if rest, ok := all[tomlServers].(map[string]any); ok && len(rest) == 0 {
			delete(all, tomlServers)
		}
	}
	if err != nil || !sameTOML(got, want) {
		return nil, fail(ErrByHand, "%s; remove %s from %s by hand", cannotEdit, name, tomlServers)
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
	isOwn, after := false, "" // the empty lines and comments after the last line that was cut
	for line := range strings.Lines(string(text)) {
		if header.MatchString(line) {
			isOwn = own.MatchString(line)
		}
		bare := strings.TrimSpace(line)
		switch {
		case !isOwn:
			rest, after = rest+strings.TrimLeft(after, "\r\n")+line, ""
		case bare == "" || bare[0] == '#':
			after += line
		default:
			cut, after = cut+after+line, ""
		}
	}
	after = strings.TrimLeft(after, "\r\n")
	if kept := strings.TrimRight(rest, "\r\n"); isOwn && after == "" {
		rest = kept + rest[len(kept):][:strings.IndexByte(rest[len(kept):], '\n')+1]
	}
	return rest + after, cut
}
