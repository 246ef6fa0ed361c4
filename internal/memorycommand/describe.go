package memorycommand

// Name is the name of the tool. A model that was trained on the tool knows it by this name.
const Name = "memory"

// Description returns what the tool does, for a model that was not trained on it.
func Description() string {
	return "Files under " + root + " that outlive this conversation. " +
		"Look there before you begin a task, and note there what you learn.\n" +
		"view: a folder, or a file with line numbers; view_range [first, last] chooses lines, -1 is the end\n" +
		"create: a new file, path and file_text\n" +
		"str_replace: in path, replace old_str, which must be unique, by new_str\n" +
		"insert: insert_text after line insert_line of path; 0 is the beginning\n" +
		"delete: a file or a folder\n" +
		"rename: a file or a folder, old_path to new_path; makes folders, overwrites nothing"
}
