// Package fault builds the errors of a workspace out of their parts.
package fault

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// New returns the error of an operation on an object.
func New(kind error, op, object, cause string, args ...any) error {
	return Within(op, object, store.Errorf(kind, cause, args...))
}

// Or says what the caller can do about an error that nobody else has yet.
func Or(e *store.Error, do store.Action, n int64) *store.Error {
	e.Way = store.Way{Do: do, N: n}
	return e
}

// Over says which limit an error that nobody else has yet has met.
func Over(e *store.Error, q store.Quota) *store.Error {
	e.Quota = &q
	return e
}

// Exceeded returns the error of a change that has no room.
func Exceeded(q store.Quota, cause string, args ...any) *store.Error {
	return Over(store.Errorf(store.ErrQuota, cause, args...), q)
}

// BadArgument returns the error of an argument that has a value it must not have.
func BadArgument(arg store.Arg, value, cause string) *store.Error {
	e := store.Errorf(store.ErrInvalid, "%s", cause)
	e.Arg, e.Object = arg, value
	return e
}

// Within adds the operation and the object to an error that has neither. An error
// that has an object of its own gets the operation alone.
func Within(op, object string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*store.Error)
	if !ok {
		return &store.Error{Op: op, Object: object, Kind: store.Kind(err), Err: err}
	}
	if e.Op != "" {
		return &store.Error{Op: op, Object: object, Kind: e.Kind, Quota: e.Quota, Way: e.Way, Err: e}
	}
	named := *e // an error may be shared
	if named.Op = op; e.Arg == 0 {
		named.Object = object
	}
	return &named
}

// TooLarge returns the error of a text that is over a limit.
func TooLarge(of store.Resource, size, limit int64, cause string, args ...any) *store.Error {
	return Over(store.Errorf(store.ErrTooLarge, cause, args...), store.Quota{Of: of, Adds: size, Limit: limit})
}
