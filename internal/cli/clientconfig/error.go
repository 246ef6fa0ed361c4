package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
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

// byHand asks the user to paste a text in place of what has a name in a file.
func byHand(why string, file []byte, at span, name, text string) error {
	return fail(ErrByHand, "%s; put this by hand in place of %s in %s:\n%s\n%v", why, name, linesOf(file, at), text,
		ErrByHand)
}

// commentInside is why a value is not replaced.
const commentInside = "there is a comment inside the value to be replaced"

// A span is a part of a text: from an offset to another one.
type span struct{ from, to int }

// linesOf says which lines a part of a text is on.
func linesOf(text []byte, at span) string {
	first := 1 + bytes.Count(text[:at.from], []byte("\n"))
	last := 1 + bytes.Count(text[:max(at.from, at.to-1)], []byte("\n"))
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}
