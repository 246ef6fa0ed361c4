package workspace_test

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var (
	goodPath   = regexp.MustCompile(`\A[a-zA-Z0-9_.-]+(/[a-zA-Z0-9_.-]+)*\z`)
	badSegment = regexp.MustCompile(`\.\.|(\A|/)\.(/|\z)`)
)

// validPath is the rule for paths, written another way.
func validPath(name string) bool {
	return len(name) <= 255 && goodPath.MatchString(name) && !badSegment.MatchString(name)
}

// segments returns a path of n bytes with slashes in it.
func segments(n int) string {
	return strings.Repeat("abc/", 100)[:n-1] + "d"
}

func TestParsePath(t *testing.T) {
	for _, name := range []string{
		"a", "plan.md", "notes/plan.md", "a/b/c/d", ".hidden", "a/.b", "a.", "-", "_", "0", "A/B", "a.b.c", "-/-", strings.Repeat("x", 255), segments(255),
	} {
		p, err := workspace.ParsePath(name)
		if err != nil || p.String() != name {
			t.Errorf("ParsePath(%q) = %q, %v, want it back", name, p, err)
		}
	}
	for _, test := range []struct{ name, says string }{
		{"", "empty"},
		{strings.Repeat("x", 256), "256 characters, limit 255; use a shorter path"},
		{"/etc/passwd", `begins with a slash; use "etc/passwd"`},
		{"/", "begins with a slash; leave the slash out"},
		{"/a/../b", "begins with a slash; leave the slash out"},
		{"/" + strings.Repeat("a", 200), "begins with a slash; leave the slash out"},
		{"a/", "ends in a slash"},
		{"a//b", "empty segment (two slashes in a row); leave one slash out"},
		{"..", `it holds ".."; use a path without it`},
		{"a/../b", `".."`},
		{"a..b", `".."`},
		{".", `segment "."; use a path without it`},
		{"scratchpad://a/f", "leave scratchpad://AGENT/ out"},
		{"./a", `segment "."`},
		{"a b", `byte 2 is ' '`},
		{`a\b`, `byte 2 is '\\'`},
		{"a\x00", `byte 2 is '\x00'`},
		{"naïve", `byte 3 is`},
		{"a*", `byte 2 is '*'`},
		{"a\xff", `byte 2 is`},
	} {
		_, err := workspace.ParsePath(test.name)
		wantErr(t, "ParsePath("+test.name+")", err, workspace.ErrInvalid, test.says)
	}
}

func TestParseAgentID(t *testing.T) {
	for _, name := range []string{"a", "agent-1", "A_b-9", "-", strings.Repeat("x", 128)} {
		id, err := workspace.ParseAgentID(name)
		if err != nil || id.String() != name {
			t.Errorf("ParseAgentID(%q) = %q, %v, want it back", name, id, err)
		}
	}
	svc, _ := newService(t, workspace.Options{})
	for _, test := range []struct{ name, says string }{
		{"", "empty"},
		{strings.Repeat("x", 129), "129 characters, limit 128; use a shorter name"},
		{"a/b", `byte 2 is '/'`},
		{"a b", `byte 2 is ' '`},
		{"é", `byte 1 is`},
		{"a\x00", `byte 2 is '\x00'`},
	} {
		_, err := workspace.ParseAgentID(test.name)
		wantErr(t, "ParseAgentID("+test.name+")", err, workspace.ErrInvalid, test.says)
		_, err = svc.Agent(test.name)
		wantErr(t, "Agent("+test.name+")", err, workspace.ErrInvalid, test.says)
		_, err = svc.DeleteAgent(t.Context(), test.name)
		wantErr(t, "DeleteAgent("+test.name+")", err, workspace.ErrInvalid, test.says)
		if test.name != "" {
			_, err = workspace.New(newStore(t), workspace.Options{Tenant: test.name})
			wantErr(t, "New with the tenant "+test.name, err, workspace.ErrInvalid, test.says)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, name := range []string{"a", "a/b", "a//b", "a/./b", "..", "a..b", "/a", "a/", "", ".a", "a/.b", "é", "a\x00", strings.Repeat("a", 256)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := workspace.ParsePath(name)
		if (err == nil) != validPath(name) {
			t.Fatalf("ParsePath(%q) = %v, want it accepted: %t", name, err, validPath(name))
		}
		if err != nil {
			if !errors.Is(err, workspace.ErrInvalid) {
				t.Fatalf("ParsePath(%q) = %v, want ErrInvalid", name, err)
			}
			return
		}
		if p.String() != name || !fs.ValidPath(name) {
			t.Fatalf("ParsePath(%q) = %q, which is not what was given, or not a path of io/fs", name, p)
		}
	})
}
