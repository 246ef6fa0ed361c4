package main

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A client writes, reads, lists and completes paths of any script over stdio.
func TestMCPUnicodePaths(t *testing.T) {
	s := connect(t, "mcp", "--db", filepath.Join(t.TempDir(), "test.db"), "--agent", "a", "--paths", "unicode")
	type m = map[string]any
	for given, want := range map[string]string{
		"Notes/U\u0308bersicht der Größe.md": "Notes/Übersicht der Größe.md",
		"笔记/二〇二六 计划.md":                      "",
		"ملاحظات/خُطَّة العمل.md":            "",
		"नोट्स/योजना १.md":                   "",
	} {
		if want == "" {
			want = given
		}
		folder, _, _ := strings.Cut(given, "/")
		for _, step := range []struct {
			tool string
			args m
			want string
		}{
			{"write_file", m{"path": given, "content": "text\n"}, `{"path":"` + want + `","version":1,"bytes_written":5}`},
			{"read_file", m{"path": given}, `{"path":"` + want + `","current_version":1,`},
			{"list_files", m{"prefix": folder}, want + "\t1\t5\t"},
		} {
			got, isError := call(t, s, step.tool, step.args)
			if isError || !strings.Contains(strings.Join(got, "\n"), step.want) {
				t.Errorf("%s %v = %q, want %q", step.tool, step.args, got, step.want)
			}
		}
		uri := "scratchpad://a/" + (&url.URL{Path: want}).EscapedPath()
		res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || res.Contents[0].Text != "text\n" {
			t.Errorf("%s = %+v, %v", uri, res, err)
		}
		done, err := s.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "scratchpad://{agent}/{+path}"},
			Argument: mcp.CompleteParamsArgument{Name: "path", Value: folder},
		})
		testkit.Must(t, err)
		if v := done.Completion.Values; len(v) != 1 || v[0] != want {
			t.Errorf("the completion of %q is %q, want %q", folder, v, want)
		}
	}
}

// An editor gets a file whose name has room in every file system.
func TestLocalName(t *testing.T) {
	for stored, want := range map[string]string{
		"a/b.md": "b.md",
		"a/" + strings.Repeat("記", 100) + "/笔记.md": "笔记.md",
		strings.Repeat("記", 252) + ".md":           strings.Repeat("記", 65) + ".md",
		"é/" + strings.Repeat("\U00020000", 200):   strings.Repeat("\U00020000", 50),
		strings.Repeat("x", 200):                   strings.Repeat("x", 200),
		strings.Repeat("x", 150) + "." + "go" + "": strings.Repeat("x", 150) + ".go",
	} {
		got := localName(stored)
		if got != want || !utf8.ValidString(got) || path.Base(got) != got {
			t.Errorf("localName(%q) = %q, want %q", stored, got, want)
		}
	}
}
