package vitals

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// modules are those parts of the program whose versions people ask for, with their names.
var modules = []struct{ path, name string }{
	{"github.com/modelcontextprotocol/go-sdk", "MCP SDK"},
	{"modernc.org/sqlite", "SQLite driver"},
	{"github.com/jackc/pgx/v5", "PostgreSQL driver"},
}

// versions returns the versions of all parts. What the store does not tell is left out.
func versions(ctx context.Context, o Options) []console.Fact {
	all := []console.Fact{
		{Name: "scratchpad", Value: o.Doctor.Version},
		{Name: "Go", Value: runtime.Version()},
		{Name: "System", Value: runtime.GOOS + "/" + runtime.GOARCH},
		{Name: "MCP", Value: strings.Join(mcpserver.Protocols(), ", ")},
	}
	all = append(all, storeVersions(ctx, o)...)
	if info, ok := debug.ReadBuildInfo(); ok {
		all = append(all, buildVersions(info)...)
	}
	return all
}

func storeVersions(ctx context.Context, o Options) (all []console.Fact) {
	switch s := o.Store.(type) {
	case *sqlite.Store:
		if v, err := sqlite.LibraryVersion(); err == nil {
			all = append(all, console.Fact{Name: "SQLite", Value: v})
		}
		if info, err := s.Info(ctx); err == nil {
			all = append(all, console.Fact{Name: "Schema", Value: fmt.Sprint(info.Schema)})
		}
	case *postgres.Store:
		if info, err := s.Info(ctx); err == nil {
			all = append(all, console.Fact{Name: "PostgreSQL", Value: info.Server}, console.Fact{Name: "Schema", Value: fmt.Sprint(info.Schema)})
		}
	}
	return all
}

// buildVersions returns what the Go tool has built in.
func buildVersions(info *debug.BuildInfo) (all []console.Fact) {
	for _, m := range modules {
		for _, d := range info.Deps {
			if d.Path == m.path {
				all = append(all, console.Fact{Name: m.name, Value: d.Version})
			}
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			all = append(all, console.Fact{Name: "Revision", Value: s.Value})
		}
	}
	return all
}
