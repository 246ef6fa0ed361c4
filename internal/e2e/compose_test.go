package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

func loadCompose(t *testing.T, environment types.Mapping) (*types.Project, error) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(root, "deploy", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir: filepath.Dir(file), Environment: environment, ConfigFiles: []types.ConfigFile{{Filename: file}},
	})
}

// TestCompose reads the compose file as Docker Compose does. The server must have no rights
// that it does not need, and only the proxy may be reached from outside.
func TestCompose(t *testing.T) {
	if _, err := loadCompose(t, nil); err == nil || !strings.Contains(err.Error(), "SCRATCHPAD_HOST") {
		t.Errorf("the compose file without SCRATCHPAD_HOST: %v, want an error that names it", err)
	}
	project, err := loadCompose(t, types.Mapping{"SCRATCHPAD_HOST": "memory.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	s := project.Services["scratchpad"]
	if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || s.CapAdd != nil || s.Privileged || s.User != "65532:65532" ||
		!slices.Contains(s.SecurityOpt, "no-new-privileges:true") || len(s.Ports) != 0 {
		t.Errorf("the service scratchpad has more rights than it needs: read_only %t, cap_drop %q, cap_add %q, privileged %t, user %q, security_opt %q, ports %v",
			s.ReadOnly, s.CapDrop, s.CapAdd, s.Privileged, s.User, s.SecurityOpt, s.Ports)
	}
	if s.Build.Context == "" || !filepath.IsAbs(s.Build.Context) {
		t.Fatalf("the build's context is %q", s.Build.Context)
	}
	for _, name := range []string{filepath.Join(s.Build.Context, "go.mod"), filepath.Join(s.Build.Context, s.Build.Dockerfile)} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	proxy := project.Services["proxy"]
	if want := s.Command[len(s.Command)-1]; proxy.Networks["inside"].Ipv4Address+"/32" != want {
		t.Errorf("the server trusts the proxy %s, which has the address %s", want, proxy.Networks["inside"].Ipv4Address)
	}
	if _, err := os.Stat(proxy.Volumes[0].Source); err != nil {
		t.Error(err)
	}
}

// TestProxy runs the proxy with TLS in front of the server. A client works through it, and
// other routes than those of clients are closed.
func TestProxy(t *testing.T) {
	upstream := strings.TrimSuffix(process.Serve(t, scratchpadPath, "--db", filepath.Join(t.TempDir(), "test.db"), "--trusted-proxy", "127.0.0.1/32"), "/mcp")
	url, client := startProxy(t, strings.TrimPrefix(upstream, "http://"))

	res, err := client.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotFound { // the server itself answers 403
		t.Errorf("GET /metrics = %s, want 404", res.Status)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_file", Arguments: m{"agent_id": "e2e", "path": "plan.md", "content": "x"}})
	if err != nil || got.IsError {
		t.Errorf("write_file through the proxy: %v, %+v", err, got)
	}
}

// startProxy runs Caddy with the Caddyfile of deploy on free ports of loopback. The client
// trusts the authority that Caddy makes for localhost.
func startProxy(t *testing.T, upstream string) (url string, client *http.Client) {
	t.Helper()
	caddy, err := exec.LookPath("caddy")
	if err != nil {
		t.Fatal("caddy is missing; install it (Debian: apt-get install -y caddy), and run this again")
	}
	text, err := os.ReadFile(filepath.Join(root, "deploy", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plain, secure := freePort(t), freePort(t)
	ports := "admin off\n\thttp_port " + plain + "\n\thttps_port " + secure + "\n\tskip_install_trust"
	config := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(config, []byte(strings.Replace(string(text), "admin off", ports, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(caddy, "run", "--config", config, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "SCRATCHPAD_HOST=localhost", "SCRATCHPAD_UPSTREAM="+upstream)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	url = "https://localhost:" + secure
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		pool := x509.NewCertPool()
		if authority, err := os.ReadFile(filepath.Join(dir, "caddy", "pki", "authorities", "local", "root.crt")); err == nil && pool.AppendCertsFromPEM(authority) {
			client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
			if res, err := client.Get(url + "/"); err == nil {
				res.Body.Close()
				return url, client
			}
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the proxy does not answer")
		}
	}
}

// freePort returns a port of loopback that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(process.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}
