//go:build !linux && !darwin && !windows

package telemetry

// processValues returns nothing: this system is not asked.
func processValues() map[string]float64 { return nil }
