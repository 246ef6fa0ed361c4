package memorystores

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// versionsWeight is what a list of the versions of all memories takes: the heads of all
// files.
const versionsWeight = 4 << 20

func listVersions(c *call) (any, error) {
	full := c.full(false)
	p := c.newPage(full)
	q, none := c.versionsQuery()
	q.Limit = p.limit
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	if none {
		return p.answer()
	}
	found, err := c.viewVersions(s.ws, q)
	if err != nil {
		return nil, err
	}
	for i, v := range found.Versions {
		if i > 0 && p.ends(versionPosition(found.Versions[i-1])) {
			return p.answer()
		}
		if !full || v.Version.Redacted != nil {
			p.add(c.newVersion(v, false), 0, nil)
			continue
		}
		p.add(nil, v.Version.Size, func() (any, error) {
			seen, err := again(c.ctx, s.ws, workspace.FileView{File: v.File, Version: v.Version})
			return c.newVersion(workspace.FileVersion{File: seen.File, Version: seen.Version, Op: v.Op}, true), err
		})
	}
	if n := len(found.Versions); found.More && n > 0 {
		p.next = c.cursor(versionPosition(found.Versions[n-1]))
	}
	return p.answer()
}

// viewVersions returns a page of versions. A page of those of all memories may have to look
// at each file, so few are made at the same time. Otherwise the calls of others would wait.
func (c *call) viewVersions(
	ws *workspace.Workspace, q workspace.VersionsQuery,
) (page workspace.VersionsPage, err error) {
	if q.Created.IsZero() {
		part, err := c.takeSoon(c.h.scans, 1, "other lists of versions are being made for your tenant; try again, or "+
			"ask for those of one memory with memory_id", "lists of versions are being made for others; try again")
		if err != nil {
			return page, err
		}
		defer part.Leave()
		if err := c.take(versionsWeight); err != nil {
			return page, err
		}
		defer c.giveBack()
	}
	return workspace.ViewVersions(c.ctx, ws, q)
}

// versionsQuery returns what the query asks for. none is true if nothing can be found: a deletion
// makes no version, and no version has an author of some kinds.
func (c *call) versionsQuery() (q workspace.VersionsQuery, none bool) {
	ok := true
	if id, given := c.query["memory_id"]; given {
		if q.Created, ok = parseMemoryID(id); !ok {
			c.invalid("memory_id %.40q is not the id of a memory", id)
		}
	}
	switch kind, given := c.query["operation"]; {
	case !given:
	case kind == "created", kind == "modified":
		q.Op = workspace.VersionOp(kind)
	case kind == "deleted":
		none = true
	default:
		c.invalid("operation must be created, modified or deleted")
	}
	if key, given := c.query["api_key_id"]; given {
		q.Key = key
		none = none || key == "" || newActor(workspace.Author{Key: key}).Key == ""
	}
	for _, name := range []string{"session_id", "service_account_id"} {
		_, given := c.query[name]
		none = none || given
	}
	q.From, q.Until = c.time(from), c.time(until)
	if position := c.position(); position != "" {
		if q.After, ok = parseVersionPosition(position); !ok || !q.Created.IsZero() &&
			!q.Created.Equal(q.After.Created) {
			c.noPage()
		}
	}
	return q, none
}

// findVersion returns the version that the path names.
func (c *call) findVersion(ws *workspace.Workspace, content bool) (v workspace.FileVersion, err error) {
	missing := notThere("memory version", c.rest[0])
	created, number, ok := parseVersionID(c.rest[0])
	if !ok {
		return v, missing
	}
	seen, err := c.view(ws, workspace.FileQuery{Created: created, Version: number}, missing)
	if err == nil && content {
		seen, err = c.withContent(ws, seen)
	}
	if err == nil {
		v, err = withOp(c.ctx, ws, seen)
	}
	if errors.Is(err, workspace.ErrNotFound) {
		err = missing
	}
	return v, err
}

// withOp finds out whether a version has made its file.
func withOp(ctx context.Context, ws *workspace.Workspace, v workspace.FileView) (workspace.FileVersion, error) {
	at := v.Version.Time
	after := &workspace.VersionRef{Time: at, Created: v.File.Created, Number: v.Version.Number + 1}
	q := workspace.VersionsQuery{Created: v.File.Created, From: at, Until: at, After: after, Limit: 1}
	page, err := workspace.ViewVersions(ctx, ws, q)
	if err == nil && (len(page.Versions) == 0 || page.Versions[0].Version.Number != v.Version.Number) {
		err = workspace.ErrNotFound // removed a moment ago
	}
	if err != nil {
		return workspace.FileVersion{}, err
	}
	return workspace.FileVersion{File: v.File, Version: v.Version, Op: page.Versions[0].Op}, nil
}

func getVersion(c *call) (any, error) {
	full := c.full(true)
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	v, err := c.findVersion(s.ws, full)
	return c.newVersion(v, full), err
}

func redactVersion(c *call) (any, error) {
	c.noBody()
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	return retried(func() (any, error) {
		v, err := c.findVersion(s.ws, false)
		if err != nil {
			return nil, err
		}
		if v.Version.Number == v.File.Version && !v.File.Deleted {
			return nil, invalid("the version is the current one of its memory, which cannot be redacted; " +
				"write another content first, or delete the memory")
		}
		o := workspace.RedactOptions{Created: v.File.Created}
		if _, err = s.ws.RedactVersion(c.ctx, v.File.Path, v.Version.Number, o); err == nil {
			v, err = c.findVersion(s.ws, false)
		}
		return c.newVersion(v, false), err
	})
}
