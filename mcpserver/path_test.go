package mcpserver_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/text/unicode/norm"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var lowerEscapes = regexp.MustCompile(`%..`)

// A path of any script goes through every tool, is completed, and is read as a resource
// by the URI that a client makes of it.
func TestUnicodePaths(t *testing.T) {
	svc := newService(t, workspace.Options{Paths: workspace.UnicodePaths})
	s := connect(t, newServerOn(t, svc, "a"))
	for _, c := range []struct{ given, prefix string }{
		{"My notes/U\u0308bersicht Größe.md", "My n"},
		{"笔记/计划 二〇二六年.md", "笔记/计"},
		{"ملاحظات/خُطَّة العمل", "ملا"},
		{"नोट्स/योजना १", "नोट्स/"},
		{"ข้อมูล/น้ำ", "ข้อมูล/น"},
		{"a/\U00020000", "a/"},
	} {
		path := norm.NFC.String(c.given)
		for tool, args := range map[string]map[string]any{
			"write_file": {"content": "text\n"}, "append_log": {"entry": "text"},
		} {
			args["path"] = c.given
			if got := mustCall(t, s, tool, args); !strings.Contains(got[0], `{"path":"`+path+`"`) {
				t.Errorf("%s %v = %q, want the path %q", tool, args, got, path)
			}
		}
		mustCall(t, s, "edit_file", map[string]any{"path": norm.NFD.String(path), "old_text": "text", "new_text": "TEXT"})
		if got := mustCall(t, s, "read_file", map[string]any{"path": c.given}); !strings.Contains(got[0], path) || !strings.Contains(strings.Join(got, ""), "TEXT") {
			t.Errorf("read_file of %q = %q", c.given, got)
		}
		if got := mustCall(t, s, "read_log", map[string]any{"path": c.given}); !strings.Contains(got[0], path) {
			t.Errorf("read_log of %q = %q", c.given, got)
		}
		for _, tool := range []string{"list_files", "list_logs"} {
			if got := mustCall(t, s, tool, map[string]any{"prefix": c.prefix}); !strings.Contains(got[0], `"count":1`) || !strings.Contains(strings.Join(got, ""), "\n"+path+"\t") {
				t.Errorf("%s %q = %q, want %q", tool, c.prefix, got, path)
			}
		}
		res, err := s.Complete(t.Context(), completion("path", c.prefix, nil))
		if err != nil || len(res.Completion.Values) != 1 || res.Completion.Values[0] != path {
			t.Fatalf("Complete(%q) = %+v, %v, want %q", c.prefix, res, err, path)
		}
		for _, name := range []string{path, norm.NFD.String(path)} {
			escaped := (&url.URL{Path: name}).EscapedPath() // as encodeURI and others escape it
			for _, uri := range []string{"scratchpad://a/" + escaped, "scratchpad://a/" + lowerEscapes.ReplaceAllStringFunc(escaped, strings.ToLower)} {
				res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if err != nil || res.Contents[0].Text != "TEXT\n" || res.Contents[0].URI != uri {
					t.Errorf("ReadResource(%s) = %+v, %v", uri, res, err)
				}
			}
		}
		for _, tool := range []string{"delete_file", "delete_log"} {
			if got := mustCall(t, s, tool, map[string]any{"path": c.given}); !strings.Contains(got[0], `"deleted":true`) {
				t.Errorf("%s %q = %q", tool, c.given, got)
			}
		}
	}
}

// A path has one URI: only what a client escapes is decoded.
func TestUnicodeURIs(t *testing.T) {
	svc := newService(t, workspace.Options{Paths: workspace.UnicodePaths})
	for _, path := range []string{"notes/a b", "é", "x"} {
		must(agentOf(t, svc, "a").WriteFile(t.Context(), path, []byte("text"), workspace.WriteOptions{}))(t)
	}
	s := connect(t, newServerOn(t, svc, "a"))
	for uri, found := range map[string]bool{
		"scratchpad://a/notes/a%20b": true, "scratchpad://a/%C3%A9": true, "scratchpad://a/%c3%a9": true, "scratchpad://a/e%CC%81": true,
		"scratchpad://a/notes%2Fa%20b": false, "scratchpad://a/%78": false, "scratchpad://a/notes/a+b": false, "scratchpad://a/notes/a%2520b": false,
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
