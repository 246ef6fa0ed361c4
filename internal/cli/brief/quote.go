package brief

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func path(c workspace.Change) string {
	if c.From != "" {
		return quotedPath(c.From) + " -> " + quotedPath(c.Path)
	}
	return quotedPath(c.Path)
}

// quotedPath puts a path in quotes that breaks the ASCII rule: in another script it could be
// a sentence, and a database file of somebody else may hold any text in place of a path.
func quotedPath(path string) string {
	_, err := workspace.ParsePath(path)
	return quoted(path, err == nil)
}

// quoted puts a text in quotes and on one line, unless it is plain, and cuts it.
func quoted(text string, plain bool) string {
	const most = 60
	if plain {
		return text
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return withoutTags(strconv.Quote(text))
}

// tagBegins is the beginning of each tag that ends something, and of those named as the system.
var tagBegins = regexp.MustCompile(`(?i)<(\s*(?:/|system))`)

// withoutTags returns a text in which no tag ends or imitates what a client puts around a brief.
// Claude Code puts <system-reminder> around it, and changes nothing in the text.
func withoutTags(text string) string { return tagBegins.ReplaceAllString(text, `\u003c$1`) }

// isWord reports whether a text is a word of a few small letters, as operations are.
func isWord(text string) bool {
	return text != "" && len(text) <= 16 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == ""
}

// number returns the version of a file as v5, and the last entry of a log as #45.
func number(kind workspace.PathKind, n int64) string {
	switch {
	case n == 0:
		return "deleted"
	case kind == workspace.KindLog:
		return fmt.Sprint("#", n)
	}
	return fmt.Sprint("v", n)
}

// name returns the name that a client gave itself. It is another's text: it is cut, what
// could be taken for a line or a command is left out, and then it is in quotes.
func name(client string) string {
	const most = 32
	text := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, client)
	text = text[:min(len(text), most)]
	return quoted(text, text == client)
}

// when returns a time: how long ago it was if that is over 30 days, else in a layout.
func when(now, t time.Time, layout string) string {
	if now.Sub(t) > 30*24*time.Hour {
		return age(now, t)
	}
	return t.UTC().Format(layout)
}

// age returns how long ago something was written. A time that is still to come, because the
// clock was set back, is now.
func age(now, t time.Time) string {
	for _, unit := range []struct {
		size time.Duration
		name string
		from int64 // the fewest of the unit that are said in it
	}{{24 * time.Hour, "day", 2}, {time.Hour, "hour", 2}, {time.Minute, "minute", 1}} {
		if n := int64(now.Sub(t) / unit.size); n >= unit.from {
			return "written " + phrase.Plural(n, unit.name) + " ago"
		}
	}
	return "written just now"
}
