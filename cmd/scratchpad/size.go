package main

import "fmt"

// humanBytes is a size for people.
func humanBytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), 0
	for f >= 1024 && unit < 6 {
		f /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", f, " KMGTPE"[unit])
}
