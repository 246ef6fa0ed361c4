// Package host tells what the operating system knows about files: the space that is
// left, whether this user may write, and which processes have a file open. It only
// looks. What a system cannot tell is [errors.ErrUnsupported].
package host

// A Process has a file open.
type Process struct {
	ID      int
	Command string // at most 100 characters, as the process gave it; "" if this user may not see it
	Stale   bool   // the file was deleted or replaced since
}
