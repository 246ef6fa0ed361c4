package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Node returns the path of Node 22.19 or newer. It prefers the one that npm has installed
// with the clients into a folder.
func Node(dir string) (string, error) {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	pinned, err := filepath.Abs(filepath.Join(dir, "node_modules", "node-"+runtime.GOOS+"-"+arch, "bin", "node"))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(pinned); err == nil {
		return pinned, nil
	}
	const need = "the clients need Node 22.19 or newer on PATH, npm having none for this system"
	path, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("%s: %w", need, err)
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", need, err)
	}
	major, rest, _ := strings.Cut(strings.TrimPrefix(string(bytes.TrimSpace(out)), "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	if a, _ := strconv.Atoi(major); a < 22 {
		return "", fmt.Errorf("%s; %s is %s", need, path, out)
	} else if b, _ := strconv.Atoi(minor); a == 22 && b < 19 {
		return "", fmt.Errorf("%s; %s is %s", need, path, out)
	}
	return path, nil
}
