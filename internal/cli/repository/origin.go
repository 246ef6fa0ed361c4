package repository

import (
	"net/url"
	"path/filepath"
	"strings"
)

const maxOrigin = 2048 // bytes

// Origin returns the address of the remote named origin, as it stands in the configuration of
// the repository itself: files that it includes, other configurations and the environment do
// not count. It is "" if there is none, if it is no address in a network, or if it has more than
// 2,048 bytes. All spellings of one address give the same text: without user, password and
// query, default port, trailing ".git" and "/", with the host in lower case, and the short form
// of SSH as ssh://.
func (r *Repository) Origin() string {
	return address(readConfig(r.Common).value("remote", "origin", "url"))
}

// ports are the schemes of addresses in a network, with their default ports.
var ports = map[string]string{"https": "443", "http": "80", "ssh": "22", "git": "9418"}

func address(text string) string {
	if !strings.Contains(text, "://") {
		host, path, is := strings.Cut(text, ":")
		if !is || len(host) < 2 || strings.ContainsAny(host, `/\`) || strings.HasPrefix(path, ":") {
			return "" // a path, a drive of Windows, or a program of git, as in ext::
		}
		text = "ssh://" + host + "/" + strings.TrimLeft(path, "/")
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	scheme := strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(u.Scheme), "+ssh"), "git+")
	port, known := ports[scheme]
	host := strings.ToLower(u.Hostname())
	path := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.EscapedPath(), "/"), ".git"), "/")
	if !known || host == "" || path == "" || len(path) > maxOrigin || strings.Contains(path, "@") {
		return "" // what stands before an @ in the path may be a part of a password
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" && p != port {
		host += ":" + p
	}
	return scheme + "://" + host + path
}

// A setting is a line of git's configuration.
type setting struct{ section, subsection, name, value string }

type config []setting

// value returns the first value of a variable, "" if there is none.
func (c config) value(section, subsection, name string) string {
	for _, s := range c {
		if s.section == section && s.subsection == subsection && s.name == name {
			return s.value
		}
	}
	return ""
}

// readConfig returns the settings in the file config of a directory of git, none if it cannot be
// read.
func readConfig(dir string) config {
	text, err := read(filepath.Join(dir, "config"), maxConfig)
	if err != nil {
		return nil
	}
	return parseConfig(string(text))
}

// parseConfig returns the settings of a text, up to a head of a section that cannot be read.
func parseConfig(text string) (c config) {
	var section, subsection string
	rest := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for rest = strings.TrimLeft(rest, " \t\n"); rest != ""; rest = strings.TrimLeft(rest, " \t\n") {
		switch {
		case rest[0] == '#' || rest[0] == ';':
			_, rest, _ = strings.Cut(rest, "\n")
		case rest[0] == '[':
			var ok bool
			if section, subsection, rest, ok = header(rest); !ok {
				return c
			}
		default:
			name, value, after := variable(rest)
			c, rest = append(c, setting{section, subsection, name, value}), after
		}
	}
	return c
}

// header reads the head of a section, such as [remote "origin"].
func header(text string) (section, subsection, rest string, ok bool) {
	end := strings.IndexAny(text, "]\n\"")
	if end < 0 || text[end] == '\n' {
		return "", "", "", false
	}
	section = strings.ToLower(strings.TrimSpace(text[1:end]))
	if text[end] == ']' {
		return section, "", text[end+1:], true
	}
	var b strings.Builder
	for i := end + 1; i < len(text) && text[i] != '\n'; i++ {
		switch {
		case text[i] == '"':
			rest, ok = strings.CutPrefix(strings.TrimLeft(text[i+1:], " \t"), "]")
			return section, b.String(), rest, ok
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return "", "", "", false
}

// variable reads a name and its value, which ends with the line. A backslash before the end of
// the line goes on in the next. Quotes keep spaces and the marks of a comment.
func variable(text string) (name, value, rest string) {
	end := strings.IndexAny(text, "=\n#;")
	if end < 0 {
		return strings.ToLower(strings.TrimSpace(text)), "", ""
	}
	name = strings.ToLower(strings.TrimSpace(text[:end]))
	if text[end] != '=' {
		_, rest, _ = strings.Cut(text[end:], "\n")
		return name, "", rest
	}
	var b strings.Builder
	quoted, kept := false, 0 // bytes of the value that end in no space outside of quotes
	text = strings.TrimLeft(text[end+1:], " \t")
	i := 0
scan:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', !quoted && (c == '#' || c == ';'):
			break scan
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				b.WriteByte(unescaped(text[i]))
				kept = b.Len()
			}
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				kept = b.Len()
			}
		}
	}
	_, rest, _ = strings.Cut(text[i:], "\n")
	return name, b.String()[:kept], rest
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
