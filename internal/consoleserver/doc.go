// Package consoleserver puts the console together for the commands that serve it.
package consoleserver
