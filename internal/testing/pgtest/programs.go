package pgtest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A programs is the folder of PostgreSQL's programs.
type programs struct {
	dir     string
	version int // the major version
}

// findPrograms looks once. The zero programs were not found.
var findPrograms = sync.OnceValue(func() programs {
	for _, dir := range programDirs() {
		if !executable(filepath.Join(dir, "initdb")) || !executable(filepath.Join(dir, "postgres")) {
			continue
		}
		out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
		if err != nil {
			continue
		}
		if version := majorVersion(string(out)); version > 0 {
			return programs{dir, version}
		}
	}
	return programs{}
})

// programDirs returns the folders to look in, the best first.
func programDirs() []string {
	var dirs []string
	if name, err := exec.LookPath("initdb"); err == nil {
		if name, err = filepath.EvalSymlinks(name); err == nil {
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(found, func(a, b string) int { return dirVersion(b) - dirVersion(a) })
	dirs = append(dirs, found...)
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	return dirs
}

func dirVersion(dir string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return n
}

// majorVersion reads the answer of postgres --version, such as
// "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)".
func majorVersion(s string) int {
	_, s, _ = strings.Cut(s, ") ")
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	n, _ := strconv.Atoi(s[:end])
	return n
}

func executable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// need skips the test where PostgreSQL is not installed, and in the plain run of all tests,
// which is for everybody and has two minutes.
func need(t testing.TB) programs {
	t.Helper()
	if !testkit.Long() && !testing.Short() && !isAsked() {
		t.Skip("a test with PostgreSQL; it runs with -run, with -short, and with SCRATCHPAD_TEST=all")
	}
	p := findPrograms()
	if p.version == 0 {
		t.Skip("the programs of PostgreSQL (initdb, postgres) are not in PATH, not below /usr/lib/postgresql, and " +
			"not where pg_config says")
	}
	if _, err := exec.LookPath("sh"); err != nil || !canKeep {
		t.Skip("the servers of package pgtest need Unix and a shell")
	}
	return p
}

// isAsked reports whether the command line says which tests or benchmarks to run.
func isAsked() bool {
	for _, name := range []string{"test.run", "test.bench"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return true
		}
	}
	return false
}
