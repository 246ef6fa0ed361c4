package memorystores

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
)

const (
	maxBody    = 1 << 20
	maxMembers = 100              // of an object; each takes more memory than its text
	freeBody   = 4 << 10          // bytes of a body that need no room; the number of connections limits them
	bodyFactor = 3                // a body, its texts, and what is made of them
	bodyTime   = 10 * time.Second // for a body to arrive, and a second more for each MiB
)

// readBody reads the body, also of a request that should have none: while a body is unread,
// the HTTP server does not notice that the client hangs up.
func (c *call) readBody(w http.ResponseWriter) *failure {
	r := c.r
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil
	}
	tooLong := fail(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", maxBody)
	size := r.ContentLength
	if size > maxBody {
		return tooLong
	}
	if size < 0 { // it is not said
		size = maxBody
	}
	if size > freeBody {
		if f := c.take(bodyFactor * size); f != nil {
			return f
		}
	}
	deadline := http.NewResponseController(w).SetReadDeadline // fails if the server has no deadlines
	_ = deadline(time.Now().Add(bodyTime + time.Duration(size)*time.Second>>20))
	defer deadline(time.Time{}) // the call may take longer
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fail(http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return invalid("the body did not arrive as a whole; send the request again")
	case len(body) > maxBody:
		return tooLong
	}
	c.body = body
	return nil
}

// A query is the parameters of a request, each with its one value.
type query map[string]string

// readQuery reads the query strictly: a filter that was not understood would give the wrong
// answer.
func (c *call) readQuery() *failure {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return invalid("the query cannot be read: %v", err)
	}
	c.query = query{}
	for name, all := range values {
		switch {
		case name == "beta": // older SDKs send it with every request
			continue
		case !slices.Contains(c.route.query, name):
			return invalid("unknown parameter %.40q; %s", name, allowed(c.route.query))
		case len(all) > 1:
			return invalid("the parameter %s is given %d times; give it once", name, len(all))
		case !utf8.ValidString(all[0]):
			return invalid("the parameter %s is not valid UTF-8", name)
		}
		c.query[name] = all[0]
	}
	return nil
}

func allowed(names []string) string {
	if len(names) == 0 {
		return "there should be none"
	}
	return "allowed are " + strings.Join(names, ", ")
}

// full reports whether the contents are wanted.
func (c *call) full(byDefault bool) (bool, *failure) {
	switch view, given := c.query["view"]; {
	case !given:
		return byDefault, nil
	case view == "full", view == "basic":
		return view == "full", nil
	}
	return false, invalid("view must be basic or full")
}

// number returns a parameter that is a number from least to most.
func (c *call) number(name string, least, most, byDefault int) (int, *failure) {
	text, given := c.query[name]
	if !given {
		return byDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, invalid("%s must be a number from %d to %d", name, least, most)
	}
	return n, nil
}

// time returns a parameter that is a time, or the zero time.
func (c *call) time(name string) (time.Time, *failure) {
	text, given := c.query[name]
	if !given {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.UTC().Year() < 1 || t.UTC().Year() > 9999 {
		return t, invalid("%s must be a time as in RFC 3339, such as 2026-10-21T09:30:00Z", name)
	}
	return t.UTC(), nil
}

// fields are the members of an object in a body.
type fields map[string]json.RawMessage

// readFields returns the members of the body, strictly: the decoder of encoding/json would
// ignore the case of names, take the last of two equal names, and replace invalid text.
func (c *call) readFields(known ...string) (fields, *failure) {
	text := bytes.TrimSpace(rawjson.SkipMark(c.body))
	switch name := rawjson.Foreign(text); {
	case name != "":
		return nil, invalid("the body is %s; send UTF-8", name)
	case !utf8.Valid(text):
		return nil, invalid("the body is not valid UTF-8")
	case !json.Valid(text):
		return nil, invalid("the body is not valid JSON")
	case rawjson.LoneSurrogate(text):
		return nil, invalid("the body holds half of a surrogate pair (\\ud800-\\udfff alone), which is not text; send the whole character")
	}
	return members(json.RawMessage(text), "the body", known)
}

// noBody refuses a body that would be ignored.
func (c *call) noBody() *failure {
	if len(bytes.TrimSpace(rawjson.SkipMark(c.body))) == 0 {
		return nil
	}
	_, f := c.readFields([]string{}...)
	return f
}

// members returns the members of valid JSON, which is to be an object. known are the names
// that there are; nil: any.
func members(object json.RawMessage, what string, known []string) (fields, *failure) {
	if object[0] != '{' {
		return nil, invalid("%s must be a JSON object", what)
	}
	all, f := fields{}, (*failure)(nil)
	rawjson.EachMember(object, func(name string, value json.RawMessage) bool {
		_, again := all[name]
		switch {
		case known != nil && !slices.Contains(known, name):
			f = invalid("%s has the unknown member %.40q; %s", what, name, allowed(known))
		case len(all) == maxMembers:
			f = invalid("%s has more than %d members", what, maxMembers)
		case again:
			f = invalid("%s has the member %.40q twice; give it once", what, name)
		}
		all[name] = value
		return f == nil
	})
	return all, f
}

// isNull reports whether a member is not there, or null.
func (f fields) isNull(name string) bool {
	value, given := f[name]
	return !given || string(value) == "null"
}

// text returns a member that is a string; nil: it is not there, or null.
func (f fields) text(name string) (*string, *failure) {
	if f.isNull(name) {
		return nil, nil
	}
	return decodeText(name, f[name])
}

func decodeText(name string, value json.RawMessage) (*string, *failure) {
	var s string
	switch {
	case value[0] != '"':
		return nil, invalid("%s must be a string", name)
	case json.Unmarshal(value, &s) != nil:
		return nil, invalid("%s is not a valid JSON string", name)
	}
	return &s, nil
}
