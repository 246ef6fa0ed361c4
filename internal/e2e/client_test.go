package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The versions of the protocol that stand for its two eras.
const (
	withHandshake = "2025-11-25"
	stateless     = "2026-07-28"
)

// pausing is the method of a request that is not for the server. The client gets a URL,
// and goes on when that answers.
const pausing = "e2e/pause"

// A request is a method and its parameters, as MCP writes them.
type request struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// An answer is what a client reports for one request.
type answer struct {
	Blocks  []string `json:"blocks,omitempty"`  // texts, names or values, depending on the method
	AgentID bool     `json:"agentID,omitempty"` // a tool that is listed takes an agent_id
	IsError bool     `json:"isError,omitempty"` // of a tool
	Error   string   `json:"error,omitempty"`   // of the protocol
	Code    int64    `json:"code,omitempty"`    // of Error, where the client tells
}

// A client is an MCP client of another maker.
type client struct {
	name    string
	version string // that it must speak
	run     runner
	shows   shown // of what a server with keys refuses
}

// shown is a part of what the user sees of a refusal. "" is the server's own text, which
// says what to do.
type shown struct {
	limited string // over the rate
	revoked string // with a key that was revoked during the session
	barred  string // with such a key at the beginning of a session
}

// complete puts in the server's text.
func (s shown) complete() shown {
	const wrong = "the credential is wrong, has expired or was revoked; send an API key in the header Authorization"
	return shown{
		cmp.Or(s.limited, "over the limit of 0.01 requests a second; try again in"), cmp.Or(s.revoked, wrong), cmp.Or(s.barred, wrong),
	}
}

// A runner makes the requests in one session. It returns the version that the client
// reports: "" if it reports none. The error is that of a session that did not begin, as the
// user sees it.
type runner func(t *testing.T, g *target, requests []request) (version string, answers []answer, err error)

var ofGoSDK = shown{"Too Many Requests", "Unauthorized", "Unauthorized"}

var clients = []client{
	{name: "npm sdk v1", version: withHandshake, run: runScript("session-v1.mjs")},
	{name: "npm client v2", version: stateless, run: runScript("session-v2.mjs"), shows: shown{barred: "the server requires authorization (HTTP 401)"}},
	{name: "go-sdk", version: stateless, run: runGoSDK(""), shows: ofGoSDK},
	{name: "go-sdk legacy", version: withHandshake, run: runGoSDK(withHandshake), shows: ofGoSDK},
	{name: "go-sdk 2024-11-05", version: "2024-11-05", run: runGoSDK("2024-11-05"), shows: ofGoSDK},
}

// runScript runs a session on Node. The script reads the requests from a file and prints
// the answers.
func runScript(script string) runner {
	return func(t *testing.T, g *target, requests []request) (string, []answer, error) {
		input, err := json.Marshal(map[string]any{"command": g.command, "url": g.url, "key": g.key, "requests": requests})
		testkit.Must(t, err)
		file := filepath.Join(t.TempDir(), "session.json")
		testkit.Must(t, os.WriteFile(file, input, 0o600))
		cmd := node(t, script, file)
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		var got struct {
			Version string   `json:"version"`
			Answers []answer `json:"answers"`
			Refused string   `json:"refused"`
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s printed %.500q: %v", script, out, err)
		}
		if got.Refused != "" {
			return "", nil, errors.New(got.Refused)
		}
		return got.Version, got.Answers, nil
	}
}

// runGoSDK asks for a version of the protocol; "": the newest.
func runGoSDK(version string) runner {
	return func(t *testing.T, g *target, requests []request) (string, []answer, error) {
		var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: g.url, HTTPClient: &http.Client{Transport: bearer{g.key, http.DefaultTransport}}}
		if g.command != nil {
			cmd := exec.Command(g.command[0], g.command[1:]...)
			cmd.Stderr = t.Output()
			transport = &mcp.CommandTransport{Command: cmd}
		}
		c := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, nil)
		session, err := c.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			return "", nil, err
		}
		var answers []answer
		for _, r := range requests {
			a, err := askGoSDK(t.Context(), session, r)
			var wire *jsonrpc.Error
			if errors.As(err, &wire) {
				a.Code = wire.Code
			}
			if err != nil {
				a.Error = err.Error()
			}
			answers = append(answers, a)
		}
		if err := session.Close(); err != nil {
			t.Errorf("Close() = %v, want a clean exit", err)
		}
		return session.InitializeResult().ProtocolVersion, answers, nil
	}
}

// bearer sends a key with requests, unless it is "".
type bearer struct {
	key  string
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return b.next.RoundTrip(r)
}

// pause waits until the URL of a request answers.
func pause(ctx context.Context, r request) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Params["url"].(string), nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// takesAgent reports whether a schema has an agent_id.
func takesAgent(schema any) bool {
	text, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return bytes.Contains(text, []byte(`"agent_id"`))
}

func askGoSDK(ctx context.Context, s *mcp.ClientSession, r request) (a answer, err error) {
	switch r.Method {
	case pausing:
		return a, pause(ctx, r)
	case "tools/list":
		for tool, err := range s.Tools(ctx, nil) {
			if err != nil {
				return a, err
			}
			a.Blocks = append(a.Blocks, tool.Name)
			a.AgentID = a.AgentID || takesAgent(tool.InputSchema)
		}
	case "tools/call":
		var params mcp.CallToolParams
		convert(r.Params, &params)
		res, err := s.CallTool(ctx, &params)
		if err != nil {
			return a, err
		}
		a.IsError = res.IsError
		for _, c := range res.Content {
			a.Blocks = append(a.Blocks, c.(*mcp.TextContent).Text)
		}
	case "resources/templates/list":
		for template, err := range s.ResourceTemplates(ctx, nil) {
			if err != nil {
				return a, err
			}
			a.Blocks = append(a.Blocks, template.URITemplate)
		}
	case "resources/read":
		var params mcp.ReadResourceParams
		convert(r.Params, &params)
		res, err := s.ReadResource(ctx, &params)
		if err != nil {
			return a, err
		}
		for _, c := range res.Contents {
			a.Blocks = append(a.Blocks, c.Text)
		}
	case "completion/complete":
		var params mcp.CompleteParams
		convert(r.Params, &params)
		res, err := s.Complete(ctx, &params)
		if err != nil {
			return a, err
		}
		a.Blocks = res.Completion.Values
	default:
		panic("no such method: " + r.Method)
	}
	return a, nil
}

// convert turns parameters into a client's own type.
func convert(params map[string]any, to any) {
	text, err := json.Marshal(params)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err)
	}
}
