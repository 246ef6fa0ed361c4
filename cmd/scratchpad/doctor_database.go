package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// database opens the database for reading only and checks it.
func (c *checkup) database(ctx context.Context) {
	store, err := sqlite.OpenReadOnly(ctx, c.Database, sqlite.Options{Logger: c.p.log})
	_, noFolder := os.Stat(filepath.Dir(c.Database))
	switch {
	case errors.Is(err, workspace.ErrNotFound), c.p.line.DB == nil && errors.Is(noFolder, fs.ErrNotExist):
		c.add(check{"database", statusOK, "there is no database yet; the first write makes it", ""})
		return
	case err != nil:
		c.trouble("database", err, "")
		return
	}
	defer store.Close()
	c.modes()
	info, err := store.Info(ctx)
	if err != nil {
		c.trouble("database", err, restore)
		return
	}
	c.add(check{"database", statusOK, fmt.Sprintf("schema %d, %d pages of %d bytes, %d of them free", info.Schema, info.Pages, info.PageSize, info.Free), ""})
	if text := olderSchema(info); text != "" {
		c.add(check{"schema", statusOK, text, ""})
	}
	c.agents(ctx, store)
	problems, err := store.Check(ctx)
	if err != nil {
		c.trouble("integrity", err, restore)
		return
	}
	for _, text := range problems {
		c.add(check{"integrity", statusProblem, text, restore})
	}
	if len(problems) == 0 {
		c.add(check{"integrity", statusOK, "the structure and the counters are right; scratchpad verify also checks all content", ""})
	}
}

// olderSchema says what will become of a database that an older version of this
// program made; "" for any other.
func olderSchema(info sqlite.Info) string {
	if info.Schema >= info.Newest {
		return ""
	}
	return fmt.Sprintf("it has schema %d, of an older version; the next server or command that writes changes it to schema %d and keeps a copy beside it", info.Schema, info.Newest)
}

const restore = "Run scratchpad verify to see all damage, and restore the database from a backup. Keep this file, which was not changed: the rest of it can still be read."

func (c *checkup) agents(ctx context.Context, store *sqlite.Store) {
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		c.trouble("agents", err, "")
		return
	}
	sum, err := svc.StoreUsage(ctx)
	if err != nil {
		c.trouble("agents", err, restore)
		return
	}
	c.add(check{"agents", statusOK, fmt.Sprintf("%s, %s, %s with %s, %s", phrase.Plural(sum.Agents, "agent"), phrase.Plural(sum.Files, "file"), phrase.Plural(sum.Logs, "log"), phrase.Entries(sum.Entries), phrase.Bytes(sum.Bytes)), ""})
	c.limits(sum.Totals)
}

// limits compares what all agents have together with the limits.
func (c *checkup) limits(sum workspace.Totals) {
	most := c.p.line.Store
	status, do := statusOK, ""
	if most.Agents > 0 && sum.Agents >= most.Agents || most.TotalBytes > 0 && sum.Charged() >= most.TotalBytes {
		status, do = statusWarning, "Delete agents with scratchpad agents rm, or raise --max-agents or --max-total-bytes of your servers."
	}
	c.add(check{"limits", status, fmt.Sprintf("%s (%s), %s with the charge for rows (%s)"+ofThisCommand,
		phrase.Plural(sum.Agents, "agent"), limitText(most.Agents, fmt.Sprint(most.Agents)), phrase.Bytes(sum.Charged()), limitText(most.TotalBytes, phrase.Bytes(most.TotalBytes))), do})
}

func limitText(limit int64, text string) string {
	if limit == 0 {
		return "no limit"
	}
	return "limit " + text
}
