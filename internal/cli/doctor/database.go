package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// database opens the database for reading only and checks it.
func (r *checkup) database(ctx context.Context) {
	store, err := sqlite.OpenReadOnly(ctx, r.Database, sqlite.Options{Logger: r.o.Logger})
	_, noFolder := os.Stat(filepath.Dir(r.Database))
	switch {
	case errors.Is(err, workspace.ErrNotFound), r.o.IsDefault && errors.Is(noFolder, fs.ErrNotExist):
		r.ok("database", "there is no database yet; the first write makes it")
		return
	case err != nil:
		r.trouble("database", err, "")
		return
	}
	defer store.Close()
	r.modes()
	info, err := store.Info(ctx)
	if err != nil {
		r.trouble("database", err, restore)
		return
	}
	r.pages(info)
	if r.o.Scrub {
		r.scrub(ctx)
	}
	if text := olderSchema(info); text != "" {
		r.ok("schema", text)
	}
	r.copied(ctx, store)
	r.agents(ctx, store)
	r.secrets(ctx, store)
	problems, err := store.Check(ctx)
	if err != nil {
		r.trouble("integrity", err, restore)
		return
	}
	for _, text := range problems {
		r.fail("integrity", text, restore)
	}
	if len(problems) == 0 {
		r.ok("integrity", "the structure is right; scratchpad verify checks all content and the counters")
	}
}

func (r *checkup) pages(info sqlite.Info) {
	r.ok("database", fmt.Sprintf("schema %d, %d pages of %d bytes, %d of them free", info.Schema, info.Pages,
		info.PageSize, info.Free))
	if info.Redacted && !r.o.Scrub {
		r.warn("redaction", "something of redacted content is still in the file or its log",
			"A server removes it: at once from a file below 64 MB, and from a larger one when nobody has written "+
				"for 10 seconds. To remove it now, run scratchpad doctor --scrub.")
	}
}

// scrub removes what is kept of deleted files after its time, and what redactions have left in the
// database file.
func (r *checkup) scrub(ctx context.Context) {
	store, err := sqlite.Open(ctx, r.Database, sqlite.Options{Logger: r.o.Logger})
	if err == nil {
		_, err = workspace.DropExpired(ctx, store, time.Now(), true)
		err = errors.Join(err, store.Scrub(ctx), store.Close())
	}
	if err != nil {
		r.trouble("redaction", err, "")
		return
	}
	r.ok("redaction", "nothing of redacted content, and of deleted files after their time, is in the file and its log")
}

// olderSchema says what the next write changes in a database that an older version of this
// program made. For any other database, olderSchema returns "".
func olderSchema(info sqlite.Info) string {
	if info.Schema >= info.Newest {
		return ""
	}
	return fmt.Sprintf("it has schema %d, of an older version; the next server or command that writes changes it to "+
		"schema %d and keeps a copy beside it", info.Schema, info.Newest)
}

// copied says so if the database is a copy that is not complete.
func (r *checkup) copied(ctx context.Context, store workspace.Store) {
	if err := dbcopy.Unfinished(ctx, store); errors.Is(err, workspace.ErrUnsupported) {
		r.trouble("copy", err, "Servers refuse it until then.")
	}
}

const restore = "Run scratchpad verify to see all damage, and restore the database from a backup. Keep this file, " +
	"which was not changed: the rest of it can still be read."

func (r *checkup) agents(ctx context.Context, store workspace.Store) {
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		r.trouble("agents", err, "")
		return
	}
	sum, err := svc.StoreUsage(ctx)
	if err != nil {
		r.trouble("agents", err, restore)
		return
	}
	r.ok("agents", fmt.Sprintf("%s, %s, %s with %s, %s", phrase.Plural(sum.Agents, "agent"),
		phrase.Plural(sum.Files, "file"), phrase.Plural(sum.Logs,
			"log"), phrase.Entries(sum.Entries), phrase.Bytes(sum.Bytes)))
	r.limits(sum.Totals)
	r.expired(ctx, store)
}

// expired says so if something of deleted files is still stored after its time.
func (r *checkup) expired(ctx context.Context, store workspace.Store) {
	n, err := workspace.HasExpired(ctx, store, time.Now())
	if err != nil {
		r.trouble("deletions", err, restore)
		return
	}
	if n > 0 {
		r.warn("deletions", fmt.Sprintf("deleted files of %s are still stored after their time; nobody can read them",
			phrase.Plural(n, "agent")), "The agent's next write removes them, and so does a server within an hour. "+
			"To remove them now, run scratchpad doctor --scrub.")
	}
}

// limits compares what all agents have together with the limits.
func (r *checkup) limits(sum workspace.Totals) {
	most := r.o.Limits
	status, do := OK, ""
	if most.Agents > 0 && sum.Agents >= most.Agents || most.Bytes > 0 && sum.Charged() >= most.Bytes {
		status, do = Warning, "Delete agents with scratchpad agents rm, or raise --max-agents or --max-total-bytes "+
			"of your servers."
	}
	r.add(Check{"limits", status, fmt.Sprintf("%s (%s), %s with the charge for rows (%s)"+r.setting(),
		phrase.Plural(sum.Agents, "agent"), limitText(most.Agents,
			fmt.Sprint(most.Agents)), phrase.Bytes(sum.Charged()), limitText(most.Bytes, phrase.Bytes(most.Bytes))),
		do})
}

func limitText(limit int64, text string) string {
	if limit == 0 {
		return "no limit"
	}
	return "limit " + text
}
