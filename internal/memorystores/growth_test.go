package memorystores_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// An object has no more members than anybody needs.
func TestManyMembers(t *testing.T) {
	c := newWorld(t, memstore.New(), nil).of(t, both, "*")
	many := map[string]any{}
	for i := range 10_000 {
		many[fmt.Sprint(i)] = nil
	}
	c.post("", object{"name": "a", "metadata": many}).fails(400, "invalid_request_error", "metadata has more than 100 members")
}

// Clients that do not read their lists of stores take no more memory than one tenant may
// have.
func TestUnreadStores(t *testing.T) {
	testkit.SkipUnlessLong(t) // it waits for five seconds
	w := newWorld(t, memstore.New(), nil)
	c, other := w.of(t, both, "*"), w.in(t, "other", both, "*")
	fat := workspace.Profile{Name: "n", Description: strings.Repeat("\x01", 1000), Metadata: map[string]string{}}
	for i := range 16 {
		fat.Metadata[fmt.Sprintf("%02d%s", i, strings.Repeat("k", 60))] = strings.Repeat("\x01", 512)
	}
	base, err := workspace.New(w.store, workspace.Options{})
	testkit.Must(t, err)
	svc, err := base.Tenant("house", workspace.StoreLimits{Agents: -1})
	testkit.Must(t, err)
	for i := range 100 {
		_, err := svc.UpdateProfile(t.Context(), fmt.Sprint("a", i), func(workspace.Profile, bool) (workspace.Profile, error) { return fat, nil })
		testkit.Must(t, err)
	}
	for range 12 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		testkit.Must(t, err)
		t.Cleanup(func() { conn.Close() })
		testkit.Must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
		fmt.Fprintf(conn, "GET /v1/memory_stores?limit=100 HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\n\r\n", c.key)
	}
	time.Sleep(6 * time.Second)
	if a := c.get("?limit=100"); a.status != 429 {
		t.Errorf("%d %.200s", a.status, a.text)
	}
	c.get("/memstore_a1").ok()
	other.get("").ok()
}
