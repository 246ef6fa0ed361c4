package store

import "context"

// An Extent is how much there is to read at a path. The zero value is nothing.
type Extent struct {
	Version int64 // the current version of a file
	Bytes   int64 // of the current version of a file, or of the longest page of a log
	Largest int64 // bytes of the largest version of a file that is retained, or that may be
	Rows    int64 // of the journal of changes
}

// Extent returns the extent of a file.
func (h FileHead) Extent() Extent {
	if !h.Exists() {
		return Extent{}
	}
	return Extent{Version: h.Version, Bytes: h.Size(), Largest: h.Largest()}
}

// A Weigher is told how much a [Reader.Load] reads: it gets the heads of the query's File and
// Log. A store may ask it after the read, if to ask before would cost a round trip. Its error
// ends the Load, which returns the error and nothing of what was read. It does not wait,
// because it is called in the transaction.
type Weigher func(FileHead, LogHead) error

type weigherKey struct{}

// WithWeigher returns a context that carries a function which calls tell how much they
// read. nil: they tell nobody.
func WithWeigher(ctx context.Context, f func(Extent) error) context.Context {
	return context.WithValue(ctx, weigherKey{}, f)
}

// WeigherOf returns the function that a context carries, nil if it has none.
func WeigherOf(ctx context.Context) func(Extent) error {
	f, _ := ctx.Value(weigherKey{}).(func(Extent) error)
	return f
}

// Weighed returns a query that tells the function of a context how much it reads.
func (q Query) Weighed(ctx context.Context) Query {
	if !q.Current && q.Version == 0 && q.Entries == nil {
		return q
	}
	if f := WeigherOf(ctx); f != nil {
		page := q.Entries
		q.Weigher = new(Weigher)
		*q.Weigher = func(file FileHead, log LogHead) error {
			if page != nil {
				return f(Extent{Bytes: min(log.Bytes, page.MaxBytes)})
			}
			return f(file.Extent())
		}
	}
	return q
}
