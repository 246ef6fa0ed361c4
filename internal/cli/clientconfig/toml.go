package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
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
	line, err := toml.Marshal(map[string]any{f.key: f.value})
	if err != nil {
		panic(err) // nothing can be wrong with texts
	}
	return strings.TrimSuffix(string(line), "\n")
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
	if list, _ := before[tomlServers].([]any); len(list) > 0 {
		return nil, nil, fail(ErrByHand, "%s is a list there, and the client reads a table; write [%s.NAME] for "+
			"each server",
			tomlServers, tomlServers)
	}
	servers, _ := before[tomlServers].(map[string]any)
	entry, _ := servers[name].(map[string]any)
	if list, ok := servers[name].([]any); ok && len(list) == 1 {
		entry, _ = list[0].(map[string]any)
	}
	if entry["url"] != nil {
		return nil, nil, fail(ErrTaken, "it has a server at a URL under the name %s", name)
	}
	why := ""
	place := findTOML(old, name)
	newline := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		newline = "\r\n"
	}
	snippet := strings.ReplaceAll(t.snippet(name, s), "\n", newline)
	if servers[name] == nil {
		content, changed = appendBlock(old, snippet, newline), []string{fmt.Sprintf("%s: added to %s", name,
			tomlServers)}
	} else {
		if changed = differences(name, entry, s); len(changed) == 0 {
			return old, nil, nil
		}
		var lost bool
		content, lost = appendBlock(old, snippet, newline), false
		switch {
		case place.shared:
			where := fmt.Sprintf("in place of %s in %s", name, linesOf(old, place.at))
			return nil, nil, byHand(cannotEdit, where, inlineTOML(name, entry, s)+"\n")
		case place.whole != nil:
			content = place.replaceWhole(old, name, entry, s)
		case place.at.to > 0:
			content, lost = place.replace(old, name, entry, s, newline)
		}
		switch {
		case lost:
			why = commentInside
		case !place.plain:
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
	content = cutTables(old, []string{tomlServers, name})
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
		place := findTOML(old, name)
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
	switch {
	case right:
		where, text := inPlace(old, want, place.at, name)
		return byHand(why, where, text)
	case place.at.to > 0:
		where := fmt.Sprintf("into the file, and remove %s, which begins in %s", name,
			linesOf(old, span{place.at.from, place.at.from}))
		return byHand(why, where, t.snippet(name, s))
	case place.above != nil && place.braces:
		where := fmt.Sprintf("between the braces of %s in %s", tomlServers, linesOf(old, place.above.at))
		return byHand(why, where, inlineTOML(name, nil, s)+"\n")
	case place.above != nil:
		return byHand(why, "in place of "+linesOf(old, place.above.at),
			fmt.Sprintf("%s = {%s}\n", tomlServers, inlineTOML(name, nil, s)))
	}
	return byHand(why, "into the file", t.snippet(name, s))
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

// differences says which fields of an entry differ from those of a server.
func differences(name string, entry map[string]any, s Server) (changed []string) {
	for _, f := range tomlFields(s) {
		if reflect.DeepEqual(entry[f.key], f.value) {
			continue
		}
		was := "not there"
		if entry[f.key] != nil {
			was = quoteJSON(entry[f.key])
		}
		changed = append(changed, fmt.Sprintf("%s: %s was %s, is %s", name, f.key, was, quoteJSON(f.value)))
	}
	return changed
}

// inlineTOML returns an entry with the fields of a server as a pair with an inline table.
func inlineTOML(name string, entry map[string]any, s Server) string {
	entry = maps.Clone(entry)
	if entry == nil {
		entry = map[string]any{}
	}
	for _, f := range tomlFields(s) {
		entry[f.key] = f.value
	}
	var b strings.Builder
	if err := toml.NewEncoder(&b).SetTablesInline(true).Encode(map[string]any{name: entry}); err != nil {
		panic(err) // all of it was decoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
