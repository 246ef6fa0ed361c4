// Package memorycommand runs the commands of Claude's memory tool, memory_20250818, on the
// files of a workspace. It knows no SDK and no provider: a command is JSON, and its answer
// is text.
//
//	input := json.RawMessage(`{"command":"view","path":"/memories"}`)
//	text, isError := memorycommand.Run(ctx, ws, input, memorycommand.Options{})
//
// The commands are view, create, str_replace, insert, delete and rename. Their texts are
// those that the documentation of the tool gives. Every command is one transaction, and
// every change is a version in the journal. Commands may run at the same time: two edits
// of one file are both kept.
//
// # Paths
//
// /memories is the root, and /memories/notes/plan.md is the file notes/plan.md of the
// workspace. The slashes in paths make the folders, so a folder exists while a file is in
// it. A path that does not begin with /memories is one below it: plan.md and /plan.md are
// /memories/plan.md. Paths have the characters that the workspace allows, so a path with "..",
// with "%2e" or with a backslash is refused. If a path is both a file and a folder, because
// other programs have written both, view shows the file, and shows the folder for a path that
// ends in a slash.
//
// # What the documentation leaves open
//
// Where the text of the documentation is silent, the commands do what the implementation
// in the npm package @anthropic-ai/sdk does:
//
//   - Lines end at "\n" alone. After a final newline there is one more line, which is
//     empty. So "a\n" has two lines, and insert_line may be 0, 1 or 2.
//   - insert puts insert_text, without its final newline if it has one, and a newline.
//   - A snippet is the line where the change begins, with two lines before it and two
//     lines after it.
//   - In the list of a folder, folders end in a slash, names are in byte order, and what
//     is in a folder comes right after it.
//   - A view_range that begins below 1 begins at 1. One that ends after the last line
//     ends there.
//
// Sizes are those of the documentation's examples: 14B, 1.5K, 4.0K. The size of a folder
// is that of all files in it, hidden ones included.
//
// These differ from the npm package:
//
//   - old_str may have several lines. It must occur once in the whole file, so two
//     occurrences in one line are refused. Without new_str, old_str is removed.
//   - A view_range that shows nothing is refused. With a folder, view_range chooses lines
//     of the list.
//   - A view ends at 16,000 characters, and says how to go on.
package memorycommand
