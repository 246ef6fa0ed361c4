package flags

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"
)

// A Count is a whole number from 1; 0 says that it was not given.
type Count int64

// Decode is kong's hook.
func (c *Count) Decode(k *kong.DecodeContext) error { return decodeNumber(k, (*int64)(c), 1) }

// A Number is a whole number from 0.
type Number int64

// Decode is kong's hook.
func (n *Number) Decode(k *kong.DecodeContext) error { return decodeNumber(k, (*int64)(n), 0) }

// MaxNumber is the highest number that a version or an entry can have.
const MaxNumber = 1 << 53

func decodeNumber(k *kong.DecodeContext, to *int64, least int64) error {
	text, err := popNumber(k)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > MaxNumber {
		return fmt.Errorf("must be a whole number from %d to %d, not %q", least, int64(MaxNumber), text)
	}
	*to = n
	return nil
}

// decodeInteger decodes the fields with the type integer, see [Integers]. Their Validate
// checks the range. A large number may be written as in Go, such as 100_000_000.
func decodeInteger(k *kong.DecodeContext, target reflect.Value) error {
	text, err := popNumber(k)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("must be at most %d, not %q", int64(math.MaxInt64), text)
	}
	if err != nil {
		return fmt.Errorf("must be a whole number, not %q", text)
	}
	target.SetInt(n)
	return nil
}

// Integers is the option of a parser whose fields have the type integer.
func Integers() kong.Option {
	return kong.NamedMapper("integer", kong.MapperFunc(decodeInteger))
}

// popNumber also takes a negative number, which kong takes for a flag, so that the
// error can say what is wrong with it.
func popNumber(k *kong.DecodeContext) (text string, err error) {
	text, _ = k.Scan.Peek().Value.(string)
	if len(text) > 1 && text[0] == '-' && '0' <= text[1] && text[1] <= '9' {
		k.Scan.Pop()
		return text, nil
	}
	err = k.Scan.PopValueInto("number", &text)
	return text, err
}
