package testkit

import (
	"compress/gzip"
	"go/build"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// GoRoot returns the folder of the Go distribution. Its files are real texts of
// many kinds. The test is skipped where they are not installed.
func GoRoot(t testing.TB) string {
	t.Helper()
	root := build.Default.GOROOT
	if _, err := os.Stat(filepath.Join(root, "src", "net", "http")); err != nil {
		t.Skipf("the sources of the Go distribution are not at %q: %v", root, err)
	}
	return root
}

// ReadFile returns what is in a file. The test fails if it cannot be read.
func ReadFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	Must(t, err)
	return string(b)
}

// Unpack returns what is in a file that gzip has compressed.
func Unpack(t testing.TB, path string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(ReadFile(t, path)))
	Must(t, err)
	b, err := io.ReadAll(r)
	Must(t, err)
	return string(b)
}

// FreeAddress returns an address of this machine that nobody listens on. Its port is none
// of those that the system gives out by itself, so that nobody else gets it meanwhile.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(20_000+rand.IntN(12_000))))
		if err == nil {
			Must(t, l.Close())
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// Must ends a test, or a case of package rapid, if there is an error.
func Must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Err returns the error of a call that has another result, too.
func Err[T any](_ T, err error) error { return err }
