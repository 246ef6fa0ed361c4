package intruder

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// The protocols of the two eras.
const (
	modern = "2026-07-28"
	legacy = "2025-06-18"
)

// client sends requests as one of the two callers.
type client struct {
	url     string
	do      func(*http.Request) (*http.Response, error)
	name    string
	agent   string
	bound   bool
	session string // of the older era
}

// A request is one HTTP request that can be shown.
type request struct {
	kind     string // what it tries
	verb     string // of HTTP
	protocol string
	session  string // "": none
	method   string // of MCP
	name     string // for the header Mcp-Name
	id       string // as JSON; "": a notification
	params   string // the members, as JSON
	meta     string // more members of _meta, each after a comma
	nameless bool   // the client does not say its name
	header   map[string]string
	odd      http.Header // sent as it stands, such as two Authorization headers
	path     string      // of another route than MCP's; "": that of MCP
	text     string      // a body that is no message
}

func (q request) String() string {
	return fmt.Sprintf("%s %s %s %s session %q %v %v\n%s", q.verb, q.path, q.protocol, q.name, q.session, q.header,
		q.odd, q.body())
}

func (q request) body() string {
	if q.method == "" {
		return q.text
	}
	params, id := q.params, ""
	meta := q.meta
	if q.protocol == modern {
		meta = fmt.Sprintf(`,"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}`, modern) + meta
		if !q.nameless {
			meta += `,"io.modelcontextprotocol/clientInfo":{"name":"CLIENT","version":"1"}`
		}
	}
	if params != "" && meta != "" {
		params += ","
	}
	if meta != "" {
		params += `"_meta":{` + meta[1:] + `}`
	}
	if q.id != "" {
		id = `"id":` + q.id + `,`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":{%s}}`, id, q.method, params)
}

func (c *client) send(ctx context.Context, q request) (answer, error) {
	body := strings.ReplaceAll(q.body(), `"CLIENT"`, `"`+c.name+`"`)
	url := c.url
	if q.path != "" {
		url = c.origin() + q.path
	}
	req, err := http.NewRequestWithContext(ctx, q.verb, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", q.protocol)
	if q.protocol == modern {
		req.Header.Set("Mcp-Method", q.method)
		req.Header.Set("Mcp-Name", q.name)
	}
	if q.session != "" {
		req.Header.Set("Mcp-Session-Id", q.session)
	}
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	maps.Copy(req.Header, q.odd)
	res, err := c.do(req)
	if err != nil {
		return answer{}, err
	}
	if q.verb == http.MethodGet && res.StatusCode == http.StatusOK &&
		(q.path == "" || res.Header.Get("Content-Type") == "text/event-stream") {
		res.Body.Close() // a stream without an end
		return answer{res.StatusCode, res.Header, ""}, nil
	}
	return readAnswer(res)
}

// origin returns the URL of the server without a path.
func (c *client) origin() string {
	scheme, rest, _ := strings.Cut(c.url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// call returns a call of a tool for the client's own agent, in the newer era.
func (c *client) call(tool, args, meta string) request {
	if !c.bound {
		args = strings.TrimSuffix(fmt.Sprintf(`"agent_id":%q,%s`, c.agent, args), ",")
	}
	return request{kind: tool, verb: "POST", protocol: modern, method: "tools/call", name: tool, id: "1",
		params: fmt.Sprintf(`"name":%q,"arguments":{%s}`, tool, args), meta: meta}
}

// read returns a request for the resource of the client's own file.
func (c *client) read(path string) request {
	uri := "scratchpad://" + c.agent + "/" + path
	return request{kind: "resources/read", verb: "POST", protocol: modern, method: "resources/read", name: uri, id: "1",
		params: `"uri":` + quoted(uri)}
}

// complete returns a request for the client's own paths that begin with a text.
func (c *client) complete(begin string) request {
	params := fmt.Sprintf(`"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":"path","value":%q},"context":{"arguments":{"agent":%q}}`, begin, c.agent)
	return request{kind: "completion/complete", verb: "POST", protocol: modern, method: "completion/complete", id: "1",
		params: params}
}

func (c *client) must(ctx context.Context, tool, args string) error {
	return c.mustWith(ctx, tool, args, "")
}

func (c *client) mustWith(ctx context.Context, tool, args, meta string) error {
	a, err := c.send(ctx, c.call(tool, args, meta))
	if err == nil && !a.good() {
		return fmt.Errorf("%s of the agent %s is answered with %s", tool, c.agent, a)
	}
	return err
}

// begin begins a session.
func (c *client) begin(ctx context.Context) error {
	a, err := c.send(ctx, c.initialize())
	if err != nil {
		return err
	}
	c.session = a.header.Get("Mcp-Session-Id")
	if !a.good() || c.session == "" {
		return fmt.Errorf("initialize of the agent %s is answered with %s", c.agent, a)
	}
	_, err = c.send(ctx, request{verb: "POST", protocol: legacy, session: c.session,
		method: "notifications/initialized"})
	return err
}

func (c *client) initialize() request {
	return request{kind: "initialize", verb: "POST", protocol: legacy, method: "initialize", id: "1",
		params: fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"CLIENT","version":"1"}`,
			legacy)}
}

// A tool is a tool as the server lists it.
type tool struct {
	readOnly   bool
	properties []property
}

// A property is one argument of a tool.
type property struct {
	name, kind string
	required   bool
}

// tools returns all tools by name.
func (c *client) tools(ctx context.Context) (map[string]tool, error) {
	a, err := c.send(ctx, request{verb: "POST", protocol: modern, method: "tools/list", id: "1"})
	if err != nil {
		return nil, err
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name        string
				Annotations struct{ ReadOnlyHint bool }
				InputSchema struct {
					Properties map[string]struct{ Type string }
					Required   []string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || len(list.Result.Tools) == 0 {
		return nil, fmt.Errorf("tools/list is answered with %s: %v", a, err)
	}
	all := map[string]tool{}
	for _, t := range list.Result.Tools {
		found := tool{readOnly: t.Annotations.ReadOnlyHint}
		for _, name := range slices.Sorted(maps.Keys(t.InputSchema.Properties)) {
			p := property{name, t.InputSchema.Properties[name].Type, slices.Contains(t.InputSchema.Required, name)}
			found.properties = append(found.properties, p)
		}
		all[t.Name] = found
	}
	return all, nil
}
