package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// Saver returns a [pad.Saver] that keeps a snapshot in the file at path. Every Save
// writes a version of the file. The version is durable when Save returns nil. If the
// snapshot is larger than [Limits].FileBytes, Save returns [ErrTooLarge]. If path is invalid,
// every call returns [ErrInvalid].
//
// Saver is a function and not a method, so that a program without pads does not contain
// package pad: the linker keeps all methods of a type that reflection may reach.
func Saver(w *Workspace, path string) pad.Saver {
	c := *w
	c.secrets = SecretsOff
	return padFile{&c, path}
}

type padFile struct {
	w    *Workspace
	path string
}

// Load returns the snapshot that the file has; nil if there is no file.
func (f padFile) Load(ctx context.Context) (*pad.Snapshot, error) {
	r, err := f.w.ReadFile(ctx, f.path, ReadOptions{})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", pad.ErrPersist, err)
	}
	snapshot := new(pad.Snapshot)
	if err := snapshot.UnmarshalJSON(r.Content); err != nil {
		return nil, within("load", f.path, err)
	}
	return snapshot, nil
}

// Save writes the snapshot to the file.
func (f padFile) Save(ctx context.Context, snapshot *pad.Snapshot) error {
	if snapshot == nil {
		return fail(ErrInvalid, "save", f.path, "the snapshot is nil")
	}
	text, err := snapshot.MarshalJSON()
	if err != nil {
		return within("save", f.path, fmt.Errorf("%w: %v", pad.ErrPersist, err))
	}
	if _, err := f.w.WriteFile(ctx, f.path, text, WriteOptions{}); err != nil {
		return fmt.Errorf("%w: %w", pad.ErrPersist, err)
	}
	return nil
}
