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

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const module = "github.com/agent-scratchpad/scratchpad"

// allowed says for each package of the module which packages outside of the
// standard library its files may import, tests aside. Imports point one way:
//
//	cmd -> internal/cli, internal/server -> mcpserver, console, summarize -> workspace -> workspace/store
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
	"console/internal/markdown":          {"console/internal/text", "internal/markdown", "github.com/yuin/goldmark/..."},
	"console/internal/text":              {},
	"conversation":                       {"tokens", "conversation/internal/clip", "conversation/internal/evidence", "conversation/internal/recordfile"},
	"conversation/internal/clip":         {},
	"conversation/internal/evidence":     {"tokens"},
	"conversation/internal/member":       {},
	"conversation/internal/recordfile":   {"conversation/internal/clip"},
	"workspace":                          {"internal/admission", "internal/lineends", "internal/condition", "internal/markdown", "pad", "conversation", "linediff", "tokens", "workspace/store", "workspace/internal/...", "internal/records"},
	"workspace/store":                    {"workspace/internal/names", "golang.org/x/sync/singleflight"},
	"workspace/internal/changes":         {"linediff", "workspace/internal/fault", "workspace/internal/fit", "workspace/store"},
	"workspace/internal/fault":           {"workspace/store"},
	"workspace/internal/filetree":        {"workspace/internal/fault", "workspace/internal/names", "workspace/store"},
	"workspace/internal/fit":             {"linediff", "tokens", "internal/unified"},
	"workspace/internal/names":           {"golang.org/x/text/unicode/norm"},
	"workspace/internal/registry":        {"workspace/internal/fault", "internal/records", "workspace/store"},
	"internal/records":                   {"workspace/store"},
	"workspace/internal/search":          {"internal/markdown", "tokens", "workspace/internal/fit", "workspace/store", "golang.org/x/sync/errgroup", "golang.org/x/text/cases", "golang.org/x/text/unicode/norm"},
	"workspace/internal/secrets":         {},
	"workspace/internal/summaries":       {"tokens", "workspace/internal/fault", "workspace/store", "internal/records"},
	"workspace/internal/wake":            {"workspace/store"},
	"workspace/memstore":                 {"workspace/store", "workspace/dump", "github.com/tidwall/btree"},
	"workspace/storetest":                {"workspace/store", "workspace/storetest/internal/...", "internal/testkit", "github.com/google/go-cmp/...", "pgregory.net/rapid", "workspace/dump"},
	"conversation/internal/prompt":       {"conversation"},
	"conversation/anthropicmsg":          {"conversation", "conversation/internal/clip", "conversation/internal/member", "conversation/internal/prompt", "tokens", "github.com/anthropics/anthropic-sdk-go/..."},
	"memorytool":                         {"internal/memorycommand", "workspace", "github.com/anthropics/anthropic-sdk-go/v2"},
	"conversation/openaimsg":             {"conversation", "conversation/internal/clip", "conversation/internal/member", "conversation/internal/prompt", "tokens", "github.com/openai/openai-go/..."},
	"outline":                            {"internal/markdown", "tokens"},
	"internal/lineends":                  {},
	"internal/markdown":                  {},
	"internal/condition":                 {"internal/strictjson"},
	"summarize":                          {"workspace", "workspace/store", "outline", "tokens"},
	"internal/testkit":                   {},
	"internal/testing/golden":            {"github.com/google/go-cmp/cmp"},
	"internal/server/access":             {"internal/server/auth", "internal/server/lru", "workspace"},
	"internal/server/auth":               {"internal/server/lru", "workspace", "workspace/store", "internal/records", "golang.org/x/sync/singleflight"},
	"internal/cli/brief":                 {"workspace", "tokens", "internal/phrase", "internal/cli/terminal"},
	"internal/server/oauth":              {"internal/server/auth", "workspace", "github.com/go-jose/go-jose/v4/...", "golang.org/x/sync/singleflight", "golang.org/x/time/rate"},
	"internal/cli/repository":            {},
	"internal/cli/project":               {"internal/cli/repository", "internal/records", "workspace"},
	"internal/cli/report":                {"internal/phrase", "internal/cli/terminal", "internal/cli/transfer", "internal/server/auth", "workspace", "github.com/fatih/color"},
	"internal/cli/clientconfig":          {"internal/native", "workspace/store", "github.com/pelletier/go-toml/v2/...", "github.com/tailscale/hujson"},
	"internal/cli/complete":              {"internal/server/auth", "internal/native", "sqlite", "workspace", "github.com/alecthomas/kong", "internal/cli/database"},
	"internal/cli/database":              {"internal/cli/failure", "internal/native", "sqlite", "workspace", "workspace/memstore", "internal/cli/pgurl", "postgres", "internal/cli/dbcopy"},
	"internal/cli/demo":                  {"tokens", "github.com/fatih/color", "github.com/modelcontextprotocol/go-sdk/..."},
	"internal/cli/failure":               {"internal/cli/pgurl", "internal/cli/clientconfig", "internal/observe/health", "internal/native", "internal/cli/terminal", "workspace", "workspace/store", "internal/errorkind", "internal/cli/flags"},
	"internal/observe/health":            {},
	"internal/testing/hostile":           {},
	"internal/testing/intruder":          {},
	"internal/server/httpserver":         {"internal/admission", "internal/observe/backtrace", "internal/server/apierror", "internal/server/auth", "internal/server/lru", "internal/native", "internal/strictjson", "workspace", "golang.org/x/net/netutil", "golang.org/x/time/rate", "internal/errorkind"},
	"internal/server/lru":                {},
	"internal/observe/backtrace":         {},
	"internal/native":                    {"golang.org/x/sys/..."},
	"internal/server/signin":             {"console", "internal/server/access", "internal/server/auth", "workspace"},
	"internal/cli/setup":                 {"internal/cli/clientconfig", "internal/native", "internal/phrase", "internal/cli/terminal", "workspace/store", "github.com/modelcontextprotocol/go-sdk/..."},
	"internal/cli/doctor":                {"internal/cli/database", "internal/native", "internal/phrase", "internal/cli/terminal", "sqlite", "workspace", "github.com/fatih/color", "postgres", "internal/cli/dbcopy"},
	"internal/cli/flags":                 {"internal/server/auth", "summarize", "workspace", "workspace/store", "postgres", "github.com/alecthomas/kong"},
	"internal/errorkind":                 {"workspace/store"},
	"internal/testing/pgtest":            {"internal/testkit", "github.com/jackc/pgx/v5/..."},
	"internal/cli/dbcopy":                {"internal/records", "workspace", "workspace/dump", "workspace/store"},
	"internal/cli/pgurl":                 {},
	"internal/phrase":                    {},
	"internal/cli/terminal":              {"github.com/fatih/color", "golang.org/x/term", "internal/phrase"},
	"internal/observe/telemetry":         {"internal/server/auth", "internal/server/httpserver", "internal/server/memorystores", "mcpserver", "sqlite", "workspace", "postgres", "workspace/store", "github.com/prometheus/client_golang/...", "go.opentelemetry.io/otel/...", "github.com/go-logr/logr", "internal/errorkind"},
	"internal/cli/transfer":              {"internal/strictjson", "workspace", "workspace/store", "golang.org/x/text/unicode/norm"},
	"internal/unified":                   {"linediff"},
	"internal/notice":                    {},
	"internal/testing/providertest":      {"conversation"},
	"mcpserver/internal/session":         {},
	"internal/strictjson":                {},
	"postgres":                           {"postgres/internal/...", "workspace/dump", "workspace/store", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn", "github.com/jackc/pgx/v5/pgxpool"},
	"postgres/internal/wire":             {"workspace/store", "github.com/jackc/pgx/v5/pgconn"},
	"sqlite":                             {"sqlite/internal/...", "workspace/store", "workspace/dump"},
	"sqlite/internal/engine":             {"sqlite/internal/row", "workspace/store", "modernc.org/libc", "modernc.org/sqlite/lib"},
	"sqlite/internal/row":                {"workspace/store"},
	"sqlite/internal/dbfile":             {"workspace/store", "golang.org/x/sys/..."},
	"mcpserver":                          {"internal/observe/backtrace", "workspace", "workspace/store", "linediff", "tokens", "github.com/modelcontextprotocol/go-sdk/...", "internal/admission", "internal/strictjson", "mcpserver/internal/...", "internal/memorycommand", "internal/errorkind"},
	"cmd/scratchpad":                     {"mcpserver", "internal/condition", "internal/server/access", "internal/server/auth", "internal/server/httpserver", "internal/server/oauth", "internal/observe/telemetry", "internal/cli/complete", "internal/server/memorystores", "internal/cli/brief", "internal/cli/clientconfig", "internal/cli/demo", "internal/cli/doctor", "internal/cli/flags", "internal/cli/dbcopy", "internal/native", "internal/phrase", "internal/cli/terminal", "internal/unified", "summarize", "workspace", "workspace/store", "workspace/memstore", "sqlite", "linediff", "tokens", "tokens/o200k", "internal/cli/setup", "internal/cli/transfer", "golang.org/x/sync/errgroup", "internal/observe/health", "internal/cli/database", "internal/cli/failure", "internal/cli/report", "github.com/alecthomas/kong", "github.com/fatih/color", "golang.org/x/term", "github.com/modelcontextprotocol/go-sdk/...", "golang.org/x/sys/...", "internal/cli/pgurl", "internal/strictjson", "internal/cli/project", "internal/cli/repository", "postgres", "console", "internal/server/signin", "golang.org/x/sync/singleflight", "internal/observe/backtrace"},
	"workspace/storetest/internal/plain": {"workspace/store"},
	"workspace/storetest/internal/rerun": {"workspace/store"},
	"workspace/dump":                     {"workspace/store"},
	"console":                            {"internal/observe/backtrace", "workspace", "workspace/store", "linediff", "internal/admission", "console/internal/...", "internal/errorkind", "internal/phrase"},
	"internal/admission":                 {},
	"internal/server/apierror":           {},
	"internal/server/memorystores":       {"internal/server/access", "internal/server/apierror", "internal/server/auth", "internal/server/lru", "internal/admission", "internal/strictjson", "mcpserver", "workspace", "workspace/store", "internal/errorkind"},
	"internal/memorycommand":             {"internal/lineends", "internal/observe/backtrace", "internal/strictjson", "workspace", "workspace/store"},
}

func TestImports(t *testing.T) {
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		testkit.Must(t, err)
		dir := path.Dir(file)
		allow, known := allowed[dir]
		if !known {
			t.Errorf("%s: package %s is not in the list of this test", file, dir)
			continue
		}
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			testkit.Must(t, err)
			if !isAllowed(name, allow) {
				t.Errorf("%s imports %s, which %s may not", file, name, dir)
			}
		}
	}
}

// What tests share is imported by tests alone.
func TestOnlyTestsImportTesting(t *testing.T) {
	for dir, allow := range allowed {
		for _, name := range allow {
			if strings.HasPrefix(name, "internal/testing/") && !strings.HasPrefix(dir, "internal/testing/") {
				t.Errorf("%s may import %s, which is for tests", dir, name)
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
		{"tokens/o200k", "github.com/tiktoken-go/tokenizer", true},
		{"workspace", module + "/sqlite", false},
		{"workspace/store", module + "/workspace", false},
		{"workspace", module + "/pad", true},
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

// goFiles returns the names of the Go files of the module, with slashes.
func goFiles(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != "." {
			_, modErr := os.Stat(filepath.Join(name, "go.mod"))
			if strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || modErr == nil {
				return fs.SkipDir
			}
		}
		if strings.HasSuffix(name, ".go") {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("reading the module: %v, %d files", err, len(names))
	}
	return names
}
