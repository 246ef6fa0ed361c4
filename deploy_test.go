package scratchpad_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var (
	imageLine = regexp.MustCompile(`(?m)^\s*(?:FROM\s+(?:--\S+\s+)?|(?:-\s+)?image:\s*)["']?([^\s"']+)`)
	hasPatch  = regexp.MustCompile(`:v?\d+\.\d+\.\d+(-[a-z0-9]+)?(@sha256:[0-9a-f]{64})?$`)
	hasMinor  = regexp.MustCompile(`/postgres:\d+\.\d+(@sha256:[0-9a-f]{64})?$`) // PostgreSQL has two numbers
)

// What deploy takes from a registry is named by its version, so that it does not change by
// itself.
func TestImagesHaveVersions(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("deploy", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		base := d.Name()
		if base != "Dockerfile" && !strings.HasSuffix(base, ".yaml") && !strings.HasSuffix(base, ".yml") {
			return nil
		}
		text, err := os.ReadFile(name)
		for _, found := range imageLine.FindAllStringSubmatch(string(text), -1) {
			image := found[1]
			if !strings.Contains(image, "/") {
				continue // scratch, or the image that is built here
			}
			if seen++; !hasPatch.MatchString(image) && !hasMinor.MatchString(image) {
				t.Errorf("%s: %s has no full version", name, image)
			}
		}
		return err
	})
	if err != nil || seen < 6 {
		t.Errorf("%d images found, %v", seen, err)
	}
}

// The models of what is released have one version, which is the newest one in CHANGELOG.md.
func TestVersionsAgree(t *testing.T) {
	t.Parallel()
	version := regexp.MustCompile(`"version": "([^"]*)"|releases/download/v([^/"]*)/|scratchpad_([^_"]*)_linux|scratchpad/scratchpad:([^"@]*)`)
	seen, count := map[string]string{}, 0
	for _, name := range []string{"deploy/mcpb/manifest.json", "deploy/server.json", "deploy/plugin/.claude-plugin/plugin.json"} {
		for _, found := range version.FindAllStringSubmatch(testkit.ReadFile(t, filepath.FromSlash(name)), -1) {
			seen[strings.Join(found[1:], "")] = name
			count++
		}
	}
	if newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindStringSubmatch(testkit.ReadFile(t, "CHANGELOG.md")); newest != nil {
		seen[newest[1]] = "CHANGELOG.md"
	}
	if len(seen) != 1 || count != 6 {
		t.Errorf("the versions, each with a file that names it, are %v in %d places; want one version in 6 places", seen, count)
	}
}

// The MCP registry takes the image only if its label has the name of server.json.
func TestImageHasRegistryName(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`"name": "([^"]+/[^"]+)"`).FindStringSubmatch(testkit.ReadFile(t, filepath.FromSlash("deploy/server.json")))
	if name == nil || !strings.Contains(testkit.ReadFile(t, filepath.FromSlash("deploy/Dockerfile")), `io.modelcontextprotocol.server.name="`+name[1]+`"`) {
		t.Errorf("deploy/Dockerfile has another label than the name in deploy/server.json, %q", name)
	}
}

// The files with keys and passwords that the documented steps make can be read by their
// owner alone.
func TestSecretFilesArePrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("these are steps for Unix")
	}
	for doc, file := range map[string]string{"deploy/README.md": "/etc/scratchpad.env", "deploy/compose.yaml": "deploy/.env", "deploy/scratchpad.service": "/etc/scratchpad.env"} {
		made := filepath.Join(t.TempDir(), "env")
		var steps []string // from the first line with the file to the end of its text
		for line := range strings.Lines(testkit.ReadFile(t, filepath.FromSlash(doc))) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "#"))
			if len(steps) > 0 || strings.HasPrefix(line, "install ") && strings.HasSuffix(line, file) || strings.HasPrefix(line, "cat >"+file) {
				steps = append(steps, line)
			}
			if line == "END" || line == "EOF" || len(steps) > 0 && doc == "deploy/scratchpad.service" {
				break
			}
		}
		script := "umask 022\nopenssl() { echo x; }\n" + strings.ReplaceAll(strings.Join(steps, "\n"), file, made)
		out, err := exec.Command("sh", "-c", script).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s\n%s", doc, err, out, script)
		}
		if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s makes %s with mode %v, %v, want 0600", doc, file, info, err)
		}
	}
}
