// Package padfile keeps the snapshot of a pad as a file.
package padfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A File is a [pad.Saver] on a file. All fields are required.
type File struct {
	Path  string
	Read  func(ctx context.Context) ([]byte, error) // the error wraps [store.ErrNotFound] if there is no file
	Write func(ctx context.Context, text []byte) error
}

// Load returns the snapshot that the file has; nil if there is no file.
func (f File) Load(ctx context.Context) (*pad.Snapshot, error) {
	text, err := f.Read(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", pad.ErrPersist, err)
	}
	snapshot := new(pad.Snapshot)
	if err := snapshot.UnmarshalJSON(text); err != nil {
		return nil, fault.Within("load", f.Path, err)
	}
	return snapshot, nil
}

// Save writes the snapshot to the file.
func (f File) Save(ctx context.Context, snapshot *pad.Snapshot) error {
	if snapshot == nil {
		return fault.New(store.ErrInvalid, "save", f.Path, "the snapshot is nil")
	}
	text, err := snapshot.MarshalJSON()
	if err != nil {
		return fault.Within("save", f.Path, fmt.Errorf("%w: %v", pad.ErrPersist, err))
	}
	if err := f.Write(ctx, text); err != nil {
		return fmt.Errorf("%w: %w", pad.ErrPersist, err)
	}
	return nil
}
