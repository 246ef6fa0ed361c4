package clientconfig

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of errors, for errors.Is. An error of one of these kinds has changed
// nothing. Its message has the cause and the way out, without the text of its kind.
var (
	ErrInvalid = errors.New("the file must be mended first")
	ErrTaken   = errors.New("another server has the name")
	ErrByHand  = errors.New("nothing was changed")
	ErrChanged = errors.New("another program changed the file")
	ErrBusy    = errors.New("another process is editing the file")
)

// failure is an error of a kind that its message does not show.
type failure struct {
	kind error
	text string
}

func (f failure) Error() string { return f.text }

func (f failure) Unwrap() error { return f.kind }

func fail(kind error, format string, args ...any) error {
	return failure{kind, fmt.Sprintf(format, args...)}
}

// byHand asks the user to edit the file.
func byHand(why, text string) error {
	return fail(ErrByHand, "%s; put this into it by hand, in place of what is there:\n%s\n%v", why,
		strings.TrimRight(text, "\n"), ErrByHand)
}

// Why a file is not edited.
const (
	cannotEdit    = "this program cannot edit the way in which it is written"
	commentInside = "there is a comment inside the entry"
)
