package flags

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const limitPrefix = "max-" // of the flags of limits

// Limits are the flags of [workspace.Limits], which has their defaults. Their names, their
// variables, and what errors and other processes are told of them are made from the fields.
// The tag "of" holds the [workspace.Resource] that the flag limits, so that errors name the flag.
type Limits struct {
	FileBytes  int64 `default:"${FileBytes}" placeholder:"N" of:"bytes of a file"`
	EntryBytes int64 `default:"${EntryBytes}" placeholder:"N" of:"bytes of an entry"`
	Versions   int64 `default:"${Versions}" placeholder:"N"`
	Files      int64 `default:"${Files}" placeholder:"N" of:"files"`
	Logs       int64 `default:"${Logs}" placeholder:"N" of:"logs"`
	Entries    int64 `default:"${Entries}" placeholder:"N" of:"entries"`
	Bytes      int64 `default:"${Bytes}" placeholder:"N" of:"bytes"`
	Changes    int64 `default:"${Changes}" placeholder:"N"`
}

// Validate is kong's hook. Package workspace would take a limit of 0 for the default.
func (l Limits) Validate() error { return checkLimits(l, 1) }

// Args returns the flags that give another process the same limits.
func (l Limits) Args() []string { return args(limitPrefix, l) }

// StoreLimits are the flags of [workspace.StoreLimits]. Here 0 is no limit.
type StoreLimits struct {
	Agents     int64 `default:"${Agents}" placeholder:"N" of:"agents of the store"`
	TotalBytes int64 `default:"${TotalBytes}" placeholder:"N" of:"bytes of the store"`
}

// Validate is kong's hook.
func (l StoreLimits) Validate() error { return checkLimits(l, 0) }

// Args returns the flags that give another process the same limits.
func (l StoreLimits) Args() []string { return args(limitPrefix, l) }

// Options returns the limits as package workspace wants them.
func (l StoreLimits) Options() workspace.StoreLimits {
	return workspace.StoreLimits{Agents: cmp.Or(l.Agents, -1), Bytes: cmp.Or(l.TotalBytes, -1)}
}

// Defaults returns the defaults of the limits by the names of their fields. Tags refer to
// them as ${name}.
func Defaults() map[string]string {
	all := workspace.DefaultStoreLimits()
	defaults := map[string]string{}
	for _, limits := range []any{Limits(workspace.DefaultLimits()), StoreLimits{all.Agents, all.Bytes}} {
		v := reflect.ValueOf(limits)
		for i := range v.NumField() {
			defaults[v.Type().Field(i).Name] = fmt.Sprint(v.Field(i))
		}
	}
	return defaults
}

// Raising returns the flag that raises a limit, "" if there is none.
func Raising(of workspace.Resource) string {
	all := slices.Concat(fields(limitPrefix, Limits{}), fields(limitPrefix, StoreLimits{}), fields("", Summaries{}))
	for _, f := range all {
		if f.of == string(of) {
			return f.flag
		}
	}
	return ""
}

func checkLimits(limits any, least int64) error {
	for _, f := range fields(limitPrefix, limits) {
		if value := f.value.(int64); value < least {
			return fmt.Errorf("%s must be %d or more, not %d", f.flag, least, value)
		}
	}
	return nil
}

// A field is a flag in a struct of flags.
type field struct {
	flag, byDefault, of string
	value               any
}

// fields returns the flags of a struct, in order.
func fields(prefix string, flags any) (all []field) {
	v := reflect.ValueOf(flags)
	defaults := Defaults()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := cmp.Or(f.Tag.Get("name"), prefix+dashed(f.Name))
		byDefault := os.Expand(f.Tag.Get("default"), func(name string) string { return defaults[name] })
		byDefault = cmp.Or(byDefault, fmt.Sprint(reflect.Zero(f.Type)))
		all = append(all, field{"--" + name, byDefault, f.Tag.Get("of"), v.Field(i).Interface()})
	}
	return all
}

// args returns the flags of a struct that are not as by default.
func args(prefix string, flags any) (args []string) {
	for _, f := range fields(prefix, flags) {
		value := fmt.Sprint(f.value)
		if value == f.byDefault || value == f.byDefault+"0s" { // a minute is 1m0s
			continue
		}
		args = append(args, f.flag)
		if _, alone := f.value.(bool); !alone {
			args = append(args, value)
		}
	}
	return args
}

// dashed returns the name of a field as kong makes a flag of it.
func dashed(name string) string {
	var b strings.Builder
	for i, c := range name {
		if i > 0 && unicode.IsUpper(c) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
