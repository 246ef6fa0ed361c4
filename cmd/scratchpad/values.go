package main

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// decodePath decodes a path of the file system. Of the type path it makes an absolute one. Of
// the type homepath it only puts the home folder in place of a tilde: that is for a path which
// may be a URL, or which errors show as given.
func decodePath(absolute bool) kong.MapperFunc {
	return func(k *kong.DecodeContext, target reflect.Value) error {
		var path string
		if err := k.Scan.PopValueInto("file", &path); err != nil {
			return err
		}
		path, err := native.Expand(path)
		if err != nil {
			return err
		}
		if given := path != "" || !k.Value.HasDefault; absolute && given && path != "-" {
			if path, err = filepath.Abs(path); err != nil {
				return err
			}
		}
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.ValueOf(&path))
		} else {
			target.SetString(path)
		}
		return nil
	}
}

// decodeNumber decodes a number of package flags. It also takes a negative number, which kong
// takes for a flag, so that the error can say what is wrong with it.
func decodeNumber(k *kong.DecodeContext, target reflect.Value) error {
	text, _ := k.Scan.Peek().Value.(string)
	if len(text) > 1 && text[0] == '-' && '0' <= text[1] && text[1] <= '9' {
		k.Scan.Pop()
	} else if err := k.Scan.PopValueInto("number", &text); err != nil {
		return err
	}
	if to, ok := target.Addr().Interface().(interface{ Set(text string) error }); ok {
		return to.Set(text)
	}
	// A limit. A large one may be written as in Go, such as 100_000_000.
	n, err := strconv.ParseInt(text, 0, 64)
	if least := flags.Least(k.Value.Name); err != nil || n < least {
		return fmt.Errorf("must be a whole number from %d to %d, not %q", least, int64(math.MaxInt64), text)
	}
	target.SetInt(n)
	return nil
}
