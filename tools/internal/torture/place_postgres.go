package torture

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/jackc/pgx/v5/pgconn"
)

// newServer makes a place in a PostgreSQL database: tenants of its own name, whose agents
// are deleted at the end unless a check failed.
func newServer(o Options) (*place, error) {
	if _, err := pgconn.ParseConfig(o.Database); err != nil {
		return nil, errors.New("the URL of the database cannot be read; it has the form " +
			"postgres://user@host:5432/database")
	}
	evidence, err := filepath.Abs(or(o.Evidence, "."))
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(evidence); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", evidence)
	}
	var name [4]byte
	for i := range name {
		name[i] = byte(rand.IntN(256))
	}
	p := &place{tenant: "torture-" + hex.EncodeToString(name[:]), evidence: evidence, unsure: 10 * time.Second}
	p.shown = fmt.Sprintf("tenants %s and %s of %s", p.tenant, p.otherTenant(), pgurl.Short(o.Database))
	p.keeps = "the agents of " + p.shown
	p.database = func(server string) string { return named(o.Database, p.tenant+" "+server) }
	p.renew = func(context.Context) error { return nil }
	p.verify = func(context.Context) error { return nil }
	p.terminate = func(ctx context.Context, share float64) (int, error) {
		return terminate(ctx, o.Database, p.tenant, share)
	}
	p.clean = func(ctx context.Context, failed bool) error {
		if failed {
			return nil
		}
		return p.wipe(ctx, launcher(o.Program, p.database, p.tenant))
	}
	return p, nil
}

// named returns a URL with a name for the application, by which the server knows its
// connections. Of several names in a URL the first one counts.
func named(database, name string) string {
	address, query, _ := strings.Cut(database, "?")
	return strings.TrimSuffix(address+"?application_name="+url.PathEscape(name)+"&"+query, "&")
}

// terminate ends a share of the connections whose application has the tenant's name, and
// returns how many.
func terminate(ctx context.Context, database, tenant string, share float64) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c, err := pgconn.Connect(ctx, named(database, "terminates "+tenant))
	if err != nil {
		return 0, err
	}
	defer c.Close(ctx)
	const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE starts_with(application_name, $1) AND pid <> pg_backend_pid() AND random() < $2::float8`
	r := c.ExecParams(ctx, sql, [][]byte{[]byte(tenant + " "), strconv.AppendFloat(nil, share, 'f', 3, 64)}, nil, nil,
		nil).Read()
	return len(r.Rows), r.Err
}

// wipe deletes all agents of both tenants. What a killed server had begun is ended before.
func (p *place) wipe(ctx context.Context, start func(context.Context, string) (*process, error)) error {
	const tries = 10 // over a connection that breaks now and then
	for n := 1; ; n++ {
		_, err := p.terminate(ctx, 1)
		if err == nil {
			break
		}
		if n == tries || ctx.Err() != nil {
			return fmt.Errorf("deleting %s: %w", p.keeps, err)
		}
	}
	server, err := start(ctx, "cleaner")
	if err != nil {
		return fmt.Errorf("deleting %s: %w", p.keeps, err)
	}
	for _, tenant := range []string{p.tenant, p.otherTenant()} {
		if _, err := server.ask(ctx, request{Tenant: tenant, Do: doWipe}, 0); err != nil {
			server.kill()
			return fmt.Errorf("deleting the agents of tenant %s: %w", tenant, err)
		}
	}
	return server.end(endTime)
}
