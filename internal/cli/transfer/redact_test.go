package transfer_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A manifest whose current version is redacted is refused, and content beside a receipt is
// not read.
func TestImportOfRedacted(t *testing.T) {
	from, to := memory(t, workspace.Options{}), memory(t, workspace.Options{})
	write(t, from, "f", "secret")
	write(t, from, "f", "clean")
	_, err := from.RedactVersion(t.Context(), "f", 1, workspace.RedactOptions{})
	testkit.Must(t, err)
	dir := exported(t, from, true)
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "versions", "f", "%v1"), []byte("put there"), 0o600))
	importAll(t, to, dir)
	if history, err := to.History(t.Context(), "f"); err != nil || len(history) != 2 || history[0].Redacted == nil || history[0].Bytes != 0 {
		t.Errorf("History = %+v, %v, want version 1 redacted", history, err)
	}
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	testkit.Must(t, err)
	if empty := fmt.Sprintf("%x", sha256.Sum256(nil)); !strings.Contains(string(text), `"bytes":0,"sha256":"`+empty) {
		t.Errorf("the manifest has not the SHA-256 of the empty file of a redacted version:\n%s", text)
	}
	testkit.Must(t, os.WriteFile(manifest, []byte(strings.Replace(string(text), `"bytes":5,`, `"redacted":{"time":"2026-01-01T00:00:00Z"},"bytes":5,`, 1)), 0o600))
	_, err = transfer.Import(t.Context(), memory(t, workspace.Options{}), dir, transfer.ImportOptions{})
	if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), "is redacted") {
		t.Errorf("Import of a current version that is redacted = %v, want ErrInvalid", err)
	}
}

// The line of a redacted entry says so. An import into the same log finds it there.
func TestRedactedEntryInExport(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
		store, done := open(t)
		defer done()
		ws, dir := agent(t, store, "a", workspace.Options{}), filepath.Join(t.TempDir(), "out")
		testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "l", []byte("hunter2"), []byte("x"))))
		testkit.Must(t, testkit.Err(ws.RedactEntry(t.Context(), "l", 1)))
		testkit.Must(t, testkit.Err(transfer.Export(t.Context(), ws, dir, transfer.ExportOptions{})))
		text, err := os.ReadFile(filepath.Join(dir, "logs", "l.jsonl"))
		if testkit.Must(t, err); strings.Count(string(text), `"text":"","redacted":{"time":"`) != 1 {
			t.Errorf("the export has %s", text)
		}
		for name, want := range map[string]int64{"a": 0, "b": 2} {
			r, err := transfer.Import(t.Context(), agent(t, store, name, workspace.Options{}), dir, transfer.ImportOptions{})
			testkit.Must(t, err)
			n := int64(0)
			for _, c := range r.Changes {
				n += c.Entries
			}
			if n != want {
				t.Errorf("Import into %s adds %d entries, want %d", name, n, want)
			}
		}
	})
}
