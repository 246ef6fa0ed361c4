package repository

import (
	"net/url"
	"path/filepath"
	"strconv"
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
	return address(value(r.Common, "config", `remote "origin"`, "url"))
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
	scheme := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(u.Scheme), "git+"), "+git")
	port, known := ports[scheme]
	host := strings.ToLower(u.Hostname())
	path := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.EscapedPath(), "/"), ".git"), "/")
	behind := path + u.RawQuery + u.Fragment
	if !known || host == "" || path == "" || len(path) > maxOrigin || strings.Contains(behind, "@") {
		return "" // what stands before an @ behind the host may be a part of a password
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" && p != port {
		host += ":" + p
	}
	return scheme + "://" + host + path
}

// A setting is a line of git's configuration below the head of a section, such as remote "origin".
type setting struct{ section, name, value string }

// value returns the first value of a setting in a file of a directory of git, "" if there is none.
func value(dir, file, section, name string) string {
	text, _ := read(filepath.Join(dir, file), maxConfig)
	for _, s := range settings(string(text)) {
		if s.section == section && s.name == name {
			return s.value
		}
	}
	return ""
}

// settings returns the settings of a configuration that git has written, one on each line. It
// knows no values that go on in the next line.
func settings(text string) (all []setting) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, is := strings.CutPrefix(line, "["); is {
			section, _, _ = strings.Cut(head, "]")
			if kind, name, is := strings.Cut(section, " "); is {
				section = strings.ToLower(kind) + " " + strings.TrimSpace(name)
			} else {
				section = strings.ToLower(section)
			}
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		if quoted, err := strconv.QuotedPrefix(value); err == nil {
			value, _ = strconv.Unquote(quoted)
		} else if end := strings.IndexAny(value, "#;"); end >= 0 {
			value = strings.TrimSpace(value[:end])
		}
		all = append(all, setting{section, strings.ToLower(strings.TrimSpace(name)), value})
	}
	return all
}
