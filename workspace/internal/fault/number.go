package fault

import (
	"cmp"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// maxNumber is the largest version or cursor. Every JSON reader keeps integers up to it
// exactly.
const maxNumber = 1 << 53

// CheckNumber checks a version, a cursor or a line that the caller gave.
func CheckNumber(arg store.Arg, n, least int64) error {
	switch {
	case n < least:
		return store.Errorf(store.ErrInvalid, "%s is %d, the least is %d", arg, n, least)
	case n > maxNumber:
		return store.Errorf(store.ErrInvalid, "%s is %d, the most is 2^53", arg, n)
	}
	return nil
}

// CheckRange checks a number that may be from 1 to most.
func CheckRange(arg store.Arg, n, most int) error {
	if n < 1 || n > most {
		return store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", arg, n, most)
	}
	return nil
}

// SetLimit checks how much a page may have at most, and puts usual in place of 0.
func SetLimit(n *int, most, usual int) error {
	*n = cmp.Or(*n, usual)
	return CheckRange(store.ArgLimit, *n, most)
}
