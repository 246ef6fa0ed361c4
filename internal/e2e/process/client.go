package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// The protocols of the two eras: without sessions, and with them.
const (
	Modern = "2026-07-28"
	Legacy = "2025-06-18"
)

const keyField = "scratchpad/idempotency_key"

// A Client is an MCP client over HTTP, as bare as one can be. One goroutine uses it.
type Client struct {
	URL     func() string // of MCP
	Key     string        // of the server; "": none
	Modern  bool          // the protocol without sessions
	Name    string        // of the program
	From    string        // its address, behind a proxy; "": there is none
	Session string        // of the older era; "": none has begun
	Web     *http.Client

	id int
}

// NewClient returns a client with a connection of its own.
func NewClient(url func() string, key string, modern bool) *Client {
	return &Client{URL: url, Key: key, Modern: modern, Name: "test",
		Web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 30 * time.Second}}
}

// A StatusError is an answer of HTTP that is no success.
type StatusError struct {
	Status int
	After  string // Retry-After
	Text   string
}

// Error implements [error].
func (e *StatusError) Error() string {
	return fmt.Sprintf("status %d: %s", e.Status, strings.TrimSpace(numbers.ReplaceAllString(e.Text, "N")))
}

var numbers = regexp.MustCompile(`[0-9.]+`)

// A ProtocolError is an answer that is no result.
type ProtocolError string

// Error implements [error].
func (e ProtocolError) Error() string { return string(e) }

// A ToolError is what a tool says went wrong.
type ToolError string

// Error implements [error].
func (e ToolError) Error() string { return string(e) }

// Request returns an HTTP request of a method. id 0 makes it a notification. name is that
// of the tool. params and meta are members, as JSON.
func (c *Client) Request(ctx context.Context, id int, method, name, params, meta string) (*http.Request, error) {
	if c.Modern {
		who, err := json.Marshal(map[string]string{"name": c.Name, "version": "1.0"})
		if err != nil {
			return nil, err
		}
		meta += fmt.Sprintf(`,"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":%s`, Modern, who)
	}
	if meta = strings.TrimPrefix(meta, ","); meta != "" {
		params = strings.TrimPrefix(params+`,"_meta":{`+meta+`}`, ",")
	}
	number := ""
	if id > 0 {
		number = fmt.Sprintf(`"id":%d,`, id)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":{%s}}`, number, method, params)
	req, err := http.NewRequestWithContext(ctx, "POST", c.URL(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	c.sign(req)
	if c.Modern {
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", name)
	}
	return req, nil
}

// sign sets the headers that all requests of the client have.
func (c *Client) sign(req *http.Request) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", Legacy)
	if c.Modern {
		req.Header.Set("Mcp-Protocol-Version", Modern)
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if c.From != "" {
		req.Header.Set("X-Forwarded-For", c.From)
	}
	if c.Session != "" {
		req.Header.Set("Mcp-Session-Id", c.Session)
	}
}

// send sends a request and returns the result.
func (c *Client) send(ctx context.Context, method, name, params, meta string) (json.RawMessage, error) {
	c.id++
	req, err := c.Request(ctx, c.id, method, name, params, meta)
	if err != nil {
		return nil, err
	}
	res, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	var message struct {
		ID     int
		Result json.RawMessage
		Error  json.RawMessage
	}
	switch err := json.Unmarshal(res, &message); {
	case err != nil:
		return nil, ProtocolError(fmt.Sprintf("the answer %.200q is not JSON: %v", res, err))
	case message.ID != c.id:
		return nil, ProtocolError(fmt.Sprintf("the answer to request %d is %.200q", c.id, res))
	case message.Error != nil:
		return nil, ProtocolError(fmt.Sprintf("%s is answered with %s", method, message.Error))
	}
	return message.Result, nil
}

// Do sends a request and returns the message of its answer.
func (c *Client) Do(req *http.Request) ([]byte, error) {
	res, err := c.Web.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 != 2 {
		if res.StatusCode == http.StatusNotFound {
			c.Session = "" // it has ended
		}
		return nil, &StatusError{res.StatusCode, res.Header.Get("Retry-After"), string(body)}
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.Session = id
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") { // the answer is the last event
		body = body[bytes.LastIndex(body, []byte("data: "))+len("data: "):]
		body, _, _ = bytes.Cut(body, []byte("\n"))
	}
	return body, nil
}

// Open begins a session if the era needs one and there is none.
func (c *Client) Open(ctx context.Context) error {
	if c.Modern || c.Session != "" {
		return nil
	}
	if _, err := c.send(ctx, "initialize", "", fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}`, Legacy), ""); err != nil {
		return err
	}
	req, err := c.Request(ctx, 0, "notifications/initialized", "", "", "")
	if err != nil {
		return err
	}
	_, err = c.Do(req)
	return err
}

// Call calls a tool and returns the text of its answer. args are the members, as JSON.
// key is the idempotency key, or "".
func (c *Client) Call(ctx context.Context, tool, args, key string) (string, error) {
	if err := c.Open(ctx); err != nil {
		return "", err
	}
	meta := ""
	if key != "" {
		meta = fmt.Sprintf(",%q:%q", keyField, key)
	}
	raw, err := c.send(ctx, "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{%s}`, tool, args), meta)
	if err != nil {
		return "", err
	}
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", err
	}
	text := ""
	for _, block := range result.Content {
		text += block.Text
	}
	if result.IsError {
		return "", ToolError(text)
	}
	return text, nil
}

// End ends a session. One that is gone is no error.
func (c *Client) End(ctx context.Context, session string) error {
	req, err := http.NewRequestWithContext(ctx, "DELETE", c.URL(), nil)
	if err != nil {
		return err
	}
	c.Session = session
	c.sign(req)
	c.Session = ""
	_, err = c.Do(req)
	if s := (*StatusError)(nil); errors.As(err, &s) && s.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// HangUp closes the connections of the client.
func (c *Client) HangUp() { c.Web.CloseIdleConnections() }
