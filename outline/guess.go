package outline

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/code"
	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// Only the beginning of a text is looked at to guess its kind.
const (
	guessBytes = 1 << 16
	guessLines = 300
)

// A guess counts the first lines of a text by what they look like.
type guess struct {
	lines    int // that are not blank, and not code in Markdown
	times    int // begin with a time
	objects  int // are an object of JSON
	headings int // are a heading of Markdown
	comments int // have one number sign and so has the line above, which no heading has
	fences   int // begin or end code in Markdown
	bullets  int // are an item of a list
	tasks    int
	keys     int // have a key of YAML
	stops    int // end as a sentence does
	braces   int // end as a statement does
	defs     int // are of Python
	shells   int // are of a shell
}

// kindByContent guesses the kind of a text.
func kindByContent(text string) kind {
	text = strings.TrimLeft(text, " \t\r\n")
	begins := func(with string) bool { return strings.HasPrefix(text, with) }
	g := guessOf(text)
	switch {
	case g.times > 1 && g.times*10 >= g.lines*4:
		return logKind
	case g.objects*2 > g.lines:
		return jsonKind
	case begins("{"), begins("["):
		if found, ok := scanJSON(text); ok && (!found.broken || len(found.items) > 0) {
			return jsonKind
		}
	case begins("#!"):
		first, _, _ := strings.Cut(text, "\n")
		return codeKind(code.Interpreter(first))
	case begins("<?xml"), begins("<!"), begins("<html"):
		return xmlKind
	}
	switch {
	case (begins("package ") || strings.Contains(text, "\npackage ")) && strings.Contains(text, "\nfunc "):
		return codeKind(code.Find(".go"))
	case g.shells > 1 && g.fences == 0:
		return codeKind(code.Find(".sh"))
	case g.markdown():
		return markdownKind
	case g.defs > 1:
		return codeKind(code.Find(".py"))
	case g.keys*10 >= g.lines*7 && g.lines > 2:
		return yamlKind
	case g.braces*10 >= g.lines*3 && g.lines > 3:
		return codeKind(code.Find(".ts"))
	case g.lines > 2 && g.stops*10 < g.lines*3 && separator(text) != 0:
		return tableKind
	}
	return proseKind
}

func (g *guess) markdown() bool {
	headings := g.headings > 2*g.comments && g.defs+g.shells == 0 && (g.headings*4 < g.lines*3 || g.bullets > 0)
	lists := g.bullets >= 2 && g.bullets*8 >= g.lines && g.keys*2 < g.lines
	return headings || lists || g.fences > 0 || g.tasks > 0
}

func guessOf(text string) guess {
	var g guess
	fenced, above := false, ""
	for l := range excerpt.Lines(excerpt.Head(text, guessBytes)) {
		bare := strings.TrimSpace(l.Text)
		if fenceOf(bare) != "" {
			fenced = !fenced
			g.fences++
		} else if !fenced && bare != "" {
			g.line(l.Text, bare, above)
		}
		if above = bare; g.lines == guessLines {
			break
		}
	}
	return g
}

func (g *guess) line(text, bare, above string) {
	add := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	g.lines++
	_, _, timed := timestamp(text)
	add(&g.times, timed > 0)

	last := bare[len(bare)-1]
	add(&g.objects, strings.HasPrefix(bare, `{"`) && last == '}')
	add(&g.stops, strings.IndexByte(".!?", last) >= 0)
	add(&g.braces, strings.IndexByte("{};", last) >= 0)

	level, mark := headingLevel(bare), bullet(bare)
	add(&g.headings, level > 0 && len(bare) > level)
	add(&g.comments, level == 1 && headingLevel(above) == 1)
	add(&g.bullets, mark != "")
	add(&g.tasks, mark != "" && (strings.HasPrefix(bare[len(mark):], "[ ]") || strings.HasPrefix(bare[len(mark):], "[x]")))

	key := yamlKey(strings.TrimPrefix(bare, "- "))
	add(&g.keys, key != "" && strings.Count(key, " ") < 2 && (key[0] == '"' || !strings.Contains(key, ":")) || strings.HasPrefix(bare, "- ") || bare == "---")

	word := excerpt.Word(text, 0)
	rest := strings.Trim(text[len(word):], " \t{;")
	add(&g.shells, word != "" && rest == "()" || rest == "" && (word == "fi" || word == "done" || word == "esac"))
	add(&g.defs, (word == "import" || word == "from" && strings.Contains(bare, " import ")) && !strings.ContainsAny(bare, `"'{;`) ||
		strings.HasPrefix(bare, "def ") || strings.HasPrefix(bare, "class ") && last == ':')
}
