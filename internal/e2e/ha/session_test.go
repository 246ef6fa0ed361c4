package ha

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// useSession lets the SDK's client make calls in a version of the protocol.
func useSession(t *testing.T, web *http.Client, url, key, version string) error {
	t.Helper()
	web = &http.Client{Transport: keyed{key, web}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "ha", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: web, MaxRetries: -1, DisableStandaloneSSE: true},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	defer session.Close()
	for i := range 6 {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "append_log", Arguments: map[string]any{"path": "log", "entry": fmt.Sprint(i)}})
		if err != nil {
			return err
		}
		if got.IsError {
			return fmt.Errorf("append_log: %+v", got.Content)
		}
	}
	return nil
}

// keyed adds a key to the requests of a client.
type keyed struct {
	key string
	web *http.Client
}

// RoundTrip implements [http.RoundTripper].
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.web.Do(r)
}
