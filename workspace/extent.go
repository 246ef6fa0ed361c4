package workspace

import "context"

// An Extent is how much there is to read below a path. The zero value is nothing.
type Extent struct {
	Version int64 // of a file, the current one
	Bytes   int64 // of a file, its current version; of a log, the longest page of it
	Largest int64 // of a file, the largest version that is retained
}

// FileExtent returns the extent of a file, which costs less than to read it and
// does not count as a read. Errors: [ErrInvalid] and those of the store.
func (w *Workspace) FileExtent(ctx context.Context, path string) (Extent, error) {
	var head FileHead
	err := w.look(ctx, "read", path, func(tx Reader, name string) (err error) {
		head, _, err = tx.File(name)
		return err
	})
	if err != nil || !head.Exists() {
		return Extent{}, err
	}
	e := Extent{Version: head.Version, Bytes: head.Size()}
	for _, size := range head.Sizes {
		e.Largest = max(e.Largest, size)
	}
	return e, nil
}

// LogExtent is to logs what FileExtent is to files.
func (w *Workspace) LogExtent(ctx context.Context, path string) (Extent, error) {
	var head LogHead
	err := w.look(ctx, opReadLog, path, func(tx Reader, name string) (err error) {
		head, _, err = tx.Log(name)
		return err
	})
	return Extent{Bytes: min(head.Bytes, pageBytes)}, err
}

func (w *Workspace) look(ctx context.Context, op, path string, read func(Reader, string) error) error {
	p, err := start(ctx, op, path)
	if err != nil {
		return err
	}
	err = w.svc.store.View(ctx, w.owner, func(tx Reader) error { return read(tx, p.name) })
	return within(op, path, err)
}
