package memorystores

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	cursorPrefix = "page_"
	bindingBytes = 8
)

// cursor returns the token of the page after a position. It is bound to the list: to its
// route, its tenant and store, and all of its query but the page and the limit.
func (c *call) cursor(position string) *string {
	token := cursorPrefix + base64.RawURLEncoding.EncodeToString(append(c.binding(), position...))
	return &token
}

func (c *call) binding() []byte {
	h := sha256.New()
	for _, part := range []string{c.route.name, c.caller.Tenant, c.agent} {
		h.Write([]byte(part + "\x00"))
	}
	for _, name := range c.route.query {
		if name != "page" && name != "limit" {
			h.Write([]byte(c.query[name] + "\x00"))
		}
	}
	return h.Sum(nil)[:bindingBytes]
}

// position returns where the requested page begins; "": at the beginning.
func (c *call) position() string {
	token, given := c.query["page"]
	text, ok := strings.CutPrefix(token, cursorPrefix)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	ok = ok && err == nil && len(raw) > bindingBytes && bytes.Equal(raw[:bindingBytes], c.binding())
	if given && (!ok || strings.ContainsAny(text, "\r\n")) {
		c.noPage()
	}
	if !given || !ok {
		return ""
	}
	return string(raw[bindingBytes:])
}

func (c *call) noPage() {
	c.invalid("page is not the next_page of an answer to the same query; leave it out to begin again")
}

const versionFormat = "%d_%d_%d"

// versionPosition returns the position after a version.
func versionPosition(v workspace.FileVersion) string {
	return fmt.Sprintf(versionFormat, v.Version.Time.UnixMicro(), v.File.Created.UnixMicro(), v.Version.Number)
}

func parseVersionPosition(text string) (*workspace.VersionRef, bool) {
	var at, created, number int64
	_, err := fmt.Sscanf(text, versionFormat, &at, &created, &number)
	ref := &workspace.VersionRef{Time: time.UnixMicro(at).UTC(), Created: time.UnixMicro(created).UTC(), Number: number}
	return ref, err == nil && fmt.Sprintf(versionFormat, at, created, number) == text
}
