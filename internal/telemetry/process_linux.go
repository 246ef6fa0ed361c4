package telemetry

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// processValues returns what /proc says of this process. What cannot be read is left out.
func processValues() map[string]float64 {
	values := map[string]float64{}
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		// The second field is the name of the program in brackets, and may hold any byte.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		at := func(n int) float64 { // numbered as in proc(5)
			if n-3 >= len(fields) {
				return 0
			}
			v, _ := strconv.ParseFloat(fields[n-3], 64)
			return v
		}
		const ticks = 100 // a second, on every system that Go runs on
		values["cpu_seconds_total"] = (at(14) + at(15)) / ticks
		values["virtual_memory_bytes"] = at(23)
		values["resident_memory_bytes"] = at(24) * float64(os.Getpagesize())
		if booted, ok := afterWord("/proc/stat", "btime"); ok {
			values["start_time_seconds"] = booted + at(22)/ticks
		}
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		values["max_fds"] = float64(limit.Cur)
	}
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil {
		values["virtual_memory_max_bytes"] = float64(limit.Cur)
	}
	if dir, err := os.Open("/proc/self/fd"); err == nil {
		if names, err := dir.Readdirnames(0); err == nil {
			values["open_fds"] = float64(len(names))
		}
		dir.Close()
	}
	addNetwork(values)
	return values
}

// afterWord returns the number after a word at the begin of a line of a file.
func afterWord(file, word string) (float64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, word+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			return v, err == nil
		}
	}
	return 0, false
}

// addNetwork adds the bytes of the network, which are those of the network name space.
func addNetwork(values map[string]float64) {
	text, err := os.ReadFile("/proc/self/net/netstat")
	if err != nil {
		return
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "IpExt:" {
			continue
		}
		if names == nil { // the first line has the names, the second one the numbers
			names = fields
			continue
		}
		for i, name := range names {
			if i >= len(fields) {
				return
			}
			v, _ := strconv.ParseFloat(fields[i], 64)
			switch name {
			case "InOctets":
				values["network_receive_bytes_total"] = v
			case "OutOctets":
				values["network_transmit_bytes_total"] = v
			}
		}
	}
}
