package doors

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A rest is a client of the Memory Stores API. It knows memories by their ids.
type rest struct {
	root   string // the URL of the store
	key    string
	bearer bool              // the key is in Authorization, as the newer SDKs have it; else in X-Api-Key
	ids    map[string]string // by path, as far as they are known
}

func newREST(server, key string, bearer bool) *rest {
	return &rest{server + "/v1/memory_stores/memstore_" + agent, key, bearer, map[string]string{}}
}

func (h *house) openREST(name string, n int) (door, workspace.Author) {
	h.t.Helper()
	id, key := h.newKey(name)
	return newREST(h.url, key, n%2 == 1), workspace.Author{Key: id}
}

// A memory is what the API says of one.
type memory struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Path    string  `json:"path"`
	Content *string `json:"content"`
	SHA256  string  `json:"content_sha256"`
}

// A restError is an answer that is an error.
type restError struct {
	status int
	kind   string // such as memory_precondition_failed_error
	text   string
}

// Error implements error.
func (e *restError) Error() string { return fmt.Sprintf("status %d, %s: %s", e.status, e.kind, e.text) }

// do sends a request. out gets the answer.
func (c *rest) do(ctx context.Context, method, below string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		text = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, c.root+below, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Beta", "agent-memory-2026-07-22")
	if c.bearer {
		req.Header.Set("Authorization", "Bearer "+c.key)
	} else {
		req.Header.Set("X-Api-Key", c.key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode == http.StatusOK {
		return json.Unmarshal(answer, out)
	}
	var failed struct {
		Error struct{ Type, Message string }
	}
	if err := json.Unmarshal(answer, &failed); err != nil {
		return fmt.Errorf("%s with a body of %q: %w", res.Status, answer, err)
	}
	return &restError{res.StatusCode, failed.Error.Type, failed.Error.Message}
}

// list returns the memories whose paths begin with a prefix.
func (c *rest) list(ctx context.Context, prefix string) ([]memory, error) {
	var page struct {
		Data []memory
		Next *string `json:"next_page"`
	}
	err := c.do(ctx, "GET", "/memories?limit=100&path_prefix="+url.QueryEscape(prefix), nil, &page)
	if err == nil && page.Next != nil {
		err = fmt.Errorf("more than 100 memories begin with %s", prefix)
	}
	return page.Data, err
}

// idBelow returns the id of the one memory in a folder, or "" if there is none.
func (c *rest) idBelow(ctx context.Context, folder string) (string, error) {
	all, err := c.list(ctx, "/"+folder)
	if err != nil || len(all) == 0 {
		return "", err
	}
	if len(all) > 1 {
		return "", fmt.Errorf("%s has %d memories: %+v", folder, len(all), all)
	}
	return all[0].ID, nil
}

// find returns the id of the memory at a path.
func (c *rest) find(ctx context.Context, at string) (string, error) {
	if id, known := c.ids[at]; known {
		return id, nil
	}
	folder := path.Dir("/" + at)
	if folder != "/" {
		folder += "/"
	}
	all, err := c.list(ctx, folder)
	if err != nil {
		return "", err
	}
	for _, one := range all {
		if one.Path == "/"+at {
			c.ids[at] = one.ID
			return one.ID, nil
		}
	}
	return "", errGone
}

func (c *rest) retrieve(ctx context.Context, at string) (one memory, err error) {
	id, err := c.find(ctx, at)
	if err == nil {
		err = c.do(ctx, "GET", "/memories/"+id, nil, &one)
	}
	if err == nil && (one.ID != id || one.Content == nil) {
		err = fmt.Errorf("the memory %s is answered as %+v", id, one)
	}
	return one, err
}

// add rests on the content that it has read. Where the file is meanwhile does not matter: a
// memory has an id.
func (c *rest) add(ctx context.Context, at, line string) error {
	for range maxTries {
		old, err := c.retrieve(ctx, at)
		if err != nil {
			return err
		}
		var changed memory
		err = c.do(ctx, "POST", "/memories/"+old.ID, m{
			"content": *old.Content + line, "precondition": m{"type": "content_sha256", "content_sha256": old.SHA256},
		}, &changed)
		if e, is := err.(*restError); is && e.status == http.StatusConflict && e.kind == "memory_precondition_failed_error" {
			continue
		}
		if sum := sha256.Sum256([]byte(*old.Content + line)); err == nil && (changed.ID != old.ID || changed.SHA256 != hex.EncodeToString(sum[:])) {
			err = fmt.Errorf("the memory %s is answered as %+v", old.ID, changed)
		}
		return err
	}
	return fmt.Errorf("%s changed %d times between a retrieve and an update", at, maxTries)
}

func (c *rest) create(ctx context.Context, at, content string) error {
	var made memory
	err := c.do(ctx, "POST", "/memories", m{"path": "/" + at, "content": content}, &made)
	c.ids[at] = made.ID
	return err
}

func (c *rest) move(ctx context.Context, at, to string) error {
	id, err := c.find(ctx, at)
	if err != nil {
		return err
	}
	var moved memory
	if err := c.do(ctx, "POST", "/memories/"+id, m{"path": "/" + to}, &moved); err != nil {
		return err
	}
	if moved.ID != id || moved.Path != "/"+to {
		return fmt.Errorf("the memory %s is answered as %+v", id, moved)
	}
	c.ids[to] = id
	return nil
}

func (c *rest) remove(ctx context.Context, at string) error {
	id, err := c.find(ctx, at)
	if err == nil {
		err = c.do(ctx, "DELETE", "/memories/"+id, nil, &memory{})
	}
	delete(c.ids, at)
	return err
}

func (c *rest) read(ctx context.Context, at string) (string, error) {
	one, err := c.retrieve(ctx, at)
	if err != nil {
		return "", err
	}
	return *one.Content, nil
}
