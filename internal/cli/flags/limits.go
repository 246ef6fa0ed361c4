package flags

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const limitPrefix = "max-" // of the flags of limits

// Limits are the flags of [workspace.Limits], from 1. What the tags of other flags say is in
// [workspace.AllLimits].
type Limits workspace.Limits

// Validate is kong's hook. Package workspace would take a limit of 0 for the default.
func (l Limits) Validate() error { return checkLimits(l, 1) }

// Args returns the flags that give another process the same limits.
func (l Limits) Args() []string { return args(limitPrefix, l) }

// StoreLimits are the flags of [workspace.StoreLimits]. Here 0 is no limit.
type StoreLimits struct{ Agents, TotalBytes int64 }

// Validate is kong's hook.
func (l StoreLimits) Validate() error { return checkLimits(l, 0) }

// Args returns the flags that give another process the same limits.
func (l StoreLimits) Args() []string { return args(limitPrefix, l) }

// Options returns the limits as package workspace wants them.
func (l StoreLimits) Options() workspace.StoreLimits {
	return workspace.StoreLimits{Agents: cmp.Or(l.Agents, -1), Bytes: cmp.Or(l.TotalBytes, -1)}
}

// Describe returns the help of the flag of a limit, and its default. ok is false for any other
// flag.
func Describe(flag string) (help, byDefault string, ok bool) {
	l, ok := limitOf("--" + flag)
	if !ok {
		return "", "", false
	}
	help = l.Help
	if l.Of == workspace.StoreAgents || l.Of == workspace.StoreBytes {
		help += " 0: no limit."
	}
	return help + " Default: ${default}.", fmt.Sprint(l.Default), true
}

// limitOf returns the limit that a flag sets.
func limitOf(flag string) (l workspace.Limit, ok bool) {
	name, ok := strings.CutPrefix(flag, "--"+limitPrefix)
	all := workspace.AllLimits()
	i := slices.IndexFunc(all, func(l workspace.Limit) bool { return l.Name == name })
	if !ok || i < 0 {
		return l, false
	}
	return all[i], true
}

// Raising returns the flag that raises a limit, "" if there is none.
func Raising(of workspace.Resource) string {
	for _, l := range workspace.AllLimits() {
		if l.Of == of {
			return "--" + limitPrefix + l.Name
		}
	}
	for _, f := range fields("", Summaries{}) {
		if f.of == of {
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
	flag, byDefault string
	of              workspace.Resource // that the flag limits
	value           any
}

// fields returns the flags of a struct, in order.
func fields(prefix string, flags any) (all []field) {
	v := reflect.ValueOf(flags)
	for i := range v.NumField() {
		t := v.Type().Field(i)
		f := field{flag: "--" + cmp.Or(t.Tag.Get("name"), prefix+dashed(t.Name)), value: v.Field(i).Interface(),
			byDefault: cmp.Or(t.Tag.Get("default"), fmt.Sprint(reflect.Zero(t.Type))),
			of:        workspace.Resource(t.Tag.Get("of"))}
		if l, ok := limitOf(f.flag); ok {
			f.byDefault = fmt.Sprint(l.Default)
		}
		all = append(all, f)
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
