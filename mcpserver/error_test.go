package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// hostile are texts that grow in an error: control characters, characters that are
// escaped, and characters that cost a token for each byte or more.
var hostile = map[string]string{
	"long":       strings.Repeat("x", 1<<16),
	"words":      strings.Repeat("/etc/passwd ", 1<<12),
	"NUL":        strings.Repeat("\x00", 1<<10),
	"controls":   strings.Repeat("\x1b\x07\r\t\x7f", 1<<8),
	"quotes":     strings.Repeat(`"\`, 1<<10),
	"Chinese":    strings.Repeat("記憶體不足請稍後再試", 1<<8),
	"rare Han":   strings.Repeat("𠀀𠮷龘靐", 1<<8),
	"emoji":      strings.Repeat("👩‍👩‍👧", 1<<8),
	"tags":       strings.Repeat("\U000E0041", 1<<10),
	"cuneiform":  strings.Repeat("𒀀𒁹", 1<<10),
	"bidi":       strings.Repeat("\u202e\u200b\ufeff", 1<<8),
	"marks":      strings.Repeat("Z͑ͫ̓ͪ̂ͫ̽", 1<<7),
	"percent":    strings.Repeat("%!s(%d)", 1<<8),
	"look-alike": strings.Repeat("𝐚", 21) + strings.Repeat("ꙮ", 60),
	"ligature":   "ﬁ" + strings.Repeat("ꙮ", 19),
	"twice long": strings.Repeat("ꙮ", 240) + "ﷺ",
}

// errorOf returns the text of the error in an answer, or "" if there is none.
func (a answer) errorOf(t testing.TB) string {
	t.Helper()
	if a.Error != nil {
		return a.Error.Message
	}
	if !strings.Contains(a.raw, `"isError":true`) {
		return ""
	}
	text, _ := a.tool(t)
	return text
}

// hostileRequests returns requests that have a text at every place where a client can put
// one.
func hostileRequests(text string) map[string]string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	q := string(b)
	list := map[string]string{
		"tool":            request("1", text, "{}"),
		"method":          method("1", "m", "", ""),
		"URI":             method("1", "resources/read", `"uri":`+q, ""),
		"path of a URI":   method("1", "resources/read", `"uri":"scratchpad://a/`+strings.Trim(q, `"`)+`"`, ""),
		"cursor":          method("1", "tools/list", `"cursor":`+q, ""),
		"reference":       method("1", "completion/complete", `"ref":{"type":`+q+`},"argument":{"name":"path","value":"x"}`, ""),
		"completed value": method("1", "completion/complete", `"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":"path","value":`+q+`}`, ""),
		"prompt":          method("1", "prompts/get", `"name":`+q, ""),
		"protocol":        strings.Replace(method("1", "tools/list", "", ""), "2026-07-28", strings.Trim(q, `"`), 1),
		"version":         fmt.Sprintf(`{"jsonrpc":%s,"id":1,"method":"x"}`+"\n", q),
		"arguments":       request("1", "list_files", q),
		"name":            request("1", "list_files", `{`+q+`:1}`),
		"two names":       request("1", "list_files", `{"prefix":`+q+`,`+q+`:1}`),
		"key":             requestWith("1", "append_log", `{"path":"f","entry":"x"}`, `,"scratchpad/idempotency_key":`+q),
		"long key":        requestWith("1", "append_log", `{"path":"`+strings.Repeat("p", 255)+`","entry":"x"}`, `,"scratchpad/idempotency_key":`+q),
	}
	list["method"] = strings.Replace(list["method"], `"method":"m"`, `"method":`+q, 1)
	for tool, args := range good {
		for name := range with(args, "agent_id", "") {
			list[tool+" "+name] = request("1", tool, object(with(args, name, q)))
			list[tool+" "+name+" nested"] = request("1", tool, object(with(args, name, "["+q+"]")))
		}
	}
	return list
}

// An error costs at most 200 tokens, whatever the client sent, in the answers of tools and
// of the protocol. Each text and each place is tried; all places with all texts in the long proofs.
func TestErrorsAreShort(t *testing.T) {
	testkit.SkipInShort(t)
	step := testkit.Pick(8, 1, 1)
	for bound, paths := range map[string]workspace.PathRule{"": workspace.UnicodePaths, "a": workspace.ASCIIPaths} {
		w := newWire(t, newServerOn(t, withOneFileBy(t, paths), bound))
		for i, name := range slices.Sorted(maps.Keys(hostile)) {
			requests := hostileRequests(hostile[name])
			for j, where := range slices.Sorted(maps.Keys(requests)) {
				if (i+j)%step != 0 {
					continue
				}
				w.send(requests[where])
				if e := w.must().errorOf(t); e != "" {
					checkError(t, name+" as "+where, e)
				}
			}
		}
	}
}

// An edit that finds nothing quotes a line of the file. Its error is as short.
func TestEditErrorsAreShort(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWire(t, newServer(t, "a"))
	path := strings.Repeat("p", 255)
	for name, text := range hostile {
		q, _ := json.Marshal(text)
		w.send(request("1", "write_file", fmt.Sprintf(`{"path":%q,"content":%s}`, path, q)))
		w.must()
		old, _ := json.Marshal(text + "no")
		w.refused("edit_file", fmt.Sprintf(`{"path":%q,"old_text":%s,"new_text":""}`, path, old), "", "does not occur", "conflict")
		w.refused("write_file", fmt.Sprintf(`{"path":%q,"content":"","if_version":9007199254740992}`, path), "", "conflict")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// An error without a kind says nothing about the machine, but is logged. So does a panic,
// and the connection goes on.
func TestInternalErrors(t *testing.T) {
	testkit.SkipInShort(t)
	for name, find := range map[string]func() (*workspace.Workspace, error){
		"error": func() (*workspace.Workspace, error) {
			return nil, errors.New("open /home/secret/db: permission denied")
		},
		"panic":         func() (*workspace.Workspace, error) { panic("/home/secret/db") },
		"panic, error":  func() (*workspace.Workspace, error) { panic(fmt.Errorf("/home/secret/db: %w", workspace.ErrInvalid)) },
		"panic, nil":    func() (*workspace.Workspace, error) { panic(nil) },
		"nil workspace": func() (*workspace.Workspace, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			var logged testkit.Buffer
			broken := true
			svc := withOneFile(t)
			w := newWire(t, newServerWith(t, mcpserver.Options{Bound: true, Logger: slog.New(slog.NewTextHandler(&logged, nil)),
				Workspace: func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
					if broken {
						return find()
					}
					return svc.Agent("a")
				}}))
			for tool, args := range good {
				w.refused(tool, object(with(args, "agent_id", "")), "", "internal error")
			}
			for _, line := range []string{
				method("1", "resources/read", `"uri":"scratchpad://a/f"`, ""),
				method("1", "completion/complete", `"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":"path","value":"x"}`, ""),
			} {
				w.send(line)
				if a := w.must(); a.Error == nil || a.Error.Code != -32603 || strings.Contains(a.raw, "secret") {
					t.Errorf("answer %s, want an internal error that says nothing", a.raw)
				}
			}
			if n := strings.Count(logged.String(), "level=ERROR"); n < len(good)+2 {
				t.Errorf("%d errors are logged, want one for each call: %s", n, logged.String())
			}
			if said := logged.String(); strings.HasPrefix(name, "panic") && (strings.Contains(said, "secret") || !strings.Contains(said, "error_test.go:")) {
				t.Errorf("the log of a panic has its value, or not its place: %.2000s", said)
			}
			broken = false
			w.alive("2")
		})
	}
}

// Every kind of error reaches the client with its text.
func TestKindsOfError(t *testing.T) {
	testkit.SkipInShort(t)
	for _, kind := range []error{
		context.Canceled,
		workspace.ErrNotFound, workspace.ErrInvalid, workspace.ErrTooLarge, workspace.ErrQuota, workspace.ErrConflict, workspace.ErrCorrupt,
		workspace.ErrBusy, workspace.ErrStorageFull, workspace.ErrOutcomeUnknown, workspace.ErrReadOnly, workspace.ErrUnsupported, workspace.ErrProvider, workspace.ErrClosed,
	} {
		w := newWire(t, newServerWith(t, mcpserver.Options{Bound: true, Workspace: func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
			return nil, fmt.Errorf("what to do: %w", kind)
		}}))
		said := "what to do: " + kind.Error()
		if kind == context.Canceled {
			said = "cancelled"
		}
		w.refused("list_files", `{}`, "", said)
	}
}

// An error quotes a line of a file unchanged, even if the line reads like an error in Go,
// on the command line or here.
func TestQuotesAreNotReworded(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWire(t, newServer(t, "a"))
	for _, line := range []string{
		"IfVersion is 0, Since is 1, old occurs 2 times, set All",
		"if_version is 0; read it with since_version 2; use read_file: quota exceeded",
		"ListFiles shows those that exist; delete what is not needed: not found",
	} {
		text := must(json.Marshal(line))(t)
		w.send(request("1", "write_file", fmt.Sprintf(`{"path":"since_version","content":%s}`, text)))
		w.must()
		w.refused("edit_file", fmt.Sprintf(`{"path":"since_version","old_text":%q,"new_text":""}`, "?"+line), "",
			`edit since_version: old_text does not occur; the nearest is line 1: "`+line+`": conflict`)
	}
}

// A client may escape any character of a path. The path that this gives is looked at as any other.
func TestUnicodeURIs(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t, workspace.Options{Paths: workspace.UnicodePaths})
	for _, path := range []string{"notes/a b", "é", "x"} {
		must(agentOf(t, svc, "a").WriteFile(t.Context(), path, []byte("text"), workspace.WriteOptions{}))(t)
	}
	s := connect(t, newServerOn(t, svc, "a"))
	for uri, found := range map[string]bool{
		"scratchpad://a/notes/a%20b": true, "scratchpad://a/%C3%A9": true, "scratchpad://a/%c3%a9": true, "scratchpad://a/e%CC%81": true,
		"scratchpad://a/notes%2Fa%20b": true, "scratchpad://a/%78": true, "scratchpad://a/notes/a+b": false, "scratchpad://a/notes/a%2520b": false,
		"scratchpad://a/notes/../x": false, "scratchpad://a/notes/%2e%2e/x": false, "scratchpad://a/%C3": false, "scratchpad://a/x%": false,
		"scratchpad://a/x%2": false, "scratchpad://a/%20x": false, "scratchpad://a/x%00": false, "scratchpad://%61/x": false,
		"scratchpad://a/%EF%BD%98": false, "scratchpad://a/x%E2%80%8B": false,
	} {
		res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if (err == nil) != found || found && res.Contents[0].Text != "text" {
			t.Errorf("ReadResource(%s) = %+v, %v, want it found: %t", uri, res, err, found)
		}
	}
}
