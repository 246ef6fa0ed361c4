package clientconfig

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Server is what a client starts: a program with its arguments and variables. If it
// has a URL, the client connects to that instead; [Client.Connect] makes such a server.
type Server struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`

	// Env has variables with their values, or with references to variables of the
	// client. EnvVars names variables of the client, for Codex. PassVariable sets
	// the one that a client understands.
	Env     map[string]string `json:"env,omitempty"`
	EnvVars []string          `json:"env_vars,omitempty"`

	// URL is where the server is. Headers go with each request to it; their values are
	// references to variables of the client. TokenVariable names the variable with the
	// bearer token, for Codex.
	URL           string            `json:"url,omitempty"`
	Headers       map[string]string `json:"headers,omitempty"`
	TokenVariable string            `json:"bearer_token_env_var,omitempty"`
}

// PassVariable returns the server with one variable that the client gives it. The
// value stands in the entry only if the client cannot refer to its own environment;
// see [Client.ReadsEnvironment].
func (c Client) PassVariable(s Server, name, value string) Server {
	switch {
	case c.reference == byName:
		s.EnvVars = []string{name}
	case c.reference != "":
		s.Env = map[string]string{name: fmt.Sprintf(c.reference, name)}
	default:
		s.Env = map[string]string{name: value}
	}
	return s
}

// A format edits one kind of configuration file.
type format interface {
	// within names the object or table that has the servers.
	within() string

	// fields returns the fields of an entry for a server, in order.
	fields(s Server) []field

	// entry returns the entry of a server as it is in the text, decoded; nil if there is none.
	entry(text []byte, name string) (any, error)

	// set returns the text with fields in the entry of a server. Its other fields stay.
	set(text []byte, name string, entry []field) ([]byte, error)

	// remove returns the text without the entry of a server that it has.
	remove(text []byte, name string) ([]byte, error)
}

// A field is one of an entry.
type field struct {
	key   string
	value any // as the decoder returns it, or map[string]string
}

// fieldsOf returns the fields of a decoded entry in the order of their keys.
func fieldsOf[V any](values map[string]V) (all []field) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all = append(all, field{key, values[key]})
	}
	return all
}

func anySlice(list []string) (all []any) {
	for _, s := range list {
		all = append(all, s)
	}
	return all
}

// quoteJSON returns a value as JSON on one line. The value is a string, or a list
// of strings or of what a TOML file had.
func quoteJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v) // a TOML file can have inf, which JSON has not
	}
	return strings.TrimSuffix(b.String(), "\n")
}
