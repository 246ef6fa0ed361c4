package memorycommand

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// MaxInput is the largest input of a command in bytes.
const MaxInput = 16 << 20

// A Command is a decoded input. [Options.Parse] makes it.
type Command struct {
	o         Options
	name      string
	strings   map[string]string
	line      int64  // insert_line
	viewRange *lines // view_range; nil: all lines
}

// lines are the first and the last of some lines, from 1. A last of -1 is the end.
type lines struct{ first, last int64 }

// commands are the members that each command takes, in the order in which errors name
// the commands.
var commands = []struct {
	name               string
	required, optional []string
}{
	{"view", []string{"path"}, []string{"view_range"}},
	{"create", []string{"path", "file_text"}, nil},
	{"str_replace", []string{"path", "old_str"}, []string{"new_str"}},
	{"insert", []string{"path", "insert_line", "insert_text"}, nil},
	{"delete", []string{"path"}, nil},
	{"rename", []string{"old_path", "new_path"}, nil},
}

func commandNames() (all []string) {
	for _, c := range commands {
		all = append(all, c.name)
	}
	return all
}

// members are the names of all members.
var members = []string{"command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line", "insert_text", "old_path", "new_path"}

// decode reads an input. Names are exact, and each is given once. Values may have the types
// that clients make of them: "2" is the number 2, and for a string any other JSON is its own
// text. A member that is null counts as left out. So a provider that always sends
// all members of the schema can send null for those that a command does not take.
func decode(input json.RawMessage) (Command, error) {
	given, err := split(input)
	if err != nil {
		return Command{}, err
	}
	c := Command{strings: map[string]string{}}
	if c.name, err = commandName(given); err != nil {
		return Command{}, err
	}
	known := commands[slices.Index(commandNames(), c.name)]
	for _, name := range members[1:] {
		value, ok := given[name]
		switch required := slices.Contains(known.required, name); {
		case !ok && required:
			return Command{}, refuse(workspace.ErrInvalid, "%s needs %s, which is missing; give %s", c.name, name, kindOf(name))
		case !ok:
		case !required && !slices.Contains(known.optional, name):
			return Command{}, refuse(workspace.ErrInvalid, "%s takes no %s; leave it out", c.name, name)
		default:
			if err := c.set(name, value); err != nil {
				return Command{}, err
			}
		}
	}
	return c, nil
}

// split returns the members of an input that are not null.
func split(input json.RawMessage) (map[string]json.RawMessage, error) {
	switch {
	case len(input) > MaxInput:
		return nil, refuse(workspace.ErrTooLarge, "the input has %d bytes, limit %d; write the text in several commands", len(input), MaxInput)
	case !utf8.Valid(input):
		return nil, refuse(workspace.ErrInvalid, "the input is not valid UTF-8; send text as UTF-8")
	case !json.Valid(input):
		return nil, refuse(workspace.ErrInvalid, "the input is not valid JSON")
	}
	input = bytes.TrimSpace(input)
	if input[0] != '{' {
		return nil, refuse(workspace.ErrInvalid, `the input must be a JSON object, such as {"command":"view","path":"/memories"}`)
	}
	given, seen := map[string]json.RawMessage{}, map[string]bool{}
	var err error
	ok := rawjson.EachMember(input, func(name string, value json.RawMessage) bool {
		switch {
		case !slices.Contains(members, name):
			err = unknownMember(name)
		case seen[name]:
			err = refuse(workspace.ErrInvalid, "%s is given twice; give it once", name)
		case string(value) != "null":
			given[name] = value
		}
		seen[name] = true
		return err == nil
	})
	if !ok && err == nil {
		err = refuse(workspace.ErrInvalid, "the input is not valid JSON")
	}
	return given, err
}

func unknownMember(name string) error {
	for _, m := range members {
		if strings.EqualFold(m, name) {
			return refuse(workspace.ErrInvalid, "unknown member %s; it is spelled %s", quote(name), m)
		}
	}
	return refuse(workspace.ErrInvalid, "unknown member %s; leave it out", quote(name))
}

// commandName returns the command of an input, which is one that there is.
func commandName(given map[string]json.RawMessage) (string, error) {
	all := commandNames()
	choice := "give one of " + strings.Join(all, ", ")
	value, ok := given["command"]
	if !ok {
		return "", refuse(workspace.ErrInvalid, "command is missing; %s", choice)
	}
	name, err := text("command", value)
	switch {
	case err != nil:
		return "", err
	case slices.Contains(all, name):
		return name, nil
	}
	for _, c := range all {
		if strings.EqualFold(c, name) {
			return "", refuse(workspace.ErrInvalid, "unknown command %s; it is spelled %s", quote(name), c)
		}
	}
	return "", refuse(workspace.ErrInvalid, "unknown command %s; %s", quote(name), choice)
}

// kindOf returns what the value of a member is, for errors.
func kindOf(name string) string {
	switch name {
	case "view_range":
		return "two whole numbers, such as [1, 20] or [21, -1]"
	case "insert_line":
		return "a whole number"
	}
	return "a string"
}

// set sets a member of the command.
func (c *Command) set(name string, value json.RawMessage) (err error) {
	switch name {
	case "view_range":
		c.viewRange, err = twoLines(value)
	case "insert_line":
		n, ok := integer(value)
		if !ok {
			return badValue(name, value)
		}
		c.line = n
	default:
		c.strings[name], err = text(name, value)
	}
	return err
}

func badValue(name string, value json.RawMessage) error {
	return refuse(workspace.ErrInvalid, "%s must be %s, not %s", name, kindOf(name), quote(string(value)))
}

func text(name string, value json.RawMessage) (string, error) {
	if value[0] == '"' && rawjson.LoneSurrogate(value) {
		return "", refuse(workspace.ErrInvalid, "%s holds half of a surrogate pair (\\ud800-\\udfff alone), which is not text; send the whole character", name)
	}
	s, ok := rawjson.TextOrJSON(value)
	if !ok {
		return "", refuse(workspace.ErrInvalid, "%s is not a valid JSON string", name)
	}
	return s, nil
}

// twoLines reads a view_range, which may be the text of one.
func twoLines(value json.RawMessage) (*lines, error) {
	const long = 200
	inner, _ := rawjson.TextOrJSON(value)
	var two []json.RawMessage
	if len(value) > long || json.Unmarshal([]byte(inner), &two) != nil || len(two) != 2 {
		return nil, badValue("view_range", value)
	}
	first, ok := integer(two[0])
	last, ok2 := integer(two[1])
	if !ok || !ok2 {
		return nil, badValue("view_range", value)
	}
	return &lines{first, last}, nil
}

// integer reads a JSON number that is whole, such as 2 or 2.0, or the text of one.
func integer(value json.RawMessage) (int64, bool) {
	whole, fraction, _ := strings.Cut(string(rawjson.Unquoted(value)), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	return n, err == nil && strings.Trim(fraction, "0") == ""
}
