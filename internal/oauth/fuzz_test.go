package oauth_test

import (
	"errors"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A token that passes is one that the issuer has signed for alice. Its bytes may differ: in
// the last bits of base64, and in the sign of an ES256 signature.
func FuzzVerify(f *testing.F) {
	rs, es := newSigner(f, "r", "RS256"), newSigner(f, "", "ES256")
	i := newIssuer(f, rs, es)
	s := i.server(f, nil)
	alice, err := s.Verify(f.Context(), rs.token(f, i.claims(nil)))
	testkit.Must(f, err)
	f.Add(rs.token(f, i.claims(nil)))
	f.Add(es.token(f, i.claims(nil)))
	f.Add("e30.e30.e30")
	f.Fuzz(func(t *testing.T, token string) {
		switch c, err := s.Verify(t.Context(), token); {
		case err == nil && c.ID != alice.ID, err != nil && (c.ID != "" || !errors.Is(err, auth.ErrUnknown)):
			t.Errorf("Verify(%q) = %+v, %v", token, c, err)
		}
	})
}
