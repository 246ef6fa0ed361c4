package pad

import (
	"strings"
	"time"
)

// Format is the format in which [Pad.Render] writes entries.
type Format int

const (
	KV       Format = iota // "key: value", one line for each entry
	Markdown               // "## key" with the value below, and a blank line between entries
	XML                    // <entry key="key">value</entry>, one line for each entry
	JSON                   // one object, a member for each entry
)

// layout writes entries in one format.
type layout struct {
	open, separator, end string
	entry                func(key, value string, m *meta) string
	value                func(v any) string       // writes a stored value for entry
	literal              func(text string) string // writes a text for entry
	leftOut              string                   // the last line, with %s for the number; "": none
}

func (f Format) layout() layout {
	asIs := func(text string) string { return text }
	switch f {
	case Markdown:
		return layout{separator: "\n\n", entry: markdownEntry, value: valueText, literal: asIs,
			leftOut: "[%s left out]"}
	case XML:
		return layout{separator: "\n", entry: xmlEntry, value: valueText, literal: asIs,
			leftOut: "<!-- %s left out -->"}
	case JSON:
		return layout{open: "{", separator: ",", end: "}", entry: jsonEntry, value: valueJSON, literal: quoted}
	}
	return layout{separator: "\n", entry: kvEntry, value: valueText, literal: asIs, leftOut: "[%s left out]"}
}

// kvEntry writes an entry whose key ends at the first ": ". Metadata is on a line that is
// indented by two. No line of a value is.
func kvEntry(key, value string, m *meta) string {
	if ambiguous(key) || strings.Contains(key, ": ") {
		key = quoted(key)
	}
	text := indented(key) + ": " + indented(value)
	if m != nil {
		text += "\n  " + m.line()
	}
	return text
}

// markdownEntry writes an entry whose key ends before the first line that is not
// indented. If all lines are indented, the key is the first line.
func markdownEntry(key, value string, m *meta) string {
	block := opensBlock.MatchString(value)
	if ambiguous(key) || block && indented(key) != key {
		key = quoted(key)
	}
	var b strings.Builder
	b.WriteString("## " + indented(key) + "\n")
	if m != nil {
		b.WriteString("*" + m.line() + "*\n\n")
	}
	if block {
		b.WriteString(indent)
	}
	b.WriteString(indented(value))
	return b.String()
}

func xmlEntry(key, value string, m *meta) string {
	text := `<entry key="` + xmlEscaped(key, inAttribute) + `"`
	if m != nil {
		text += ` updated="` + m.updated + `"`
		if m.limit != "" {
			text += ` ` + m.limit + `="` + m.until + `"`
		}
		if len(m.tags) > 0 {
			text += ` tags="` + xmlEscaped(tagList(m.tags), inAttribute) + `"`
		}
	}
	return text + ">" + xmlEscaped(value, inText) + "</entry>"
}

func jsonEntry(key, value string, m *meta) string {
	if m == nil {
		return quoted(key) + ":" + value
	}
	text := quoted(key) + `:{"value":` + value + `,"updated":"` + m.updated + `"`
	if m.limit != "" {
		text += `,"` + m.limit + `":"` + m.until + `"`
	}
	if len(m.tags) > 0 {
		tags := make([]string, len(m.tags))
		for i, tag := range m.tags {
			tags[i] = quoted(tag)
		}
		text += `,"tags":[` + strings.Join(tags, ",") + "]"
	}
	return text + "}"
}

// meta is the metadata of an entry. It changes only when the entry is set again.
type meta struct {
	tags    []string
	updated string
	limit   string // "expires", "ttl" of a sliding entry, or ""
	until   string
}

func newMeta(e *entry, at moment) *meta {
	m := &meta{tags: e.tags, updated: stamp(e.updated)}
	switch expires, ok := e.expiresAt(at); {
	case !ok:
	case e.sliding:
		m.limit, m.until = "ttl", e.ttl.String()
	default:
		m.limit, m.until = "expires", stamp(expires)
	}
	return m
}

// stamp writes a time in seconds: more digits cost tokens.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// line returns the metadata as one line, with the tags last.
func (m *meta) line() string {
	text := "updated " + m.updated
	if m.limit != "" {
		text += "; " + m.limit + " " + m.until
	}
	if len(m.tags) > 0 {
		text += "; tags: " + indented(tagList(m.tags))
	}
	return text
}

func tagList(tags []string) string {
	list := make([]string, len(tags))
	for i, tag := range tags {
		list[i] = tag
		if tag == "" || ambiguous(tag) || strings.Contains(tag, ",") {
			list[i] = quoted(tag)
		}
	}
	return strings.Join(list, ", ")
}
