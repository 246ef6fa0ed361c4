package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad"
)

// Saver returns a [scratchpad.Saver] that keeps a snapshot as the file at the
// path: every Save is a version of it, durable when it returns. A snapshot over
// the limit of a file is [ErrTooLarge]. A wrong path shows in the first call.
func (w *Workspace) Saver(path string) scratchpad.Saver { return saver{w, path} }

type saver struct {
	w    *Workspace
	path string
}

func (s saver) Load(ctx context.Context) (*scratchpad.Snapshot, error) {
	r, err := s.w.ReadFile(ctx, s.path, ReadOptions{})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", scratchpad.ErrPersist, err)
	}
	snapshot := new(scratchpad.Snapshot)
	if err := snapshot.UnmarshalJSON(r.Content); err != nil {
		return nil, within("load", s.path, err)
	}
	return snapshot, nil
}

func (s saver) Save(ctx context.Context, snapshot *scratchpad.Snapshot) error {
	if snapshot == nil {
		return fail(ErrInvalid, "save", s.path, "the snapshot is nil")
	}
	text, err := snapshot.MarshalJSON()
	if err != nil {
		return fmt.Errorf("save %s: %w: %v", clip(s.path), scratchpad.ErrPersist, err)
	}
	if _, err := s.w.WriteFile(ctx, s.path, text, WriteOptions{}); err != nil {
		return fmt.Errorf("%w: %w", scratchpad.ErrPersist, err)
	}
	return nil
}
