//go:build !linux

package native

// HideArguments does nothing: this system gives no way to change what a list of processes
// shows.
func HideArguments(func(arg string) (instead string, ok bool)) {}
