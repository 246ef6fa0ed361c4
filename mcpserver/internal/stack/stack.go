// Package stack makes room on the stack of a goroutine.
package stack

import "runtime"

// Grow gives the goroutine a stack of 16 KiB in one step. In a new goroutine that goes deep
// the runtime would double the stack several times, and copy more each time.
func Grow() { grow(0) }

// grow has a large frame, also when it does not use it.
//
//go:noinline
func grow(use int) {
	if use > 0 {
		var room [9 << 10]byte
		room[use%len(room)] = 1
		runtime.KeepAlive(&room)
	}
}
