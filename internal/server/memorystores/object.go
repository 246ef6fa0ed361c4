package memorystores

import (
	"encoding/hex"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

type storeObject struct {
	ID          string            `json:"id"`
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Metadata    map[string]string `json:"metadata"`
	Created     string            `json:"created_at"`
	Updated     string            `json:"updated_at"`
	Archived    *string           `json:"archived_at"`
}

type memoryObject struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Path    string  `json:"path"`
	Content *string `json:"content"`
	SHA256  string  `json:"content_sha256"`
	Size    int64   `json:"content_size_bytes"`
	Store   string  `json:"memory_store_id"`
	Version string  `json:"memory_version_id"`
	Created string  `json:"created_at"`
	Updated string  `json:"updated_at"`
}

type versionObject struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	Memory     string  `json:"memory_id"`
	Store      string  `json:"memory_store_id"`
	Operation  string  `json:"operation"`
	Created    string  `json:"created_at"`
	CreatedBy  *actor  `json:"created_by"`
	Path       *string `json:"path"`
	Content    *string `json:"content"`
	SHA256     *string `json:"content_sha256"`
	Size       *int64  `json:"content_size_bytes"`
	Redacted   *string `json:"redacted_at"`
	RedactedBy *actor  `json:"redacted_by"`
}

// An actor is who wrote a version.
type actor struct {
	Type string `json:"type"`
	Key  string `json:"api_key_id,omitempty"`
	User string `json:"user_id,omitempty"`
}

// A prefixObject stands for all memories below a path.
type prefixObject struct {
	Type string `json:"type"`
	Path string `json:"path"`
}

type deletedObject struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

type pageObject struct {
	Data []any   `json:"data"`
	Next *string `json:"next_page"`
}

// stamp returns a time in RFC 3339, in UTC and to the microsecond.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999Z07:00") }

func stampOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := stamp(t)
	return &text
}

func newStore(agent string, p workspace.Profile) storeObject {
	if p.Metadata == nil {
		p.Metadata = map[string]string{}
	}
	return storeObject{
		ID: storeID(agent), Type: "memory_store", Name: p.Name, Description: p.Description, Metadata: p.Metadata,
		Created: stamp(p.Created), Updated: stamp(p.Updated), Archived: stampOrNull(p.Archived),
	}
}

// newMemory returns a memory as it was at a version of its file.
func (c *call) newMemory(v workspace.FileView, content []byte, full bool) memoryObject {
	created := v.File.Created
	return memoryObject{
		ID: memoryID(created), Type: "memory", Path: "/" + v.File.Path, Content: contentOrNull(content, full),
		SHA256: hex.EncodeToString(v.Version.SHA256[:]), Size: v.Version.Size,
		Store: storeID(c.agent), Version: versionID(created, v.Version.Number),
		Created: stamp(created), Updated: stamp(v.Version.Time),
	}
}

func contentOrNull(content []byte, full bool) *string {
	if !full {
		return nil
	}
	text := string(content)
	return &text
}

// newVersion returns a version, with its content if full. A redacted one has only its receipt.
func (c *call) newVersion(v workspace.FileVersion, full bool) versionObject {
	made, created := v.Version, v.File.Created
	o := versionObject{
		ID: versionID(created, made.Number), Type: "memory_version", Memory: memoryID(created), Store: storeID(c.agent),
		Operation: string(v.Op), Created: stamp(made.Time), CreatedBy: newActor(made.Author),
	}
	if made.Redacted != nil {
		o.Redacted, o.RedactedBy = stampOrNull(made.Redacted.Time), newActor(made.Redacted.Author)
		return o
	}
	path, sum := "/"+v.File.Path, hex.EncodeToString(made.SHA256[:])
	o.Path, o.SHA256, o.Size, o.Content = &path, &sum, &made.Size, contentOrNull(made.Content, full)
	return o
}

// userPrefix begins the key of an author who has written with an OAuth token.
const userPrefix = "oauth:"

// newActor returns an author in the form of the API, or nil for an author without a key: the
// API has no place for the name of a client.
func newActor(a workspace.Author) *actor {
	switch {
	case a.Key == "":
		return nil
	case strings.HasPrefix(a.Key, userPrefix):
		return &actor{Type: "user_actor", User: a.Key}
	}
	return &actor{Type: "api_actor", Key: a.Key}
}
