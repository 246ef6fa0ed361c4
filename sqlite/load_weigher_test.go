package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Load asks its weigher before it reads a content. The content of this file is not there,
// so a Load that looked for it would say that the database is damaged.
func TestLoadWeighsFirst(t *testing.T) {
	t.Parallel()
	s, owner := open(t, filepath.Join(t.TempDir(), "test.db")), workspace.Owner{Tenant: "local", Agent: "a"}
	testkit.Must(t, s.Update(t.Context(), owner, func(tx workspace.Tx) error {
		return tx.SaveFile(workspace.FileChange{Head: workspace.FileHead{Path: "a", Version: 1, Sizes: []int64{4}}})
	}))
	refused := errors.New("refused")
	weigh := store.Weigher(func(workspace.FileHead, workspace.LogHead) error { return refused })
	err := s.View(t.Context(), owner, func(r workspace.Reader) error {
		_, err := r.Load(workspace.Query{File: "a", Current: true, Weigher: &weigh})
		return err
	})
	if !errors.Is(err, refused) {
		t.Errorf("Load = %v, want the refusal of the weigher", err)
	}
}
