// Package engine runs statements on SQLite through its driver. It turns the driver's errors
// into those of package workspace.
package engine
