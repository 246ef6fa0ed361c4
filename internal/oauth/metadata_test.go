package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/agent-scratchpad/scratchpad/internal/oauth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func newServer(t *testing.T, o oauth.Options) *oauth.Server {
	t.Helper()
	o.Issuer = "https://login.example.com/t"
	s, err := oauth.New(o)
	testkit.Must(t, err)
	t.Cleanup(s.Close)
	return s
}

func TestMetadata(t *testing.T) {
	s := newServer(t, oauth.Options{Audience: audience})
	if got, want := s.MetadataURL(), "https://memory.example.com/.well-known/oauth-protected-resource/mcp"; got != want {
		t.Errorf("MetadataURL() = %q, want %q", got, want)
	}
	w := httptest.NewRecorder()
	s.Metadata().ServeHTTP(w, httptest.NewRequest("GET", s.MetadataURL(), nil))
	var got oauthex.ProtectedResourceMetadata
	testkit.Must(t, json.Unmarshal(w.Body.Bytes(), &got))
	want := oauthex.ProtectedResourceMetadata{
		Resource: audience, AuthorizationServers: []string{"https://login.example.com/t"},
		ScopesSupported: []string{"read", "write"}, BearerMethodsSupported: []string{"header"}, ResourceName: "Scratchpad",
	}
	if diff := cmp.Diff(want, got); diff != "" || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("metadata (-want +got):\n%s\nheaders %v", diff, w.Header())
	}
	for method, want := range map[string]int{"HEAD": 200, "OPTIONS": 204, "POST": 405, "DELETE": 405} {
		w := httptest.NewRecorder()
		s.Metadata().ServeHTTP(w, httptest.NewRequest(method, s.MetadataURL(), nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", method, w.Code, want)
		}
	}
}

// An audience that is a name leads no client here.
func TestNoMetadata(t *testing.T) {
	s := newServer(t, oauth.Options{Audience: "scratchpad"})
	w := httptest.NewRecorder()
	s.Metadata().ServeHTTP(w, httptest.NewRequest("GET", "/.well-known/oauth-protected-resource", nil))
	if got := s.MetadataURL(); got != "" || w.Code != http.StatusNotFound {
		t.Errorf("MetadataURL() = %q and %d, want none and 404", got, w.Code)
	}
	s = newServer(t, oauth.Options{Audience: "scratchpad", Resource: "http://127.0.0.1:4321/"})
	if got, want := s.MetadataURL(), "http://127.0.0.1:4321/.well-known/oauth-protected-resource"; got != want {
		t.Errorf("MetadataURL() = %q, want %q", got, want)
	}
}
