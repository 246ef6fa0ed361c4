// Package backtrace says where a panic happened, for logs. It has no value of a panic and no
// argument of a function, because they may quote what a caller sent. [runtime/debug.Stack]
// has arguments.
package backtrace

import (
	"fmt"
	"runtime"
	"strings"
)

const maxFrames = 64

// Text returns the calls that led here, the last one first, with a line for each: the
// function, the file and the line. A deferred function that recovers finds the panic there.
func Text() string {
	var b strings.Builder
	calls := make([]uintptr, maxFrames)
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Fprintf(&b, "%s %s:%d\n", f.Function, f.File, f.Line)
	}
	return b.String()
}
