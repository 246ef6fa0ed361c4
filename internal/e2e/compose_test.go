package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
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
