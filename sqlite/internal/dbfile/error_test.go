package dbfile

import (
	"os"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An error that is wrapped keeps its kind, and Plain leaves out its words.
func TestPlain(t *testing.T) {
	err := Wrap(WithKind(&os.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}), "open %s", "b")
	const text = "open b: write a: no space left on device"
	if got := Plain(err); got != text || err.Error() != text+": storage full" || store.Kind(err) != store.ErrStorageFull {
		t.Errorf("%v, plain %q, want %q and its kind", err, got, text)
	}
}
