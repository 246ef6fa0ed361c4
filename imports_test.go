package scratchpad_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/agent-scratchpad/scratchpad"

// allowed says for each package of the module which packages outside of the
// standard library its files may import, tests aside. Imports point one way:
//
//	cmd -> mcpserver, summarize -> workspace -> workspace/store
//	    -> pad, conversation, linediff -> tokens
//
// and a backend knows the workspace, its store and its driver alone. A path that ends in "/..."
// stands for all below it.
var allowed = map[string][]string{
	"tokens":                             {},
	"tokens/o200k":                       {"github.com/tiktoken-go/tokenizer/..."},
	"linediff":                           {},
	".":                                  {},
	"pad":                                {"tokens", "pad/internal/trie", "github.com/tidwall/btree"},
	"pad/internal/trie":                  {},
	"console/internal/diff":              {"linediff"},
	"console/internal/markdown":          {"console/internal/text", "github.com/yuin/goldmark/..."},
	"console/internal/text":              {},
	"conversation":                       {"tokens", "conversation/internal/check", "conversation/internal/clip", "conversation/internal/evidence", "conversation/internal/recordfile"},
	"conversation/internal/check":        {"conversation/internal/clip"},
	"conversation/internal/clip":         {},
	"conversation/internal/evidence":     {"tokens"},
	"conversation/internal/member":       {},
	"conversation/internal/recordfile":   {"conversation/internal/clip"},
	"workspace":                          {"internal/admission", "pad", "conversation", "linediff", "tokens", "workspace/store", "workspace/inspect", "workspace/internal/...", "internal/records"},
	"workspace/inspect":                  {"workspace/store"},
	"workspace/store":                    {"workspace/internal/names"},
	"workspace/internal/changes":         {"linediff", "workspace/inspect", "workspace/internal/fault", "workspace/internal/fit", "workspace/internal/verify", "workspace/store"},
	"workspace/internal/fault":           {"workspace/store"},
	"workspace/internal/filetree":        {"workspace/internal/fault", "workspace/internal/names", "workspace/store"},
	"workspace/internal/fit":             {"linediff", "tokens", "internal/unified"},
	"workspace/internal/names":           {"golang.org/x/text/unicode/norm"},
	"workspace/internal/marks":           {"internal/records", "workspace/store"},
	"workspace/internal/floors":          {"internal/records", "workspace/store"},
	"workspace/internal/profiles":        {"workspace/inspect", "workspace/internal/fault", "internal/records", "internal/admission", "workspace/store"},
	"workspace/internal/projects":        {"internal/records", "workspace/store"},
	"internal/records":                   {"workspace/store"},
	"workspace/internal/search":          {"internal/markdown", "tokens", "workspace/internal/fit", "workspace/internal/verify", "workspace/store", "golang.org/x/text/unicode/norm"},
	"workspace/internal/summaries":       {"tokens", "workspace/inspect", "workspace/internal/fault", "workspace/internal/verify", "workspace/store", "internal/records"},
	"workspace/internal/verify":          {"workspace/internal/fault", "workspace/store"},
	"workspace/internal/wake":            {},
	"workspace/memstore":                 {"workspace/store", "workspace/dump"},
	"workspace/storetest":                {"workspace/store", "workspace/storetest/internal/...", "internal/testkit", "github.com/google/go-cmp/...", "pgregory.net/rapid", "workspace/dump"},
	"conversation/internal/prompt":       {"conversation"},
	"conversation/anthropicmsg":          {"conversation", "conversation/internal/clip", "conversation/internal/member", "conversation/internal/prompt", "tokens", "github.com/anthropics/anthropic-sdk-go/..."},
	"memorytool":                         {"internal/memorycommand", "workspace", "github.com/anthropics/anthropic-sdk-go/v2"},
	"conversation/openaimsg":             {"conversation", "conversation/internal/clip", "conversation/internal/member", "conversation/internal/prompt", "tokens", "github.com/openai/openai-go/..."},
	"outline":                            {"internal/markdown", "tokens"},
	"internal/markdown":                  {},
	"summarize":                          {"workspace", "outline", "tokens"},
	"internal/testkit":                   {},
	"internal/golden":                    {"github.com/google/go-cmp/cmp"},
	"internal/access":                    {"internal/auth", "internal/lru", "workspace"},
	"internal/auth":                      {"internal/lru", "workspace", "internal/records", "golang.org/x/sync/singleflight"},
	"internal/brief":                     {"workspace", "tokens", "internal/phrase"},
	"internal/oauth":                     {"internal/auth", "workspace", "github.com/go-jose/go-jose/v4/...", "golang.org/x/sync/singleflight", "golang.org/x/time/rate"},
	"internal/change":                    {"internal/phrase", "internal/terminal", "workspace", "github.com/fatih/color"},
	"internal/clientconfig":              {"internal/host", "github.com/pelletier/go-toml/v2/...", "github.com/tailscale/hujson", "golang.org/x/sys/..."},
	"internal/complete":                  {"internal/auth", "internal/host", "sqlite", "workspace", "github.com/alecthomas/kong", "internal/database"},
	"internal/database":                  {"internal/failure", "internal/host", "sqlite", "workspace", "workspace/memstore", "internal/pgurl", "postgres", "internal/migrate"},
	"internal/demo":                      {"tokens", "github.com/fatih/color", "github.com/modelcontextprotocol/go-sdk/..."},
	"internal/failure":                   {"internal/pgurl", "internal/clientconfig", "internal/health", "internal/native", "internal/terminal", "workspace", "internal/kind", "internal/flags"},
	"internal/health":                    {},
	"internal/hostile":                   {},
	"internal/importrecord":              {"internal/phrase", "internal/terminal", "internal/transfer"},
	"internal/intruder":                  {},
	"internal/host":                      {"golang.org/x/sys/..."},
	"internal/httpserver":                {"internal/admission", "internal/backtrace", "internal/apierror", "internal/auth", "internal/lru", "internal/native", "internal/strictjson", "workspace", "golang.org/x/net/netutil", "golang.org/x/time/rate", "internal/kind"},
	"internal/lru":                       {},
	"internal/backtrace":                 {},
	"internal/native":                    {"golang.org/x/sys/..."},
	"internal/signin":                    {"console", "internal/access", "internal/auth", "workspace"},
	"internal/setup":                     {"internal/clientconfig", "internal/host", "internal/native", "internal/phrase", "internal/terminal", "github.com/modelcontextprotocol/go-sdk/..."},
	"internal/doctor":                    {"internal/database", "internal/host", "internal/native", "internal/phrase", "internal/terminal", "sqlite", "workspace", "github.com/fatih/color", "postgres", "internal/migrate"},
	"internal/flags":                     {"internal/auth", "internal/host", "sqlite", "summarize", "workspace", "github.com/alecthomas/kong", "postgres"},
	"internal/kind":                      {"workspace/store"},
	"internal/keyrecord":                 {"internal/auth", "internal/phrase", "internal/terminal"},
	"internal/linebatch":                 {"workspace"},
	"internal/pgtest":                    {"internal/testkit", "github.com/jackc/pgx/v5/..."},
	"internal/migrate":                   {"workspace", "workspace/dump", "workspace/store"},
	"internal/pgurl":                     {},
	"internal/phrase":                    {},
	"internal/terminal":                  {"github.com/fatih/color", "golang.org/x/term", "internal/phrase"},
	"internal/telemetry":                 {"internal/auth", "internal/httpserver", "internal/memorystores", "mcpserver", "sqlite", "workspace", "postgres", "workspace/store", "github.com/prometheus/client_golang/...", "go.opentelemetry.io/otel/...", "github.com/go-logr/logr", "internal/kind"},
	"internal/transfer":                  {"workspace", "golang.org/x/text/unicode/norm"},
	"internal/unified":                   {"linediff"},
	"internal/usage":                     {"internal/auth", "workspace", "internal/terminal"},
	"internal/notice":                    {},
	"internal/providertest":              {"conversation"},
	"mcpserver/internal/session":         {},
	"internal/strictjson":                {},
	"postgres":                           {"internal/probe", "postgres/internal/...", "workspace/dump", "workspace/store", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn", "github.com/jackc/pgx/v5/pgxpool", "internal/receipt"},
	"postgres/internal/wire":             {"github.com/jackc/pgx/v5/pgconn"},
	"sqlite":                             {"internal/probe", "sqlite/internal/...", "workspace/store", "workspace/dump"},
	"sqlite/internal/ddl":                {"workspace/store"},
	"sqlite/internal/engine":             {"sqlite/internal/row", "workspace/store", "modernc.org/libc", "modernc.org/sqlite/lib"},
	"internal/probe":                     {"workspace/store", "golang.org/x/sync/singleflight"},
	"sqlite/internal/row":                {"workspace/store", "internal/receipt"},
	"sqlite/internal/dbfile":             {"workspace/store", "golang.org/x/sys/..."},
	"mcpserver":                          {"internal/backtrace", "workspace", "linediff", "tokens", "github.com/modelcontextprotocol/go-sdk/...", "internal/admission", "internal/strictjson", "mcpserver/internal/...", "internal/memorycommand", "internal/kind"},
	"cmd/scratchpad":                     {"mcpserver", "internal/access", "internal/auth", "internal/httpserver", "internal/oauth", "internal/telemetry", "internal/complete", "internal/memorystores", "internal/brief", "internal/clientconfig", "internal/demo", "internal/doctor", "internal/flags", "internal/migrate", "internal/host", "internal/linebatch", "internal/native", "internal/phrase", "internal/terminal", "internal/unified", "summarize", "workspace", "workspace/memstore", "sqlite", "linediff", "tokens", "internal/setup", "internal/transfer", "golang.org/x/sync/errgroup", "internal/change", "internal/health", "internal/keyrecord", "internal/database", "internal/failure", "internal/importrecord", "internal/usage", "github.com/alecthomas/kong", "github.com/fatih/color", "golang.org/x/term", "github.com/modelcontextprotocol/go-sdk/...", "golang.org/x/sys/...", "internal/pgurl", "postgres", "console", "internal/signin", "golang.org/x/sync/singleflight", "internal/backtrace"},
	"workspace/storetest/internal/plain": {"workspace/store"},
	"workspace/storetest/internal/rerun": {"workspace/store"},
	"deploy/release":                     {},
	"workspace/dump":                     {"workspace/store"},
	"console":                            {"internal/backtrace", "workspace", "linediff", "internal/admission", "console/internal/...", "internal/kind", "internal/phrase"},
	"internal/admission":                 {},
	"internal/apierror":                  {},
	"internal/memorystores":              {"internal/access", "internal/apierror", "internal/auth", "internal/admission", "internal/strictjson", "workspace", "internal/kind"},
	"internal/memorycommand":             {"internal/backtrace", "internal/strictjson", "workspace"},
	"internal/receipt":                   {"workspace/store"},
}

func TestImports(t *testing.T) {
	for file, imports := range goFiles(t) {
		dir := path.Dir(file)
		allow, known := allowed[dir]
		if !known {
			t.Errorf("%s: package %s is not in the list of this test", file, dir)
			continue
		}
		for _, name := range imports {
			if !isAllowed(name, allow) {
				t.Errorf("%s imports %s, which %s may not", file, name, dir)
			}
		}
	}
}

// The check must be able to fail.
func TestImportsFindsWhatIsForbidden(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		want      bool
	}{
		{"linediff", "bytes", true},
		{"linediff", module + "/workspace", false},
		{"tokens", "github.com/tiktoken-go/tokenizer", false},
		{"tokens/o200k", "github.com/tiktoken-go/tokenizer", true},
		{"workspace", module + "/sqlite", false},
		{"workspace/store", module + "/workspace", false},
		{"workspace", module + "/pad", true},
		{"pad", module + "/workspace", false},
		{"sqlite", module + "/mcpserver", false},
		{"cmd/scratchpad", module + "/tokens/o200k", false},
		{"sqlite", module + "/tokens", false},
		{"sqlite/internal/dbfile", "golang.org/x/sys/unix", true},
	} {
		if got := isAllowed(c.name, allowed[c.dir]); got != c.want {
			t.Errorf("%s imports %s: allowed %v, want %v", c.dir, c.name, got, c.want)
		}
	}
}

func isAllowed(name string, allow []string) bool {
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	for _, a := range allow {
		if first, _, _ := strings.Cut(a, "/"); !strings.Contains(first, ".") {
			a = path.Join(module, a)
		}
		below, all := strings.CutSuffix(a, "/...")
		if name == a || all && (name == below || strings.HasPrefix(name, below+"/")) {
			return true
		}
	}
	return false
}

// goFiles returns the imports of every file of the module that is no test.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasOwnModule(name)) {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		files[name] = nil
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			files[name] = append(files[name], imported)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("reading the module: %v, %d files", err, len(files))
	}
	return files
}

func hasOwnModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
