// Command past made the databases in this folder, each when the module wrote that schema.
// For schema 2 it was built at the last commit of the schema and run as "main FOLDER schema2":
//
//	schema2.db        all in the file, as a process leaves it that ends in order
//	schema2-log.db    its last writes are in the write-ahead log, as after a kill
//	schema2.json      what package workspace read from schema2.db
//
// Its times are fixed, so that two runs differ in the revisions of records alone.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
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
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	check(err)
	fill(store)
	check(store.Close())
	remove(path)

	store, err = sqlite.Open(ctx, path, sqlite.Options{})
	check(err)
	text, err := json.Marshal(dump(store))
	check(err)
	check(os.WriteFile(stem+".json", append(text, '\n'), 0o644))
	check(store.Close())
	remove(path)

	path = stem + "-log.db"
	store, err = sqlite.Open(ctx, path, sqlite.Options{})
	check(err)
	ws := agent(service(store, "local"), "unfolded")
	write(ws, "notes.md", "a note\n", "")
	log(ws, "journal", "one", "two")
	for _, end := range []string{"", "-wal"} { // while it is open: as a kill leaves it
		data, err := os.ReadFile(path + end)
		check(err)
		check(os.WriteFile(path+end+".kept", data, 0o644))
	}
	check(store.Close())
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

func service(store workspace.Store, tenant string) *workspace.Service {
	svc, err := workspace.New(store, workspace.Options{Tenant: tenant, Now: now, Summarizer: &workspace.Summarizer{
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
func fill(store workspace.Store) {
	svc := service(store, "local")

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

	other := service(store, "other")
	write(agent(other, "files"), "plan.md", "of another tenant", "")
	check(other.Close(ctx))

	for _, key := range []string{"spend/summary/local/files/2026-11", "mark/x"} {
		_, err := store.System(ctx).Put(key, []byte("12345"), 0)
		check(err)
	}
}

// An owned is what an agent has, as far as reading shows it.
type owned struct {
	Usage    workspace.OwnerState
	Files    map[string]owning
	Logs     map[string]owning
	Requests map[string]workspace.Outcome
}

type owning struct {
	Head    any
	Content []string // number, time, author and SHA-256 of each version or entry
}

// dump reads all that there is.
func dump(store workspace.Store) map[string]any {
	all := map[string]any{}
	for _, o := range []workspace.Owner{
		{Tenant: "local", Agent: "files"}, {Tenant: "local", Agent: "logs"}, {Tenant: "local", Agent: "keys"},
		{Tenant: "local", Agent: "deleted"}, {Tenant: "local", Agent: "emptied"}, {Tenant: "local", Agent: "crowd-07"},
		{Tenant: "other", Agent: "files"}, {Tenant: "local", Agent: "nobody"},
	} {
		var has owned
		check(store.View(ctx, o, func(r workspace.Reader) (err error) {
			has, err = dumpOwner(r)
			return err
		}))
		all[o.String()] = has
	}
	for _, tenant := range []string{"local", "other"} {
		owners, err := store.Owners(ctx, tenant, "", 100)
		check(err)
		all["owners of "+tenant] = owners
	}
	records, err := store.System(ctx).List("")
	check(err)
	for _, r := range records {
		all["record "+r.Key] = string(r.Value)
	}
	return all
}

func dumpOwner(r workspace.Reader) (has owned, err error) {
	has = owned{Files: map[string]owning{}, Logs: map[string]owning{}, Requests: map[string]workspace.Outcome{}}
	if has.Usage, err = r.Owner(); err != nil {
		return has, err
	}
	for _, path := range []string{"plan.md", "empty", "dir/awkward.txt", "back.md", "gone.md", "long.md", "f.md"} {
		head, _, err := r.File(path)
		if err != nil {
			return has, err
		}
		f := owning{Head: head}
		versions, err := r.Versions(path)
		if err != nil {
			return has, err
		}
		for _, v := range versions {
			if v, err = r.Version(path, v.Number); err != nil {
				return has, err
			}
			f.Content = append(f.Content, line(v.Number, v.Time, v.Author, v.Content))
		}
		s, err := r.Summary(path, workspace.SummaryKey{Version: head.Version, Method: "outline", Prompt: "1"})
		if err == nil {
			f.Content = append(f.Content, line(s.Tokens, s.Time, workspace.Author{}, s.Content))
		}
		has.Files[path] = f
	}
	for _, path := range []string{"day", "batch", "again", "gone", "l"} {
		head, _, err := r.Log(path)
		if err != nil {
			return has, err
		}
		l := owning{Head: head}
		entries, err := r.Entries(path, workspace.EntryQuery{})
		if err != nil {
			return has, err
		}
		for _, e := range entries {
			l.Content = append(l.Content, line(e.ID, e.Time, e.Author, e.Content))
		}
		has.Logs[path] = l
	}
	for _, key := range []string{"key-0", "key-1", "key-2", "key-3", "key-4", "key-log"} {
		if q, err := r.Request(key); err == nil {
			has.Requests[key] = q.Outcome
		}
	}
	return has, nil
}

func line(n int64, t time.Time, a workspace.Author, content []byte) string {
	return fmt.Sprintf("%d %s %s/%s/%s %x", n, t.Format(time.RFC3339Nano), a.Client, a.Version, a.Key,
		sha256.Sum256(content))
}
