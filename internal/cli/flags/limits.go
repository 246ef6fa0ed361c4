package flags

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const limitPrefix = "max-" // of the flags of limits

// Limits are the flags of [workspace.Limits]. What the tags of other flags say is in
// [workspace.AllLimits].
type Limits workspace.Limits

// StoreLimits are the flags of [workspace.StoreLimits]. Here 0 is no limit.
type StoreLimits struct{ Agents, TotalBytes int64 }

// Options returns the limits as package workspace wants them.
func (l StoreLimits) Options() workspace.StoreLimits {
	return workspace.StoreLimits{Agents: cmp.Or(l.Agents, -1), Bytes: cmp.Or(l.TotalBytes, -1)}
}

// Describe returns the help of the flag of a limit, and its default. ok is false for any other
// flag.
func Describe(flag string) (help, byDefault string, ok bool) {
	l, ok := limitOf(flag)
	if !ok {
		return "", "", false
	}
	help = l.Help
	if Least(flag) == 0 {
		help += " 0: no limit."
	}
	return help + " Default: ${default}.", fmt.Sprint(l.Default), true
}

// Least returns the least value of the limit that a flag sets. Package workspace would take a limit
// of 0 for the default, but in StoreLimits.
func Least(flag string) int64 {
	if l, _ := limitOf(flag); l.Of == store.StoreAgents || l.Of == store.StoreBytes {
		return 0
	}
	return 1
}

// limitOf returns the limit that a flag sets.
func limitOf(flag string) (l workspace.Limit, ok bool) {
	name, ok := strings.CutPrefix(flag, limitPrefix)
	all := workspace.AllLimits()
	i := slices.IndexFunc(all, func(l workspace.Limit) bool { return l.Name == name })
	if !ok || i < 0 {
		return l, false
	}
	return all[i], true
}

// Raising returns the flag that raises a limit, "" if there is none.
func Raising(of store.Resource) string {
	for _, l := range workspace.AllLimits() {
		if l.Of == of {
			return "--" + limitPrefix + l.Name
		}
	}
	if of == store.SummaryTokens {
		return "--summary-tokens-per-month"
	}
	return ""
}
