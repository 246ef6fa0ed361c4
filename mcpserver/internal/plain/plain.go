// Package plain tells requests that the SDK would pass on to a tool as they are. Whatever is
// not plain may be right all the same: the SDK knows.
package plain

import (
	"context"
	"encoding/json"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
)

// Prefix begins the names of the fields of _meta that the protocol of 2026-07-28 has. Client
// and Capabilities are two of them, which are objects.
const (
	Prefix       = "io.modelcontextprotocol/"
	Client       = Prefix + "clientInfo"
	Capabilities = Prefix + "clientCapabilities"
)

// maxCapabilities limits the bytes of clientCapabilities, and so how deep they nest. The SDK
// refuses a message of 1,000 levels.
const maxCapabilities = 900

// Flat reports whether no member of an object is an object or an array.
func Flat(object json.RawMessage) bool {
	flat := true
	rawjson.EachMember(object, func(_ string, value json.RawMessage) bool {
		flat = value[0] != '{' && value[0] != '['
		return flat
	})
	return flat
}

// Simple reports whether any decoder takes a value: it is neither an object nor an array, and
// no number that is large or has a fraction.
func Simple(value json.RawMessage) bool {
	switch value[0] {
	case '{', '[':
		return false
	case '"', 't', 'f', 'n':
		return true
	}
	_, ok := rawjson.Integer(value)
	return ok
}

// Meta looks at those fields of a request of the given version. It returns the client that
// they name, or nil if they name none.
func Meta(meta map[string]json.RawMessage, version string) (client *mcp.Implementation, ok bool) {
	if given, _ := rawjson.Text(meta[Prefix+"protocolVersion"]); given != version {
		return nil, false
	}
	can := meta[Capabilities]
	if len(can) == 0 || len(can) > maxCapabilities || can[0] != '{' || string(can) != "{}" && json.Unmarshal(can, new(mcp.ClientCapabilities)) != nil {
		return nil, false
	}
	if info := meta[Client]; info != nil {
		client = clientOf(info)
		return client, client != nil
	}
	return nil, true
}

// clientOf returns the client that a value names, or nil if it has more than texts.
func clientOf(value json.RawMessage) *mcp.Implementation {
	if value[0] != '{' {
		return nil
	}
	c, isPlain := &mcp.Implementation{}, true
	rawjson.EachMember(value, func(name string, value json.RawMessage) bool {
		text, ok := rawjson.Text(value)
		switch name {
		case "name":
			c.Name = text
		case "version":
			c.Version = text
		case "title", "description", "websiteUrl":
		default:
			ok = false
		}
		isPlain = isPlain && ok
		return isPlain
	})
	if !isPlain {
		return nil
	}
	return c
}

// IDOf returns the plain id that an id is equal to, or "" if there is none.
func IDOf(id json.RawMessage) string {
	if len(id) == 0 {
		return ""
	}
	if text, ok := rawjson.Text(id); ok {
		return `"` + text + `"`
	}
	if n, ok := rawjson.Integer(id); ok {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// ID reports whether an id is answered with the same bytes, whoever encodes it.
func ID(id json.RawMessage) bool {
	if len(id) == 0 || id[0] != '"' {
		return len(id) > 0
	}
	for _, b := range id[1 : len(id)-1] {
		if b < ' ' || b > '~' || strings.IndexByte(`\<>&`, b) >= 0 {
			return false
		}
	}
	return true
}

// Header reports whether a request has the headers that the SDK asks for.
func Header(r *http.Request) bool {
	if r.Header["Last-Event-Id"] != nil {
		return false
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		if kind, _, err := mime.ParseMediaType(kind); err != nil || kind != "application/json" {
			return false
		}
	}
	var inJSON, inEvents bool
	for _, line := range r.Header["Accept"] {
		for kind := range strings.SplitSeq(line, ",") {
			switch strings.TrimSpace(kind) {
			case "application/json":
				inJSON = true
			case "text/event-stream":
				inEvents = true
			case "*/*":
				inJSON, inEvents = true, true
			}
		}
	}
	return inJSON && inEvents
}

// Host reports whether the SDK would take the Host of a request: a server on a loopback
// address has no other name, or a page could reach it by one.
func Host(ctx context.Context, host string) bool {
	if isLoopback(host) {
		return true
	}
	local, ok := ctx.Value(http.LocalAddrContextKey).(net.Addr)
	return !ok || local == nil || !isLoopback(local.String())
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
