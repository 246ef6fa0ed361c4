package telemetry

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel      = windows.NewLazySystemDLL("kernel32.dll")
	memoryInfo  = kernel.NewProc("K32GetProcessMemoryInfo")
	handleCount = kernel.NewProc("GetProcessHandleCount")
)

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX.
type memoryCounters struct {
	size, faults     uint32
	peak, workingSet uintptr
	pools            [4]uintptr
	pagefile         [2]uintptr
	private          uintptr
}

// processValues returns what the system says of this process. What it does not say is left
// out.
func processValues() map[string]float64 {
	values := map[string]float64{"max_fds": 16 << 20} // of every process
	self := windows.CurrentProcess()
	var began, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(self, &began, &ended, &kernel, &user) == nil {
		seconds := func(t windows.Filetime) float64 {
			return float64(uint64(t.HighDateTime)<<32+uint64(t.LowDateTime)) / 1e7
		}
		values["start_time_seconds"] = float64(began.Nanoseconds() / 1e9)
		values["cpu_seconds_total"] = seconds(kernel) + seconds(user)
	}
	m := memoryCounters{size: uint32(unsafe.Sizeof(memoryCounters{}))}
	if ok, _, _ := memoryInfo.Call(uintptr(self), uintptr(unsafe.Pointer(&m)), unsafe.Sizeof(m)); ok == 1 {
		values["virtual_memory_bytes"], values["resident_memory_bytes"] = float64(m.private), float64(m.workingSet)
	}
	var open uint32
	if ok, _, _ := handleCount.Call(uintptr(self), uintptr(unsafe.Pointer(&open))); ok == 1 {
		values["open_fds"] = float64(open)
	}
	return values
}
