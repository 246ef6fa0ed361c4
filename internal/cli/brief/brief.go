// Package brief says in a few tokens what an agent's memory holds, and what has changed in
// it since somebody looked last. It shows paths, numbers, dates and the names of clients,
// never content.
package brief

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Brief is what is there, or what has changed.
type Brief struct {
	Files, Logs, Entries int64
	Cursor               int64              // the revision up to which it tells
	Since                int64              // the revision after which it tells of changes; -1: it tells what is there
	TooOld               bool               // Since lies before the journal, so it tells what is there
	More                 bool               // there are more paths than Paths
	Paths                []workspace.Change // what has changed; or the paths that changed last, the newest first
}

// Nothing is the Brief of an agent that has nothing.
var Nothing = Brief{Since: -1}

// Now returns what is there.
func Now(ctx context.Context, ws *workspace.Workspace) (Brief, error) {
	return read(ctx, ws, -1, workspace.ChangesOptions{Recent: true})
}

// Since returns what has changed after a revision. If more paths have changed than one
// page holds, it returns those that changed last.
func Since(ctx context.Context, ws *workspace.Workspace, revision int64) (Brief, error) {
	b, err := read(ctx, ws, revision, workspace.ChangesOptions{Since: revision})
	switch {
	case errors.Is(err, workspace.ErrInvalid): // ahead: the mark is of another life of this memory
		return Now(ctx, ws)
	case err == nil && b.More && !b.TooOld:
		return read(ctx, ws, revision, workspace.ChangesOptions{Recent: true})
	}
	return b, err
}

func read(ctx context.Context, ws *workspace.Workspace, since int64, o workspace.ChangesOptions) (Brief, error) {
	u, err := ws.Usage(ctx)
	if err != nil {
		return Brief{}, err
	}
	c, err := ws.Changes(ctx, o)
	if err != nil {
		return Brief{}, err
	}
	return Brief{Files: u.Files, Logs: u.Logs, Entries: u.Entries, Cursor: c.Cursor, Since: since, TooOld: c.TooOld,
		More: c.More, Paths: c.Paths}, nil
}

// Text returns the brief in words, with as many paths as fit the tokens, as
// tokens.Estimate counts them. The first sentence is there in any case.
func (b Brief) Text(maxTokens int) string {
	var text strings.Builder
	text.WriteString(b.head())
	if len(b.Paths) == 0 {
		return text.String()
	}
	text.WriteString(b.intro())
	shown := 0
	for _, c := range b.Paths {
		line := "\n" + b.line(c)
		left := b.rest(len(b.Paths) - shown - 1)
		if tokens.Estimate(text.String()+line+left) > maxTokens {
			break
		}
		text.WriteString(line)
		shown++
	}
	if shown == 0 {
		return b.head()
	}
	return text.String() + b.rest(len(b.Paths)-shown)
}

func (b Brief) isEmpty() bool { return b.Files == 0 && b.Logs == 0 }

// head returns the sentence that says how much there is.
func (b Brief) head() string {
	if b.isEmpty() {
		return fmt.Sprintf("This memory is empty (cursor %d).", b.Cursor)
	}
	return fmt.Sprintf("This memory holds %s and %s with %s (cursor %d).",
		phrase.Plural(b.Files, "file"), phrase.Plural(b.Logs, "log"), phrase.Entries(b.Entries), b.Cursor) +
		b.unchanged()
}

func (b Brief) unchanged() string {
	if b.Since >= 0 && len(b.Paths) == 0 {
		return fmt.Sprintf(" Nothing has changed since cursor %d.", b.Since)
	}
	return ""
}

// intro returns what comes before the paths.
func (b Brief) intro() string {
	switch {
	case b.Since < 0 || b.TooOld:
		return " Newest:"
	case b.More:
		return fmt.Sprintf(" Much has changed since cursor %d. Newest:", b.Since)
	}
	return fmt.Sprintf(" Changed since cursor %d:", b.Since)
}

// rest says how many paths are left out.
func (b Brief) rest(n int) string {
	switch {
	case b.More:
		return "\nand more"
	case n > 0:
		return fmt.Sprintf("\nand %d more", n)
	}
	return ""
}

// line returns the line of a path.
func (b Brief) line(c workspace.Change) string {
	if b.Since < 0 || b.TooOld || b.More {
		return strings.Join([]string{quotedPath(c.Path), number(c.Kind, c.After), c.Time.UTC().Format(time.DateOnly)},
			" ")
	}
	words := []string{quoted(string(c.Op), isWord(string(c.Op))), path(c)}
	switch {
	case c.After == 0:
	case c.Before == 0:
		words = append(words, number(c.Kind, c.After))
	default:
		words = append(words, number(c.Kind, c.Before)+"->"+number(c.Kind, c.After))
	}
	if c.Author.Client != "" {
		words = append(words, "by "+name(c.Author.Client))
	}
	return strings.Join(append(words, c.Time.UTC().Format("2006-01-02T15:04Z")), " ")
}

func path(c workspace.Change) string {
	if c.From != "" {
		return quotedPath(c.From) + " -> " + quotedPath(c.Path)
	}
	return quotedPath(c.Path)
}

// quotedPath puts a path in quotes that has spaces, or that the rule for paths refuses. A
// database file of somebody else may hold any text in place of a path.
func quotedPath(path string) string {
	p, err := workspace.UnicodePaths.Parse(path)
	return quoted(path, err == nil && p.String() == path && !strings.Contains(path, " "))
}

// quoted puts a text in quotes and on one line, unless it is plain. A text that is longer
// than any path is cut.
func quoted(text string, plain bool) string {
	const most = 255
	if plain {
		return text
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return strconv.Quote(text)
}

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
