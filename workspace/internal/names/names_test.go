package names_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 256)
	for _, c := range []struct {
		what  string
		check func(string) string
		name  string
		want  string // a part of the cause; "" if the name is valid
	}{
		{"agent", names.Agent, "A-z_09", ""},
		{"agent", names.Agent, long[:128], ""},
		{"agent", names.Agent, long[:129], "129 characters, limit 128"},
		{"agent", names.Agent, "", "it is empty"},
		{"agent", names.Agent, "a.b", "byte 2 is '.'"},
		{"agent", names.Agent, "a\xff", "byte 2 is 0xff"},
		{"agent", names.Agent, "aé", "byte 2 is 'é'"},

		{"path", names.Path, "notes/plan.md", ""},
		{"path", names.Path, ".hidden/a.", ""},
		{"path", names.Path, long[:255], ""},
		{"path", names.Path, long, "256 characters, limit 255"},
		{"path", names.Path, "", "it is empty"},
		{"path", names.Path, "/notes/plan.md", `it begins with a slash; use "notes/plan.md"`},
		{"path", names.Path, "/notes/", `use "notes"`},
		{"path", names.Path, "/a/./b", "leave the slash out"},
		{"path", names.Path, "/" + long[:81], "leave the slash out"},
		{"path", names.Path, "notes/", "it ends in a slash"},
		{"path", names.Path, "a//b", "two slashes in a row"},
		{"path", names.Path, "./a", `a segment "."`},
		{"path", names.Path, "a/../b", `it holds ".."`},
		{"path", names.Path, "scratchpad://a/plan.md", "it is an address"},
		{"path", names.Path, `a\b`, `byte 2 is '\\'`},

		{"prefix", names.Prefix, "", ""},
		{"prefix", names.Prefix, "notes/", ""},
		{"prefix", names.Prefix, "/notes/", `use "notes/"`},
		{"prefix", names.Prefix, "/", "leave the slash out"},
		{"prefix", names.Prefix, "a b", "byte 2 is ' '"},

		{"key", names.Key, "step 1: é", ""},
		{"key", names.Key, strings.Repeat("é", 128), ""},
		{"key", names.Key, strings.Repeat("é", 129), "129 characters, limit 128"},
		{"key", names.Key, "a\n", "only printable characters"},
		{"key", names.Key, "a\xff", "only printable characters"},
	} {
		got := c.check(c.name)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %.20q: the cause is %q, want %q", c.what, c.name, got, c.want)
		}
	}
}

// A shortened name is valid UTF-8, and no character is cut in two.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"client", 6, "client"},
		{"client", 5, "clien"},
		{"aé", 2, "a"},
		{"aé", 3, "aé"},
		{"\U0001f600", 3, ""},
		{"a\xffb", 10, "a\uFFFDb"},
		{"a\xff\xffb", 4, "a\uFFFD"},
	} {
		if got := names.Shorten(c.text, c.most); got != c.want || !utf8.ValidString(got) {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.text, c.most, got, c.want)
		}
	}
}
