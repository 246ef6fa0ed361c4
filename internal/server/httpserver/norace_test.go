//go:build !race

package httpserver

const underRace = false
