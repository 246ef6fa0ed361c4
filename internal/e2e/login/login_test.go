package login

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var scratchpadPath string // the real binary

func TestMain(m *testing.M) {
	process.Main(m, filepath.Join("..", "..", ".."), &scratchpadPath)
}

// A user logs in at the provider. The client has found it by the server's first answer.
func TestCodeFlow(t *testing.T) {
	address := process.FreeAddress(t)
	resource := "http://" + address + "/mcp"
	provider := startProvider(t, resource)
	process.Serve(t, scratchpadPath, "--addr", address, "--db", filepath.Join(t.TempDir(), "test.db"), "--oauth-issuer", provider.URL, "--oauth-audience", resource)
	for _, protocol := range []string{"2026-07-28", "2025-11-25"} { // one of each era
		logins := 0
		handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
			PreregisteredClient: &oauthex.ClientCredentials{ClientID: nativeClient},
			RedirectURL:         redirectURL,
			AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				logins++
				return logIn(ctx, args.URL)
			},
		})
		testkit.Must(t, err)
		session := connect(t, resource, handler, protocol)
		checkAgent(t, session, "planner", true)
		checkAgent(t, session, "team-a-1", true)
		checkAgent(t, session, "robot", false)
		if logins != 1 {
			t.Errorf("%s: the user logged in %d times, want once", protocol, logins)
		}
	}
}

func connect(t *testing.T, endpoint string, handler auth.OAuthHandler, protocol string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "login-test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, OAuthHandler: handler},
		&mcp.ClientSessionOptions{ProtocolVersion: protocol})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// checkAgent checks that a session has an agent, by a write.
func checkAgent(t *testing.T, session *mcp.ClientSession, agent string, want bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_file", Arguments: map[string]any{"agent_id": agent, "path": "plan.md", "content": "x"}})
	testkit.Must(t, err)
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError == want || !want && !strings.Contains(text, "of your key") {
		t.Errorf("write_file of %s: error %v, want %v: %s", agent, result.IsError, !want, text)
	}
}

// logIn does what a user does in a browser: opens the page, sends the form, and follows
// the redirects until the client is called back.
func logIn(ctx context.Context, page string) (*auth.AuthorizationResult, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), redirectURL) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	form, err := fetch(ctx, browser, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	at := *form.Request.URL
	id := at.Query().Get("authRequestID")
	at.RawQuery = ""
	back, err := fetch(ctx, browser, http.MethodPost, at.String(), url.Values{"id": {id}, "username": {userName}, "password": {userPassword}})
	if err != nil {
		return nil, err
	}
	called, err := back.Location()
	if err != nil {
		return nil, fmt.Errorf("after the login the browser is at %s (%s): %w", back.Request.URL, back.Status, err)
	}
	q := called.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}

func fetch(ctx context.Context, browser *http.Client, method, at string, form url.Values) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := browser.Do(r)
	if err != nil {
		return nil, err
	}
	return resp, resp.Body.Close()
}
