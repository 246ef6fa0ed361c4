package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// unit is the service of systemd.
var unit = filepath.Join(root, "deploy", "scratchpad.service")

// TestUnit lets systemd judge the unit: it must be valid, and its exposure below 2.5.
func TestUnit(t *testing.T) {
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	const installed = "/usr/local/bin/scratchpad"
	if !bytes.Contains(text, []byte("ExecStart="+installed+" serve ")) {
		t.Fatalf("the unit does not start %s serve", installed)
	}
	file := filepath.Join(t.TempDir(), "scratchpad.service")
	text = bytes.ReplaceAll(text, []byte("ExecStart="+installed), []byte("ExecStart="+scratchpadPath))
	if out := analyze(t, file, text, "verify"); out != "" {
		t.Errorf("systemd-analyze verify: %s", out)
	}
	if out := analyze(t, file, append(text, "\n[Service]\nNoSuchSetting=1\n"...), "verify"); out == "" {
		t.Error("systemd-analyze verify accepts a setting that does not exist")
	}
	exposed := func(text []byte) bool {
		return analyze(t, file, text, "security", "--offline=true", "--threshold=24") != ""
	}
	if exposed(text) {
		t.Error("the unit has an exposure of 2.5 or more; see systemd-analyze security --offline=true deploy/scratchpad.service")
	}
	if weaker := regexp.MustCompile(`(?m)^(Protect|Private|Restrict|SystemCall|Capability).*\n`).ReplaceAll(text, nil); !exposed(weaker) {
		t.Error("a unit without its protection has an exposure below 2.5, so that the check says nothing")
	}
}

// analyze runs systemd-analyze on a unit. It returns what was wrong, or "".
func analyze(t *testing.T, file string, text []byte, args ...string) string {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
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

// TestUnitSystemCalls runs the program and compares the system calls that it makes with
// those that the unit allows it.
func TestUnitSystemCalls(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the service is for Linux")
	}
	log := filepath.Join(t.TempDir(), "calls")
	db := filepath.Join(t.TempDir(), "test.db")
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-c", "-S", "name", "-U", "name", "-o", log, scratchpadPath, "mcp", "--db", db, "--agent", "a")
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"a","content":"x"}}}`,
	}, "\n") + "\n")
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`version\":1`)) {
		t.Fatalf("strace scratchpad mcp: %v\n%s", err, out)
	}
	made, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	allowed := filterSet(t, "@system-service")
	for _, refused := range append(filterSet(t, "@privileged"), filterSet(t, "@resources")...) {
		allowed = slices.DeleteFunc(allowed, func(name string) bool { return name == refused })
	}
	// The runtime asks for more open files with prlimit64, and goes on if it may not. SQLite
	// calls fchown for root alone, who runs this test and not the service.
	allowed = append(allowed, "prlimit64", "fchown")
	names := regexp.MustCompile(`(?m)^ *([a-z][a-z0-9_]+)$`).FindAllStringSubmatch(string(made), -1)
	if len(names) < 10 || !strings.Contains(string(made), "fdatasync") && !strings.Contains(string(made), "fsync") {
		t.Fatalf("strace tells %d system calls:\n%s", len(names), made)
	}
	for _, n := range names {
		if !slices.Contains(allowed, n[1]) && n[1] != "name" && n[1] != "syscall" && n[1] != "total" {
			t.Errorf("the program calls %s, which the unit does not allow", n[1])
		}
	}
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
