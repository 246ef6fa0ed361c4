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
	in       string   // a pattern for the memory in that folder; $PROJECT is the project's name there
	only     []string // names of the files; nil: all that end in .md
	graph    string   // the memory is one file, a graph: the variable that names it
}

var sources = []Source{
	{Name: "claude-code", variable: "CLAUDE_CONFIG_DIR", home: ".claude", in: "projects/$PROJECT/memory"},
	{Name: "codex", variable: "CODEX_HOME", home: ".codex", in: "memories",
		only: []string{"MEMORY.md", "memory_summary.md"}},
	{Name: "cline", in: "memory-bank"},
	{Name: "serena", in: ".serena/memories"},
	{Name: "basic-memory", variable: "BASIC_MEMORY_HOME", home: "basic-memory", in: "."},
	{Name: "mcp-memory", variable: "npm_config_cache", home: npmCache(), graph: "MEMORY_FILE_PATH",
		in: "_npx/*/node_modules/@modelcontextprotocol/server-memory/dist/" + graphName}, // beside its program
}

const graphName = "memory.jsonl"

// npmCache returns where npm keeps what npx runs.
func npmCache() string {
	if runtime.GOOS == "windows" {
		return "AppData/Local/npm-cache"
	}
	return ".npm"
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
	if graph := around.Getenv(s.graph); graph != "" {
		return s.Named(graph)
	}
	if s.home == "" {
		return Place{around.Project, s.in, filepath.Join(around.Main, s.in)}, nil // of all worktrees
	}
	folder := around.Getenv(s.variable)
	if folder == "" && around.Home == "" {
		return Place{}, s.notFound("the user's folder")
	} else if folder == "" {
		folder = filepath.Join(around.Home, s.home)
	}
	in := strings.ReplaceAll(s.in, "$PROJECT", slug(around.Main))
	all, _ := fs.Glob(os.DirFS(folder), in)
	switch len(all) {
	case 0:
		return Place{}, s.notFound(filepath.Join(folder, in))
	case 1:
		return s.Named(filepath.Join(folder, all[0]))
	}
	return Place{}, workspace.Errorf(workspace.ErrInvalid, "%s keeps %d memories in %s, such as %s and %s; name one: "+
		"scratchpad import --from %s FILE", s.Name, len(all), folder, all[0], all[1], s.Name)
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
	case s.graph == "":
		return Place{Folder: real, In: "."}, nil
	case info.IsDir():
		return Place{Folder: real, In: graphName}, nil
	}
	return Place{Folder: filepath.Dir(real), In: filepath.Base(real)}, nil
}

func (s Source) notFound(where string) error {
	what := "folder"
	if s.graph != "" {
		what = "file"
	}
	return workspace.Errorf(workspace.ErrNotFound, "there is no memory of %s in %s; name the %s: scratchpad import "+
		"--from %s %s", s.Name, where, what, s.Name, strings.ToUpper(what))
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
