package telemetry

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// processValues returns what the system says of this process. What it does not say is left
// out.
func processValues() map[string]float64 {
	values := map[string]float64{}
	if all, err := unix.SysctlKinfoProcSlice("kern.proc.pid", os.Getpid()); err == nil && len(all) == 1 {
		values["start_time_seconds"] = float64(all[0].Proc.P_starttime.Nano() / 1e9)
	}
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		values["cpu_seconds_total"] = time.Duration(used.Stime.Nano() + used.Utime.Nano()).Seconds()
	}
	if dir, err := os.Open("/dev/fd"); err == nil {
		if names, err := dir.Readdirnames(0); err == nil {
			values["open_fds"] = float64(len(names) - 1) // without dir
		}
		dir.Close()
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		values["max_fds"] = float64(limit.Cur)
	}
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil {
		values["virtual_memory_max_bytes"] = float64(limit.Cur)
	}
	return values
}
