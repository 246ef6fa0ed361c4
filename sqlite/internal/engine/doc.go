// Package engine runs statements on SQLite, without database/sql. It turns SQLite's errors
// into those of package workspace.
package engine
