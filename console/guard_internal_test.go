package console

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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
		cookie := newCookie(r, "s1", time.Unix(1<<32, 0))
		r.AddCookie(cookie)
		if cookie.Name != c.name || cookie.Secure != strings.HasPrefix(c.name, "__Host-") || isOpen(r) != c.open || sessionOf(r) != "s1" {
			t.Errorf("%s: %v, open %v, session %q", c.url, cookie, isOpen(r), sessionOf(r))
		}
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("%s: %v, want HttpOnly and SameSite=Strict, for this host alone", c.url, cookie)
		}
	}
}

func TestToken(t *testing.T) {
	one, two := rand.Text(), rand.Text()
	if !isFormToken(one, formToken(one)) || isFormToken(one, formToken(two)) || isFormToken("", formToken("")) || isFormToken(one, "") {
		t.Error("a token is of another session, or of none")
	}
}
