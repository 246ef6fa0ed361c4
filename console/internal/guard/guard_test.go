package guard_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console/internal/guard"
)

// The cookie is for this server alone, and a session comes back from it.
func TestCookie(t *testing.T) {
	for _, c := range []struct {
		url, proto, name string
		open             bool
	}{
		{"https://pad.example/", "", "__Host-scratchpad", false},
		{"http://pad.example/", "https", "__Host-scratchpad", false},
		{"http://pad.example/", "", "__Host-scratchpad", true},
		{"http://localhost:8080/", "", "scratchpad-8080", false},
		{"http://[::1]:8080/", "", "scratchpad-8080", false},
		{"http://127.0.0.1/", "", "scratchpad", false},
		{"http://localhost.example/", "", "__Host-scratchpad", true},
	} {
		r := httptest.NewRequest(http.MethodGet, c.url, nil)
		r.Header.Set("X-Forwarded-Proto", c.proto)
		cookie := guard.NewCookie(r, "s1", time.Unix(1<<32, 0))
		r.AddCookie(cookie)
		if cookie.Name != c.name || cookie.Secure != strings.HasPrefix(c.name, "__Host-") || guard.IsOpen(r) != c.open || guard.Session(r) != "s1" {
			t.Errorf("%s: %v, open %v, session %q", c.url, cookie, guard.IsOpen(r), guard.Session(r))
		}
	}
}

func TestToken(t *testing.T) {
	one, two := guard.NewSession(), guard.NewSession()
	if !guard.IsToken(one, guard.Token(one)) || guard.IsToken(one, guard.Token(two)) || guard.IsToken("", guard.Token("")) || guard.IsToken(one, "") {
		t.Error("a token is of another session, or of none")
	}
}
