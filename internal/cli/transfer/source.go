package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Source is another program that keeps a memory in files.
type Source struct {
	Name     string   // such as "claude-code"
	variable string   // of the environment, names what stands for home
	home     string   // a folder below the user's; "": the project's
	in       string   // where the files are in that folder; $PROJECT is the project's name there
	only     []string // names of the files; nil: all that end in .md
	isGraph  bool     // the memory is one file, a graph
}

var sources = []Source{
	{Name: "claude-code", variable: "CLAUDE_CONFIG_DIR", home: ".claude", in: "projects/$PROJECT/memory"},
	{Name: "codex", variable: "CODEX_HOME", home: ".codex", in: "memories",
		only: []string{"MEMORY.md", "memory_summary.md"}},
	{Name: "cline", in: "memory-bank"},
	{Name: "serena", in: ".serena/memories"},
	{Name: "basic-memory", variable: "BASIC_MEMORY_HOME", home: "basic-memory"},
	{Name: "mcp-memory", variable: "MEMORY_FILE_PATH", isGraph: true},
}

// SourceNames returns the names of all sources.
func SourceNames() []string {
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	return names
}

// FindSource returns the source of a name, and whether there is one.
func FindSource(name string) (Source, bool) {
	for _, s := range sources {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// Surroundings say where the memory of a source may be. All paths are absolute and have no links.
type Surroundings struct {
	Home    string                   // the user's; "": there is none
	Project string                   // the top folder of the project
	Main    string                   // the same of its main worktree
	Getenv  func(name string) string // a variable of the environment, "" if it is not set
}

// A Place is where a source keeps its memory. No link is followed in In and below. Folder may
// come from links, because it is the user's own choice.
type Place struct {
	Folder string
	In     string // a folder in Folder, or a file if the memory is one; "." is Folder itself

	origin string // what tells memories of a source apart; "": Path
}

// Path returns the path of the memory.
func (p Place) Path() string { return filepath.Join(p.Folder, p.In) }

// Usual returns where a source keeps its memory if nobody says it.
// Errors: [workspace.ErrNotFound], and [workspace.ErrInvalid] if there are several.
func (s Source) Usual(around Surroundings) (Place, error) {
	in := strings.ReplaceAll(s.in, "$PROJECT", slug(around.Main))
	folder := around.Getenv(s.variable)
	switch {
	case s.isGraph && folder == "":
		return s.usualGraph(around)
	case s.isGraph:
		return s.Named(folder)
	case s.variable == "":
		return Place{around.Project, in, filepath.Join(around.Main, in)}, nil // of all worktrees
	case folder == "" && around.Home == "":
		return Place{}, s.notFound("the user's folder")
	case folder == "":
		folder = filepath.Join(around.Home, s.home)
	}
	return s.Named(filepath.Join(folder, in))
}

// Named returns the place of a memory that somebody names: a folder, or for a graph also its file.
// Errors: [workspace.ErrNotFound].
func (s Source) Named(name string) (Place, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return Place{}, err
	}
	real, err := filepath.EvalSymlinks(name)
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(real)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Place{}, s.notFound(name)
	case err != nil:
		return Place{}, err
	case !s.isGraph:
		return Place{Folder: real, In: "."}, nil
	case info.IsDir():
		return Place{Folder: real, In: graphName}, nil
	}
	return Place{Folder: filepath.Dir(real), In: filepath.Base(real)}, nil
}

func (s Source) notFound(where string) error {
	what := "folder"
	if s.isGraph {
		what = "file"
	}
	return workspace.Errorf(workspace.ErrNotFound, "there is no memory of %s in %s; name the %s: scratchpad import "+
		"--from %s %s", s.Name, where, what, s.Name, strings.ToUpper(what))
}

const graphName = "memory.jsonl"

// usualGraph finds the graph that the server has written beside its own program, which npx has
// put into the cache of npm.
func (s Source) usualGraph(around Surroundings) (Place, error) {
	cache := around.Getenv("npm_config_cache")
	if cache == "" && runtime.GOOS == "windows" {
		cache = filepath.Join(around.Getenv("LOCALAPPDATA"), "npm-cache")
	} else if cache == "" {
		cache = filepath.Join(around.Home, ".npm")
	}
	var graphs []string
	if filepath.IsAbs(cache) {
		const pattern = "_npx/*/node_modules/@modelcontextprotocol/server-memory/dist/" + graphName
		graphs, _ = fs.Glob(os.DirFS(cache), pattern)
	}
	switch len(graphs) {
	case 0:
		return Place{}, s.notFound("the cache of npm, and MEMORY_FILE_PATH is not set")
	case 1:
		return s.Named(filepath.Join(cache, graphs[0]))
	}
	return Place{}, workspace.Errorf(workspace.ErrInvalid, "%s keeps %d memories in %s, such as %s and %s; name one: "+
		"scratchpad import --from %s FILE", s.Name, len(graphs), cache, graphs[0], graphs[1], s.Name)
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// slug returns the name that Claude Code gives to a project: its path with a dash for each unit
// of UTF-16 that is no letter or digit of ASCII. A long name is cut, and ends in a hash.
func slug(path string) string {
	const most = 200
	var name []byte
	var hash int32
	for _, unit := range utf16.Encode([]rune(path)) {
		hash = hash*31 + int32(unit)
		if !strings.ContainsRune(alphanumeric, rune(unit)) {
			unit = '-'
		}
		name = append(name, byte(unit))
	}
	if len(name) <= most {
		return string(name)
	}
	size := max(int64(hash), -int64(hash))
	return string(name[:most]) + "-" + strconv.FormatInt(size, 36)
}
