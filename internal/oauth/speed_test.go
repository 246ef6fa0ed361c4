package oauth_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// What Verify takes beside a small call over HTTP, the floor.
func BenchmarkVerify(b *testing.B) {
	for _, alg := range []string{"RS256", "ES256", "EdDSA"} {
		b.Run(alg, func(b *testing.B) {
			key := newSigner(b, "k1", alg)
			i := newIssuer(b, key)
			s := i.server(b, nil)
			token := key.token(b, i.claims(nil))
			for b.Loop() {
				if _, err := s.Verify(b.Context(), token); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("empty request", func(b *testing.B) {
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		defer server.Client().CloseIdleConnections()
		for b.Loop() {
			resp, err := server.Client().Get(server.URL)
			testkit.Must(b, err)
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	})
}
