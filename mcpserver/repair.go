package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	metaPrefix  = "io.modelcontextprotocol/"
	metaVersion = metaPrefix + "protocolVersion"
)

// repair replaces in a request what the SDK would refuse or lose: an empty array for an empty
// object, which PHP cannot tell apart, "" for no arguments, arguments as the text
// of an object, and an id that it cannot keep.
func (m *message) repair() {
	text := replaced(m.text, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "id":
			return carriedID(value)
		case "params":
			return replaced(emptyObject(value), repairedParam)
		}
		return value
	})
	if len(text) == len(m.text) && &text[0] == &m.text[0] {
		return
	}
	m.text = text
	m.fields, _ = members(text)
	m.params, _ = members(m.fields["params"])
}

func repairedParam(name string, value json.RawMessage) json.RawMessage {
	switch name {
	case "requestId": // of notifications/cancelled
		return carriedID(value)
	case "arguments":
		if string(value) == `""` {
			return json.RawMessage("{}")
		}
		if text, ok := strictjson.Text(value); ok && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			return json.RawMessage(text) // an object that the client has encoded twice
		}
		return emptyObject(value)
	case "_meta", "context":
		return replaced(emptyObject(value), repairedInner)
	case "capabilities":
		return emptyObjects(name, value)
	case "clientInfo", "ref", "argument", "notifications":
		return emptyObject(value)
	}
	return value
}

func repairedInner(name string, value json.RawMessage) json.RawMessage {
	switch name {
	case metaPrefix + "clientCapabilities":
		return emptyObjects(name, value)
	case metaPrefix + "clientInfo", "arguments": // of the context of a completion
		return emptyObject(value)
	}
	return value
}

// emptyObject returns {} for an empty array, and any other value as it is.
func emptyObject(value json.RawMessage) json.RawMessage {
	if value[0] == '[' && string(bytes.TrimSpace(value[1:])) == "]" {
		return json.RawMessage("{}")
	}
	return value
}

// emptyObjects does so with all members of an object too. Capabilities are objects of objects.
func emptyObjects(_ string, value json.RawMessage) json.RawMessage {
	return replaced(emptyObject(value), emptyObjects)
}

// replaced returns a JSON object with what f returns for each of its members. It returns the
// value itself if f returns each member as it is, and if it is no object.
func replaced(object json.RawMessage, f func(name string, value json.RawMessage) json.RawMessage) json.RawMessage {
	changed := false
	var values []json.RawMessage
	for name, value := range strictjson.Members(object) {
		values = append(values, f(name, value))
		last := values[len(values)-1]
		changed = changed || len(last) != len(value) || &last[0] != &value[0]
	}
	if !changed {
		return object
	}
	text := []byte{'{'}
	for name := range strictjson.Members(object) {
		line, _ := json.Marshal(name) // texts always encode
		text = append(append(append(text, line...), ':'), values[0]...)
		if values = values[1:]; len(values) > 0 {
			text = append(text, ',')
		}
	}
	return append(text, '}')
}

// A method is what a client may send.
type method struct {
	params   any  // of the type into which the SDK decodes the params
	optional bool // params may be missing
}

const (
	callTool = "tools/call"
	notice   = "notifications/" // begins the methods that get no answer
)

// methods are the methods by their names.
var methods = map[string]method{
	"initialize":               {mcp.InitializeParams{}, false},
	"server/discover":          {mcp.DiscoverParams{}, true},
	"ping":                     {mcp.PingParams{}, true},
	"tools/list":               {mcp.ListToolsParams{}, true},
	callTool:                   {mcp.CallToolParamsRaw{}, false},
	"resources/list":           {mcp.ListResourcesParams{}, true},
	"resources/templates/list": {mcp.ListResourceTemplatesParams{}, true},
	readResource.name:          {mcp.ReadResourceParams{}, false},
	"resources/subscribe":      {mcp.SubscribeParams{}, false},
	"resources/unsubscribe":    {mcp.UnsubscribeParams{}, false},
	"prompts/list":             {mcp.ListPromptsParams{}, true},
	"prompts/get":              {mcp.GetPromptParams{}, false},
	completePath.name:          {mcp.CompleteParams{}, false},
	//lint:ignore SA1019 the earlier protocols have it
	"logging/setLevel":     {mcp.SetLoggingLevelParams{}, false},
	"subscriptions/listen": {mcp.SubscriptionsListenParams{}, false},
	notice + "initialized": {mcp.InitializedParams{}, true},
	notice + "cancelled":   {mcp.CancelledParams{}, true},
	notice + "progress":    {mcp.ProgressNotificationParams{}, false},
	//lint:ignore SA1019 the earlier protocols have it
	notice + "roots/list_changed": {mcp.RootsListChangedParams{}, true},
}

// Operations returns all names that [Call].Tool can have: the tools of all servers, and the
// methods.
func Operations() (names []string) {
	for _, t := range tools(Options{Tools: AllTools, Summarizer: &workspace.Summarizer{}}) {
		names = append(names, t.name)
	}
	for name := range methods {
		if name != callTool && !strings.HasPrefix(name, notice) {
			names = append(names, name)
		}
	}
	return names
}

// wrongParams says what is wrong with the params of a message in words that a person
// understands. The SDK would name its own types.
func (m message) wrongParams() *refusal {
	params := m.fields["params"]
	known, found := methods[m.method]
	problem := ""
	switch {
	case !found:
	case params == nil || string(params) == "null":
		if !known.optional {
			problem = m.method + " needs params, a JSON object"
		}
	case params[0] != '{':
		problem = "params must be a JSON object, such as {}"
	default:
		if m.method == callTool { // its arguments may be large, and the tool decodes them
			rest := maps.Clone(m.params)
			delete(rest, "arguments")
			if params, _ = json.Marshal(rest); params == nil {
				return m.bad(jsonrpc.CodeInvalidParams, notAMessage)
			}
		}
		if problem = mismatch(params, known.params); problem == "" && m.method == callTool && m.tool == "" {
			problem = "params.name is missing; give the name of a tool, tools/list has them"
		}
	}
	if problem != "" {
		return m.bad(jsonrpc.CodeInvalidParams, problem)
	}
	return m.wrongVersion()
}

// mismatch says which member of params has another type than that of the SDK, or returns "".
func mismatch(params json.RawMessage, known any) string {
	err := json.Unmarshal(params, reflect.New(reflect.TypeOf(known)).Interface())
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &wrong) || wrong.Field == "":
		return "the params are not those of this method"
	}
	text := "params." + strictjson.Short(wrong.Field) + " has the wrong type: " + strings.Fields(wrong.Value)[0]
	if wrong.Field == "protocolVersion" {
		text += "; supported are " + strings.Join(Protocols(), ", ")
	}
	return text
}

// wrongVersion refuses a request whose _meta names a protocol that is not there.
func (m message) wrongVersion() *refusal {
	meta, _ := members(m.params["_meta"])
	value := meta[metaVersion]
	if m.id == nil || value == nil {
		return nil
	}
	if version, isText := strictjson.Text(value); !isText || !slices.Contains(Protocols(), version) {
		return m.unsupported(strings.Trim(string(value), `"`))
	}
	return nil
}

// codeUnsupported is the code for a version of the protocol that is not there.
const codeUnsupported = mcp.CodeUnsupportedProtocolVersion

// unsupported is the answer to a message of a protocol that is not there.
func (m message) unsupported(version string) *refusal {
	version = strictjson.Short(version)
	bad := m.bad(codeUnsupported, fmt.Sprintf("supported versions of the protocol are %s; %s is none of them",
		strings.Join(Protocols(), ", "), version))
	// This always encodes.
	bad.data, _ = json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: Protocols(), Requested: version})
	return bad
}
