package e2e

import (
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// images builds container images in a storage of its own.
type images struct {
	storage string
	tree    string // the files of the module
}

// newImages makes the image that deploy/Dockerfile builds in: it has this machine's Go and
// a shell, as there is no network to fetch the real one from.
func newImages(t *testing.T) images {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("building an image needs root on Linux")
	}
	i := images{storage: t.TempDir(), tree: copyTree(t)}
	base := t.TempDir()
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatal("busybox is missing; install it (Debian: apt-get install -y busybox-static), and run this again")
	}
	for _, name := range []string{"bin", "tmp"} {
		testkit.Must(t, os.Mkdir(filepath.Join(base, name), 0o755))
	}
	for _, name := range []string{"sh", "mkdir"} {
		testkit.Must(t, os.Symlink("busybox", filepath.Join(base, "bin", name)))
	}
	for from, to := range map[string]string{busybox: "bin/busybox", "/etc/ssl/certs/ca-certificates.crt": "ca-certificates.crt"} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(base, to), text, 0o755)
		}
		testkit.Must(t, err)
	}
	proxies := "file:///modules/cache/download," + goEnv(t, "GOPROXY")
	containerfile := "FROM scratch\nCOPY bin /bin\nCOPY tmp /tmp\nCOPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt\n" +
		"ENV PATH=/usr/local/go/bin:/bin GOMODCACHE=/modules GOCACHE=/cache GOTOOLCHAIN=local GOFLAGS=-modcacherw GOPROXY=" + proxies + "\n"
	testkit.Must(t, os.WriteFile(filepath.Join(base, "Containerfile"), []byte(containerfile), 0o600))
	i.buildah(t, "bud", "--isolation", "chroot", "-t", "docker.io/library/golang:1.26.10", base)
	return i
}

// buildah runs buildah and returns what it printed.
func (i images) buildah(t *testing.T, args ...string) string {
	t.Helper()
	tool, err := exec.LookPath("buildah")
	if err != nil {
		t.Fatal("buildah is missing; install it (Debian: apt-get install -y buildah), and run this again")
	}
	global := []string{"--storage-driver", "vfs", "--root", filepath.Join(i.storage, "root"), "--runroot", filepath.Join(i.storage, "run")}
	cmd := exec.CommandContext(t.Context(), tool, append(global, args...)...)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("buildah %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// build builds a Dockerfile of deploy, with the caches of this machine.
func (i images) build(t *testing.T, dockerfile, name string) {
	t.Helper()
	i.buildah(t, "bud", "--pull-never", "--isolation", "chroot", "--format", "docker", "-t", name,
		"-f", filepath.Join(i.tree, dockerfile), "--ignorefile", filepath.Join(i.tree, dockerfile+".dockerignore"),
		"-v", goEnv(t, "GOROOT")+":/usr/local/go:ro", "-v", goEnv(t, "GOMODCACHE")+":/modules", "-v", goEnv(t, "GOCACHE")+":/cache", i.tree)
}

// root returns the folder with the files of an image.
func (i images) root(t *testing.T, name string) string {
	t.Helper()
	container := strings.TrimSpace(i.buildah(t, "from", "--pull-never", name))
	return strings.TrimSpace(i.buildah(t, "mount", container))
}

// copyTree copies what is under version control. A container's build sees no more.
func copyTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range tracked(t) {
		text, err := os.ReadFile(moduleFile(name).local())
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
		testkit.Must(t, err)
	}
	return dir
}

// jailed returns a command that runs with an image as its root, as a container does: the
// root is read-only, /data is a volume, and the user is the image's.
func jailed(t *testing.T, root, data string, command ...string) *exec.Cmd {
	t.Helper()
	const script = `mount --bind "$1" "$1" && mount --bind "$2" "$1/data" && mount -o remount,bind,ro "$1" && shift 2 && exec "$@"`
	args := append([]string{"-m", "--propagation", "private", "sh", "-ec", script, "sh", root, data, "chroot", "--userspec=65532:65532", root}, command...)
	cmd := exec.CommandContext(t.Context(), "unshare", args...)
	cmd.Env = []string{"SCRATCHPAD_DB=/data/scratchpad.db"}
	return cmd
}

// TestImage builds the Dockerfiles of deploy, and uses what they give.
func TestImage(t *testing.T) {
	t.Parallel()
	i := newImages(t)
	t.Run("Server", func(t *testing.T) { checkServerImage(t, i) })
	t.Run("Actor", func(t *testing.T) { checkActorImage(t, i) })
}

// checkServerImage checks that the image has a program that works as another user than root,
// on a read-only root with nothing else in it.
func checkServerImage(t *testing.T, i images) {
	t.Helper()
	i.build(t, "deploy/Dockerfile", "scratchpad")
	checkConfig(t, i.buildah(t, "inspect", "--type", "image", "scratchpad"))
	root := i.root(t, "scratchpad")
	checkFiles(t, root, []string{"LICENSE", "NOTICE", "etc/ssl/certs/ca-certificates.crt", "scratchpad"})

	data := t.TempDir()
	testkit.Must(t, os.Chown(data, 65532, 65532))
	if out, err := jailed(t, root, data, "/scratchpad", "version").CombinedOutput(); err != nil || len(out) == 0 {
		t.Fatalf("scratchpad version in the image: %v\n%s", err, out)
	}
	if out, err := jailed(t, root, data, "/scratchpad", "files", "write", "a", "b", "--db", "/tmp/other.db").CombinedOutput(); err == nil {
		t.Errorf("the root of the container can be written: %s", out)
	}
	session := connect(t, &mcp.CommandTransport{Command: jailed(t, root, data, "/scratchpad", "mcp", "--agent", "a")})
	use(t, session, "write_file", m{"path": "plan.md", "content": "x"})
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(filepath.Join(data, "scratchpad.db"))
	if err != nil || info.Size() == 0 {
		t.Errorf("the database on the volume: %v, %v", info, err)
	}
	t.Run("Serve", func(t *testing.T) { serveImage(t, root) })
}

// serveImage starts the server as the image does, at the port that a platform chose, and asks
// after its health as the engine does.
func serveImage(t *testing.T, root string) {
	_, port, _ := net.SplitHostPort(process.FreeAddress(t))
	data := t.TempDir()
	testkit.Must(t, os.Chown(data, 65532, 65532))
	inImage := func(args ...string) *exec.Cmd {
		cmd := jailed(t, root, data, append([]string{"/scratchpad"}, args...)...)
		cmd.Env = append(cmd.Env, "PORT="+port)
		return cmd
	}
	healthy := func() bool { return inImage("healthcheck").Run() == nil }
	if healthy() {
		t.Error("the health check succeeds without a server")
	}
	serve := inImage("serve")
	serve.Stderr = t.Output()
	testkit.Must(t, serve.Start())
	t.Cleanup(func() { serve.Process.Kill(); serve.Wait() })
	for began := time.Now(); !healthy(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the server is not healthy after a minute")
		}
	}
	keys := inImage("keys", "create", "--agents", "*", "--scopes", "read,write", "--name", "alice")
	if out, err := keys.Output(); err != nil || !strings.HasPrefix(string(out), "sp_") {
		t.Errorf("keys create beside the server: %v\n%s", err, out)
	}
	testkit.Must(t, serve.Process.Signal(syscall.SIGTERM))
	if err := serve.Wait(); err != nil {
		t.Errorf("the server after SIGTERM: %v, want exit code 0", err)
	}
	if healthy() {
		t.Error("the health check succeeds after the end of the server")
	}
}

// checkActorImage starts the program of the Actor.
func checkActorImage(t *testing.T, i images) {
	t.Helper()
	i.build(t, "deploy/apify/.actor/Dockerfile", "apify")
	root := i.root(t, "apify")
	checkFiles(t, root, []string{"apify", "etc/ssl/certs/ca-certificates.crt"})
	cmd := jailed(t, root, t.TempDir(), "/apify")
	cmd.Env = []string{"APIFY_IS_AT_HOME=1"} // without a token it must not start
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "APIFY_TOKEN") {
		t.Errorf("the Actor without a token: %v, want an error that names APIFY_TOKEN\n%s", err, out)
	}
}

// checkConfig checks how a container of the image starts.
func checkConfig(t *testing.T, inspected string) {
	t.Helper()
	type config struct {
		User        string
		Entrypoint  []string
		Cmd         []string
		Healthcheck struct{ Test []string }
		Volumes     map[string]struct{}
	}
	var image struct {
		Docker struct{ Config config }
	}
	testkit.Must(t, json.Unmarshal([]byte(inspected), &image))
	want := config{User: "65532:65532", Entrypoint: []string{"/scratchpad"}, Cmd: []string{"serve"}, Volumes: map[string]struct{}{"/data": {}}}
	want.Healthcheck.Test = []string{"CMD", "/scratchpad", "healthcheck"}
	if diff := cmp.Diff(want, image.Docker.Config); diff != "" {
		t.Errorf("the image starts in another way, -want +got:\n%s", diff)
	}
}

// checkFiles checks that an image has these files and no other.
func checkFiles(t *testing.T, root string, want []string) {
	t.Helper()
	var got []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, err = filepath.Rel(root, name)
			got = append(got, filepath.ToSlash(name))
		}
		return err
	})
	testkit.Must(t, err)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the image holds other files, -want +got:\n%s", diff)
	}
}
