package clientconfig

import (
	"errors"
	"fmt"
)

// ErrByHand is the kind of an error that has changed nothing, and says what the user does by hand. Its
// text has several lines. The other kinds are those of package store.
var ErrByHand = errors.New("nothing was changed")

// failure is an error of a kind that its message does not show.
type failure struct {
	kind error
	text string
}

func (f failure) Error() string { return f.text }

func (f failure) Unwrap() error { return f.kind }

// Errorf returns an error of a kind, which its text does not show.
func Errorf(kind error, format string, args ...any) error {
	return failure{kind, fmt.Sprintf(format, args...)}
}
