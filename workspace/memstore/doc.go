// Package memstore keeps what agents own in memory. It is the reference for what a
// [store.Store] does, the store of tests, and "mem:" on the command line.
//
// It is not durable: everything is lost when the process ends. Only the limits of the
// workspace bound what it holds.
package memstore
