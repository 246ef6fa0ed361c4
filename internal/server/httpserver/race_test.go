//go:build race

package httpserver

const underRace = true // the race detector takes memory of its own
