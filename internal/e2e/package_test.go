package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// TestPackage installs the package for Debian in a root of its own, starts the server as the
// unit does, upgrades, removes and purges the package. The memory stays.
func TestPackage(t *testing.T) {
	testkit.SkipUnlessLong(t)
	tool, err := exec.LookPath("mmdebstrap")
	if err != nil || runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("a root of Debian needs root, Linux and mmdebstrap (Debian: apt-get install -y mmdebstrap)")
	}
	clone := newClone(t)
	first, second := packaged(t, clone, "v1.2.3"), packaged(t, clone, "v1.2.4")
	r := debian{filepath.Join(openDir(t), "root")}
	testkit.Must(t, os.Chmod(filepath.Dir(r.dir), 0o755))
	suite := regexp.MustCompile(`(?m)^VERSION_CODENAME=(\w+)$`).FindSubmatch(readFile(t, "/etc/os-release"))
	if suite == nil {
		t.Skip("this machine does not say which Debian it has")
	}
	run(t, exec.CommandContext(t.Context(), tool, "--variant=essential", "--include=passwd", string(suite[1]), r.dir))
	asked := r.systemctl(t)

	r.install(t, first)
	r.check(t, "v1.2.3", asked, "daemon-reload", "try-restart scratchpad.service")
	serve := r.unit(t)
	const db = "/var/lib/scratchpad/scratchpad.db"
	server := process.Start(t, r.server(t), serve...)
	key := r.run(t, "scratchpad", "keys", "create", "--agents", "*", "--db", db)
	if !strings.HasPrefix(key, "sp_") {
		t.Errorf("keys create printed %q", key)
	}
	r.run(t, "scratchpad", "logs", "append", "decisions", "kept", "--agent", "a", "--db", db)
	server.Stop()

	r.install(t, second)
	r.check(t, "v1.2.4", asked, "daemon-reload", "try-restart scratchpad.service")
	r.keeps(t, db)
	process.Start(t, r.server(t), serve...).Stop()
	if out := r.run(t, "dpkg", "--remove", "scratchpad"); !strings.Contains(out, "the memory stays in /var/lib/scratchpad") {
		t.Errorf("dpkg --remove does not say where the memory is: %s", out)
	}
	r.asked(t, asked, "disable --now scratchpad.service", "daemon-reload")
	if _, err := os.Stat(filepath.Join(r.dir, "usr/bin/scratchpad")); !os.IsNotExist(err) {
		t.Errorf("the program is still there: %v", err)
	}
	r.install(t, first)
	r.keeps(t, db)
	r.run(t, "dpkg", "--purge", "scratchpad")
	r.adopts(t, second, db, asked)
}

// adopts installs the package where it finds the group, and a folder of root with the memory.
// Then the folder is a link, as systemd makes it for a unit with DynamicUser.
func (r debian) adopts(t *testing.T, file, db, asked string) {
	t.Helper()
	r.run(t, "userdel", "scratchpad")
	r.run(t, "groupadd", "--system", "--force", "scratchpad")
	r.run(t, "chown", "-R", "root:root", "/var/lib/scratchpad")
	r.run(t, "chmod", "755", "/var/lib/scratchpad")
	testkit.Must(t, os.Remove(asked))
	r.install(t, file)
	r.check(t, "v1.2.4", asked, "daemon-reload", "try-restart scratchpad.service")
	r.keeps(t, db)

	const private = "/var/lib/private/scratchpad"
	r.run(t, "mkdir", "/var/lib/private")
	r.run(t, "mv", "/var/lib/scratchpad", private)
	r.run(t, "chown", "root:root", private)
	r.run(t, "ln", "-s", "private/scratchpad", "/var/lib/scratchpad")
	r.install(t, file)
	if got := r.run(t, "stat", "-c", "%U", private); got != "root" {
		t.Errorf("behind a link, the folder went to %s", got)
	}
	if out := r.run(t, "dpkg", "--remove", "scratchpad"); !strings.Contains(out, "the memory stays in "+private) {
		t.Errorf("dpkg --remove does not say where the memory is: %s", out)
	}
}

// packaged makes the package of a version.
func packaged(t *testing.T, clone, tag string) (file string) {
	t.Helper()
	git(t, clone, "commit", "-q", "--no-gpg-sign", "--allow-empty", "-m", tag)
	git(t, clone, "tag", tag)
	dist := makeRelease(t, clone, "--skip=archive,sbom")
	file = filepath.Join(t.TempDir(), "scratchpad.deb")
	testkit.Must(t, os.Rename(filepath.Join(dist, "scratchpad_"+tag[1:]+"_linux_"+runtime.GOARCH+".deb"), file))
	return file
}

// debian is a root with Debian.
type debian struct{ dir string }

// run runs a command in the root.
func (r debian) run(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "chroot", append([]string{r.dir}, command...)...)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "HOME=/root", "LC_ALL=C"}
	return strings.TrimSpace(run(t, cmd))
}

// systemctl makes the root look as if systemd ran. Each call fails, as for a masked unit. It
// returns the file that gets the arguments of each call.
func (r debian) systemctl(t *testing.T) (asked string) {
	t.Helper()
	testkit.Must(t, os.MkdirAll(filepath.Join(r.dir, "run/systemd/system"), 0o755))
	script := []byte("#!/bin/sh\necho \"$@\" >>/asked\nexit 1\n")
	testkit.Must(t, os.WriteFile(filepath.Join(r.dir, "usr/local/bin/systemctl"), script, 0o755))
	return filepath.Join(r.dir, "asked")
}

// asked checks what systemd was asked to do since the last time.
func (r debian) asked(t *testing.T, file string, want ...string) {
	t.Helper()
	if got := strings.Split(strings.TrimSpace(string(readFile(t, file))), "\n"); !slices.Equal(got, want) {
		t.Errorf("systemd was asked %q, want %q", got, want)
	}
	testkit.Must(t, os.Remove(file))
}

func (r debian) install(t *testing.T, file string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(filepath.Join(r.dir, "scratchpad.deb"), readFile(t, file), 0o600))
	r.run(t, "dpkg", "--install", "/scratchpad.deb")
}

// check checks what is installed.
func (r debian) check(t *testing.T, version, asked string, calls ...string) {
	t.Helper()
	r.asked(t, asked, calls...)
	if got := r.run(t, "scratchpad", "version"); !strings.HasPrefix(got, version+" (") {
		t.Errorf("version = %q, want %s", got, version)
	}
	if got := r.run(t, "dpkg-query", "--show", "--showformat=${Pre-Depends}", "scratchpad"); got != "passwd" {
		t.Errorf("preinstall may rely on %q, want passwd, which has useradd", got)
	}
	if got, want := r.run(t, "stat", "-c", "%U:%G %a", "/var/lib/scratchpad"), "scratchpad:scratchpad 700"; got != want {
		t.Errorf("the folder of the memory is %s, want %s", got, want)
	}
	for _, name := range []string{"man/man1/scratchpad.1", "bash-completion/completions/scratchpad", "doc/scratchpad/copyright"} {
		if info, err := os.Stat(filepath.Join(r.dir, "usr/share", name)); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
			t.Errorf("/usr/share/%s: %v, %v", name, info, err)
		}
	}
}

// unit lets systemd judge the unit, and returns the arguments that it gives to serve.
func (r debian) unit(t *testing.T) (args []string) {
	t.Helper()
	text := string(readFile(t, filepath.Join(r.dir, "usr/lib/systemd/system/scratchpad.service")))
	start := regexp.MustCompile(`\nExecStart=/usr/bin/scratchpad serve (.*)\n`).FindStringSubmatch(text)
	if start == nil || !strings.Contains(text, "\nUser=scratchpad\n") || strings.Contains(text, "DynamicUser") {
		t.Fatalf("the unit is not for the package:\n%s", text)
	}
	file := filepath.Join(t.TempDir(), "scratchpad.service")
	here := []byte(strings.Replace(text, "=/usr/bin/scratchpad", "="+scratchpadPath, 1))
	if out := analyze(t, file, here, "verify"); out != "" {
		t.Errorf("systemd-analyze verify: %s", out)
	}
	if out := analyze(t, file, here, "security", "--offline=true", "--threshold=24"); out != "" {
		t.Errorf("the unit has an exposure of 2.5 or more: %s", out)
	}
	return strings.Fields(strings.ReplaceAll(start[1], "%S", "/var/lib"))
}

// server returns a program that runs scratchpad as the user of the unit.
func (r debian) server(t *testing.T) string {
	t.Helper()
	wrapper := filepath.Join(t.TempDir(), "scratchpad")
	text := fmt.Sprintf("#!/bin/sh\nexec chroot --userspec=scratchpad:scratchpad %s /usr/bin/scratchpad \"$@\"\n", r.dir)
	testkit.Must(t, os.WriteFile(wrapper, []byte(text), 0o755))
	return wrapper
}

// keeps checks that the memory is there, and whose the files are.
func (r debian) keeps(t *testing.T, db string) {
	t.Helper()
	if got := r.run(t, "scratchpad", "logs", "cat", "decisions", "--agent", "a", "--db", db); !strings.Contains(got, "kept") {
		t.Errorf("the log has %q", got)
	}
	if got := r.run(t, "find", "/var/lib/scratchpad", "-not", "-user", "scratchpad"); got != "" {
		t.Errorf("files that the server does not own: %s", got)
	}
}
