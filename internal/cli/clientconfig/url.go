package clientconfig

import (
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// maxURL is how many bytes a server's URL may have.
const maxURL = 2000

// ParseURL returns the address of a server's MCP. Without a path, it is /mcp. Errors:
// [ErrInvalid].
func ParseURL(text string) (*url.URL, error) {
	fault := func(what string) error {
		return fail(ErrInvalid, "--url %s; give one such as https://memory.example.com/mcp", what)
	}
	if len(text) > maxURL {
		return nil, fault("is too long")
	}
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return nil, fault("is not an http or https URL")
	case at.User != nil: // not repeated, because it may be a password
		return nil, fault("has a user in it, and would be written as it is; leave the user out")
	case at.Fragment != "" || at.RawQuery != "" || at.ForceQuery:
		return nil, fault("has a part after ? or #; leave it out")
	}
	if at.Path == "" || at.Path == "/" {
		at.Path = "/mcp"
	}
	return at, nil
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// A repetition of 100 in place of the length would take longer to compile than all other
// expressions together.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckVariable refuses a key in place of the name of its variable, and an entry that must
// contain the key if the variable is not set here. Errors: [ErrInvalid].
func (c Client) CheckVariable(name string) error {
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(name, "sp_") || len(name) > 100 || !variableName.MatchString(name):
		// The name is not repeated, because it may be a key.
		return fail(ErrInvalid, "--key-variable is not the name of an environment variable; put the key into a "+
			"variable, such as SCRATCHPAD_API_KEY, and give its name")
	case c.ReadsEnvironment():
		return nil
	}
	key := strings.TrimSpace(os.Getenv(name))
	if key == "" || strings.HasPrefix(key, "${") {
		return fail(ErrInvalid, "%s cannot refer to its environment, so its entry contains the key; set %s here, or "+
			"add the server in the settings of %s if it has an OAuth issuer", c.Title, name, c.Title)
	}
	return nil
}
