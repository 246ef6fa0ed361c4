//go:build race

package mcpserver_test

// underRace says whether the race detector is on. It takes several times the memory.
const underRace = true
