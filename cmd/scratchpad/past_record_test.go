package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// pastVariable names the program whose databases TestRecordPast keeps.
const pastVariable = "SCRATCHPAD_PAST"

// TestRecordPast keeps databases of the schemas that a program writes, for [TestPast]. The
// program fills one in a file and one on PostgreSQL through all doors that it has: the command,
// MCP and the Memory Stores API. CONTRIBUTING.md, "Add a migration", says when to run it.
func TestRecordPast(t *testing.T) {
	program := os.Getenv(pastVariable)
	if program == "" {
		t.Skip("records databases of the program that SCRATCHPAD_PAST names; see CONTRIBUTING.md")
	}
	d := newPast(t, program, filepath.Join(t.TempDir(), "scratchpad.db"))
	d.fill()
	stem := engines["File"].stem(engines["File"].schema(t, d.db))
	for _, end := range []string{"", "-wal"} { // as the kill has left them
		pack(t, stem+".db"+end+".gz", d.killed[end])
	}
	d.keepAnswers(stem)
	if _, ok := d.may("migrate", "--help"); !ok {
		return // there was no PostgreSQL yet
	}
	d = newPast(t, program, pgtest.URL(t))
	d.fill()
	stem = engines["PostgreSQL"].stem(engines["PostgreSQL"].schema(t, d.db))
	pack(t, stem+".sql.gz", d.dumpURL())
	d.keepAnswers(stem)
}

// pack writes a compressed file. The same content gives the same bytes.
func pack(t *testing.T, path string, content []byte) {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(w.Write(content)))
	testkit.Must(t, w.Close())
	testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.Must(t, os.WriteFile(path, packed.Bytes(), 0o644))
}

// A past is a program of a past day with its database.
type past struct {
	*testing.T
	program, dir, db string
	variables        []string
	session          *mcp.ClientSession
	server           *exec.Cmd         // of the session
	killed           map[string][]byte // the files of the database after the kill, by the end of the name
}

func newPast(t *testing.T, program, db string) *past {
	d := &past{T: t, program: program, dir: t.TempDir(), db: db, killed: map[string][]byte{}}
	model := httptest.NewServer(&fakeModel{status: http.StatusOK, text: "What the model has said.", asked: filepath.Join(d.dir, "asked")})
	t.Cleanup(model.Close)
	d.variables = append(without("SCRATCHPAD_")(environ()), "HOME="+d.dir, "XDG_DATA_HOME="+d.dir, "SCRATCHPAD_DB="+db,
		"SCRATCHPAD_SUMMARY_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=k", "SCRATCHPAD_PATHS=unicode", "SCRATCHPAD_SUMMARIZER=openai")
	return d
}

// run runs a command, which must succeed.
func (d *past) run(args ...string) string {
	d.Helper()
	o := runProgram(d.T, d.program, d.dir, d.variables, args...)
	if o.code != 0 {
		d.Fatalf("%s: %+v", strings.Join(args, " "), o)
	}
	return o.out
}

// may is run of a command that the day may not have had.
func (d *past) may(args ...string) (out string, ok bool) {
	d.Helper()
	o := runProgram(d.T, d.program, d.dir, d.variables, args...)
	if o.code != 0 && o.code != failure.ExitUsage {
		d.Fatalf("%s: %+v", strings.Join(args, " "), o)
	}
	return o.out, o.code == 0
}

// serve starts an MCP server.
func (d *past) serve(args ...string) {
	d.Helper()
	d.server = exec.Command(d.program, append([]string{"mcp"}, args...)...)
	d.server.Env, d.server.Dir, d.server.Stderr = d.variables, d.dir, os.Stderr
	var err error
	d.session, err = mcp.NewClient(&mcp.Implementation{Name: "past-client", Version: "1.2"}, nil).
		Connect(d.Context(), &mcp.CommandTransport{Command: d.server}, nil)
	testkit.Must(d, err)
}

type object = map[string]any

// call calls a tool. The day may not have had it.
func (d *past) call(tool string, args object, key ...string) {
	d.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	if key != nil {
		params.Meta = mcp.Meta{"scratchpad/idempotency_key": key[0]}
	}
	res, err := d.session.CallTool(d.Context(), params)
	switch {
	case err != nil && strings.Contains(err.Error(), "unknown tool"):
	case err != nil || res.IsError:
		d.Fatalf("%s %v: %+v, %v", tool, args, res.Content, err)
	}
}

func (d *past) write(agent, path, content string, key ...string) {
	d.Helper()
	d.call("write_file", object{"agent_id": agent, "path": path, "content": content}, key...)
}

func (d *past) log(agent, path string, entries ...string) {
	d.Helper()
	for _, entry := range entries {
		d.call("append_log", object{"agent_id": agent, "path": path, "entry": entry})
	}
}

func (d *past) remove(tool, agent, path string) {
	d.Helper()
	d.call(tool, object{"agent_id": agent, "path": path})
}

// fill stores something of everything. At its end, the server of the last writes is killed.
func (d *past) fill() {
	d.serve()
	d.fillFiles()
	d.fillLogs()
	d.fillAgents()
	testkit.Must(d, d.session.Close())
	d.fillProject()
	d.fillTenants()
	d.run("--agent", "files", "files", "summarize", "long.md")
	d.may("--agent", "files", "files", "redact", "plan.md", "8", "--yes")
	d.may("--agent", "logs", "logs", "redact", "batch", "3", "--yes")
	d.may("--agent", "files", "brief", "--mark", "morning")
	d.serve()
	d.write("unfolded", "notes.md", "a note\n")
	d.log("unfolded", "journal", "one", "two")
	for _, end := range []string{"", "-wal"} {
		d.killed[end], _ = os.ReadFile(d.db + end) // on PostgreSQL there is none
	}
	testkit.Must(d, d.server.Process.Kill())
	d.session.Close() // says that the server was killed
}

func (d *past) fillFiles() {
	for i := range 13 { // more versions than are kept
		d.write("files", "plan.md", fmt.Sprintf("version %d\nof the plan\n", i+1))
	}
	d.write("files", "empty", "")
	d.write("files", "dir/awkward.txt", "NUL \x00, CR \r\n, \u00e9 \U0001f600 and no newline")
	if help, _ := d.may("help", "flags"); strings.Contains(help, "--paths") {
		d.write("files", "Pläne/計画.md", "# 計画\n")
	}
	d.write("files", "back.md", "first")
	d.remove("delete_file", "files", "back.md")
	d.write("files", "back.md", "again")
	d.write("files", "gone.md", "gone")
	d.remove("delete_file", "files", "gone.md")
	d.write("files", "long.md", strings.Repeat("A line of a long file.\n", 500))
	d.call("edit_file", object{"agent_id": "files", "path": "long.md", "old_text": "A line of a long file.\n", "new_text": "A row of a long file.\n", "all": true})
	words, random := "", rand.New(rand.NewPCG(1, 2))
	for range 1500 { // pages of its own, which do not compress to nothing
		words += fmt.Sprintf("word%x\n", random.IntN(1<<20))
	}
	d.write("files", "big.md", words)
	d.write("files", "moved.md", "a file that moves\n")
	d.call("move_file", object{"agent_id": "files", "path": "moved.md", "new_path": "dir/moved.md"})
}

func (d *past) fillLogs() {
	for i := range 150 {
		d.log("logs", "day", fmt.Sprintf("entry %d", i+1))
	}
	d.log("logs", "batch", "一", "two", "three \x00")
	d.log("logs", "again", "1", "2")
	d.remove("delete_log", "logs", "again")
	d.log("logs", "again", "3")
	d.log("logs", "cut", "1", "2", "3", "4")
	d.call("delete_log", object{"agent_id": "logs", "path": "cut", "through_entry": 2})
	d.log("logs", "gone", "1", "2", "3")
	d.remove("delete_log", "logs", "gone")
}

func (d *past) fillAgents() {
	for i := range 5 {
		d.write("keys", "f.md", fmt.Sprintf("keyed %d", i), fmt.Sprintf("key-%d", i))
	}
	d.call("append_log", object{"agent_id": "keys", "path": "l", "entry": "keyed"}, "key-log")
	for range 7 {
		d.write("deleted", "f.md", "x")
	}
	d.log("deleted", "l", "1", "2", "3", "4", "5")
	d.run("agents", "rm", "deleted", "--yes")
	d.write("emptied", "f.md", "x")
	d.remove("delete_file", "emptied", "f.md")
	for i := range 20 {
		d.write(fmt.Sprintf("crowd-%02d", i), "f.md", strings.Repeat("crowd ", i))
	}
}

// fillProject writes from a project, whose versions keep where they were written, and into the
// memory for everything.
func (d *past) fillProject() {
	if out, _ := d.may("help", "mcp"); !strings.Contains(out, "--project") {
		return
	}
	shop := filepath.Join(d.dir, "shop")
	makeRepositories(d.T, shop)
	d.serve("--project", shop)
	d.call("write_file", object{"path": "START.md", "content": "Prices are in cents.\n"})
	d.call("append_log", object{"path": "decisions", "entry": "cents"})
	if out, _ := d.may("help", "mcp"); strings.Contains(out, "--home") && !strings.Contains(d.db, "://") {
		d.call("write_file", object{"path": "~/style.md", "content": "tabs\n"})
	}
	testkit.Must(d, d.session.Close())
	d.may("projects", "set", filepath.Join(d.dir, "blog"), "files")
}

// fillTenants makes keys, limits, another tenant, and memory stores with metadata.
func (d *past) fillTenants() {
	key, ok := d.may("keys", "create", "--agents", "team-*", "--name", "laptop", "--expires", "never")
	if !ok {
		return
	}
	d.run("keys", "create", "--tenant", "other", "--agents", "*", "--rate", "5:20", "--expires", "never")
	d.run("keys", "create", "--scopes", "metrics", "--expires", "never")
	d.run("tenants", "set", "other", "--agents", "50", "--bytes", "1000000000")
	d.serve("--tenant", "other")
	d.write("files", "plan.md", "of another tenant")
	testkit.Must(d, d.session.Close())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(d, err)
	addr := listener.Addr().String()
	testkit.Must(d, listener.Close())
	server := exec.Command(d.program, "serve", "--addr", addr)
	server.Env, server.Dir = d.variables, d.dir
	testkit.Must(d, server.Start())
	for try := 0; runProgram(d.T, d.program, d.dir, d.variables, "healthcheck", "--addr", addr).code != 0; try++ {
		if try == 100 {
			d.Fatal("the server does not become ready")
		}
		time.Sleep(50 * time.Millisecond)
	}
	d.fillStores("http://"+addr+"/v1/memory_stores", strings.TrimSpace(key))
	testkit.Must(d, server.Process.Signal(os.Interrupt))
	testkit.Must(d, server.Wait())
}

func (d *past) fillStores(url, key string) {
	post := func(path string, body object) (id string) {
		d.Helper()
		text, err := json.Marshal(body)
		testkit.Must(d, err)
		r, err := http.NewRequestWithContext(d.Context(), "POST", url+path, bytes.NewReader(text))
		testkit.Must(d, err)
		r.Header.Set("X-Api-Key", key)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		testkit.Must(d, err)
		defer answer.Body.Close()
		var made struct{ ID string }
		if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || answer.StatusCode != http.StatusOK {
			d.Fatalf("POST %s: %s, %v", path, answer.Status, err)
		}
		return made.ID
	}
	store := "/" + post("", object{"name": "team-shop", "description": "What the shop has decided", "metadata": object{"city": "Köln"}})
	memory := post(store+"/memories", object{"path": "/prices.md", "content": "Prices are in cents.\n"})
	post(store+"/memories/"+memory, object{"content": "Prices are in euros.\n"})
	old := "/" + post("", object{"name": "team-old"})
	post(old+"/memories", object{"path": "/a.md", "content": "a"})
	post(old+"/archive", object{})
}

// dumpURL returns the SQL that makes the database again, in any version of PostgreSQL.
func (d *past) dumpURL() []byte {
	program := "pg_dump"
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump"); found != nil {
		program = found[0]
	}
	text, err := exec.Command(program, "--inserts", "--no-owner", "--no-privileges", "--no-toast-compression", d.db).Output()
	testkit.Must(d, err)
	var kept bytes.Buffer
	for line := range bytes.Lines(text) {
		for _, without := range []string{"--", "SET ", `\`, "\n", "SELECT pg_catalog.set_config"} {
			if bytes.HasPrefix(line, []byte(without)) {
				line = nil
			}
		}
		kept.Write(line)
	}
	return kept.Bytes()
}

// keepAnswers asks the program for everything in the database, and keeps the answers.
func (d *past) keepAnswers(stem string) {
	var all []answer
	ask := func(args ...string) answer {
		args = append(args, "--json")
		o := runProgram(d.T, d.program, d.dir, d.variables, args...)
		a := answer{args, o.code, parse(d.T, o.out)}
		if o.code != failure.ExitUsage { // the day had no such command
			all = append(all, a)
		}
		return a
	}
	for _, args := range []string{"keys ls", "tenants ls", "projects ls", "keys ls --tenant other"} {
		ask(strings.Fields(args)...)
	}
	for _, tenant := range [][]string{nil, {"--tenant", "other"}} {
		for _, agent := range ask(append(tenant, "agents", "ls")...).names("agent_id") {
			of := append(tenant[:len(tenant):len(tenant)], "--agent", agent)
			in := func(args ...string) answer { return ask(append(of[:len(of):len(of)], args...)...) }
			if strings.HasPrefix(agent, "crowd-") && agent != "crowd-07" {
				continue // one of them is enough
			}
			in("stats")
			in("changes", "--since", "0")
			for _, path := range in("files", "ls").names("path") {
				for _, version := range in("files", "history", path).names("version") {
					in("files", "cat", path, "--version", version)
				}
			}
			for _, path := range in("logs", "ls").names("path") {
				in("logs", "cat", path)
			}
		}
	}
	text, err := json.Marshal(all)
	testkit.Must(d, err)
	pack(d.T, stem+".json.gz", text)
}
