package mcpserver

import "testing"

// Only a URI of a resource here names an agent.
func TestSplitURI(t *testing.T) {
	for uri, want := range map[string][2]string{
		"scratchpad://a/b/c.md": {"a", "b/c.md"},
		"scratchpad://a":        {"a", ""},
		"a/b/c.md":              {"", ""},
		"file://a/b":            {"", ""},
		"SCRATCHPAD://a/b":      {"", ""},
		"":                      {"", ""},
	} {
		if agent, path := splitURI(uri); agent != want[0] || path != want[1] {
			t.Errorf("splitURI(%q) = %q, %q, want %q", uri, agent, path, want)
		}
	}
}
