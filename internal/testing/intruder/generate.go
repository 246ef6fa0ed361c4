package intruder

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// generator makes the intruder's requests.
type generator struct {
	*rand.Rand
	me, victim *client
	tools      map[string]tool
	names      []string // of the tools, some more than once
	deck       []string // the names that are still to come before all come again
	begun      int      // sessions
	routes     []string // besides that of MCP
	odd        func(*rand.Rand) http.Header
}

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// quoted returns a text as JSON.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

// next returns a request. If the server has more routes, one in eight goes to another
// route, and one in six has odd headers.
func (g *generator) next() request {
	var q request
	if len(g.routes) > 0 && g.IntN(8) == 0 {
		q = g.route()
	} else {
		q = g.message()
	}
	if g.odd != nil && g.IntN(6) == 0 {
		q.odd = g.odd(g.Rand)
	}
	return q
}

// route returns a request that is not for MCP, or not in the form of MCP.
func (g *generator) route() request {
	v := g.victim.agent
	path := pick(g, append([]string{"/mcp"}, g.routes...)...)
	path = pick(g, path, path, path, path+"/", "/"+path, path+"?agent_id="+v+"&session="+g.victim.session,
		strings.ToUpper(path), path+"/"+v, path+"/../mcp",
		path+"%2f"+v, path+";"+v, "/%2e%2e"+path, "/"+v+"/shared", "/files/"+v, "/keys", "/tenants",
		"/debug/pprof/heap", "/debug/vars", "/.well-known/"+v, "/")
	q := request{kind: "route", path: path, verb: pick(g, "GET", "GET", "GET", "POST", "HEAD", "OPTIONS", "PUT",
		"DELETE", "PATCH", "TRACE", "get"), protocol: pick(g, modern, legacy)}
	q.header = map[string]string{"Accept": pick(g, "*/*", "text/html", "application/json", "text/event-stream")}
	if q.verb == "POST" || q.verb == "PUT" {
		q.text = pick(g, "agent_id="+v, `{"agent_id":`+quoted(v)+`}`, "[")
	}
	if g.IntN(2) == 0 {
		q.session = g.victim.session
	}
	return q
}

// message returns a request of MCP. One in five is not a call of a tool.
func (g *generator) message() request {
	var q request
	switch g.IntN(20) {
	case 0, 1:
		uri := pick(g, g.me.agent, g.victim.agent, g.agent()) + "/" + g.path()
		if g.IntN(3) == 0 {
			uri = g.me.agent + "/own"
		}
		uri = pick(g, "scratchpad://", "scratchpad://", "scratchpad://", "SCRATCHPAD://", "file:///") + uri
		q = request{kind: "resources/read", method: "resources/read", name: uri, params: `"uri":` + quoted(uri)}
	case 2, 3:
		q = g.completion()
	case 4:
		q = g.other()
	default:
		q = g.call()
	}
	q.verb, q.id = pick(g, q.verb, "POST"), pick(g, "1", "2", "3", "4", "5", `"1"`, `"a"`)
	if q.verb == "" {
		q.verb = "POST"
	}
	if strings.HasPrefix(q.method, "notifications/") {
		q.id = ""
	}
	q.nameless = g.IntN(4) == 0
	g.address(&q)
	return q
}

// address chooses the era, the session and headers.
func (g *generator) address(q *request) {
	if q.protocol == "" {
		q.protocol = pick(g, modern, legacy)
	}
	q.header = map[string]string{}
	if g.IntN(4) == 0 {
		q.header["Scratchpad-Request"] = strconv.Itoa(g.IntN(1000))
	}
	switch {
	case q.method == "initialize":
	case q.session != "":
	case q.protocol == legacy:
		if q.session = g.me.session; g.IntN(6) == 0 {
			q.session = pick(g, g.victim.session, g.victim.session, strings.ToLower(g.victim.session))
		}
	case g.IntN(4) == 0:
		q.session = g.victim.session
	}
	if strings.ContainsAny(q.name, "\r\n\x00") || len(q.name) > 1000 ||
		strings.ContainsFunc(q.name, func(r rune) bool { return r < ' ' || r > '~' }) {
		q.protocol, q.session = legacy, g.me.session // no header can hold the name
	}
}

// other returns a request that is no call: it looks at the victim's session, takes it over,
// ends it, or cancels its calls.
func (g *generator) other() request {
	switch g.IntN(8) {
	case 0:
		return request{kind: "DELETE", verb: "DELETE", protocol: legacy, session: g.victim.session}
	case 1:
		return request{kind: "GET", verb: "GET", protocol: legacy, session: g.victim.session}
	case 2:
		if g.begun++; g.begun > 5 { // more would end the intruder's own
			break
		}
		return g.me.initialize()
	case 3:
		return request{kind: "cancel", method: "notifications/cancelled", params: `"requestId":` +
			pick(g, "1", "2", "3", "4", "5")}
	case 4:
		return request{kind: "discover", protocol: modern, method: "server/discover"}
	case 5:
		return request{kind: "resources/list", method: pick(g, "resources/list", "resources/templates/list",
			"prompts/list"), params: pick(g, ``, `"cursor":"`+g.victim.agent+`"`)}
	case 6:
		return request{kind: "subscribe", method: "resources/subscribe", protocol: legacy,
			params: `"uri":"scratchpad://` + g.victim.agent + `/shared"`}
	}
	return request{kind: "tools/list", method: "tools/list"}
}

func (g *generator) completion() request {
	agent := `"agent":` + quoted(pick(g, g.me.agent, g.victim.agent, g.agent()))
	if g.IntN(6) == 0 {
		agent += `,"agent":` + quoted(g.victim.agent)
	}
	context := pick(g, `,"context":{"arguments":{`+agent+`}}`, `,"context":{"arguments":{`+agent+`}}`, ``,
		`,"context":{"ARGUMENTS":{`+agent+`},"arguments":{}}`)
	value := pick(g, "", "", g.path(), "own", "n")
	return request{kind: "completion/complete", method: "completion/complete",
		params: fmt.Sprintf(`"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":%q,"value":%s}%s`, pick(g, "path", "path", "path", "agent"), quoted(value), context)}
}

// deal returns the name of a tool. Each comes equally often, in a random order, so that none
// has no call that succeeds.
func (g *generator) deal() string {
	if len(g.deck) == 0 {
		g.deck = slices.Clone(g.names)
		g.Shuffle(len(g.deck), func(i, j int) { g.deck[i], g.deck[j] = g.deck[j], g.deck[i] })
	}
	name := g.deck[0]
	g.deck = g.deck[1:]
	return name
}

// call returns a call of a tool. Its arguments are mostly right, apart from whose they are.
func (g *generator) call() request {
	tool := g.deal()
	var args []string
	properties := g.tools[tool].properties
	plain := g.IntN(2) == 0 // strange arguments, and many, seldom succeed
	for _, p := range properties {
		switch {
		case plain && p.name == "path":
			args = append(args, `"path":"own"`)
		case p.required || p.name == "content" || !plain && g.IntN(3) == 0: // a write without content restores
			args = append(args, `"`+p.name+`":`+g.value(p))
		}
	}
	if g.me.bound && g.IntN(4) == 0 {
		args = append(args, `"agent_id":`+quoted(pick(g, g.me.agent, g.victim.agent, g.agent())))
	}
	if len(args) > 0 && g.IntN(6) == 0 {
		args = append(args, g.bent(pick(g, args...)))
	}
	meta := pick(g, "", "", `,"scratchpad/idempotency_key":"`+pick(g, "k1", "k2", "k3")+`"`)
	if !g.tools[tool].readOnly { // the intruder may read what it wrote itself
		for i, arg := range args {
			if args[i] = marks.ReplaceAllString(arg, near); !isAgent(arg) {
				args[i] = strings.ReplaceAll(args[i], g.victim.agent, "v")
			}
		}
	}
	params := fmt.Sprintf(`"name":%q,"arguments":{%s}`, tool, strings.Join(args, ","))
	if g.IntN(30) == 0 {
		params += pick(g, `,"Arguments":{"agent_id":"`+g.victim.agent+`"}`,
			`,"arguments":{"agent_id":"`+g.victim.agent+`"}`, `,"NAME":"read_file"`)
	}
	return request{kind: tool, method: "tools/call", name: tool, params: params, meta: meta}
}

// isAgent reports whether an argument is agent_id, perhaps in another case or with an escape.
func isAgent(arg string) bool {
	name, _, _ := strings.Cut(arg, `":`)
	return strings.HasSuffix(strings.ToLower(name), "gent_id")
}

// bent returns an argument again: with another value, or with its name in another case or
// escaped.
func (g *generator) bent(arg string) string {
	name, value, _ := strings.Cut(strings.TrimPrefix(arg, `"`), `":`)
	switch g.IntN(4) {
	case 0:
		name = strings.ToUpper(name)
	case 1:
		name = fmt.Sprintf(`\u%04x%s`, name[0], name[1:])
	case 2:
		name = "agent_id"
	}
	if strings.EqualFold(name, "agent_id") {
		value = quoted(g.victim.agent)
	}
	if !isAgent(`"` + name + `":`) { // the log may name agents
		value = pick(g, value, quoted(g.path()))
	}
	return `"` + name + `":` + value
}

func (g *generator) value(p property) string {
	switch p.kind {
	case "integer":
		return pick(g, "0", "1", "1", "2", "3", "10", "100", "-1", "9007199254740992", "null")
	case "boolean":
		return pick(g, "true", "true", "false")
	}
	switch p.name {
	case "agent_id":
		if g.IntN(4) > 0 {
			return quoted(g.me.agent)
		}
		return quoted(pick(g, g.victim.agent, g.agent()))
	case "new_path":
		free := "moved/" + strconv.Itoa(g.IntN(100_000))
		return quoted(pick(g, "own", free, free, free, g.path()))
	case "path", "prefix", "after":
		return quoted(g.path())
	case "old_text":
		// An error that quotes what is near would quote the text of the victim.
		return quoted(pick(g, "the end", "the end", "mine", "", near))
	case "query":
		return quoted(pick(g, "mine", near, "canary7f3a*", `"canary"`, mark+"110", "0"))
	}
	return quoted(pick(g, "mine", "x", "", near, long, long, long))
}

// long is worth a summary.
var long = strings.Repeat("mine\n", 2000) + "the end\n"

// near is almost a mark.
const near = "CANARY7f3b110"

func (g *generator) path() string {
	if g.IntN(2) == 0 {
		return "own"
	}
	v := g.victim.agent
	return pick(g, "shared", "f", "notes/x", "notes/", "notes/"+mark+"001", mark+"901", v+"/shared", "../"+v+"/shared",
		"a/../../"+v+"/f", "/shared",
		"local/"+v+"/shared", "shared/../f", "%2e%2e/"+v+"/f", "SHARED", "shared\x00", "", "\u202e", strings.Repeat("x",
			300))
}

// agent returns a name that a faulty server may take for the victim's.
func (g *generator) agent() string {
	v := g.victim.agent
	return pick(g, strings.ToUpper(v), v+" ", " "+v, "../"+v, g.me.agent+"/../"+v, v+"/", "/"+v, "local/"+v,
		"%76"+v[1:], v+"\x00", v+"\u200b", "", "..", "*", g.me.agent+","+v,
		"null", strings.Repeat(v, 40))
}
