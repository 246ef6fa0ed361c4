package native

import (
	"runtime"
	"strings"
)

// Quote quotes a text as one word for the shell of this system.
func Quote(s string) string { return quoteFor(runtime.GOOS, s) }

// QuoteSh quotes a text as one word for sh, on every system. A program that runs its
// commands by sh or bash on Windows too, such as Claude Code, takes this one.
func QuoteSh(s string) string { return quoteFor("linux", s) }

// quoteFor quotes for sh; on Windows in a way that both cmd and PowerShell understand.
func quoteFor(system, s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") == "" {
		return s
	}
	if system == "windows" {
		if s != "" && !strings.ContainsAny(s, " \t&|<>^()'\"%;,`$") {
			return s
		}
		return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
