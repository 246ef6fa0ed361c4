package main

import (
	"os"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

type backupCommand struct {
	File string `arg:"" type:"path" help:"The new file. It must not exist yet."`
}

// backedUp is the answer of backup.
type backedUp struct {
	File    string  `json:"file"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

// Run copies the database and verifies the copy.
func (b backupCommand) Run(p *process) error {
	if b.File == "-" {
		return invalid("a backup cannot go to standard output, because it is verified at the end; give a new file")
	}
	name, err := p.storedDatabase()
	if err != nil {
		return err
	}
	if pgurl.Is(name) {
		return backupOfServer(name, b.File)
	}
	opened, err := database.OpenReadOnly(p.ctx, name, p.databaseOptions())
	if err != nil {
		return err
	}
	defer opened.Close()
	store := opened.(*sqlite.Store) // the name is a file's
	began := time.Now()
	if err := p.backup(store, b.File); err != nil {
		return err
	}
	info, err := os.Stat(b.File)
	if err != nil {
		return err
	}
	a := backedUp{b.File, info.Size(), time.Since(began).Seconds()}
	return p.say(a, "%s  %s, verified, in %.1f s", terminal.OneLine(a.File), phrase.Bytes(a.Bytes), a.Seconds)
}

// backupOfServer says how a database of PostgreSQL is backed up, which is the work of
// PostgreSQL's own programs.
func backupOfServer(name, file string) error {
	short := native.Quote(pgurl.Short(name))
	return invalid("backup copies a file of SQLite, and PostgreSQL has programs of its own; run pg_dump "+
		"--format=custom --file=%s %s, or pg_basebackup --checkpoint=fast --pgdata=%s --dbname=%s for the whole "+
		"server; check a restored copy with scratchpad verify --db URL",
		native.Quote(file), short, native.Quote(file), short)
}

func (p *process) backup(store *sqlite.Store, file string) error {
	copying, endCopying := terminal.Progress(p.err, "copying")
	verifying, endVerifying := terminal.Progress(p.err, "verifying")
	defer endCopying()
	defer endVerifying()
	return store.Backup(p.ctx, file, sqlite.BackupOptions{Progress: copying, Verify: verifying})
}
