// Package count keeps numbers in memory: a [Tally] of what is written down later, and a
// [Recent] sum that may be a little old.
package count
