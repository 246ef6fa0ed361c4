package flags

import (
	"path/filepath"
	"reflect"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// Paths is the option of a parser whose fields have a path of the file system. Of the type
// path the parser makes an absolute one. Of the type homepath it only puts the home folder
// in place of a tilde: that is for a path which may be a URL, or which errors show as given.
func Paths() kong.Option {
	decode := func(absolute bool) kong.MapperFunc {
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
	return kong.OptionFunc(func(k *kong.Kong) error {
		for _, o := range []kong.Option{kong.NamedMapper("path", decode(true)),
			kong.NamedMapper("homepath", decode(false))} {
			if err := o.Apply(k); err != nil {
				return err
			}
		}
		return nil
	})
}
