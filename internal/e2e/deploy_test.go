package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	urlpath "path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// TestUnit lets systemd judge the unit: it must be valid, and its exposure below 2.5.
func TestUnit(t *testing.T) {
	text := readFile(t, filepath.Join(root, "deploy", "scratchpad.service"))
	const installed = "/usr/local/bin/scratchpad"
	if !bytes.Contains(text, []byte("ExecStart="+installed+" serve ")) {
		t.Fatalf("the unit does not start %s serve", installed)
	}
	file := filepath.Join(t.TempDir(), "scratchpad.service")
	text = bytes.ReplaceAll(text, []byte("ExecStart="+installed), []byte("ExecStart="+scratchpadPath))
	if out := analyze(t, file, text, "verify"); out != "" {
		t.Errorf("systemd-analyze verify: %s", out)
	}
	if out := analyze(t, file, text, "security", "--offline=true", "--threshold=24"); out != "" {
		t.Errorf("the unit has an exposure of 2.5 or more; see systemd-analyze security --offline=true deploy/scratchpad.service: %s", out)
	}
}

// analyze runs systemd-analyze on a unit. It returns what was wrong, or "".
func analyze(t *testing.T, file string, text []byte, args ...string) string {
	t.Helper()
	testkit.Must(t, os.WriteFile(file, text, 0o600))
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Fatal("systemd-analyze is missing; install systemd (Debian: apt-get install -y systemd), and run this again")
	}
	out, err := exec.CommandContext(t.Context(), tool, append(args, file)...).CombinedOutput()
	if err == nil && args[0] == "verify" {
		return strings.TrimSpace(string(out)) // it only warns of unknown settings
	}
	if err == nil {
		return ""
	}
	return err.Error() + ": " + string(out)
}

// TestUnitSystemCalls runs the server, and a backup beside it, and compares the system calls
// that they make with those that the unit allows. Root makes the key.
func TestUnitSystemCalls(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("the service is for Linux, and another user's process is watched by root alone")
	}
	dir := openDir(t)
	program := watched(t, dir)
	db := filepath.Join(dir, "test.db")
	t.Run("Serve", func(t *testing.T) {
		trusted, cert, key := process.WriteTLS(t, dir)
		testkit.Must(t, errors.Join(os.Chown(cert, 65532, 65532), os.Chown(key, 65532, 65532)))
		url := process.Serve(t, program, "--db", db, "--tls-cert", cert, "--tls-key", key)
		secret := strings.TrimSpace(process.Run(t, scratchpadPath, "keys", "create", "--db", db, "--agents", "*")) // by root
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
		session := connect(t, streamable(url, &http.Client{Transport: bearer{secret, transport}}))
		use(t, session, "write_file", m{"agent_id": "a", "path": "a", "content": strings.Repeat("# A title\n\nSome text below the title.\n\n", 1000)})
		use(t, session, "summarize_file", m{"agent_id": "a", "path": "a"})
		use(t, session, "search", m{"agent_id": "a", "query": "title"})
		process.Run(t, program, "backup", filepath.Join(dir, "copy.db"), "--db", db)
		checkOwners(t, db)
	})
	checkOwners(t, db)
	calls := readCalls(t, filepath.Join(dir, "calls"))
	if len(calls) < 30 || calls["socket"] == nil || calls["accept4"] == nil || calls["fdatasync"] == nil && calls["fsync"] == nil {
		t.Fatalf("strace tells %d system calls of a server: %v", len(calls), slices.Sorted(maps.Keys(calls)))
	}
	allowed := filterSet(t, "@system-service")
	for _, refused := range append(filterSet(t, "@privileged"), filterSet(t, "@resources")...) {
		allowed = slices.DeleteFunc(allowed, func(name string) bool { return name == refused })
	}
	allowed = append(allowed, "prlimit64") // The runtime asks for more open files, and goes on if it may not.
	for name, lines := range calls {
		if !slices.Contains(allowed, name) {
			t.Errorf("the unit does not allow %s", lines[0])
		}
		for _, line := range lines {
			if name == "socket" && !strings.Contains(line, "(AF_INET, ") && !strings.Contains(line, "(AF_INET6, ") ||
				strings.Contains(line, "PROT_EXEC") && (name == "mprotect" || strings.Contains(line, "PROT_WRITE")) {
				t.Errorf("the unit does not allow %s", line)
			}
		}
	}
}

// checkOwners checks that root, who made a key, has left the files to the service's user.
func checkOwners(t *testing.T, db string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "find", filepath.Dir(db), "-name", filepath.Base(db)+"*", "-not", "-uid", "65532").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("files that the service does not own: %v\n%s", err, out)
	}
}

// openDir returns a folder of a user that is not root.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "scratchpad-unit-")
	testkit.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	testkit.Must(t, os.Chown(dir, 65532, 65532))
	return dir
}

// watched returns a program that runs scratchpad as another user. strace writes a file for
// each of its threads into the folder calls.
func watched(t *testing.T, dir string) string {
	t.Helper()
	program, calls, wrapper := filepath.Join(dir, "scratchpad"), filepath.Join(dir, "calls"), filepath.Join(dir, "watched")
	text := "#!/bin/sh\nexec setpriv --reuid 65532 --regid 65532 --clear-groups strace -D -ff -s 0 -o " + calls + "/$$ -- " + program + " \"$@\"\n"
	err := errors.Join(os.WriteFile(program, readFile(t, scratchpadPath), 0o755), os.WriteFile(wrapper, []byte(text), 0o755), os.Mkdir(calls, 0o700), os.Chown(calls, 65532, 65532))
	testkit.Must(t, err)
	return wrapper
}

// readCalls returns the system calls that strace wrote, by name, once all processes have
// ended.
func readCalls(t *testing.T, dir string) map[string][]string {
	t.Helper()
	calls := map[string][]string{}
	files, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, f := range files {
		var text string
		for began := time.Now(); !strings.Contains(text, "\n+++ "); time.Sleep(10 * time.Millisecond) {
			if text = string(readFile(t, filepath.Join(dir, f.Name()))); time.Since(began) > time.Minute {
				t.Fatalf("strace does not end: %s", text)
			}
		}
		for line := range strings.Lines(text) {
			name, _, ok := strings.Cut(line, "(")
			if name == "???" { // a thread that ended before strace could read its call
				continue
			}
			if ok && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") {
				calls[name] = append(calls[name], strings.TrimSpace(line))
			}
		}
	}
	return calls
}

// filterSet lists the system calls of a set, with those of the sets in it.
func filterSet(t *testing.T, set string) (names []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "syscall-filter", set).Output()
	if err != nil {
		t.Fatalf("systemd-analyze syscall-filter %s: %v", set, err)
	}
	for _, line := range strings.Split(string(out), "\n")[1:] {
		name := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(name, "@"):
			names = append(names, filterSet(t, name)...)
		case name != "" && !strings.HasPrefix(name, "#"):
			names = append(names, name)
		}
	}
	return names
}

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
				for _, v := range s.Volumes {
					if _, err := os.Stat(v.Source); v.Type == types.VolumeTypeBind && err != nil {
						t.Errorf("the service %s: %v", s.Name, err)
					}
				}
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

// registry is the module of the MCP registry. It has the schema of server.json.
const registry = "github.com/modelcontextprotocol/registry@v1.8.8"

// TestDeploySchemas checks the files of deploy against the schemas of those who read them.
func TestDeploySchemas(t *testing.T) {
	apify := filepath.Join("node_modules", "@apify", "json_schemas", "schemas")
	for file, schema := range map[string]string{
		"server.json":                    filepath.Join(moduleDir(t, registry), "internal", "validators", "schemas", "2025-12-11.json"),
		"apify/.actor/actor.json":        filepath.Join(apify, "actor.schema.json"),
		"apify/.actor/input_schema.json": filepath.Join(apify, "input.schema.json"),
	} {
		if err := validate(t, schema, readFile(t, filepath.Join(root, "deploy", filepath.FromSlash(file)))); err != nil {
			t.Errorf("deploy/%s: %v", file, err)
		}
	}
}

// validate checks a text against a schema. Schemas that it refers to are beside it.
func validate(t *testing.T, schema string, text []byte) error {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(beside(filepath.Dir(schema)))
	compiled, err := compiler.Compile("file:///" + filepath.Base(schema))
	testkit.Must(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// beside loads schemas from a folder, by the last element of their URL. Apify's schemas
// name each other without .schema and with hyphens.
type beside string

func (dir beside) Load(url string) (any, error) {
	name := strings.ReplaceAll(urlpath.Base(url), "-value", "_value")
	text, err := os.ReadFile(filepath.Join(string(dir), name))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(string(dir), strings.ReplaceAll(strings.TrimSuffix(name, ".json"), "-store", "_store")+".schema.json"))
	}
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// moduleDir returns the folder of a module in the module cache.
func moduleDir(t *testing.T, version string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", version)
	cmd.Dir = t.TempDir() // outside of any module
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if err != nil || json.Unmarshal(out, &m) != nil || m.Dir == "" {
		t.Fatalf("go mod download %s: %v: %s", version, err, m.Error)
	}
	return m.Dir
}
