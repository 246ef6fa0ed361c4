package clientconfig

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var testServer = Server{Command: `/opt/my tools/scratchpad`, Args: []string{"mcp", "--agent", "default"}}

// The rest of a client's file stays as it is.
func TestJSON(t *testing.T) {
	const entry = `"scratchpad": {
      "command": "/opt/my tools/scratchpad",
      "args": ["mcp", "--agent", "default"]
    }`
	for _, c := range []struct{ name, old, want string }{
		{"Empty", "", "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}\n"},
		{"EmptyObject", "{}", "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}"},
		{"EmptyServers", "{\n  \"mcpServers\": {}\n}\n", "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}\n"},
		{"Others", `{
  // mine
  "theme": "dark", // really
  "mcpServers": {
    "other": {"command": "x", "args": []} // keep
    /* "old": {} */
  }
}
`, `{
  // mine
  "theme": "dark", // really
  "mcpServers": {
    "other": {"command": "x", "args": []}, // keep
    /* "old": {} */
    ` + entry + `
  }
}
`},
		{"NoServersYet", "{\n  \"theme\": \"dark\" // really\n}\n", "{\n  \"theme\": \"dark\", // really\n  \"mcpServers\": {\n    " + entry + "\n  }\n}\n"},
		{"TrailingComma", "{\n  \"mcpServers\": {\n    \"a\": {},\n  },\n}\n", "{\n  \"mcpServers\": {\n    \"a\": {},\n    " + entry + "\n  },\n}\n"},
		{"Tabs", "{\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t}\n}", "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"scratchpad\": {\n\t\t\t\"command\": \"/opt/my tools/scratchpad\",\n\t\t\t\"args\": [\"mcp\", \"--agent\", \"default\"]\n\t\t}\n\t}\n}"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", strings.ReplaceAll("{\n  \"a\": 1,\n  \"mcpServers\": {\n    "+entry+"\n  }\n}\n", "\n", "\r\n")},
		{"NullServers", "{\n  \"mcpServers\": null // none\n}\n", "{\n  \"mcpServers\": {\n    " + entry + "\n  } // none\n}\n"},
		{"NullEntry", "{\n  \"mcpServers\": {\n    \"scratchpad\": null\n  }\n}\n", "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}\n"},
		{"OneLine", `{"a":1,"mcpServers":{}}`, `{"a":1,"mcpServers":{ "scratchpad": { "command": "/opt/my tools/scratchpad", "args": ["mcp", "--agent", "default"] } }}`},
		{"Changed", `{"mcpServers": {"scratchpad": {"type": "stdio", "args": ["mcp", "a//b",], "env": {"A": "1"}, "command": "/old"} /* why */}}`,
			`{"mcpServers": {"scratchpad": {"type": "stdio", "args": ["mcp", "--agent", "default"], "env": {"A": "1"}, "command": "/opt/my tools/scratchpad"} /* why */}}`},
		{"ArgsMissing", "{\"mcpServers\": {\"scratchpad\": {\n  \"command\": \"/opt/my tools/scratchpad\"\n}}}",
			"{\"mcpServers\": {\"scratchpad\": {\n  \"command\": \"/opt/my tools/scratchpad\",\n      \"args\": [\"mcp\", \"--agent\", \"default\"]\n}}}"},
		{"Same", "{\"mcpServers\":{\"scratchpad\":{\"args\":[\"mcp\",\n\"--agent\",\"def\\u0061ult\",],\"command\":\"/opt/my tools/scratchpad\",\"x\":1}}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, changed, err := added(jsonFormat{key: "mcpServers"}, c.old)
			testkit.Must(t, err)
			if c.want == "" {
				c.want = c.old
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (len(changed) > 0) != (c.old != c.want) {
				t.Errorf("changed = %q", changed)
			}
			again, changed, err := added(jsonFormat{key: "mcpServers"}, string(got))
			if err != nil || len(changed) > 0 || string(again) != string(got) {
				t.Errorf("a second edit: %v, %q", err, changed)
			}
		})
	}
}

func TestJSONRefuses(t *testing.T) {
	for old, want := range map[string]error{
		`{"mcpServers": {`:                     store.ErrInvalid,
		`{"a": 1} {"b": 2}`:                    store.ErrInvalid,
		`[]`:                                   store.ErrInvalid,
		`# a comment`:                          store.ErrInvalid,
		`{"mcpServers": []}`:                   store.ErrInvalid,
		`{"mcpServers": false}`:                store.ErrInvalid,
		`{"mcpServers": {"scratchpad": []}}`:   store.ErrInvalid,
		`{"mcpServers": {"scratchpad": "x"}}`:  store.ErrInvalid,
		`{"mcpServers": {}, "mcpServers": {}}`: store.ErrInvalid,
	} {
		if got, _, err := added(jsonFormat{key: "mcpServers"}, old); !errors.Is(err, want) || len(got) > 0 {
			t.Errorf("%s: %q, %v; want %v", old, got, err, want)
		}
	}
}

// A repository cannot end the process by a file that nests so deep that the parser fills its stack.
func TestJSONDeep(t *testing.T) {
	for _, deep := range []string{"[", `{"":`, "[ /*]*/", "[ //]\n", `["\"]",`} {
		if got, _, err := added(jsonFormat{key: "mcpServers"}, strings.Repeat(deep, 3<<20)); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "nests more than") {
			t.Errorf("%s...: %.20q, %.200v", deep, got, err)
		}
	}
	flat := `{"a": "` + strings.Repeat("[", maxDepth+1) + `", "b": [` + strings.Repeat("[], ", maxDepth) + `{}]} //` + strings.Repeat("{", maxDepth+1) + "\n"
	if _, _, err := added(jsonFormat{key: "mcpServers"}, flat); err != nil {
		t.Errorf("a file that is not deep: %v", err)
	}
}

func TestTOML(t *testing.T) {
	const entry = "[mcp_servers.scratchpad]\ncommand = '/opt/my tools/scratchpad'\nargs = ['mcp', '--agent', 'default']\n"
	for _, c := range []struct{ name, old, want string }{
		{"Empty", "", entry},
		{"Others", "# mine\nmodel = \"x\" # really\n\n[mcp_servers.other]\ncommand = \"y\"\n", "# mine\nmodel = \"x\" # really\n\n[mcp_servers.other]\ncommand = \"y\"\n\n" + entry},
		{"NoLineEnd", "model = \"x\"", "model = \"x\"\n\n" + entry},
		{"BothLineEnds", "a = 1\r\nb = 2\n", "a = 1\r\nb = 2" + strings.ReplaceAll("\n\n"+entry, "\n", "\r\n")},
		{"SignInText", "[mcp_servers.scratchpad]\ncommand = '/c#/old'\nargs = []\n", ""},
		{"CRLF", "model = \"x\"\r\n", strings.ReplaceAll("model = \"x\"\n\n"+entry, "\n", "\r\n")},
		{"Changed", "[mcp_servers.\"scratchpad\"]\nargs = [\n  \"mcp no\",\n]\nenabled = true\ncommand = \"/old\"\nenv = { A = \"1\" }\n\n[mcp_servers.scratchpad.tools.x]\non = 1\n\n# two\n[other] # why\ncommand = \"/old\"\n",
			"# two\n[other] # why\ncommand = \"/old\"\n\n" + entry + "enabled = true\nenv = {A = '1'}\ntools = {x = {on = 1}}\n"},
		{"LikeAHeader", "[mcp_servers.scratchpad]\nargs = [\n  [1],\n  'x',\n]\n", ""},
		{"InText", "text = \"\"\"\n[mcp_servers.scratchpad]\n[b]\"\"\"\n", ""},
		{"Comment", "[mcp_servers.scratchpad] # mine\ncommand = '/old'\n", ""},
		{"CommandMissing", "[mcp_servers.scratchpad]\nargs = []\n", "[mcp_servers.scratchpad]\ncommand = '/opt/my tools/scratchpad'\nargs = ['mcp', '--agent', 'default']\n"},
		{"NoJSON", "[mcp_servers.scratchpad]\ncommand = inf\nargs = []\n", entry},
		{"Dotted", "mcp_servers.scratchpad.command = \"/old\"\nmcp_servers.scratchpad.args = []\n", ""},
		{"Same", strings.ReplaceAll(entry, "'", `"`), strings.ReplaceAll(entry, "'", `"`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, changed, err := added(tomlFormat{}, c.old)
			if c.want == "" {
				if !errors.Is(err, ErrByHand) || string(got) != "" {
					t.Errorf("%q, %v; want %v", got, err, ErrByHand)
				}
				return
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if (len(changed) > 0) != (c.old != c.want) {
				t.Errorf("changed = %q", changed)
			}
			if again, changed, err := added(tomlFormat{}, string(got)); err != nil || len(changed) > 0 || string(again) != string(got) {
				t.Errorf("a second edit: %v, %q", err, changed)
			}
		})
	}
}

// The lines for the user have no value that may be a secret.
func TestByHandHidesValues(t *testing.T) {
	const old = "[mcp_servers.scratchpad]\nargs = [] # two\nenv = {KEY = 'hush'}\n"
	if _, _, err := added(tomlFormat{}, old); !errors.Is(err, ErrByHand) || strings.Contains(err.Error(), "hush") {
		t.Error(err)
	}
}

func TestTOMLRefuses(t *testing.T) {
	for old, want := range map[string]error{
		"[mcp_servers":   store.ErrInvalid,
		"a = 1\na = 2\n": store.ErrInvalid,
		"[mcp_servers.scratchpad]\nargs = [\n  'mcp'\n  # two\n]\n": ErrByHand,
		"[mcp_servers.scratchpad]\nargs = [[\n 'mcp', # two\n]]\n":  ErrByHand,
	} {
		if got, _, err := added(tomlFormat{}, old); !errors.Is(err, want) || len(got) > 0 {
			t.Errorf("%s: %q, %v; want %v", old, got, err, want)
		}
	}
}
