package pad

import "context"

// Saver keeps a snapshot somewhere. Errors wrap [ErrPersist] or say more.
type Saver interface {
	// Load returns what was saved last; nil, nil if nothing was yet. What cannot
	// be read as a snapshot is an error, and stays as it is.
	Load(context.Context) (*Snapshot, error)

	// Save keeps the snapshot in place of the one before. It is durable when
	// Save returns nil.
	Save(context.Context, *Snapshot) error
}
