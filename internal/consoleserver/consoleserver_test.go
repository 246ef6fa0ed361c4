package consoleserver_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/access"
	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/consoleserver"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A buffer is a log.
type buffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// team is a server with keys.
type team struct {
	url  string
	key  string // of an admin
	open bool   // nobody needs a key
	http *httpserver.Server
	log  buffer
}

func newTeam(t *testing.T, metadata string) *team {
	s := new(team)
	store := memstore.New()
	keys := auth.NewKeys(store, auth.Options{})
	t.Cleanup(func() { testkit.Must(t, keys.Close(context.Background())) })
	all, err := auth.ParseAgents("*")
	testkit.Must(t, err)
	_, s.key, err = keys.Create(t.Context(), auth.Grant{Tenant: "local", Agents: all, Scopes: auth.Read | auth.Admin})
	testkit.Must(t, err)
	base, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	o := consoleserver.KeyOptions{
		Keys: keys, Failures: auth.NewFailures(nil), MetadataURL: metadata,
		Door: access.New(base, func(context.Context, string) (workspace.StoreLimits, error) { return workspace.StoreLimits{}, nil }),
		Anonymous: func(context.Context) (auth.Caller, bool, error) {
			return auth.Caller{ID: "local", Tenant: "local", Agents: all, Scopes: auth.Read}, s.open, nil
		},
		Failed: func(ctx context.Context, from netip.Addr, after time.Duration, counted bool) {
			s.http.NoteFailed(ctx, from, after, counted)
		},
	}
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	pages, err := console.New(console.Options{People: o.People(), Keys: o.PeopleKeys(), Config: o.Config, Logger: log})
	testkit.Must(t, err)
	s.http, err = httpserver.New(httpserver.Options{Console: pages, Failures: o.Failures, Logger: log})
	testkit.Must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	s.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(ctx, l) }()
	t.Cleanup(func() { cancel(); testkit.Must(t, <-ended) })
	return s
}

// get returns a page as somebody without a session gets it.
func (s *team) get(t *testing.T, header string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/", nil)
	testkit.Must(t, err)
	r.Header.Set("Accept", "text/html")
	if name, value, ok := strings.Cut(header, ": "); ok {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	testkit.Must(t, err)
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return string(page)
}

// Where nobody needs a key, the console needs none either, but for what a proxy has passed
// on. The configuration to paste has the address that the browser has.
func TestOpen(t *testing.T) {
	s := newTeam(t, "")
	if page := s.get(t, ""); !strings.Contains(page, "<h1>Sign in</h1>") {
		t.Errorf("a stranger gets\n%s", page)
	}
	s.open = true
	if page := s.get(t, ""); !strings.Contains(page, "scratchpad "+s.url+"/mcp\n") || strings.Contains(page, "SCRATCHPAD_API_KEY") {
		t.Errorf("everybody gets\n%s", page)
	}
	for _, header := range []string{"X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "Via: 1.1 proxy"} {
		if page := s.get(t, header); !strings.Contains(page, "<h1>Sign in</h1>") {
			t.Errorf("with %s somebody gets\n%s", header, page)
		}
	}
	s = newTeam(t, "https://memory.example.com/.well-known/oauth-protected-resource/mcp")
	s.open = true
	if page := s.get(t, ""); !strings.Contains(page, "scratchpad https://memory.example.com/mcp\n") {
		t.Errorf("behind a name everybody gets\n%s", page)
	}
}

// The key stands where a client reads it, and nowhere else.
func TestRemoteConfigs(t *testing.T) {
	at, err := clientconfig.ParseURL("https://memory.example.com")
	testkit.Must(t, err)
	const key = "sp_k1234567_secret"
	for name, c := range map[string]struct {
		wantsKey bool
		key      string
		clients  int
		withKey  []string
	}{
		"a new key":  {true, key, 7, []string{"The key", "Claude Desktop"}},
		"an old key": {true, "", 6, nil},
		"no key":     {false, "", 6, nil},
	} {
		all := consoleserver.RemoteConfigs(at, c.wantsKey, c.key)
		var withKey []string
		for _, a := range all {
			if strings.Contains(a.Text+a.Where, key) {
				withKey = append(withKey, a.Client)
			}
			if a.Client == "" || a.Where == "" || a.Text == "" || a.Client != "The key" && !strings.Contains(a.Text, "https://memory.example.com/mcp") {
				t.Errorf("%s: %+v", name, a)
			}
			if needs := strings.Contains(a.Text, "SCRATCHPAD_API_KEY") || strings.Contains(a.Text, "Bearer"); needs != c.wantsKey {
				t.Errorf("%s: %s has %q", name, a.Client, a.Text)
			}
		}
		if len(all) != c.clients || strings.Join(withKey, ",") != strings.Join(c.withKey, ",") {
			t.Errorf("%s: %d configurations, and %v have the key", name, len(all), withKey)
		}
	}
	const program = "/opt/it's/scratchpad"
	for _, a := range consoleserver.LocalConfigs(clientconfig.Server{Command: program, Args: []string{"mcp", "--agent", "a"}}) {
		if a.Where == "" || !strings.Contains(a.Text, "scratchpad") || a.Client == "Claude Code" && a.Text != "claude mcp add scratchpad -- "+native.Quote(program)+" mcp --agent a\n" {
			t.Errorf("%+v", a)
		}
	}
}
