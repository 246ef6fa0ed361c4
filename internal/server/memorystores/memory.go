package memorystores

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/apierror"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxContent  = 102_400 // bytes that clients may write
	maxPath     = 1024    // bytes
	maxSegments = 20
	maxTries    = 1000 // to change a memory that others change at the same time
)

// parsePath returns a path of the API as one of the workspace. The workspace checks the
// rest, such as the characters.
func parsePath(name, path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "/")
	switch {
	case !ok:
		return "", invalid("%s must begin with a slash, as in /notes/plan.md", name)
	case len(path) > maxPath:
		return "", invalid("%s has %d bytes, and may have %d", name, len(path), maxPath)
	}
	segments := strings.Split(rest, "/")
	if len(segments) > maxSegments {
		return "", invalid("%s has %d segments, and may have %d", name, len(segments), maxSegments)
	}
	for _, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", invalid("%s has a segment %q; each must have a name", name, s)
		}
	}
	if clean, err := workspace.UnicodePaths.Parse(rest); err == nil && clean.String() != rest {
		return "", invalid("%s must be in Unicode Normalization Form C", name)
	}
	return rest, nil
}

// A memoryChange is what a request changes in a memory. A nil field stays as it is.
type memoryChange struct {
	path    *string // of the workspace
	content *[]byte
	sum     string // the hash that the content must have now; "": any
}

// readMemory reads the body of a request that makes or changes a memory.
func (c *call) readMemory(more ...strictjson.Field) (m memoryChange) {
	all := c.readFields(append(more, text("path"), text("content"))...)
	if all.Has("path") {
		path, err := parsePath("path", all.Text("path"))
		c.wrong = cmp.Or(c.wrong, err)
		m.path = &path
	}
	if all.Has("content") {
		content := []byte(all.Text("content"))
		if len(content) > maxContent {
			c.invalid("content has %d bytes, and may have %d", len(content), maxContent)
		}
		m.content = &content
	}
	if all.Has("precondition") {
		m.sum = c.readPrecondition([]byte(all.Text("precondition")))
	}
	return m
}

func (c *call) readPrecondition(raw []byte) (sum string) {
	all, err := form("precondition", text("type"), text("content_sha256")).Read(raw)
	switch sum = all.Text("content_sha256"); {
	case err != nil:
		c.invalid("precondition: %v", err)
	case all.Text("type") != "content_sha256":
		c.invalid("precondition: type must be content_sha256")
	case !isSum(sum):
		c.invalid("precondition: content_sha256 must be 64 digits of 0-9 a-f")
	}
	return sum
}

func isSum(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

func createMemory(c *call) (any, error) {
	full := c.full(false)
	m := c.readMemory()
	switch {
	case m.path == nil:
		c.invalid("path is missing")
	case m.content == nil:
		c.invalid("content is missing; give \"\" for an empty memory")
	}
	s, err := c.enter() // the first memory makes the store
	if err == nil && !s.profile.Archived.IsZero() {
		err = c.archived()
	}
	if err != nil {
		return nil, err
	}
	w, err := s.ws.WriteFile(c.ctx, *m.path, *m.content, workspace.WriteOptions{IfVersion: new(int64), Tree: true})
	if err != nil {
		return nil, c.conflict(err)
	}
	made := saved(workspace.FileView{File: workspace.FileHead{Created: w.Time}}, w.Path, w.Version, w.Time,
		sha256.Sum256(*m.content), w.Bytes)
	return c.newMemory(made, *m.content, full), nil
}

// saved returns a memory as a write has left it. To read it again would show what others
// have made of it since.
func saved(
	v workspace.FileView, path string, number int64, at time.Time, sum [sha256.Size]byte, bytes int64,
) workspace.FileView {
	v.File.Path, v.File.Version = path, number
	v.Version = workspace.Version{Number: number, Size: bytes, SHA256: sum, Time: at}
	return v
}

// conflict returns the error of a write. If a memory is in the way, it says which.
func (c *call) conflict(err error) error {
	var o *workspace.Overlap
	switch {
	case errors.Is(err, workspace.ErrArchived): // since a moment ago
		return c.archived()
	case !errors.As(err, &o):
		return err
	}
	f := fail(http.StatusConflict, "a memory is in the way of this path").because(err)
	f.error.Type = apierror.PathConflict
	if !c.caller.Scopes.Has(auth.Read) {
		return f
	}
	f.error.Message, f.error.Path = "the memory /"+o.Path+" is in the way of this path", "/"+o.Path
	f.error.Memory = memoryID(o.Created)
	return f
}

// view returns a version of a file. missing is the error if there is none. The file may have
// moved meanwhile.
func (c *call) view(ws *workspace.Workspace, q workspace.FileQuery, missing error) (workspace.FileView, error) {
	v, err := workspace.ViewFile(c.ctx, ws, q)
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		err = missing
	// Files from elsewhere share a time of creation. Trying again is of no use.
	case errors.Is(err, workspace.ErrConflict):
		err = c.h.explain(c.ctx, err)
	}
	return v, err
}

// memory returns the memory that the path names, without its content.
func (c *call) memory(ws *workspace.Workspace, count bool) (workspace.FileView, error) {
	missing := notThere("memory", c.rest[0])
	created, ok := parseMemoryID(c.rest[0])
	if !ok {
		return workspace.FileView{}, missing
	}
	return c.view(ws, workspace.FileQuery{Created: created, Count: count}, missing)
}

func getMemory(c *call) (any, error) {
	full := c.full(true)
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	v, err := c.current(s.ws, true, full)
	return c.newMemory(v, v.Version.Content, full), err
}

// current returns the memory that the path names as it is now, with its content if that is
// wanted.
func (c *call) current(ws *workspace.Workspace, count, content bool) (workspace.FileView, error) {
	return retried(func() (workspace.FileView, error) {
		v, err := c.memory(ws, count)
		if count = false; err != nil || !content {
			return v, err
		}
		if v, err = c.withContent(ws, v); err == nil && v.Version.Redacted != nil {
			err = workspace.ErrConflict // others have written meanwhile
		}
		return v, err
	})
}

// withContent returns the same version with its content, when there is room for it. Errors:
// [workspace.ErrNotFound] if it is not kept any more.
func (c *call) withContent(ws *workspace.Workspace, v workspace.FileView) (workspace.FileView, error) {
	if err := c.take(contentWeight(v.Version.Size)); err != nil {
		return v, err
	}
	with, err := again(c.ctx, ws, v)
	if err != nil {
		c.giveBack()
	}
	return with, err
}

// again returns a version that was seen a moment ago, with its content. Its file is looked
// for where it was, and everywhere if it has moved.
func again(ctx context.Context, ws *workspace.Workspace, v workspace.FileView) (workspace.FileView, error) {
	q := workspace.FileQuery{Path: v.File.Path, Created: v.File.Created, Version: v.Version.Number, Content: true}
	with, err := workspace.ViewFile(ctx, ws, q)
	if errors.Is(err, workspace.ErrNotFound) {
		q.Path = ""
		with, err = workspace.ViewFile(ctx, ws, q)
	}
	return with, err
}

// contentWeight returns about how many bytes of memory it takes to answer with a content.
// A control character is six bytes in JSON; texts have few.
func contentWeight(bytes int64) int64 { return 4*bytes + freeBody }

func updateMemory(c *call) (any, error) {
	full := c.full(false)
	m := c.readMemory(object("precondition"))
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	return retried(func() (any, error) {
		v, err := c.current(s.ws, false, full && m.content == nil)
		if err != nil {
			return nil, err
		}
		content := v.Version.Content
		if m.content != nil {
			content = *m.content
		}
		switch {
		case !m.changes(v):
			return c.newMemory(v, content, full), nil
		case !s.profile.Archived.IsZero():
			return nil, c.archived()
		case m.sum != "" && m.sum != hex.EncodeToString(v.Version.SHA256[:]):
			return nil, c.preconditionFailed()
		}
		v, err = m.save(c.ctx, s.ws, v)
		return c.newMemory(v, content, full), c.conflict(err)
	})
}

// retried tries to do something until nobody else changes the file meanwhile.
func retried[T any](try func() (T, error)) (done T, err error) {
	for range maxTries {
		if done, err = try(); !isRace(err) {
			return done, err
		}
	}
	return done, fail(http.StatusConflict, "others change this memory all the time; try again")
}

// isRace reports whether somebody else has changed a file since it was looked at.
func isRace(err error) bool {
	var o *workspace.Overlap
	var f *failure
	return !errors.As(err, &f) && !errors.As(err, &o) &&
		(errors.Is(err, workspace.ErrConflict) || errors.Is(err, workspace.ErrNotFound))
}

func (c *call) preconditionFailed() *failure {
	f := fail(http.StatusConflict,
		"the memory has another content_sha256 than expected; somebody has changed it: read it again")
	f.error.Type = apierror.PreconditionFailed
	return f
}

// changes reports whether a memory would be different.
func (m memoryChange) changes(v workspace.FileView) bool {
	return m.path != nil && *m.path != v.File.Path || m.content != nil && sha256.Sum256(*m.content) != v.Version.SHA256
}

// save changes a memory that is still as it was seen, in one transaction. It returns what
// the memory is then. Errors: [workspace.ErrConflict].
func (m memoryChange) save(
	ctx context.Context, ws *workspace.Workspace, v workspace.FileView,
) (workspace.FileView, error) {
	seen, sum := v.Version.Number, v.Version.SHA256
	if m.content != nil {
		sum = sha256.Sum256(*m.content)
	}
	if m.path != nil && *m.path != v.File.Path {
		o := workspace.MoveOptions{IfVersion: &seen, Tree: true, Content: m.content}
		r, err := ws.MoveFile(ctx, v.File.Path, *m.path, o)
		return saved(v, r.Path, r.Version, r.Time, sum, r.Bytes), err
	}
	r, err := ws.WriteFile(ctx, v.File.Path, *m.content, workspace.WriteOptions{IfVersion: &seen})
	return saved(v, r.Path, r.Version, r.Time, sum, r.Bytes), err
}

func deleteMemory(c *call) (any, error) {
	sum, conditional := c.query[expected]
	switch {
	case conditional && !isSum(sum):
		return nil, invalid("%s must be 64 digits of 0-9 a-f", expected)
	case conditional && !c.caller.Scopes.Has(auth.Read):
		return nil, fail(http.StatusForbidden,
			"your key may not read, so it may not ask for the content either; leave %s out", expected)
	}
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	return retried(func() (any, error) {
		v, err := c.memory(s.ws, false)
		if err != nil {
			return nil, err
		}
		if conditional && sum != hex.EncodeToString(v.Version.SHA256[:]) {
			return nil, c.preconditionFailed()
		}
		seen := v.Version.Number
		_, err = s.ws.DeleteFile(c.ctx, v.File.Path, workspace.DeleteOptions{IfVersion: &seen})
		return deletedObject{memoryID(v.File.Created), "memory_deleted"}, err
	})
}
