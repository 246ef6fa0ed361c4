package memorycommand_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// TestMachine runs random commands on a workspace, and on a folder on disk as the
// documentation of the tool describes them. All answers and all files must be the same.
func TestMachine(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]int{}
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		root := filepath.Join(dir, fmt.Sprint(cases))
		if err := os.Mkdir(root, 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		store := memstore.New()
		defer store.Close()
		svc, err := workspace.New(store, workspace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer svc.Close(context.Background())
		ws, err := svc.Agent("agent-1")
		if err != nil {
			t.Fatal(err)
		}
		d := disk{root}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { sameFiles(t, ws, d) },
			"command": func(t *rapid.T) {
				c := drawCommand(t, d)
				want, wantErr := d.run(c)
				got, isError := memorycommand.Run(context.Background(), ws, input(c.name, c.members()...), memorycommand.Options{})
				kind := c.name
				if wantErr != nil {
					kind += " " + strings.Join(strings.Fields(wantErr.Error() + " .")[:2], " ")
				}
				seen[kind]++
				switch {
				case isError != (wantErr != nil):
					t.Fatalf("%+v = %q, want error %v", c, got, wantErr)
				case errors.Is(wantErr, errOther) && (got == "internal error" || strings.HasPrefix(got, "Error: ")):
					t.Fatalf("%+v = %q", c, got)
				case wantErr != nil && !errors.Is(wantErr, errOther) && got != wantErr.Error():
					t.Fatalf("%+v =\n%q, want\n%q", c, got, wantErr)
				case wantErr == nil && got != want:
					t.Fatalf("%+v:\n%s", c, cmp.Diff(want, got))
				}
			},
		})
	})
	if testing.Short() { // too few cases: some may miss a kind by chance
		return
	}
	for _, kind := range []string{"view", "create", "str_replace", "insert", "delete", "rename", "view The path", "create Error: File", "str_replace Error: The", "str_replace No replacement", "insert Error: The", "insert Error: Invalid", "delete Error: The", "rename Error: The"} {
		if seen[kind] == 0 {
			t.Errorf("no case of %q among %v", kind, seen)
		}
	}
}

// A memoryCommand is a command of the machine.
type memoryCommand struct {
	name, path, text, old, new, to string
	line                           int
	viewRange                      []int
}

func (c memoryCommand) members() []any {
	switch c.name {
	case "view":
		if c.viewRange != nil {
			return []any{"path", c.path, "view_range", c.viewRange}
		}
	case "create":
		return []any{"path", c.path, "file_text", c.text}
	case "str_replace":
		return []any{"path", c.path, "old_str", c.old, "new_str", c.new}
	case "insert":
		return []any{"path", c.path, "insert_line", c.line, "insert_text", c.text}
	case "rename":
		return []any{"old_path", c.path, "new_path", c.to}
	}
	return []any{"path", c.path}
}

func drawCommand(t *rapid.T, d disk) memoryCommand {
	c := memoryCommand{
		name: rapid.SampledFrom([]string{"view", "create", "create", "str_replace", "insert", "delete", "rename"}).Draw(t, "command"),
		to:   drawPath(t, d, false),
		text: drawText(t, 6), old: drawText(t, 2), new: drawText(t, 3),
		line: rapid.IntRange(-1, 6).Draw(t, "line"),
	}
	c.path = drawPath(t, d, c.name == "str_replace" || c.name == "insert")
	if text, err := os.ReadFile(d.at(c.path)); err == nil && len(text) > 0 && rapid.Bool().Draw(t, "old is there") {
		from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
		c.old = string(text[from : from+rapid.IntRange(1, len(text)-from).Draw(t, "bytes")])
	}
	if rapid.Bool().Draw(t, "range") {
		c.viewRange = []int{rapid.IntRange(-1, 5).Draw(t, "first"), rapid.IntRange(-2, 6).Draw(t, "last")}
	}
	return c
}

// drawPath draws a path that there is, mostly of a file if so wanted, or one of a few.
func drawPath(t *rapid.T, d disk, file bool) string {
	there := []string{"/memories"}
	filepath.WalkDir(d.root, func(path string, e fs.DirEntry, _ error) error {
		if path != d.root && !(file && e.IsDir()) {
			there = append(there, "/memories"+strings.TrimPrefix(path, d.root))
		}
		return nil
	})
	if file && len(there) > 1 {
		return rapid.SampledFrom(there).Draw(t, "file")
	}
	path := rapid.SampledFrom(there).Draw(t, "there")
	if rapid.Bool().Draw(t, "any") {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "a.b", "A", ".h", "node_modules"}), 0, 4).Draw(t, "names")
		path = strings.Join(append([]string{"/memories"}, names...), "/")
	}
	return path
}

func drawText(t *rapid.T, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "\x00x", "$&", "0", "1", "2", "3", longText}), 0, most).Draw(t, "text"), "")
}

var longText = strings.Repeat("long ", 150)

func sameFiles(t *rapid.T, ws *workspace.Workspace, d disk) {
	want, got := map[string]string{}, map[string]string{}
	filepath.WalkDir(d.root, func(path string, e fs.DirEntry, _ error) error {
		if !e.IsDir() {
			text, _ := os.ReadFile(path)
			want[strings.TrimPrefix(path, d.root+"/")] = string(text)
		}
		return nil
	})
	files := workspace.FS(context.Background(), ws)
	fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := fs.ReadFile(files, path)
			got[path] = string(text)
		}
		return err
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("files (- disk, + workspace):\n%s", diff)
	}
}

// A disk does what the documentation says with a folder of real files. Folders without
// files are removed, because a workspace has none.
type disk struct{ root string }

// errOther is an error for which the documentation has no text.
var errOther = errors.New("other")

func (d disk) at(path string) string { return d.root + strings.TrimPrefix(path, "/memories") }

func (d disk) run(c memoryCommand) (string, error) {
	info, err := os.Stat(d.at(c.path))
	isFile, isDir := err == nil && !info.IsDir(), err == nil && info.IsDir()
	defer d.prune()
	switch c.name {
	case "view":
		if isDir {
			return d.viewDir(c)
		}
		return d.viewFile(c)
	case "create":
		switch {
		case c.path == "/memories" || d.belowFile(c.path):
			return "", errOther
		case isFile || isDir:
			return "", fmt.Errorf("Error: File %s already exists", c.path)
		}
		os.MkdirAll(filepath.Dir(d.at(c.path)), 0o700)
		return "File created successfully at: " + c.path, os.WriteFile(d.at(c.path), []byte(c.text), 0o600)
	case "str_replace":
		if c.old == "" {
			return "", errOther
		}
		if !isFile {
			return "", fmt.Errorf("Error: The path %s does not exist. Please provide a valid path.", c.path)
		}
		return d.replace(c)
	case "insert":
		if !isFile {
			return "", fmt.Errorf("Error: The path %s does not exist", c.path)
		}
		return d.insert(c)
	case "delete":
		switch {
		case c.path == "/memories":
			return "", errOther
		case !isFile && !isDir:
			return "", fmt.Errorf("Error: The path %s does not exist", c.path)
		}
		return "Successfully deleted " + c.path, os.RemoveAll(d.at(c.path))
	}
	return d.rename(c, isFile || isDir)
}

func (d disk) rename(c memoryCommand, exists bool) (string, error) {
	_, err := os.Stat(d.at(c.to))
	switch {
	case c.path == "/memories":
		return "", errOther
	case c.to == "/memories":
		return "", fmt.Errorf("Error: The destination %s already exists", c.to)
	case strings.HasPrefix(c.to, c.path+"/"):
		return "", errOther
	case err == nil:
		return "", fmt.Errorf("Error: The destination %s already exists", c.to)
	case d.belowFile(c.to):
		return "", errOther
	case !exists:
		return "", fmt.Errorf("Error: The path %s does not exist", c.path)
	}
	os.MkdirAll(filepath.Dir(d.at(c.to)), 0o700)
	return "Successfully renamed " + c.path + " to " + c.to, os.Rename(d.at(c.path), d.at(c.to))
}

// belowFile reports whether a folder on the way to a path is a file.
func (d disk) belowFile(path string) bool {
	for dir := filepath.Dir(path); len(dir) > len("/memories"); dir = filepath.Dir(dir) {
		if info, err := os.Stat(d.at(dir)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

func (d disk) prune() {
	var dirs []string
	filepath.WalkDir(d.root, func(path string, e fs.DirEntry, _ error) error {
		if e.IsDir() && path != d.root {
			dirs = append(dirs, path)
		}
		return nil
	})
	slices.Reverse(dirs)
	for _, dir := range dirs {
		os.Remove(dir) // fails unless it is empty
	}
}

// chosen returns the chosen lines, with the number of the first.
func chosen(all []string, viewRange []int) ([]string, int, error) {
	if viewRange == nil {
		return all, 1, nil
	}
	first, last := viewRange[0], viewRange[1]
	if first < 1 {
		first = 1
	}
	if last == -1 || last > len(all) {
		last = len(all)
	}
	if first > last {
		return nil, 0, errOther
	}
	return all[first-1 : last], first, nil
}

func (d disk) viewFile(c memoryCommand) (string, error) {
	text, err := os.ReadFile(d.at(c.path))
	if err != nil {
		return "", fmt.Errorf("The path %s does not exist. Please provide a valid path.", c.path)
	}
	some, first, err := chosen(strings.Split(string(text), "\n"), c.viewRange)
	if err != nil {
		return "", err
	}
	out := "Here's the content of " + c.path + " with line numbers:"
	for i, line := range some {
		out += fmt.Sprintf("\n%6d\t%s", first+i, line)
	}
	return out, nil
}

func (d disk) viewDir(c memoryCommand) (string, error) {
	list := []string{d.du(c.path) + "\t" + c.path}
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		items, _ := os.ReadDir(d.at(dir))
		sort.Slice(items, func(i, j int) bool { return items[i].Name() < items[j].Name() })
		for _, item := range items {
			if strings.HasPrefix(item.Name(), ".") || item.Name() == "node_modules" {
				continue
			}
			path := dir + "/" + item.Name()
			if !item.IsDir() {
				list = append(list, d.du(path)+"\t"+path)
				continue
			}
			list = append(list, d.du(path)+"\t"+path+"/")
			if depth < 2 {
				walk(path, depth+1)
			}
		}
	}
	walk(c.path, 1)
	some, _, err := chosen(list, c.viewRange)
	header := "Here're the files and directories up to 2 levels deep in " + c.path + ", excluding hidden items and node_modules:\n"
	return header + strings.Join(some, "\n"), err
}

// du returns the size of all files at a path or below it.
func (d disk) du(path string) string {
	total := int64(0)
	filepath.WalkDir(d.at(path), func(_ string, e fs.DirEntry, _ error) error {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			total += info.Size()
		}
		return nil
	})
	if total < 1<<10 {
		return fmt.Sprintf("%dB", total)
	}
	return fmt.Sprintf("%.1fK", float64(total)/(1<<10))
}

func (d disk) replace(c memoryCommand) (string, error) {
	raw, _ := os.ReadFile(d.at(c.path))
	text := string(raw)
	if !strings.Contains(text, c.old) {
		return "", fmt.Errorf("No replacement was performed, old_str `%s` did not appear verbatim in %s.", c.old, c.path)
	}
	parts := strings.Split(text, c.old)
	if len(parts) > 2 {
		var lines []string
		for i := 1; i < len(parts); i++ {
			n := fmt.Sprint(len(strings.Split(strings.Join(parts[:i], c.old), "\n")))
			if !slices.Contains(lines, n) {
				lines = append(lines, n)
			}
		}
		return "", fmt.Errorf("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", c.old, strings.Join(lines, ", "))
	}
	after := parts[0] + c.new + parts[1]
	at := len(strings.Split(parts[0], "\n")) - 1
	lines := strings.Split(after, "\n")
	out := "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
	for i := max(0, at-2); i < min(len(lines), at+3); i++ {
		out += fmt.Sprintf("\n%6d\t%s", i+1, lines[i])
	}
	return out, os.WriteFile(d.at(c.path), []byte(after), 0o600)
}

func (d disk) insert(c memoryCommand) (string, error) {
	raw, _ := os.ReadFile(d.at(c.path))
	lines := strings.Split(string(raw), "\n")
	if c.line < 0 || c.line > len(lines) {
		return "", fmt.Errorf("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", c.line, len(lines))
	}
	lines = slices.Insert(lines, c.line, strings.TrimSuffix(c.text, "\n"))
	return "The file " + c.path + " has been edited.", os.WriteFile(d.at(c.path), []byte(strings.Join(lines, "\n")), 0o600)
}
