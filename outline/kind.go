package outline

import (
	"path"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/code"
	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A kind is a way to read a text.
type kind struct {
	name string // of the format, where it may turn out to be another
	scan func(string) (outline, bool)
}

var (
	markdownKind = kind{"Markdown", scanMarkdown}
	jsonKind     = kind{"JSON", scanAnyJSON}
	linesKind    = kind{"JSON lines", scanAnyLines}
	yamlKind     = kind{"YAML", scanYAML}
	tableKind    = kind{"table", scanTable}
	logKind      = kind{"log", scanLog}
	markupKind   = kind{"XML", scanMarkup}
	proseKind    = kind{"Text", func(text string) (outline, bool) { return scanProse(text), true }}
)

func iniKind(name string) kind {
	return kind{name, func(text string) (outline, bool) {
		found, ok := scanINI(text, name)
		found.kind = name
		return found, ok
	}}
}

// kindOf tells the kind of a text by its path, or else by what it is like.
func kindOf(name, text string) kind {
	base := strings.ToLower(path.Base(name))
	ext := strings.TrimPrefix(path.Ext(base), ".")
	switch ext {
	case "md", "markdown", "mdx":
		return markdownKind
	case "json", "jsonc", "json5", "geojson", "ipynb", "webmanifest":
		return jsonKind
	case "jsonl", "ndjson":
		return linesKind
	case "yaml", "yml":
		return yamlKind
	case "csv", "tsv", "tab", "psv":
		return tableKind
	case "log":
		if s := looks(text); strings.HasPrefix(text, "{") || s.objects*2 > s.lines && s.timed*2 <= s.lines {
			return byContent(text)
		}
		return logKind
	case "html", "htm":
		return kind{"HTML", scanHTML}
	case "xml", "xhtml", "svg", "vue", "rss", "atom", "xsd", "plist", "csproj", "pom":
		return markupKind
	case "sql", "ddl":
		return sqlKind
	case "toml":
		return iniKind("TOML")
	case "ini", "cfg", "conf", "properties", "editorconfig":
		return iniKind("INI")
	case "env":
		return iniKind("Environment")
	}
	if l := code.Find(name); l != nil {
		return codeKind(l)
	}
	if strings.HasPrefix(base, ".env") {
		return iniKind("Environment")
	}
	return byContent(text)
}

// scanAnyJSON tells one document from one a line.
func scanAnyJSON(text string) (outline, bool) {
	found, ok := scanJSON(text)
	if ok && !found.broken {
		return found, true
	}
	if lines, ok := scanJSONLines(text); ok && !lines.broken {
		return lines, true
	}
	return found, ok
}

// scanAnyLines is scanAnyJSON for a text that should have a document a line.
func scanAnyLines(text string) (outline, bool) {
	lines, ok := scanJSONLines(text)
	if !ok || lines.broken {
		if one, whole := scanJSON(text); whole && !one.broken {
			return one, true
		}
	}
	return lines, ok
}

// byContent looks at the first lines.
func byContent(text string) kind {
	trimmed := strings.TrimLeft(text, " \t\r\n\uFEFF")
	switch {
	case strings.HasPrefix(trimmed, "{"), strings.HasPrefix(trimmed, "["):
		if found := looks(text); found.timed*2 > found.lines {
			return logKind
		}
		if found, ok := jsonKind.scan(text); ok && (!found.broken || len(found.items) > 0) {
			return kind{"JSON", func(string) (outline, bool) { return found, true }}
		}
	case strings.HasPrefix(trimmed, "#!"):
		first, _, _ := strings.Cut(trimmed, "\n")
		return codeKind(code.Interpreter(first))
	case strings.HasPrefix(trimmed, "<?xml"), strings.HasPrefix(trimmed, "<!"), strings.HasPrefix(trimmed, "<html"):
		return markupKind
	}
	s := looks(text)
	switch {
	case s.timed*10 >= s.lines*4 && s.timed > 1:
		return logKind
	case s.objects*2 > s.lines:
		return jsonKind
	case s.goPackage && s.goFuncs > 0:
		return codeKind(code.Find(".go"))
	case s.shells > 1 && s.fences == 0 && s.defs == 0:
		return codeKind(code.Find(".sh"))
	case s.headings > s.comments*2 && s.defs == 0 && s.scripts == 0 && (s.headings*4 < s.lines*3 || s.bullets > 0), s.fences > 0, s.tasks > 0, s.bullets >= 2 && s.bullets*8 >= s.lines && s.keys*2 < s.lines:
		return markdownKind
	case s.scripts > 0 && s.braces*10 >= s.lines*3:
		return codeKind(code.Find(".ts"))
	case s.defs > 1:
		return codeKind(code.Find(".py"))
	case s.keys*10 >= s.lines*7 && s.lines > 2:
		return yamlKind
	case s.braces*10 >= s.lines*3 && s.lines > 4:
		return codeKind(code.Find(".ts"))
	case s.statements*4 >= s.lines && s.statements > 0:
		return sqlKind
	case s.lines > 2 && s.stops*10 < s.lines*3 && separator(text) != 0:
		return tableKind
	}
	return proseKind
}

// A look is what the first lines of a text are like.
type look struct {
	lines, timed, objects, headings, fences, bullets, tasks, keys, braces, defs, scripts, stops, statements, goFuncs int

	comments  int // headings right below one of the first level: a text has none
	shells    int
	goPackage bool
	below     bool // the line above begins with a number sign
}

func looks(text string) look {
	var s look
	fenced := false
	for l := range excerpt.Lines(text[:min(len(text), 1<<16)]) {
		if l.Blank() {
			s.below = false
			continue
		}
		if s.lines++; s.lines > 300 {
			break
		}
		bare := strings.TrimSpace(l.Text)
		if strings.HasPrefix(bare, "```") || !fenced && openFence(l).mark == '`' {
			fenced = !fenced
			s.fences++
		}
		if fenced {
			continue
		}
		s.look(l, bare)
	}
	return s
}

func (s *look) look(l excerpt.Line, bare string) {
	if timestamp(l.Text) > 0 {
		s.timed++
	}
	if strings.HasPrefix(bare, `{"`) && excerpt.LastByte(bare) == '}' {
		s.objects++
	}
	level := atxLevel(bare)
	if level > 0 && len(bare) > 1 {
		s.headings++
	}
	if level == 1 && s.below {
		s.comments++
	}
	s.below = level == 1
	if isShell(l.Text) {
		s.shells++
	}
	if mark := bullet(bare); mark != "" {
		s.bullets++
		if strings.HasPrefix(bare[len(mark):], "[ ]") || strings.HasPrefix(bare[len(mark):], "[x]") {
			s.tasks++
		}
	}
	key := yamlKey(strings.TrimPrefix(bare, "- "))
	if key != "" && strings.Count(key, " ") < 2 && (key[0] == '"' || !strings.Contains(key, ":")) || strings.HasPrefix(bare, "- ") || bare == "---" {
		s.keys++
	}
	switch excerpt.LastByte(bare) {
	case '{', '}', ';':
		s.braces++
	case '.', '!', '?':
		s.stops++
	}
	switch {
	case strings.HasPrefix(l.Text, "export "), strings.HasPrefix(l.Text, "import ") && strings.ContainsAny(bare, `"'{;`), strings.HasPrefix(l.Text, "const "), strings.HasPrefix(l.Text, "function "):
		s.scripts++
	case strings.HasPrefix(bare, "def "), strings.HasPrefix(bare, "import "), strings.HasPrefix(bare, "from ") && strings.Contains(bare, " import "), strings.HasPrefix(bare, "class ") && strings.HasSuffix(bare, ":"):
		s.defs++
	case strings.HasPrefix(l.Text, "package "):
		s.goPackage = true
	case strings.HasPrefix(l.Text, "func "), strings.HasPrefix(l.Text, "type "), strings.HasPrefix(l.Text, "import "):
		s.goFuncs++
	case code.IsStatement(excerpt.Word(bare, 0)):
		s.statements++
	}
}

// isShell says whether a line is one that shells alone know.
func isShell(text string) bool {
	text = strings.TrimRight(text, " \t")
	name := excerpt.Word(text, 0)
	rest := text[len(name):]
	switch name {
	case "":
		return strings.HasPrefix(text, "[ ") && strings.Contains(text, " ] ")
	case "fi", "esac", "done":
		return rest == "" || rest[0] == ';' || strings.HasPrefix(rest, " #")
	case "if", "elif", "while", "for":
		return strings.HasSuffix(rest, "; then") || strings.HasSuffix(rest, "; do") || strings.HasPrefix(rest, " [ ") || strings.HasPrefix(rest, " [[ ")
	case "case":
		return strings.HasSuffix(rest, " in")
	case "alias", "export":
		to, ok := strings.CutPrefix(rest, " ")
		variable := excerpt.Word(to, 0)
		return ok && variable != "" && strings.HasPrefix(to[len(variable):], "=")
	}
	return rest == "()" || rest == " ()" || rest == "() {" || rest == " () {" || rest == "(){"
}
