package memorycommand

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// MaxInput is the largest input of a command in bytes.
const MaxInput = 16 << 20

// A Command is a decoded input. [Options.Command] makes it.
type Command struct {
	strictjson.Values
	overwrite bool // create may replace a file
	name      string
	viewRange *lines // view_range; nil: all lines
	run       func(*Command, context.Context, *workspace.Workspace) (string, error)
}

// lines are the first and the last of some lines, from 1. A last of -1 is the end.
type lines struct{ first, last int64 }

// commands are the arguments that each command takes, in the order in which errors name
// the commands.
var commands = []struct {
	name               string
	required, optional []string
	run                func(*Command, context.Context, *workspace.Workspace) (string, error)
}{
	{"view", []string{"path"}, []string{"view_range"}, (*Command).view},
	{"create", []string{"path", "file_text"}, nil, (*Command).create},
	{"str_replace", []string{"path", "old_str"}, []string{"new_str"}, (*Command).replace},
	{"insert", []string{"path", "insert_line", "insert_text"}, nil, (*Command).insert},
	{"delete", []string{"path"}, nil, (*Command).delete},
	{"rename", []string{"old_path", "new_path"}, nil, (*Command).rename},
}

func commandNames() (all []string) {
	for _, c := range commands {
		all = append(all, c.name)
	}
	return all
}

// Fields returns the arguments of all commands. The caller may change the result.
func Fields() []strictjson.Field {
	return []strictjson.Field{
		{Name: "command", Kind: "string", Required: true, More: `,"enum":["` + strings.Join(commandNames(), `","`) +
			`"]`},
		{Name: "path", Kind: "string"},
		{Name: "view_range", Kind: "array", More: `,"items":{"type":"integer"}`},
		{Name: "file_text", Kind: "string"},
		{Name: "old_str", Kind: "string"},
		{Name: "new_str", Kind: "string"},
		{Name: "insert_line", Kind: "integer"},
		{Name: "insert_text", Kind: "string"},
		{Name: "old_path", Kind: "string"},
		{Name: "new_path", Kind: "string"},
	}
}

func form() strictjson.Form {
	return strictjson.Form{Whole: "the arguments", Part: "argument", Fields: Fields()}
}

// InputSchema returns the JSON Schema of a command, for providers that do not know the
// tool. It is an object without alternatives, which every provider takes. The caller may
// change the result.
func InputSchema() json.RawMessage { return form().Schema() }

// parse decodes an input. Errors: [workspace.ErrInvalid], [workspace.ErrTooLarge].
func (o Options) parse(input json.RawMessage) (*Command, error) {
	if len(input) > MaxInput {
		return nil, refuse(workspace.ErrTooLarge,
			"the input has %d bytes, limit %d; write the text in several commands",
			len(input), MaxInput)
	}
	object, _, err := strictjson.Parse(input)
	if err != nil {
		return nil, refuse(workspace.ErrInvalid, "the input is %v", err)
	}
	given, err := form().Read(object)
	if err != nil {
		return nil, refuse(workspace.ErrInvalid, "%v", err)
	}
	return o.Command(given)
}

// Command returns the command of decoded arguments, which are those of [Fields] and others that
// have no meaning here. An argument that is null is left out: a provider that always sends all of
// them can send null for those that a command does not take. Errors: [workspace.ErrInvalid].
func (o Options) Command(given strictjson.Values) (*Command, error) {
	c := &Command{Values: given, overwrite: o.Overwrite, name: given.Text("command")}
	i := slices.Index(commandNames(), c.name)
	if i < 0 {
		return nil, refuse(workspace.ErrInvalid, "unknown command %s; give one of %s", quote(c.name),
			strings.Join(commandNames(), ", "))
	}
	c.run = commands[i].run
	for _, f := range Fields()[1:] {
		switch required := slices.Contains(commands[i].required, f.Name); {
		case !c.Has(f.Name) && required:
			return nil, refuse(workspace.ErrInvalid, "%s needs %s, which is missing; give %s", c.name, f.Name,
				f.Wants())
		case c.Has(f.Name) && !required && !slices.Contains(commands[i].optional, f.Name):
			return nil, refuse(workspace.ErrInvalid, "%s takes no %s; leave it out", c.name, f.Name)
		}
	}
	if value := c.Given("view_range"); value != nil {
		if c.viewRange = twoLines([]byte(value.Text)); c.viewRange == nil {
			return nil, refuse(workspace.ErrInvalid,
				"view_range must be two whole numbers, such as [1, 20] or [21, -1], not %s",
				quote(value.Text))
		}
	}
	return c, nil
}

// twoLines reads a view_range, which may be the text of one. It returns nil if there are not two
// numbers.
func twoLines(value []byte) *lines {
	const long = 200
	if inner, isText := strictjson.Text(value); isText {
		value = []byte(inner)
	}
	var two []json.RawMessage
	if len(value) > long || json.Unmarshal(value, &two) != nil || len(two) != 2 {
		return nil
	}
	first, ok := strictjson.Integer(strictjson.Unquoted(two[0]))
	last, ok2 := strictjson.Integer(strictjson.Unquoted(two[1]))
	if !ok || !ok2 {
		return nil
	}
	return &lines{first, last}
}
