package memorystores

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
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
func (c *call) position() (string, *failure) {
	token, given := c.query["page"]
	if !given {
		return "", nil
	}
	text, ok := strings.CutPrefix(token, cursorPrefix)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(raw) <= bindingBytes || !bytes.Equal(raw[:bindingBytes], c.binding()) || base64.RawURLEncoding.EncodeToString(raw) != text {
		return "", errPage() // the decoder takes line breaks, too
	}
	return string(raw[bindingBytes:]), nil
}

func errPage() *failure {
	return fail(http.StatusBadRequest, "page is not the next_page of an answer to the same query; leave it out to begin again")
}

// versionPosition returns the position after a version.
func versionPosition(v workspace.VersionRef) string {
	return strconv.FormatInt(v.Time.UnixMicro(), 36) + "_" + strconv.FormatInt(v.Created.UnixMicro(), 36) + "_" + strconv.FormatInt(v.Number, 36)
}

func parseVersionPosition(text string) (*workspace.VersionRef, bool) {
	var n [3]int64
	parts := strings.Split(text, "_")
	if len(parts) != len(n) {
		return nil, false
	}
	for i, part := range parts {
		var err error
		if n[i], err = strconv.ParseInt(part, 36, 64); err != nil || n[i] <= 0 || n[i] > maxMicro || strconv.FormatInt(n[i], 36) != part {
			return nil, false
		}
	}
	return &workspace.VersionRef{Time: time.UnixMicro(n[0]).UTC(), Created: time.UnixMicro(n[1]).UTC(), Number: n[2]}, true
}

// maxMicro is the end of the year 9999.
const maxMicro = 253402300799999999
