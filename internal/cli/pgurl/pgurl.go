// Package pgurl tells URLs of PostgreSQL from names of files, and shortens them for people.
// A URL may have a password. No error, log line or report of this program shows one.
package pgurl

import (
	"net/url"
	"regexp"
	"strings"
)

// schemes are those that libpq knows.
var schemes = []string{"postgres://", "postgresql://"}

// Is reports whether a name of a database is a URL of PostgreSQL.
func Is(name string) bool {
	_, _, ok := cut(name)
	return ok
}

func cut(name string) (scheme, rest string, ok bool) {
	for _, scheme := range schemes {
		if len(name) >= len(scheme) && strings.EqualFold(name[:len(scheme)], scheme) {
			return scheme, name[len(scheme):], true
		}
	}
	return "", name, false
}

// A shown is a parameter of a URL that Short keeps: none of their values is a secret.
var shown = map[string]bool{"service": true, "host": true, "port": true, "dbname": true, "user": true,
	"target_session_attrs": true}

// hostsForm is that of hosts with their ports.
var hostsForm = regexp.MustCompile(`^((\[[0-9A-Fa-f:.%]*\]|[^@:,\[\]]*)(:[0-9]*)?(,|$))*$`)

// Short returns a URL for people: the user, the hosts, the database and the service. Of a
// URL that is not well formed it keeps the scheme alone. Any other name is returned as it is.
func Short(name string) string {
	scheme, rest, ok := cut(name)
	if !ok {
		return name
	}
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	user, hosts, named := strings.Cut(authority, "@")
	if !named {
		user, hosts = "", authority
	}
	if strings.ContainsAny(path, "@#") || !hostsForm.MatchString(hosts) {
		return scheme + "…" // perhaps a password with characters that must be escaped
	}
	path, query, _ := strings.Cut(path, "?")
	user, _, _ = strings.Cut(user, ":")
	if user != "" {
		user += "@"
	}
	if query = shownOf(query); query != "" {
		query = "?" + query
	}
	return scheme + user + hosts + path + query
}

func shownOf(query string) string {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(part, "="); shown[name] {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&")
}

// HasSecret reports whether a URL has a password, or may have one because it is not well
// formed.
func HasSecret(name string) bool {
	_, rest, ok := cut(name)
	if !ok {
		return false
	}
	short := Short(name)
	if strings.HasSuffix(short, "…") {
		return true
	}
	if user, _, named := strings.Cut(rest, "@"); named && strings.Contains(user, ":") {
		return true
	}
	_, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	return err != nil || values.Has("password") || values.Has("sslpassword") || values.Has("oauth_client_secret")
}

var within = regexp.MustCompile(`(?i)postgres(?:ql)?://[^\s"]*`)

// Hide returns a text with the URLs in it shortened.
func Hide(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return within.ReplaceAllStringFunc(text, Short)
}
