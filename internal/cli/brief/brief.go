// Package brief says in a few tokens what an agent's memory holds, and what has changed in
// it since somebody looked last: paths, numbers, ages and the names of clients. The text of
// START.md is the only content, and is there only if a program asks for it.
package brief

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf16"

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
	Paths                []workspace.Change // what has changed, or the paths that changed last; the newest first
	HasStart             bool               // there is a file START.md that a brief may show
	Now                  time.Time          // what ages are counted to

	Offer string // the sentence that offers another memory; "": none
	Title string // the line after it, which says whose memory this is; "": none
	Start *Start // nil: the text of START.md is not shown
	Home  *Home  // nil: there is no memory beside this one, or it has no files

	plain bool // it names no versions and cursors, see OfFiles
}

// Home is what the memory for everything has, which a project sees under ~/.
type Home struct {
	Files  int64
	Newest time.Time // when the newest of them was written; zero: not known
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
	hasStart, err := hasStart(ctx, ws)
	if err != nil {
		return Brief{}, err
	}
	if !o.Recent && !c.TooOld {
		slices.Reverse(c.Paths)
	}
	return Brief{Files: u.Files, Logs: u.Logs, Entries: u.Entries, Cursor: c.Cursor, Since: since, TooOld: c.TooOld,
		More: c.More, Paths: c.Paths, Now: time.Now(), HasStart: hasStart}, nil
}

// ReadHome returns what the memory for everything has, or nil if it has no files.
func ReadHome(ctx context.Context, ws *workspace.Workspace) (*Home, error) {
	u, err := ws.Usage(ctx)
	if err != nil || u.Files == 0 {
		return nil, err
	}
	c, err := ws.Changes(ctx, workspace.ChangesOptions{Recent: true})
	h := &Home{Files: u.Files}
	if i := slices.IndexFunc(c.Paths, func(c workspace.Change) bool { return c.Kind == workspace.KindFile }); i >= 0 {
		h.Newest = c.Paths[i].Time
	}
	return h, err
}

// OfFiles returns the brief for the tool memory: without logs, versions and cursors, which the tool
// cannot open.
func (b Brief) OfFiles() Brief {
	b.plain, b.Logs, b.Entries = true, 0, 0
	b.Paths = slices.DeleteFunc(b.Paths, func(c workspace.Change) bool {
		return c.Kind != workspace.KindFile || c.After == 0 // it is deleted
	})
	return b
}

// Text returns the brief in words, with as many of the newest paths as fit the tokens, as
// tokens.Estimate counts them, and the characters, as JavaScript counts them. What does not
// grow with the paths is there in any case. The text of START.md is not counted.
func (b Brief) Text(maxTokens, maxCharacters int) string {
	before, after := "", ""
	for _, line := range []string{b.Offer, b.Title} {
		if line != "" {
			before += withoutTags(line) + "\n"
		}
	}
	if b.Home != nil {
		after = "\n" + b.Home.line(b.Now)
	}
	over := sort.Search(len(b.Paths)+1, func(shown int) bool {
		text := before + b.list(shown) + after
		return tokens.Estimate(text) > maxTokens || len(utf16.Encode([]rune(text))) > maxCharacters
	})
	if b.Start != nil {
		before += b.Start.block(b.Now)
	}
	return before + b.list(max(0, over-1)) + after
}

// list returns what there is, and the newest paths.
func (b Brief) list(shown int) string {
	var text strings.Builder
	text.WriteString(b.head())
	if len(b.Paths) > 0 {
		text.WriteString(b.intro(shown))
	}
	for _, c := range b.Paths[:shown] {
		text.WriteString("\n" + b.line(c))
	}
	return text.String()
}

func (b Brief) isEmpty() bool { return b.Files == 0 && b.Logs == 0 }

// head returns the sentences that say how much there is.
func (b Brief) head() string {
	switch {
	case b.plain && b.isEmpty():
		return "This memory is empty."
	case b.plain && b.HasStart:
		return "This memory holds " + phrase.Plural(b.Files, "file") + ". Read " + StartFile + " first."
	case b.plain:
		return "This memory holds " + phrase.Plural(b.Files, "file") + "."
	case b.isEmpty():
		return fmt.Sprintf("This memory is empty (cursor %d).", b.Cursor)
	}
	text := fmt.Sprintf("This memory holds %s and %s with %s (cursor %d).",
		phrase.Plural(b.Files, "file"), phrase.Plural(b.Logs, "log"), phrase.Entries(b.Entries), b.Cursor)
	if b.HasStart && (b.Start == nil || b.Start.cut) {
		text += " Read " + StartFile + " first."
	}
	if b.Since >= 0 && len(b.Paths) == 0 {
		text += fmt.Sprintf(" Nothing has changed since cursor %d.", b.Since)
	}
	return text
}

// intro returns what comes before the paths. It says how many are left out.
func (b Brief) intro(shown int) string {
	more, text := b.Files+b.Logs-int64(shown), " Newest"
	switch {
	case b.Since < 0 || b.TooOld:
	case b.More:
		text = fmt.Sprintf(" Much has changed since cursor %d. Newest", b.Since)
	default:
		more, text = int64(len(b.Paths)-shown), fmt.Sprintf(" Changed since cursor %d", b.Since)
	}
	if more > 0 {
		text += fmt.Sprintf(" (%d more not shown)", more)
	}
	return text + ":"
}

// line returns the line of a path.
func (b Brief) line(c workspace.Change) string {
	if b.plain {
		return quotedPath(c.Path) + " " + when(b.Now, c.Time, time.DateOnly)
	}
	if b.Since < 0 || b.TooOld || b.More {
		return quotedPath(c.Path) + " " + number(c.Kind, c.After) + " " + when(b.Now, c.Time, time.DateOnly)
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
	return strings.Join(append(words, when(b.Now, c.Time, "2006-01-02T15:04Z")), " ")
}

func (h Home) line(now time.Time) string {
	text := "~/ holds " + phrase.Plural(h.Files, "file") + " for every project"
	if !h.Newest.IsZero() {
		text += ", the newest " + when(now, h.Newest, time.DateOnly)
	}
	return text + "."
}
