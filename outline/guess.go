package outline

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/code"
	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

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
	case strings.HasPrefix(first, "#!"):
		return codeKind(code.Interpreter(first))
	case strings.HasPrefix(first, "<!DOCTYPE html"), strings.HasPrefix(first, "<html"):
		return htmlKind
	case strings.HasPrefix(first, "<?xml"), strings.HasPrefix(first, "<!"):
		return xmlKind
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
	for l := range excerpt.Lines(excerpt.Head(text, guessBytes)) {
		bare := strings.TrimSpace(l.Text)
		if bare == "" {
			continue
		}
		g.lines++
		if strings.IndexByte(".!?", excerpt.LastByte(bare)) >= 0 {
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
