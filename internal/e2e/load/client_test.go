//go:build linux

package load

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

// The protocols of the two eras.
const (
	modern = "2026-07-28"
	legacy = "2025-06-18"
)

const keyField = "scratchpad/idempotency_key"

// A client is an MCP client with connections of its own. One goroutine uses it.
type client struct {
	url     func() string
	key     string // of the server; "": none
	modern  bool
	session string // of the older era
	id      int
	web     http.Client
}

func newClient(url func() string, key string, isModern bool) *client {
	return &client{url: url, key: key, modern: isModern, web: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 30 * time.Second}}
}

// A statusError is an answer of HTTP that is no success.
type statusError struct {
	status int
	after  string // Retry-After
	text   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d: %s", e.status, strings.TrimSpace(numbers.ReplaceAllString(e.text, "N")))
}

var numbers = regexp.MustCompile(`[0-9.]+`)

// A toolError is what a tool says went wrong.
type toolError string

func (e toolError) Error() string { return string(e) }

// request returns an HTTP request of a method. id 0 makes it a notification. name is that
// of the tool. params and meta are members, as JSON.
func (c *client) request(ctx context.Context, id int, method, name, params, meta string) (*http.Request, error) {
	if c.modern {
		meta += fmt.Sprintf(`,"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"load","version":"1"}`, modern)
	}
	if meta = strings.TrimPrefix(meta, ","); meta != "" {
		params = strings.TrimPrefix(params+`,"_meta":{`+meta+`}`, ",")
	}
	number := ""
	if id > 0 {
		number = fmt.Sprintf(`"id":%d,`, id)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":{%s}}`, number, method, params)
	req, err := http.NewRequestWithContext(ctx, "POST", c.url(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	c.sign(req)
	if c.modern {
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", name)
	}
	return req, nil
}

// sign sets the headers that all requests of the client have.
func (c *client) sign(req *http.Request) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", legacy)
	if c.modern {
		req.Header.Set("Mcp-Protocol-Version", modern)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
}

// send sends a request and returns the result.
func (c *client) send(ctx context.Context, method, name, params, meta string) (json.RawMessage, error) {
	c.id++
	req, err := c.request(ctx, c.id, method, name, params, meta)
	if err != nil {
		return nil, err
	}
	res, err := c.do(req)
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
		return nil, fmt.Errorf("the answer %.200q is not JSON: %w", res, err)
	case message.ID != c.id:
		return nil, fmt.Errorf("the answer to request %d is %.200q", c.id, res)
	case message.Error != nil:
		return nil, fmt.Errorf("%s is answered with %s", method, message.Error)
	}
	return message.Result, nil
}

// do sends a request and returns the message of its answer.
func (c *client) do(req *http.Request) ([]byte, error) {
	res, err := c.web.Do(req)
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
			c.session = "" // it has ended
		}
		return nil, &statusError{res.StatusCode, res.Header.Get("Retry-After"), string(body)}
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") { // the floor's
		_, body, _ = bytes.Cut(body, []byte("data: "))
		body, _, _ = bytes.Cut(body, []byte("\n"))
	}
	return body, nil
}

// open begins a session if the era needs one and there is none.
func (c *client) open(ctx context.Context) error {
	if c.modern || c.session != "" {
		return nil
	}
	if _, err := c.send(ctx, "initialize", "", fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"load","version":"1"}`, legacy), ""); err != nil {
		return err
	}
	req, err := c.request(ctx, 0, "notifications/initialized", "", "", "")
	if err != nil {
		return err
	}
	_, err = c.do(req)
	return err
}

// call calls a tool and returns the text of its answer. args are the members, as JSON.
// key is the idempotency key, or "".
func (c *client) call(ctx context.Context, tool, args, key string) (string, error) {
	if err := c.open(ctx); err != nil {
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
		return "", toolError(text)
	}
	return text, nil
}

// end ends a session. One that is gone is no error.
func (c *client) end(ctx context.Context, session string) error {
	req, err := http.NewRequestWithContext(ctx, "DELETE", c.url(), nil)
	if err != nil {
		return err
	}
	c.session = session
	c.sign(req)
	c.session = ""
	_, err = c.do(req)
	if s := (*statusError)(nil); errors.As(err, &s) && s.status == http.StatusNotFound {
		return nil
	}
	return err
}

// hangUp closes the connections of the client.
func (c *client) hangUp() { c.web.CloseIdleConnections() }
