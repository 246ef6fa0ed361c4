package memory

import (
	"encoding/json"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An answer is what a command of the memory tool returns.
type answer struct {
	Text    string
	IsError bool
	Code    string // of an error of the operating system, whose text is Node's
}

// A pair is the tool of the SDK for TypeScript over a folder, and that of Scratchpad.
type pair struct {
	*testing.T
	root string // the folder
	in   io.Writer
	out  *json.Decoder
	ws   *workspace.Workspace
	rand *rand.Rand
	held map[string]string // the files of both before the next command, by path
}

// TestTool gives the same commands to the memory tool of the SDK for TypeScript, which
// works in a folder, and to that of Scratchpad. The answers are the same and so are the
// files, but for what these functions name: [pair.faulty], [pair.run] and [same].
func TestTool(t *testing.T) {
	t.Parallel()
	seed := testkit.Pick(1, 1, rand.Uint64())
	t.Logf("seed %d", seed)
	p := newPair(t, rand.New(rand.NewPCG(seed, 0)))
	for i := range 500 {
		command := p.generate()
		var theirs, ours answer
		if p.faulty(command) {
			ours = p.ours(command)
			theirs = p.mended(command)
		} else {
			theirs, ours = p.theirs(command), p.ours(command)
			p.compare(command, theirs, ours)
		}
		p.prune(p.root)
		p.held = p.folder()
		if diff := cmp.Diff(p.held, p.files()); diff != "" || theirs.IsError != ours.IsError {
			p.Fatalf("command %d, %v: %+v there, %+v here; files (-there +here)\n%s", i, command, theirs, ours, diff)
		}
	}
}

func newPair(t *testing.T, r *rand.Rand) *pair {
	t.Helper()
	dir := t.TempDir()
	p := &pair{T: t, root: filepath.Join(dir, "folder", "memories"), rand: r}
	p.in, p.out = startNode(t, "tool.mjs", filepath.Dir(p.root))
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "test.db"), sqlite.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { store.Close() })
	svc, err := workspace.New(store, workspace.Options{})
	if err == nil {
		p.ws, err = svc.Agent("a")
	}
	testkit.Must(t, err)
	view := m{"command": "view", "path": "/memories"}
	p.compare(view, p.theirs(view), p.ours(view)) // now the folder is there
	return p
}

func (p *pair) theirs(command m) (a answer) {
	p.Helper()
	testkit.Must(p, json.NewEncoder(p.in).Encode(command))
	testkit.Must(p, p.out.Decode(&a))
	return a
}

func (p *pair) ours(command m) (a answer) {
	p.Helper()
	text, err := json.Marshal(command)
	testkit.Must(p, err)
	a.Text, a.IsError = memorycommand.Run(p.Context(), p.ws, text, memorycommand.Options{})
	return a
}

// faulty reports whether the SDK's tool is known to do a command wrongly. It does not find
// an old_str of several lines, replaces the first of two in one line, and writes "undefined"
// if there is no new_str.
func (p *pair) faulty(command m) bool {
	if command["command"] != "str_replace" {
		return false
	}
	old, _ := command["old_str"].(string)
	if _, ok := command["new_str"]; !ok || strings.Contains(old, "\n") {
		return true
	}
	for line := range strings.SplitSeq(p.held[path(command["path"])], "\n") {
		if strings.Count(line, old) > 1 {
			return true
		}
	}
	return false
}

// mended does what the SDK's tool should do, in its folder.
func (p *pair) mended(command m) answer {
	p.Helper()
	old, _ := command["old_str"].(string)
	new, _ := command["new_str"].(string)
	content, ok := p.held[path(command["path"])]
	if !ok || strings.Count(content, old) != 1 {
		return answer{IsError: true}
	}
	testkit.Must(p, os.WriteFile(filepath.Join(p.root, path(command["path"])), []byte(strings.Replace(content, old, new, 1)), 0o600))
	return answer{}
}

// path returns the path of a command below the root.
func path(given any) string { return strings.TrimPrefix(given.(string), "/memories/") }

// compare compares answers. The documentation begins errors with "Error: " where the SDK
// does not. It has no text for an error of the operating system, says that a folder does
// not exist as a file, and is shorter for insert. A rename that is wrong in two ways has
// either error.
func (p *pair) compare(command m, theirs, ours answer) {
	p.Helper()
	if command["command"] == "view" {
		theirs.Text, ours.Text = sizes(theirs.Text), sizes(ours.Text)
	}
	ours.Text = strings.TrimPrefix(ours.Text, "Error: ")
	switch {
	case theirs.IsError && ours.IsError && (theirs.Code != "" || strings.HasSuffix(theirs.Text, " is not a file.")):
		return
	case theirs.IsError && ours.IsError && command["command"] == "insert" && theirs.Text == ours.Text+". Please provide a valid path.":
		return
	case theirs.IsError && ours.IsError && command["command"] == "rename" && strings.HasSuffix(theirs.Text, "already exists") &&
		(strings.HasSuffix(ours.Text, "does not exist") || strings.Contains(ours.Text, "lies in old_path")):
		return // both are true
	}
	if theirs.IsError != ours.IsError || theirs.Text != ours.Text {
		p.Fatalf("%v:\n%+v there\n%+v here", command, theirs, ours)
	}
}

var wholeSize = regexp.MustCompile(`^(\d+)([KMG]\t)`)

// sizes makes the sizes in a view of a folder the same: those of folders are the file
// system's in the SDK, and it writes 4K for the documentation's 4.0K.
func sizes(text string) string {
	if !strings.HasPrefix(text, "Here're") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		if _, path, _ := strings.Cut(line, "\t"); i == 0 || strings.HasSuffix(path, "/") {
			line = path
		}
		lines[1+i] = wholeSize.ReplaceAllString(line, "$1.0$2")
	}
	return strings.Join(lines, "\n")
}

// folder returns the files of the SDK's tool, by path.
func (p *pair) folder() map[string]string {
	p.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(p.root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[filepath.ToSlash(strings.TrimPrefix(name, p.root+string(filepath.Separator)))] = testkit.ReadFile(p.T, name)
		}
		return err
	})
	testkit.Must(p, err)
	return files
}

// files returns the files of the workspace, by path.
func (p *pair) files() map[string]string {
	p.Helper()
	files := map[string]string{}
	page, err := p.ws.ListFiles(p.Context(), workspace.ListOptions{})
	for _, f := range page.Files {
		var got workspace.ReadResult
		if got, err = p.ws.ReadFile(p.Context(), f.Path, workspace.ReadOptions{}); err != nil {
			break
		}
		files[f.Path] = string(got.Content)
	}
	if err != nil || page.More {
		p.Fatalf("the files of the workspace: %v, more: %v", err, page.More)
	}
	return files
}

// prune removes empty folders, which a workspace does not have.
func (p *pair) prune(dir string) (empty bool) {
	p.Helper()
	entries, err := os.ReadDir(dir)
	testkit.Must(p, err)
	left := len(entries)
	for _, e := range entries {
		if e.IsDir() && p.prune(filepath.Join(dir, e.Name())) {
			left--
		}
	}
	if left == 0 && dir != p.root {
		testkit.Must(p, os.Remove(dir))
	}
	return left == 0
}

var (
	segments = []string{"a", "b", "a.md", ".hidden", "node_modules", "notes-1.txt"}
	pieces   = []string{"one", "two", "\n", "\n", " ", "é", "\t", "a b", "\r\n", "%s", "`x`", "$&", "日本"}
)

// generate returns a command. Most of them work.
func (p *pair) generate() m {
	pick := func(list []string) string { return list[p.rand.IntN(len(list))] }
	some := func() string {
		path := "/memories"
		for range 1 + p.rand.IntN(3) {
			path += "/" + pick(segments)
		}
		return path
	}
	text := func() (s string) {
		for range p.rand.IntN(8) {
			s += pick(pieces)
		}
		return s
	}
	files := slices.Sorted(func(yield func(string) bool) {
		for path := range p.held {
			if !yield("/memories/" + path) {
				return
			}
		}
	})
	known := func() string {
		if len(files) == 0 || p.rand.IntN(5) == 0 {
			return some()
		}
		return pick(files)
	}
	content := func(path string) string { return p.held[strings.TrimPrefix(path, "/memories/")] }
	if len(files) > 12 {
		return m{"command": "delete", "path": pick([]string{known(), filepath.ToSlash(filepath.Dir(pick(files)))})}
	}
	switch p.rand.IntN(12) {
	case 0, 1:
		return m{"command": "create", "path": some(), "file_text": text() + strings.Repeat(text(), max(1, p.rand.IntN(60)-40))}
	case 2, 3:
		path := known()
		return p.replacement(path, content(path), text())
	case 4, 5:
		path := known()
		lines := strings.Count(content(path), "\n") + 1
		return m{"command": "insert", "path": path, "insert_line": p.rand.IntN(lines+3) - 1, "insert_text": text()}
	case 6:
		return m{"command": "delete", "path": pick([]string{known(), some(), "/memories"})}
	case 7, 8:
		return m{"command": "rename", "old_path": pick([]string{known(), known(), known(), some(), "/memories"}), "new_path": pick([]string{some() + "-2", some() + "/new", some(), known(), "/memories"})}
	case 9:
		path := known()
		lines := strings.Count(content(path), "\n") + 1
		from := 1 + p.rand.IntN(lines)
		if content(path) == "" && !slices.Contains(files, path) { // a folder has no view_range there
			return m{"command": "view", "path": path}
		}
		return m{"command": "view", "path": path, "view_range": []int{from, pickInt(p.rand, -1, from, from+p.rand.IntN(lines))}}
	}
	return m{"command": "view", "path": pick([]string{"/memories", known(), some()})}
}

func pickInt(r *rand.Rand, list ...int) int { return list[r.IntN(len(list))] }

// replacement replaces a part of a content, which is there more or less often.
func (p *pair) replacement(path, content, text string) m {
	runes := []rune(content)
	from := p.rand.IntN(len(runes) + 1)
	old := string(runes[from:min(len(runes), from+1+p.rand.IntN(30))])
	if old == "" || p.rand.IntN(10) == 0 {
		old = "not there"
	}
	command := m{"command": "str_replace", "path": path, "old_str": old, "new_str": text}
	if p.rand.IntN(10) == 0 {
		delete(command, "new_str")
	}
	return command
}
