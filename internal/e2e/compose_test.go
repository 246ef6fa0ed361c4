package e2e

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func loadCompose(t *testing.T, name string, environment types.Mapping) (*types.Project, error) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(root, "deploy", name))
	testkit.Must(t, err)
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir: filepath.Dir(file), Environment: environment, ConfigFiles: []types.ConfigFile{{Filename: file}},
	}, loader.WithProfiles([]string{"*"}))
}

// TestCompose reads the compose files as Docker Compose does. The servers must have no rights
// that they do not need, and only the proxy may be reached from outside.
func TestCompose(t *testing.T) {
	for name, c := range map[string]struct {
		servers  []string
		required types.Mapping
	}{
		"compose.sqlite.yaml": {[]string{"scratchpad"}, types.Mapping{"SCRATCHPAD_HOST": "memory.example.com"}},
		"compose.yaml": {[]string{"scratchpad1", "scratchpad2", "scratchpad3"},
			types.Mapping{"SCRATCHPAD_HOST": "memory.example.com", "POSTGRES_PASSWORD": "a", "REPLICATION_PASSWORD": "b", "SCRATCHPAD_DB_PASSWORD": "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			for variable := range c.required {
				without := maps.Clone(c.required)
				delete(without, variable)
				if _, err := loadCompose(t, name, without); err == nil || !strings.Contains(err.Error(), variable) {
					t.Errorf("without %s: %v, want an error that names it", variable, err)
				}
			}
			project, err := loadCompose(t, name, c.required)
			testkit.Must(t, err)
			for _, server := range c.servers {
				checkServer(t, project.Services[server], project.Services["proxy"])
			}
			for _, s := range project.Services {
				checkVolumes(t, s)
				if s.Name != "proxy" && len(s.Ports) != 0 || s.Privileged || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
					t.Errorf("the service %s: ports %v, privileged %t, security_opt %q", s.Name, s.Ports, s.Privileged, s.SecurityOpt)
				}
			}
		})
	}
}

// checkServer checks a service that runs scratchpad.
func checkServer(t *testing.T, s, proxy types.ServiceConfig) {
	t.Helper()
	if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || s.CapAdd != nil || s.User != "65532:65532" {
		t.Errorf("the service %q has more rights than it needs: read_only %t, cap_drop %q, cap_add %q, user %q", s.Name, s.ReadOnly, s.CapDrop, s.CapAdd, s.User)
	}
	if s.Build == nil || !filepath.IsAbs(s.Build.Context) {
		t.Fatalf("the build of %q is %+v", s.Name, s.Build)
	}
	for _, name := range []string{filepath.Join(s.Build.Context, "go.mod"), filepath.Join(s.Build.Context, s.Build.Dockerfile)} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if want := s.Command[len(s.Command)-1]; proxy.Networks["inside"].Ipv4Address+"/32" != want {
		t.Errorf("the server trusts the proxy %s, which has the address %s", want, proxy.Networks["inside"].Ipv4Address)
	}
}

// checkVolumes checks that the files that a service gets are there.
func checkVolumes(t *testing.T, s types.ServiceConfig) {
	t.Helper()
	for _, v := range s.Volumes {
		if v.Type != types.VolumeTypeBind {
			continue
		}
		if _, err := os.Stat(v.Source); err != nil {
			t.Errorf("the service %s: %v", s.Name, err)
		}
	}
}
