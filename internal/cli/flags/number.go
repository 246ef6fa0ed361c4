package flags

import (
	"fmt"
	"strconv"
)

// A Count is a whole number from 1; 0 says that it was not given.
type Count int64

// Set takes the text of the flag.
func (c *Count) Set(text string) error { return parse((*int64)(c), text, 1) }

// A Number is a whole number from 0.
type Number int64

// Set takes the text of the flag.
func (n *Number) Set(text string) error { return parse((*int64)(n), text, 0) }

// MaxNumber is the highest number that a version or an entry can have.
const MaxNumber = 1 << 53

func parse(to *int64, text string, least int64) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > MaxNumber {
		return fmt.Errorf("must be a whole number from %d to %d, not %q", least, int64(MaxNumber), text)
	}
	*to = n
	return nil
}
