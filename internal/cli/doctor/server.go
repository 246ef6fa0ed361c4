package doctor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// ExamineServer is [Examine] for a database of PostgreSQL. The url may have a password. The
// report shows Options.Database in its place.
func ExamineServer(ctx context.Context, url string, pool postgres.Options, o Options) (*Report, error) {
	r := &checkup{Report: Report{Status: OK, Database: o.Database}, o: o}
	r.ok("program", fmt.Sprintf("scratchpad %s, %s, %s/%s", o.Version, runtime.Version(), runtime.GOOS,
		runtime.GOARCH))
	r.ok("database", o.Database)
	r.summaries()
	r.server(ctx, url, pool)
	return &r.Report, ctx.Err()
}

func (r *checkup) server(ctx context.Context, url string, pool postgres.Options) {
	opened, err := database.OpenReadOnly(ctx, url, database.Options{Logger: r.o.Logger, Postgres: pool,
		Unfinished: true})
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		r.ok("schema", "the database has no tables of scratchpad yet; the first write makes them")
		return
	case err != nil:
		r.fail("server", r.o.Text(err), "")
		return
	}
	defer opened.Close()
	store := opened.(*postgres.Store) // the name is a URL
	info, err := store.Info(ctx)
	if err != nil {
		r.trouble("server", err, "")
		return
	}
	r.settings(info, pool)
	r.copied(ctx, store)
	if r.o.Scrub {
		r.scrubServer(ctx, url, pool)
	}
	r.agents(ctx, store)
	r.secrets(ctx, store)
	r.ok("integrity", "scratchpad verify checks all content and the counters; pg_amcheck checks the pages")
}

// scrubServer removes what is kept of deleted files after its time.
func (r *checkup) scrubServer(ctx context.Context, url string, pool postgres.Options) {
	opened, err := database.Open(ctx, url, database.Options{Logger: r.o.Logger, Postgres: pool})
	n := int64(0)
	if err == nil {
		n, err = workspace.DropExpired(ctx, opened, time.Now(), true)
		err = errors.Join(err, opened.Close())
	}
	if err != nil {
		r.trouble("deletions", err, "")
		return
	}
	r.ok("deletions", phrase.Plural(n, "deleted file")+" removed after their time; VACUUM FULL frees the bytes, also "+
		"those of redactions")
}

// settings adds what the server says of itself.
func (r *checkup) settings(info postgres.Info, pool postgres.Options) {
	r.role(info)
	r.synced(info)
	r.standbys(info)
	r.ok("checksums", map[bool]string{true: "pages have checksums",
		false: "pages have no checksums; pg_checksums --enable adds them while the server is stopped"}[info.Checksums])
	r.connections(info, pool)
	schema := fmt.Sprintf("schema %d, %s", info.Schema, phrase.Bytes(info.Bytes))
	if info.Schema < info.Newest {
		schema += fmt.Sprintf("; the next server or command that writes changes it to schema %d", info.Newest)
	}
	r.ok("schema", schema)
}

// role says whether the server takes writes.
func (r *checkup) role(i postgres.Info) {
	switch text := "PostgreSQL " + i.Server; {
	case i.Standby:
		r.warn("server", fmt.Sprintf("%s, a standby: it takes no writes, and lags %s behind its primary",
			text, lagText(i.Lag)),
			"Servers need the primary. List all hosts in the URL and add target_session_attrs=read-write.")
	case i.ReadOnly:
		r.fail("server", text+", a primary that takes no writes, because default_transaction_read_only is on",
			"Set it to off for the user or the database.")
	default:
		r.ok("server", text+", the primary")
	}
}

// synced says what an acknowledged write survives on the server alone.
func (r *checkup) synced(i postgres.Info) {
	setting := "synchronous_commit is " + i.SynchronousCommit
	if i.SynchronousCommit != "on" && i.SynchronousCommit != "remote_apply" {
		setting += ", and scratchpad sets it to on for its own commits"
	}
	if i.NotDurable == nil {
		r.ok("durability", "acknowledged writes survive a power cut of the server; "+setting)
		return
	}
	r.fail("durability", strings.Join(i.NotDurable, "; ")+"; "+setting, "Turn on what is off, and restart the server.")
}

// standbys says what an acknowledged write survives if the server is lost.
func (r *checkup) standbys(i postgres.Info) {
	if i.Standby {
		return
	}
	var all []string
	synchronous, hidden := false, false
	for _, s := range i.Standbys {
		text := s.Name + " (" + s.Sync + ", lag " + lagText(s.Lag) + ")"
		if s.Sync == "" {
			hidden = true
			text = s.Name + " (this user may not see its state; grant pg_monitor to it)"
		}
		synchronous = synchronous || s.Sync == "sync" || s.Sync == "quorum"
		all = append(all, text)
	}
	list := strings.Join(all, ", ")
	switch {
	case synchronous:
		r.ok("standbys", list+"; a failover to a synchronous standby loses no acknowledged write")
	case i.SynchronousStandbys != "" && !hidden:
		r.warn("standbys", "no synchronous standby is connected, so commits wait and then have an unknown outcome",
			"Start a standby that synchronous_standby_names names: "+i.SynchronousStandbys)
	case i.SynchronousStandbys != "":
		r.ok("standbys", list+"; writes wait for a standby of synchronous_standby_names: "+
			i.SynchronousStandbys)
	case list == "":
		r.ok("standbys", "none is connected; if this server is lost, so is what no backup has")
	default:
		r.ok("standbys", list+"; a failover may lose the last writes, because synchronous_standby_names is empty")
	}
}

func lagText(d time.Duration) string { return d.Round(time.Millisecond).String() }

// connections compares the pool of a process with what the server allows.
func (r *checkup) connections(i postgres.Info, pool postgres.Options) {
	need := int64(pool.MaxConns) + 1 // one watches for changes
	text := fmt.Sprintf("%d of %d are open; a process of scratchpad opens up to %d, by --db-connections", i.Connections,
		i.MaxConnections, need) + r.setting()
	if i.Connections+need > i.MaxConnections {
		r.warn("connections", text, "Raise max_connections, lower --db-connections, or put pgbouncer in front.")
		return
	}
	r.ok("connections", text)
}
