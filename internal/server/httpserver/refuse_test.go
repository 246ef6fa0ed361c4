package httpserver

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A refusal has the id of the message, if that is one that can be repeated.
func TestRefusalID(t *testing.T) {
	testkit.SkipInShort(t)
	s := serve(t, Options{MCP: who}, nil)
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`: `7`,
		`{"id":"a<\"b"}`:                         `"a<\"b"`,
		`{"id":1758000000000000000}`:             `1758000000000000000`,
		`{"id":"\u0041\/<&>"}`:                   `"\u0041\/<&>"`,
		"\ufeff" + `{"id":8}`:                    `8`,
		`{"id":-1.5e3}`:                          `-1.5e3`,
		`{"method":"notifications/initialized"}`: `null`,
		`{"id":null}`:                            `null`,
		`{"id":{"a":1}}`:                         `null`,
		`{"id":[1]}`:                             `null`,
		`{"id":true}`:                            `null`,
		`{"id":7`:                                `null`,
		`[{"id":7}]`:                             `null`,
		`{"id":"` + strings.Repeat("x", 254) + `"}`:           `"` + strings.Repeat("x", 254) + `"`,
		`{"id":"` + strings.Repeat("x", 255) + `"}`:           `null`,
		`{"id":7,"a":"` + strings.Repeat("x", maxSkip) + `"}`: `null`,
	} {
		a := s.ask("POST", "/mcp", body, "Authorization: Bearer sp_bad")
		if !strings.HasPrefix(a.text, `{"jsonrpc":"2.0","id":`+want+`,"error":`) || a.status != 401 {
			t.Errorf("%.60s: %d %s, want the id %s", body, a.status, a.text, want)
		}
	}
}
