// Package change shows the changes of an agent's memory, to people and to scripts.
package change
