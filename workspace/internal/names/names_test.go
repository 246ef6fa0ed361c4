package names_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// ascii returns the check of a rule's names as one of ASCII.
func ascii(check func(names.Rule, string) (string, string)) func(string) string {
	return func(name string) string {
		clean, cause := check(names.ASCII, name)
		if clean != name {
			return "it was changed to " + clean
		}
		return cause
	}
}

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

		{"path", ascii(names.Rule.Path), "notes/plan.md", ""},
		{"path", ascii(names.Rule.Path), ".hidden/a.", ""},
		{"path", ascii(names.Rule.Path), long[:255], ""},
		{"path", ascii(names.Rule.Path), long, "256 characters, limit 255"},
		{"path", ascii(names.Rule.Path), "", "it is empty"},
		{"path", ascii(names.Rule.Path), "/notes/plan.md", `it begins with a slash; use "notes/plan.md"`},
		{"path", ascii(names.Rule.Path), "/notes/", `use "notes"`},
		{"path", ascii(names.Rule.Path), "/a/./b", "leave the slash out"},
		{"path", ascii(names.Rule.Path), "/" + long[:81], "leave the slash out"},
		{"path", ascii(names.Rule.Path), "notes/", "it ends in a slash"},
		{"path", ascii(names.Rule.Path), "a//b", "two slashes in a row"},
		{"path", ascii(names.Rule.Path), "./a", `a segment "."`},
		{"path", ascii(names.Rule.Path), "a/../b", `it holds ".."`},
		{"path", ascii(names.Rule.Path), "scratchpad://a/plan.md", "it is an address"},
		{"path", ascii(names.Rule.Path), `a\b`, `byte 2 is '\\'`},

		{"prefix", ascii(names.Rule.Prefix), "", ""},
		{"prefix", ascii(names.Rule.Prefix), "notes/", ""},
		{"prefix", ascii(names.Rule.Prefix), "/notes/", `use "notes/"`},
		{"prefix", ascii(names.Rule.Prefix), "/", "leave the slash out"},
		{"prefix", ascii(names.Rule.Prefix), "a b", "byte 2 is ' '"},

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
