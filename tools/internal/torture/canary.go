package torture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A canary is an agent whose name is like another one's. It writes its own name to the
// paths that the others use, reads everything that it has, and finds out when anything of
// somebody else is there, or anything of its own is not.
type canary struct {
	Name    string        // of its owner
	Sing    time.Duration `json:",omitempty"` // for how long
	Unsure  bool          `json:",omitempty"` // a write may have happened that was not acknowledged
	Version int64         // of its file, as it was acknowledged
	Last    int64         // entry of its log
	Cursor  int64         // of its changes
	Writes  int64         `json:",omitempty"` // that were acknowledged, in this song
	Problem string        `json:",omitempty"` // what is wrong; "": nothing
	Unknown int64         `json:",omitempty"` // outcomes, in this song
}

const canaryPath = "a"

// sing writes and reads for a while. It returns what is acknowledged now.
func (c canary) sing(ctx context.Context, ws *workspace.Workspace) canary {
	ws = ws.As(workspace.Author{Client: "canary", Session: c.Name})
	c.Writes, c.Unknown = 0, 0
	err := c.find(ctx, ws)
	for began, n := time.Now(), 0; err == nil && time.Since(began) < c.Sing && c.Unknown == 0; n++ {
		if err = c.write(ctx, ws); err == nil && n%4 == 0 && c.Unknown == 0 {
			err = c.check(ctx, ws)
		}
	}
	if err != nil {
		switch failure(err).Failed {
		case failedNothing, failedUnknown:
			c.Unknown++
		default:
			c.Problem = err.Error()
		}
	}
	return c
}

func (c *canary) text(n int64) string { return fmt.Sprintf("canary %s %d", c.Name, n) }

// find looks at what is there before the first write.
func (c *canary) find(ctx context.Context, ws *workspace.Workspace) error {
	version, err := c.read(ctx, ws)
	if err != nil {
		return err
	}
	page, err := ws.ReadLog(ctx, canaryPath, workspace.ReadLogOptions{Tail: 1})
	if err != nil {
		return fmt.Errorf("reading a log: %w", err)
	}
	list, err := ws.Changes(ctx, workspace.ChangesOptions{Since: c.Cursor})
	switch {
	case err != nil:
		return fmt.Errorf("changes since %d: %w", c.Cursor, err)
	case version < c.Version, page.Last < c.Last, list.Cursor < c.Cursor:
		return fmt.Errorf("version %d, entry %d and change %d are there; version %d, entry %d and change %d were "+
			"acknowledged",
			version, page.Last, list.Cursor, c.Version, c.Last, c.Cursor)
	case !c.Unsure && (version != c.Version || page.Last != c.Last):
		return fmt.Errorf("version %d and entry %d are there, but nobody wrote them: the last ones are version %d "+
			"and entry %d", version, page.Last, c.Version, c.Last)
	}
	c.Version, c.Last = version, page.Last
	return nil
}

// read reads the file. It returns its version, 0 if there is none.
func (c *canary) read(ctx context.Context, ws *workspace.Workspace) (int64, error) {
	r, err := ws.ReadFile(ctx, canaryPath, workspace.ReadOptions{})
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("reading: %w", err)
	}
	if want := c.text(r.Version); string(r.Content) != want {
		return 0, fmt.Errorf("version %d holds %q, and %q was written", r.Version, clip(string(r.Content)), want)
	}
	return r.Version, nil
}

// write writes the next version and the next entry.
func (c *canary) write(ctx context.Context, ws *workspace.Workspace) error {
	text := []byte(c.text(c.Version + 1))
	w, err := ws.WriteFile(ctx, canaryPath, text, workspace.WriteOptions{IfVersion: &c.Version})
	if err != nil {
		return c.lost("writing", err)
	}
	if w.Version != c.Version+1 {
		return fmt.Errorf("version %d was written after version %d", w.Version, c.Version)
	}
	c.Version = w.Version
	c.Writes++
	r, err := ws.AppendLog(ctx, canaryPath, []byte(c.Name))
	if err != nil {
		return c.lost("appending", err)
	}
	if r.Last != c.Last+1 && !c.Unsure {
		return fmt.Errorf("entry %d was appended after entry %d", r.Last, c.Last)
	}
	c.Last = r.Last
	c.Writes++
	if c.Last%32 == 0 {
		if _, err := ws.TrimLog(ctx, canaryPath, c.Last-8, workspace.TrimLogOptions{}); err != nil {
			return c.lost("trimming", err)
		}
	}
	return nil
}

// lost returns an error, unless the outcome of a write is not known.
func (c *canary) lost(what string, err error) error {
	switch failure(err).Failed {
	case failedUnknown, failedNothing:
		c.Unknown++
		return nil
	case failedConflict:
		if c.Unsure { // the write before has come late
			c.Unknown++
			return nil
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// check reads everything that the agent has.
func (c *canary) check(ctx context.Context, ws *workspace.Workspace) error {
	version, err := c.read(ctx, ws)
	if err != nil {
		return err
	}
	files, err := ws.ListFiles(ctx, workspace.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing: %w", err)
	}
	if len(files.Files) != 1 || files.Files[0].Path != canaryPath {
		return fmt.Errorf("the agent has %d files and wrote one: %+v", len(files.Files), files.Files)
	}
	page, err := ws.ReadLog(ctx, canaryPath, workspace.ReadLogOptions{Tail: 20})
	if err != nil {
		return fmt.Errorf("reading a log: %w", err)
	}
	for _, e := range page.Entries {
		if string(e.Content) != c.Name {
			return fmt.Errorf("entry %d holds %q, and %q was appended", e.ID, clip(string(e.Content)), c.Name)
		}
	}
	list, err := ws.Changes(ctx, workspace.ChangesOptions{Since: c.Cursor})
	if err != nil {
		return fmt.Errorf("changes since %d: %w", c.Cursor, err)
	}
	for _, row := range list.Paths {
		if row.Path != canaryPath || row.Author.Session != c.Name {
			return fmt.Errorf("change %d is of %q by %q, which %s did not make", row.Revision, row.Path,
				row.Author.Session, c.Name)
		}
	}
	if !c.Unsure && (version != c.Version || page.Last != c.Last) {
		return fmt.Errorf("version %d and entry %d are there, and version %d and entry %d were acknowledged last",
			version, page.Last, c.Version, c.Last)
	}
	c.Cursor = list.Cursor
	return nil
}

// clip shortens a text for a message.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return text[:most] + strings.Repeat(".", 3)
}
