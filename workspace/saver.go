package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/padfile"
)

// Saver returns a [pad.Saver] that keeps a snapshot as the file at the path. Every Save
// writes a version, which is durable when Save returns. A snapshot over the limit of a
// file is [ErrTooLarge]. A wrong path is an error of the first call.
//
// It is a function and no method, so that a program without pads does not contain package
// pad: the linker keeps all methods of a type that reflection may reach.
func Saver(w *Workspace, path string) pad.Saver {
	return padfile.File{
		Path: path,
		Read: func(ctx context.Context) ([]byte, error) {
			r, err := w.ReadFile(ctx, path, ReadOptions{})
			return r.Content, err
		},
		Write: func(ctx context.Context, text []byte) error {
			_, err := w.WriteFile(ctx, path, text, WriteOptions{})
			return err
		},
	}
}
