package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const maxLine = 16 << 20

// padded returns a call of write_file in a line of n bytes, with its line end.
func padded(id string, n int) string {
	line := request(id, "write_file", `{"path":"f","content":"@"}`)
	return strings.Replace(line, "@", strings.Repeat(" ", n-len(line)+1), 1)
}

// A line that is not a message, or not a known request, gets an error, and the connection goes on.
func TestBadLines(t *testing.T) {
	testkit.SkipInShort(t)
	const parse, invalid, notFound, params = -32700, -32600, -32601, -32602
	for name, c := range map[string]struct {
		line string
		id   string // that of the error
		code int
	}{
		"no JSON":               {`hello`, "null", parse},
		"two objects":           {`{"jsonrpc":"2.0","id":1,"method":"a"}{}`, "null", parse},
		"NUL":                   {"\x00", "null", parse},
		"raw control in text":   {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\x01\"}", "null", parse},
		"deep nesting":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "null", parse},
		"nesting, not so deep":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + `}}`, "1", invalid},
		"batch":                 {`[` + strings.TrimSpace(request("1", "get_usage_stats", "{}")) + `]`, "null", invalid},
		"empty object":          {`{}`, "null", invalid},
		"id null":               {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", invalid},
		"id {}":                 {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", invalid},
		"version 2":             {`{"jsonrpc":2.0,"id":7,"method":"ping"}`, "7", invalid},
		"no version":            {`{"id":"x","method":"ping"}`, `"x"`, invalid},
		"no method":             {`{"jsonrpc":"2.0","id":7}`, "7", invalid},
		"arguments twice":       {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":1},"arguments":{"a":2}}}`, "7", invalid},
		"a name in escapes":     {`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"a","\u0075ri":"b"}}`, "7", invalid},
		"a key twice":           {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"scratchpad/idempotency_key":"a","scratchpad/idempotency_key":"b"}}}`, "7", invalid},
		"ARGUMENTS":             {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","ARGUMENTS":{}}}`, "7", invalid},
		"_META":                 {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_META":{}}}`, "7", invalid},
		"a key in capitals":     {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"Scratchpad/idempotency_key":"a"}}}`, "7", invalid},
		"an id that is no text": {"{\"jsonrpc\":\"2.0\",\"id\":\"a\xff\",\"method\":\"ping\"}", "null", invalid},
		"METHOD":                {`{"jsonrpc":"2.0","id":7,"METHOD":"ping"}`, "7", invalid},
		"method 1":              {`{"jsonrpc":"2.0","id":7,"method":1}`, "7", invalid},
		"unknown method":        {method("1", "tools/dance", "", ""), "1", notFound},
		"long method":           {method("1", strings.Repeat("日本語", 100_000), "", ""), "1", notFound},
		"params an array":       {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1,2]}`, "1", params},
		"no params":             {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "1", params},
		"unknown tool":          {request("1", "format_disk", "{}"), "1", params},
		"tool in another case":  {request("1", "Read_File", "{}"), "1", params},
		"long tool":             {request("1", strings.Repeat("x", 1<<20), "{}"), "1", params},
		"name a number":         {method("1", "tools/call", `"name":1`, ""), "1", params},
		"over the limit":        {padded("1", maxLine+2), "null", invalid},
		"far over the limit":    {strings.Repeat("x", maxLine*5/4), "null", invalid},
	} {
		t.Run(name, func(t *testing.T) {
			if len(c.line) > maxLine {
				testkit.SkipInShort(t)
			}
			t.Parallel()
			w := newWire(t, newServer(t, "a"))
			w.send(strings.TrimRight(c.line, "\n") + "\n")
			a := w.must()
			if a.Error == nil || a.Error.Code != c.code || string(a.ID) != c.id {
				t.Fatalf("answer %.300s, want the error %d for the id %s", a.raw, c.code, c.id)
			}
			checkError(t, name, a.Error.Message)
			if strings.Count(a.Error.Message, "tools/list") > 1 {
				t.Errorf("%q says the way out twice", a.Error.Message)
			}
			w.alive("2")
		})
	}
}

// Odd lines that are messages are answered.
func TestOddLines(t *testing.T) {
	testkit.SkipInShort(t)
	line := request("1", "get_usage_stats", "{}")
	text := strings.TrimSpace(line)
	for name, odd := range map[string]string{
		"CRLF":         text + "\r\n",
		"empty lines":  "\n\r\n \t\n" + line,
		"space around": "  " + text + " \t\n",
		"the limit":    padded("1", maxLine),
		"unknown keys": strings.Replace(line, `{"jsonrpc"`, `{"ID":1.5,"Method":7,"x":[],"jsonrpc"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if len(odd) == maxLine {
				testkit.SkipInShort(t)
			}
			w := newWire(t, newServer(t, "a"))
			w.send(odd)
			if a := w.must(); a.Error != nil || string(a.ID) != "1" {
				t.Errorf("answer %s, want a result", a.raw)
			}
			w.alive("2")
		})
	}
}

// A message without an id gets no answer.
func TestNotifications(t *testing.T) {
	w := newWire(t, newServer(t, "a"))
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}` + "\n")
	w.send(`{"jsonrpc":"2.0","method":"notifications/unknown"}` + "\n")
	w.send(`{"jsonrpc":"2.0","id":5,"result":{}}` + "\n")
	w.alive("1")
}

// A last line without a line end is a line too. Half a line gets an error.
func TestNoNewlineAtTheEnd(t *testing.T) {
	for line, isError := range map[string]bool{strings.TrimSpace(request("1", "get_usage_stats", "{}")): false, `{"jsonrpc":`: true} {
		w := newWire(t, newServer(t, "a"))
		w.send(line)
		w.to.Close()
		if a := w.must(); (a.Error != nil) != isError || !isError && string(a.ID) != "1" {
			t.Errorf("%s is answered with %s", line, a.raw)
		}
		if _, more := w.next(); more {
			t.Error("there is an answer to nothing")
		}
		if err := w.end(maxWait); err != nil {
			t.Errorf("Run() = %v, want nil", err)
		}
	}
}
