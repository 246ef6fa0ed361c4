// Package plain tells requests that the SDK would pass on to a tool as they are. Whatever is
// not plain may be right all the same: the SDK knows.
package plain

import (
	"encoding/json"

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
