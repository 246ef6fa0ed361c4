package outline

import (
	"path"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/code"
)

// A kind is a way to read a text.
type kind struct {
	name string // of the format; the text may turn out to be another
	scan func(string) (outline, bool)
}

var (
	markdownKind = kind{"Markdown", scanMarkdown}
	jsonKind     = kind{"JSON", scanJSON}
	yamlKind     = kind{"YAML", scanYAML}
	tableKind    = kind{"table", scanTable}
	logKind      = kind{"log", scanLog}
	htmlKind     = kind{"HTML", scanHTML}
	xmlKind      = kind{"XML", scanXML}
	proseKind    = kind{"Text", func(text string) (outline, bool) { return scanProse(text), true }}
)

// kindOf tells the kind of a text by its path or, if that does not tell, by its
// first lines.
func kindOf(name, text string) kind {
	base := strings.ToLower(path.Base(name))
	switch strings.TrimPrefix(path.Ext(base), ".") {
	case "md", "markdown", "mdx":
		return markdownKind
	case "json", "jsonc", "json5", "geojson", "ipynb", "webmanifest", "jsonl", "ndjson":
		return jsonKind
	case "yaml", "yml":
		return yamlKind
	case "csv", "tsv", "tab", "psv":
		return tableKind
	case "log":
		return logKind
	case "html", "htm", "xhtml", "vue":
		return htmlKind
	case "xml", "svg", "rss", "atom", "xsd", "plist", "csproj", "pom":
		return xmlKind
	case "toml":
		return iniKind("TOML", false)
	case "ini", "cfg", "conf", "properties", "editorconfig":
		return iniKind("INI", false)
	}
	if strings.HasPrefix(base, ".env") || strings.HasSuffix(base, ".env") {
		return iniKind("Environment", true)
	}
	if l := code.Find(name); l != nil {
		return codeKind(l)
	}
	return kindByContent(text)
}
