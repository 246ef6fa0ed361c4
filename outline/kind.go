package outline

import (
	"path"
	"regexp"
	"slices"
	"strings"
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
	goKind       = codeKind("Go", scanGo)
	otherCode    = codeKind("Code", scanCode)
	environment  = kind{"Environment", func(text string) (outline, bool) {
		return scanProse(secrets.ReplaceAllStringFunc(text, hide)), true
	}}
	proseKind = kind{"Text", func(text string) (outline, bool) { return scanProse(text), true }}
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
	case "go":
		return goKind
	}
	if strings.HasPrefix(base, ".env") || strings.HasSuffix(base, ".env") {
		return environment
	}
	if slices.Contains(codeFiles, base[strings.LastIndexByte(base, '.')+1:]) {
		return otherCode
	}
	return kindByContent(text)
}

// codeStart matches the beginning of a script, of HTML and of XML.
var codeStart = regexp.MustCompile(`^(?:#!|<[!?]|<html)`)

// secrets matches the values of environment variables, which are not shown.
var secrets = regexp.MustCompile(`=("[^"]*"|'[^']*'|.*)`)

// hide returns what stands for a value on its lines.
func hide(value string) string { return "=…" + strings.Repeat("\n", strings.Count(value, "\n")) }

// Only the beginning of a text is looked at to guess its kind.
const guessBytes = 1 << 16

// A guess counts the first lines of a text by what they look like.
type guess struct {
	lines   int // that are not blank
	times   int // begin with a time
	bullets int // are an item of a list
	keys    int // have a key of YAML
	stops   int // end as a sentence does
}

// kindByContent guesses the kind of a text.
func kindByContent(text string) kind {
	text = strings.TrimLeft(text, " \t\r\n")
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case strings.HasPrefix(first, "{"), strings.HasPrefix(first, "["):
		if _, ok := scanJSON(text); ok {
			return jsonKind
		}
	case codeStart.MatchString(first):
		return otherCode
	}
	g := guessOf(text)
	switch {
	case g.times > 1 && g.times*10 >= g.lines*4:
		return logKind
	case g.lines < 3:
		return proseKind
	case g.keys > g.bullets && (g.keys+g.bullets)*10 >= g.lines*7:
		return yamlKind
	case g.stops*10 < g.lines*3 && separator(text) != 0:
		return tableKind
	}
	return proseKind
}

func guessOf(text string) guess {
	var g guess
	for l := range linesOf(headOf(text, guessBytes)) {
		bare := strings.TrimSpace(l.Text)
		if bare == "" {
			continue
		}
		g.lines++
		if strings.IndexByte(".!?", lastByte(bare)) >= 0 {
			g.stops++
		}
		key := yamlKey(bare)
		_, _, timed := timestamp(bare)
		switch {
		case timed > 0:
			g.times++
		case bullet(bare) != "":
			g.bullets++
		case key != "" && strings.Count(key, " ") < 2 && !strings.Contains(key, ":"), bare == "---":
			g.keys++
		}
	}
	return g
}
