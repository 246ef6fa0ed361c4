package native

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// HideArguments overwrites the arguments of this process that secret reports with what it
// returns, so that they do not stand in the list of processes. It changes the memory that
// os.Args shares with the system: whoever keeps an argument keeps a clone. A text that is
// longer than the argument is cut.
func HideArguments(secret func(arg string) (instead string, ok bool)) {
	for i, arg := range os.Args {
		instead, ok := secret(arg)
		if !ok || arg == "" || !isSystems(arg) {
			continue
		}
		at := unsafe.Slice(unsafe.StringData(arg), len(arg))
		clear(at[copy(at, instead):])
		os.Args[i] = strings.Clone(instead[:min(len(instead), len(arg))])
	}
}

// isSystems reports whether a text is in the memory that the system gave the process for
// its arguments, which may be written. See arg_start and arg_end in proc(5).
func isSystems(arg string) bool {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const first, start, end = 3, 48, 49
	if len(fields) <= end-first {
		return false
	}
	from, err1 := strconv.ParseUint(fields[start-first], 10, 64)
	to, err2 := strconv.ParseUint(fields[end-first], 10, 64)
	at := uint64(uintptr(unsafe.Pointer(unsafe.StringData(arg))))
	return err1 == nil && err2 == nil && from > 0 && at >= from && at+uint64(len(arg)) <= to
}
