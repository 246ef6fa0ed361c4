package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/cli/doctor"
	"github.com/agent-scratchpad/scratchpad/internal/observe/backtrace"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// healthOptions say what the page Health is about.
type healthOptions struct {
	store  workspace.Store  // that the server has open
	pool   postgres.Options // of a store of PostgreSQL
	doctor doctor.Options   // as for doctor.ExamineOpen

	// These return the numbers of a server. nil: there is no such part.
	http func() httpserver.Stats
	mcp  func() mcpserver.Stats
}

const (
	lookTime  = 5 * time.Second // for all checks
	lookGrace = time.Second     // how much longer people wait for the end of the checks
)

// serverHealth returns the function for Health of [console.Options]. No answer names an agent, what it has
// stored, or a path. People who ask at the same time share the checks. The checks go on if a
// person leaves, and end with ctx. If they do not end in time, the answer says so.
func serverHealth(ctx context.Context, o healthOptions) func(context.Context) (console.Health, error) {
	return shareLook(ctx, func(ctx context.Context) console.Health {
		return console.Health{Checks: checksOf(doctor.ExamineOpen(ctx, o.store, o.pool, o.doctor)),
			Counts: o.counts(), Versions: o.versions(ctx)}
	})
}

// shareLook is serverHealth with another look at the server.
func shareLook(
	ctx context.Context, look func(context.Context) console.Health,
) func(context.Context) (console.Health, error) {
	var looks singleflight.Group
	safely := func() (_ any, err error) {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		defer func() { // the server goes on
			if v := recover(); v != nil {
				err = fmt.Errorf("the checks ended in a panic: %T\n%s", v, backtrace.Text())
			}
		}()
		return look(ctx), nil
	}
	return func(asked context.Context) (console.Health, error) {
		late := time.NewTimer(lookTime + lookGrace)
		defer late.Stop()
		select {
		case r := <-looks.DoChan("", safely):
			found, _ := r.Val.(console.Health)
			return found, r.Err
		case <-asked.Done():
			return console.Health{}, asked.Err()
		case <-late.C:
			return console.Health{Checks: []console.Check{{Name: "checks", Status: console.StatusFailure,
				Text: fmt.Sprintf("the checks have not ended in %v", lookTime+lookGrace),
				Fix:  "Look at the disk, the database and their network."}}}, nil
		}
	}
}

// checksOf returns the lines of a report for the console.
func checksOf(r *doctor.Report) (all []console.Check) {
	status := map[doctor.Status]console.Status{doctor.OK: console.StatusOK, doctor.Warning: console.StatusWarning,
		doctor.Problem: console.StatusFailure}
	for _, c := range r.Checks {
		all = append(all, console.Check{Name: c.Name, Status: status[c.Status], Text: c.Text, Fix: c.Do})
	}
	return all
}

// counts returns the numbers of the server.
func (o healthOptions) counts() (all []console.Fact) {
	add := func(name string, value any) { all = append(all, console.Fact{Name: name, Value: fmt.Sprint(value)}) }
	if o.http != nil {
		s := o.http()
		add("Connections", s.Connections)
		add("Refused by a rate", s.RefusedCallerRate+s.RefusedAgentRate+s.RefusedBlocked)
		add("Wrong keys", s.FailedCredentials)
	}
	if o.mcp != nil {
		s := o.mcp()
		add("Sessions", s.Sessions)
		add("Calls under way", s.Calls)
		add("Memory of calls", phrase.Bytes(s.Memory))
	}
	return all
}

// namedModules are those parts of the program whose versions people ask for, with their names.
var namedModules = []struct{ path, name string }{
	{"github.com/modelcontextprotocol/go-sdk", "MCP SDK"},
	{"modernc.org/sqlite", "SQLite driver"},
	{"github.com/jackc/pgx/v5", "PostgreSQL driver"},
}

// versions returns the versions of all parts. What the store does not tell is left out.
func (o healthOptions) versions(ctx context.Context) (all []console.Fact) {
	add := func(name string, value any) { all = append(all, console.Fact{Name: name, Value: fmt.Sprint(value)}) }
	add("scratchpad", o.doctor.Version)
	add("Go", runtime.Version())
	add("System", runtime.GOOS+"/"+runtime.GOARCH)
	add("MCP", strings.Join(mcpserver.Protocols(), ", "))
	switch s := o.store.(type) {
	case *sqlite.Store:
		add("SQLite", sqlite.LibraryVersion)
		if info, err := s.Info(ctx); err == nil {
			add("Schema", info.Schema)
		}
	case *postgres.Store:
		if info, err := s.Info(ctx); err == nil {
			add("PostgreSQL", info.Server)
			add("Schema", info.Schema)
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return all
	}
	for _, m := range namedModules {
		for _, d := range info.Deps {
			if d.Path == m.path {
				add(m.name, d.Version)
			}
		}
	}
	return all
}
