package clientconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// TakesURL reports whether the client's file can have a server at a URL.
func (c Client) TakesURL() bool {
	j, isJSON := c.format.(jsonFormat)
	return !isJSON || j.url != ""
}

// Connect returns the server at a URL as the client has it. variable names the variable
// of the client's environment with the API key; "": the server wants no key. The value
// stands in the entry unless [Client.ReadsEnvironment].
func (c Client) Connect(url, variable, value string) Server {
	switch {
	case variable == "":
		return Server{URL: url}
	case c.reference == byName:
		return Server{URL: url, TokenVariable: variable}
	case c.ReadsEnvironment():
		value = fmt.Sprintf(c.reference, variable)
	}
	return Server{URL: url, Headers: map[string]string{"Authorization": "Bearer " + value}}
}

// ClaudeCommand returns the command line that adds a server to Claude Code. The scope says
// where a program is started: "user" for all projects, "" for the current one. A
// server at a URL is always for the current project. The command line refers to
// variables by name, so that their values are not in the list of processes; Claude Code
// replaces them when it starts the server. word quotes a word for the shell, and quote
// encloses a reference that the shell must not replace.
func ClaudeCommand(name string, s Server, scope string, word func(string) string, quote string) string {
	words := []string{"claude", "mcp", "add"}
	if s.URL != "" {
		words = append(words, "--transport", "http", name, word(s.URL))
		for _, header := range slices.Sorted(maps.Keys(s.Headers)) {
			words = append(words, "--header", quote+header+": "+s.Headers[header]+quote)
		}
		return strings.Join(words, " ")
	}
	for _, variable := range slices.Sorted(maps.Keys(s.Env)) {
		words = append(words, "--env", fmt.Sprintf("%s%s=${%s}%s", quote, variable, variable, quote))
	}
	if scope != "" { // without an option after the variables Claude Code takes the name for another one
		words = append(words, "--scope", scope)
	}
	words = append(words, name, "--", word(s.Command))
	for _, arg := range s.Args {
		words = append(words, word(arg))
	}
	return strings.Join(words, " ")
}
