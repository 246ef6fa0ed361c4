package fault

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// maxNumber is the largest version or cursor. Every JSON reader keeps integers up to it
// exactly.
const maxNumber = 1 << 53

// CheckNumber checks a version, a cursor or a line that the caller gave.
func CheckNumber(op, object string, arg store.Arg, n, least int64) error {
	switch {
	case n < least:
		return TooSmall(op, object, arg, n, least)
	case n > maxNumber:
		return New(store.ErrInvalid, op, object, "%s is %d, the most is 2^53", arg, n)
	}
	return nil
}

// TooSmall returns the error of a number below the least that is allowed.
func TooSmall(op, object string, arg store.Arg, n, least int64) error {
	return New(store.ErrInvalid, op, object, "%s is %d, the least is %d", arg, n, least)
}
