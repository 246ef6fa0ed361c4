package memorystores

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/room"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// versionsWeight is what a list of the versions of all memories takes: the heads of all
// files.
const versionsWeight = 4 << 20

func listVersions(c *call) (any, error) {
	full, f := c.full(false)
	if f != nil {
		return nil, f
	}
	q, none, f := c.versionsQuery(full)
	if f != nil {
		return nil, f
	}
	s, err := c.open()
	page := pageObject{Data: []any{}}
	if err != nil || none {
		return page, err
	}
	found, err := c.viewVersions(s.ws, q)
	if err != nil {
		return nil, err
	}
	var views []workspace.FileView
	bytes := int64(0)
	for i, v := range found.Versions {
		bytes += v.Version.Size
		views = append(views, workspace.FileView{File: v.File, Version: v.Version})
		page.Data = append(page.Data, c.newVersion(v))
		if last := i == len(found.Versions)-1; last && found.More || !last && full && bytes > maxPage {
			page.Next = c.cursor(versionPosition(workspace.VersionRef{Time: v.Version.Time, Created: v.File.Created, Number: v.Version.Number}))
			break
		}
	}
	if full {
		page.Data, err = c.fill(s.ws, page.Data, views)
	}
	return page, err
}

// viewVersions returns a page of versions. A page of those of all memories may have to look
// at each file, so few are made at the same time. Otherwise the calls of others would wait.
func (c *call) viewVersions(ws *workspace.Workspace, q workspace.VersionsQuery) (page workspace.VersionsPage, err error) {
	if q.Created.IsZero() {
		leave, err := c.h.scans.Take(c.ctx, 1)
		switch {
		case err == nil:
			defer leave()
		case c.ctx.Err() != nil:
			return page, c.ctx.Err()
		case errors.Is(err, room.ErrOwn):
			return page, fail(http.StatusTooManyRequests, "other lists of versions are being made for your tenant; try again, or ask for those of one memory with memory_id").retry(time.Second)
		default:
			return page, fail(http.StatusServiceUnavailable, "lists of versions are being made for others; try again").retry(time.Second)
		}
		if f := c.take(versionsWeight); f != nil {
			return page, f
		}
		defer c.giveBack()
	}
	return workspace.ViewVersions(c.ctx, ws, q)
}

// versionsQuery returns what the query asks for. none is true if nothing can be found: the
// versions of deleted memories are not kept, and no version has an author of some kinds.
func (c *call) versionsQuery(full bool) (q workspace.VersionsQuery, none bool, f *failure) {
	if q.Limit, f = c.pageLimit(full); f != nil {
		return q, false, f
	}
	if id, given := c.query["memory_id"]; given {
		var ok bool
		if q.Created, ok = parseMemoryID(id); !ok {
			return q, false, invalid("memory_id %.40q is not the id of a memory", id)
		}
	}
	switch kind, given := c.query["operation"]; {
	case !given:
	case kind == "created":
		q.Op = "created"
	case kind == "modified":
		q.Op = "modified"
	case kind == "deleted":
		none = true
	default:
		return q, false, invalid("operation must be created, modified or deleted")
	}
	if key, given := c.query["api_key_id"]; given {
		q.Key = key
		none = none || key == "" || newActor(workspace.Author{Key: key}).Key == ""
	}
	for _, name := range []string{"session_id", "service_account_id"} {
		_, given := c.query[name]
		none = none || given
	}
	if q.From, f = c.time(from); f == nil {
		q.Until, f = c.time(until)
	}
	if f != nil {
		return q, false, f
	}
	position, f := c.position()
	if f != nil || position == "" {
		return q, none, f
	}
	var ok bool
	if q.After, ok = parseVersionPosition(position); !ok || !q.Created.IsZero() && !q.Created.Equal(q.After.Created) {
		return q, false, errPage()
	}
	return q, none, nil
}

// findVersion returns the version that the path names.
func (c *call) findVersion(ws *workspace.Workspace, content bool) (v workspace.FileVersion, err error) {
	missing := notThere("memory version", c.rest[0])
	created, number, ok := parseVersionID(c.rest[0])
	if !ok {
		return v, missing
	}
	seen, err := workspace.ViewFile(c.ctx, ws, workspace.FileQuery{Created: created, Version: number})
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
	page, err := workspace.ViewVersions(ctx, ws, workspace.VersionsQuery{
		Created: v.File.Created, From: at, Until: at, After: &workspace.VersionRef{Time: at, Created: v.File.Created, Number: v.Version.Number + 1}, Limit: 1,
	})
	if err == nil && (len(page.Versions) == 0 || page.Versions[0].Version.Number != v.Version.Number) {
		err = workspace.ErrNotFound // removed a moment ago
	}
	if err != nil {
		return workspace.FileVersion{}, err
	}
	return workspace.FileVersion{File: v.File, Version: v.Version, Op: page.Versions[0].Op}, nil
}

func getVersion(c *call) (any, error) {
	full, f := c.full(true)
	if f != nil {
		return nil, f
	}
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	v, err := c.findVersion(s.ws, full)
	o := c.newVersion(v)
	o.Content = contentOrNull(v.Version.Content, full && o.Redacted == nil)
	return o, err
}

func redactVersion(c *call) (any, error) {
	if f := c.noBody(); f != nil {
		return nil, f
	}
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	for range maxTries {
		v, err := c.findVersion(s.ws, false)
		if err != nil {
			return nil, err
		}
		if v.Version.Number == v.File.Version {
			return nil, invalid("the version is the current one of its memory, which cannot be redacted; write another content first, or delete the memory")
		}
		_, err = s.ws.RedactVersion(c.ctx, v.File.Path, v.Version.Number, workspace.RedactOptions{Created: v.File.Created})
		if err == nil {
			v, err = c.findVersion(s.ws, false)
			return c.newVersion(v), err
		}
		if !isRace(err) {
			return nil, err
		}
	}
	return nil, errTries()
}
