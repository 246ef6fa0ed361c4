package pad

import "context"

// Saver stores snapshots for [Pad.Save], [Pad.Load] and auto-save. A pad calls one
// method at a time. Its errors are wrapped in [ErrPersist] unless they are already.
type Saver interface {
	// Load returns the snapshot that was saved last, or nil, nil if there is none. It
	// returns an error for data that is not a snapshot, and leaves that data alone.
	Load(context.Context) (*Snapshot, error)

	// Save replaces the snapshot that was saved before. When Save returns nil, the
	// snapshot is durable.
	Save(context.Context, *Snapshot) error
}
