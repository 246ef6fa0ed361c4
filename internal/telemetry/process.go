package telemetry

import "github.com/agent-scratchpad/scratchpad/internal/promtext"

// processNumbers are the metrics of the process, by the names and with the texts that
// Prometheus's own library has for them.
var processNumbers = []struct {
	name, help string
	kind       promtext.Kind
}{
	{"cpu_seconds_total", "Total user and system CPU time spent in seconds.", promtext.Counter},
	{"max_fds", "Maximum number of open file descriptors.", promtext.Gauge},
	{"network_receive_bytes_total", "Number of bytes received by the process over the network.", promtext.Counter},
	{"network_transmit_bytes_total", "Number of bytes sent by the process over the network.", promtext.Counter},
	{"open_fds", "Number of open file descriptors.", promtext.Gauge},
	{"resident_memory_bytes", "Resident memory size in bytes.", promtext.Gauge},
	{"start_time_seconds", "Start time of the process since unix epoch in seconds.", promtext.Gauge},
	{"virtual_memory_bytes", "Virtual memory size in bytes.", promtext.Gauge},
	{"virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.", promtext.Gauge},
}

// processFamilies returns the metrics of the process that this system shows.
func processFamilies() (all []promtext.Family) {
	values := processValues()
	for _, n := range processNumbers {
		if v, ok := values[n.name]; ok {
			all = append(all, family("process_"+n.name, n.help, n.kind, promtext.Series{Value: v}))
		}
	}
	return all
}
