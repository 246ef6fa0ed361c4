// Package memstore keeps what agents own in memory. It is the reference for
// what a [workspace.Store] does, the store of tests, and "mem:" on the command
// line.
//
// It is not durable: what it holds ends with the process, so a write that it
// acknowledged survives no restart. Nothing bounds what it holds but the limits
// of the workspace above it.
package memstore
