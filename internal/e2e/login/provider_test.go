package login

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The user and the client of the provider. It makes the user.
const (
	userName, userPassword = "test-user@127.0.0.1", "verysecure"
	nativeClient           = "scratchpad-cli"
	redirectURL            = "http://localhost/auth/callback"
)

// startProvider starts the provider on loopback. Its tokens are for the resource.
func startProvider(t *testing.T, resource string) *httptest.Server {
	t.Helper()
	storage.RegisterClients(storage.NativeClient(nativeClient, redirectURL))
	server := httptest.NewUnstartedServer(nil)
	issuer := "http://" + server.Listener.Addr().String()
	server.Config.Handler = exampleop.SetupServer(issuer, &claimStorage{storage.NewStorage(storage.NewUserStore(issuer)), resource}, nil, false)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// claimStorage is the provider's own storage, told what to put into access tokens.
type claimStorage struct {
	*storage.Storage
	resource string
}

// GetPrivateClaimsFromScopes adds the claims that the server asks for.
func (s *claimStorage) GetPrivateClaimsFromScopes(_ context.Context, _, _ string, scopes []string) (map[string]any, error) {
	return map[string]any{"tenant": "acme", "agents": []string{"planner", "team-a-*"}, "scope": strings.Join(scopes, " ")}, nil
}

// AuthRequestByCode returns the request of a code, for the resource.
func (s *claimStorage) AuthRequestByCode(ctx context.Context, code string) (op.AuthRequest, error) {
	r, err := s.Storage.AuthRequestByCode(ctx, code)
	if own, ok := r.(*storage.AuthRequest); ok {
		return &resourceRequest{own, s.resource}, err
	}
	return r, err
}

// CreateAccessToken hands the storage its own request.
func (s *claimStorage) CreateAccessToken(ctx context.Context, r op.TokenRequest) (string, time.Time, error) {
	if own, ok := r.(*resourceRequest); ok {
		r = own.AuthRequest
	}
	return s.Storage.CreateAccessToken(ctx, r)
}

// GetClientByClientID returns a client that gets tokens that can be read.
func (s *claimStorage) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return jwtClient{c}, nil
}

type resourceRequest struct {
	*storage.AuthRequest
	resource string
}

func (r *resourceRequest) GetAudience() []string { return []string{r.resource} }

type jwtClient struct{ op.Client }

func (jwtClient) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

func (jwtClient) IsScopeAllowed(scope string) bool {
	return slices.Contains([]string{"read", "write"}, scope)
}
