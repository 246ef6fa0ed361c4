// Command past made the databases in this folder, each when the module wrote that schema.
// For schema 4 it was built at the last commit of the schema and run as "main FOLDER schema4":
//
//	schema4.db        all in the file, as a process leaves it that ends in order
//	schema4-log.db    its last writes are in the write-ahead log, as after a kill
//	schema4.json      what a reader of package store read from schema4.db
//
// Its times are fixed, so that two runs differ in the revisions of records alone.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var (
	ctx   = context.Background()
	clock = time.Date(2026, 11, 1, 12, 0, 0, 123456000, time.UTC)
)

func now() time.Time {
	clock = clock.Add(time.Second)
	return clock
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	stem := filepath.Join(os.Args[1], os.Args[2])
	path := stem + ".db"
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	check(err)
	fill(db)
	check(db.Close())
	remove(path)

	db, err = sqlite.Open(ctx, path, sqlite.Options{})
	check(err)
	text, err := json.Marshal(dump(db))
	check(err)
	check(os.WriteFile(stem+".json", append(text, '\n'), 0o644))
	check(db.Close())
	remove(path)

	path = stem + "-log.db"
	db, err = sqlite.Open(ctx, path, sqlite.Options{})
	check(err)
	ws := agent(service(db, "local"), "unfolded")
	write(ws, "notes.md", "a note\n", "")
	log(ws, "journal", "one", "two")
	for _, end := range []string{"", "-wal"} { // while it is open: as a kill leaves it
		data, err := os.ReadFile(path + end)
		check(err)
		check(os.WriteFile(path+end+".kept", data, 0o644))
	}
	check(db.Close())
	remove(path)
	for _, end := range []string{"", "-wal"} {
		check(os.Rename(path+end+".kept", path+end))
	}
}

func remove(path string) {
	for _, end := range []string{"-wal", "-shm", "-turn", "-write", "-reserve"} {
		os.Remove(path + end)
	}
}

func service(db workspace.Store, tenant string) *workspace.Service {
	svc, err := workspace.New(db, workspace.Options{Tenant: tenant, Now: now, Summarizer: &workspace.Summarizer{
		Method: "outline", Prompt: "1",
		Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: "a summary"}, nil
		},
	}})
	check(err)
	return svc
}

func agent(svc *workspace.Service, name string) *workspace.Workspace {
	ws, err := svc.Agent(name)
	check(err)
	return ws.As(workspace.Author{Client: "fixture", Version: "1", Key: "k-" + name})
}

func write(ws *workspace.Workspace, path, content, key string) {
	_, err := ws.WriteFile(ctx, path, []byte(content), workspace.WriteOptions{IdempotencyKey: key})
	check(err)
}

func log(ws *workspace.Workspace, path string, entries ...string) {
	var all [][]byte
	for _, e := range entries {
		all = append(all, []byte(e))
	}
	_, err := ws.AppendLog(ctx, path, all...)
	check(err)
}

func deleteFile(ws *workspace.Workspace, path string) {
	_, err := ws.DeleteFile(ctx, path, workspace.DeleteOptions{})
	check(err)
}

func deleteLog(ws *workspace.Workspace, path string) {
	_, err := ws.DeleteLog(ctx, path, workspace.DeleteOptions{})
	check(err)
}

// fill stores something of every kind.
func fill(db workspace.Store) {
	svc := service(db, "local")

	files := agent(svc, "files")
	for i := range 13 { // more versions than are kept
		write(files, "plan.md", fmt.Sprintf("version %d\nof the plan\n", i+1), "")
	}
	write(files, "empty", "", "")
	write(files, "dir/awkward.txt", "NUL \x00, CR \r\n, \u00e9 \U0001f600 and no newline", "")
	write(files, "back.md", "first", "")
	deleteFile(files, "back.md")
	write(files, "back.md", "again", "")
	write(files, "gone.md", "gone", "")
	deleteFile(files, "gone.md")
	write(files, "long.md", strings.Repeat("A line of a long file.\n", 500), "")
	_, err := files.Summarize(ctx, "long.md", workspace.SummarizeOptions{})
	check(err)
	_, err = files.RedactVersion(ctx, "plan.md", 8, workspace.RedactOptions{})
	check(err)

	logs := agent(svc, "logs")
	for i := range 150 {
		log(logs, "day", fmt.Sprintf("entry %d", i+1))
	}
	log(logs, "batch", "", "two", "three \x00")
	log(logs, "again", "1", "2")
	deleteLog(logs, "again")
	log(logs, "again", "3")
	log(logs, "gone", "1", "2", "3")
	deleteLog(logs, "gone")

	keys := agent(svc, "keys")
	for i := range 5 {
		write(keys, "f.md", fmt.Sprintf("keyed %d", i), fmt.Sprintf("key-%d", i))
	}
	_, err = keys.AppendLogWith(ctx, "l", workspace.AppendOptions{IdempotencyKey: "key-log"}, []byte("keyed"))
	check(err)

	deleted := agent(svc, "deleted")
	for range 7 {
		write(deleted, "f.md", "x", "")
	}
	log(deleted, "l", "1", "2", "3", "4", "5")
	_, err = svc.DeleteAgent(ctx, "deleted")
	check(err)

	emptied := agent(svc, "emptied")
	write(emptied, "f.md", "x", "")
	deleteFile(emptied, "f.md")

	for i := range 20 {
		write(agent(svc, fmt.Sprintf("crowd-%02d", i)), "f.md", strings.Repeat("crowd ", i), "")
	}
	check(svc.Close(ctx))

	other := service(db, "other")
	write(agent(other, "files"), "plan.md", "of another tenant", "")
	check(other.Close(ctx))

	for _, key := range []string{"spend/summary/local/files/2026-11", "mark/x"} {
		_, err := db.System(ctx).Put(key, []byte("12345"), 0)
		check(err)
	}
}

// dump reads all that there is.
func dump(db store.Store) map[string]any {
	all := map[string]any{}
	for _, o := range []store.Owner{
		{Tenant: "local", Agent: "files"}, {Tenant: "local", Agent: "logs"}, {Tenant: "local", Agent: "keys"},
		{Tenant: "local", Agent: "deleted"}, {Tenant: "local", Agent: "emptied"}, {Tenant: "local", Agent: "crowd-07"},
		{Tenant: "other", Agent: "files"}, {Tenant: "local", Agent: "nobody"},
	} {
		check(db.View(ctx, o, func(r store.Reader) (err error) {
			all[o.String()], err = dumpOwner(r)
			return err
		}))
	}
	for _, tenant := range []string{"local", "other"} {
		owners, err := db.Owners(ctx, store.OwnersQuery{Tenant: tenant, Limit: 100})
		check(err)
		all["owners of "+tenant] = owners.Owners
	}
	records, err := db.System(ctx).List("", "", 1000)
	check(err)
	for _, r := range records {
		all["record "+r.Key] = string(r.Value)
	}
	return all
}

type dumpedPath struct {
	Head    any
	Content []string
}

func dumpOwner(r store.Reader) (has map[string]any, err error) {
	state, err := r.Owner()
	files, logs, requests := map[string]dumpedPath{}, map[string]dumpedPath{}, map[string]store.Outcome{}
	for _, path := range []string{"plan.md", "empty", "dir/awkward.txt", "back.md", "gone.md", "long.md", "f.md"} {
		l, e := r.Load(store.Query{File: path, History: true, Summary: &store.SummaryKey{Method: "outline", Prompt: "1"}})
		err = errors.Join(err, e)
		f := dumpedPath{Head: l.File}
		for _, v := range l.Versions {
			l, e := r.Load(store.Query{File: path, Version: v.Number})
			err = errors.Join(err, e)
			v = l.Version
			f.Content = append(f.Content, dumpLine(v.Number, v.Time, v.Author, v.Content))
		}
		if s := l.Summary; s != nil {
			f.Content = append(f.Content, dumpLine(s.Tokens, s.Time, store.Author{}, s.Content))
		}
		files[path] = f
	}
	for _, path := range []string{"day", "batch", "again", "gone", "l"} {
		loaded, e := r.Load(store.Query{Log: path, Entries: &store.EntryQuery{}})
		err = errors.Join(err, e)
		l := dumpedPath{Head: loaded.Log}
		for _, en := range loaded.Entries {
			l.Content = append(l.Content, dumpLine(en.ID, en.Time, en.Author, en.Content))
		}
		logs[path] = l
	}
	for _, key := range []string{"key-0", "key-1", "key-2", "key-3", "key-4", "key-log"} {
		if l, e := r.Load(store.Query{Request: key}); e == nil && l.Request != nil {
			requests[key] = l.Request.Outcome
		}
	}
	return map[string]any{"Usage": state, "Files": files, "Logs": logs, "Requests": requests}, err
}

func dumpLine(n int64, at time.Time, a store.Author, content []byte) string {
	return fmt.Sprintf("%d %s %s/%s/%s %x", n, at.Format(time.RFC3339Nano), a.Client, a.Version, a.Key, sha256.Sum256(content))
}
