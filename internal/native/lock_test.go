package native_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/native"
)

func TestTryLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for range 2 {
		unlock, held, err := native.TryLock(name)
		if err != nil || held {
			t.Fatalf("a free lock: held %v, %v", held, err)
		}
		if _, held, err := native.TryLock(name); err != nil || !held {
			t.Errorf("a lock that is taken: held %v, %v", held, err)
		}
		unlock()
	}
	if _, held, err := native.TryLock(filepath.Join(t.TempDir(), "none", "lock")); err == nil || held {
		t.Errorf("a lock in a folder that is missing: held %v, %v", held, err)
	}
}
