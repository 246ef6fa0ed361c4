package main

import (
	"archive/zip"
	"bytes"
	"debug/buildinfo"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var tagged = source{root: filepath.Join("..", ".."), tag: "v1.2.3", time: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}

// forWindows is a build for Windows of no real program.
var forWindows = build{"windows/arm64", []byte("MZ"), &buildinfo.BuildInfo{
	GoVersion: "go1.26.8", Path: "example.com/p", Main: debug.Module{Path: "example.com"},
}}

// A release is for the systems whose licences NOTICE has.
func TestSystems(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "notice", "main.go"))
	testkit.Must(t, err)
	list := regexp.MustCompile(`var systems = \[\]string\{(.*)\}`).FindSubmatch(text)
	if list == nil || string(list[1]) != `"`+strings.Join(systems, `", "`)+`"` {
		t.Errorf("systems = %q, and internal/notice has %s", systems, list)
	}
}

// The files of Windows have its names.
func TestPackWindows(t *testing.T) {
	files := map[string][]byte{}
	testkit.Must(t, tagged.pack(forWindows, files))
	if got := unzipped(t, files["scratchpad_1.2.3_windows_arm64.zip"], "scratchpad.exe"); got != "MZ" {
		t.Errorf("the program in the archive is %q", got)
	}
}

// A module whose licence nobody has looked at stops the release.
func TestBOMNeedsLicences(t *testing.T) {
	b := forWindows
	b.info = &buildinfo.BuildInfo{Deps: []*debug.Module{{Path: "example.com/new", Version: "v1.0.0", Sum: "h1:" + strings.Repeat("A", 43) + "="}}}
	if _, err := tagged.bom(b); err == nil || !strings.Contains(err.Error(), "NOTICE") {
		t.Errorf("bom() of a module that NOTICE does not list: %v", err)
	}
}

func unzipped(t *testing.T, archive []byte, name string) string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	testkit.Must(t, err)
	f, err := r.Open(name)
	testkit.Must(t, err)
	defer f.Close()
	text, err := io.ReadAll(f)
	testkit.Must(t, err)
	return string(text)
}
