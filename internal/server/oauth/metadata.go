package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

const metadataPath = "/.well-known/oauth-protected-resource"

// first are the scopes that a client asks the issuer for at first.
const first = auth.Read | auth.Write

// describe makes the protected-resource metadata of RFC 9728.
func (s *Server) describe() error {
	resource := s.o.Resource
	if resource == "" {
		if _, err := parseURL(s.o.Audience, true); err != nil {
			return nil // the audience is a name, and clients are not told
		}
		resource = s.o.Audience
	}
	u, err := parseURL(resource, true)
	if err != nil {
		return fmt.Errorf("OAuth resource: %w", err)
	}
	if u.RawQuery != "" {
		return fmt.Errorf("OAuth resource: %.200q has a query; give the URL without it", resource)
	}
	var scopes []string
	if s.scoped() {
		scopes = names(first)
	}
	s.link = u.Scheme + "://" + u.Host + metadataPath + strings.TrimSuffix(u.EscapedPath(), "/")
	s.document, err = json.Marshal(struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{resource, []string{s.o.Issuer}, scopes, []string{"header"}, "Scratchpad"})
	return err
}

// MetadataURL is where clients look for the metadata, or "" if there is none: there is no
// Options.Resource, and the audience is not a URL.
func (s *Server) MetadataURL() string { return s.link }

// Metadata returns the handler of the protected-resource metadata (RFC 9728). The caller
// mounts it at the path of [Server.MetadataURL], and at
// /.well-known/oauth-protected-resource for older clients, and lets GET, HEAD and OPTIONS through.
// Anybody may read it. The answer
// is 404 if there is no metadata.
func (s *Server) Metadata() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.document == nil {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*") // clients in browsers read it too
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
			h.Set("Access-Control-Allow-Headers", "*")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(s.document)
	})
}

// scoped reports whether clients ask the issuer for scopes. A claim of another name is
// filled by other means, such as from roles.
func (s *Server) scoped() bool { return s.o.ScopesClaim == "scope" || s.o.ScopesClaim == "scp" }

func names(s auth.Scopes) []string { return strings.Split(s.String(), ",") }
