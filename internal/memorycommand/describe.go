package memorycommand

import "encoding/json"

// Name is the name of the tool. A model that was trained on the tool knows it by this name.
const Name = "memory"

// Description returns what the tool does, for a model that was not trained on it.
func (o Options) Description() string {
	return "Files under " + o.root() + " that outlive this conversation. Look there before you begin a task, and note there what you learn.\n" +
		"view: a folder, or a file with line numbers; view_range [first, last] chooses lines, -1 is the end\n" +
		"create: a new file, path and file_text\n" +
		"str_replace: in path, replace old_str, which must be unique, by new_str\n" +
		"insert: insert_text after line insert_line of path; 0 is the beginning\n" +
		"delete: a file or a folder\n" +
		"rename: a file or a folder, old_path to new_path"
}

// InputSchema returns the JSON Schema of a command, for providers that do not know the
// tool. It is an object without alternatives, which every provider takes. The caller may
// change the result.
func InputSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"command":{"type":"string","enum":["view","create","str_replace","insert","delete","rename"]},` +
		`"path":{"type":"string"},` +
		`"view_range":{"type":"array","items":{"type":"integer"}},` +
		`"file_text":{"type":"string"},` +
		`"old_str":{"type":"string"},` +
		`"new_str":{"type":"string"},` +
		`"insert_line":{"type":"integer"},` +
		`"insert_text":{"type":"string"},` +
		`"old_path":{"type":"string"},` +
		`"new_path":{"type":"string"}` +
		`},"required":["command"]}`)
}
