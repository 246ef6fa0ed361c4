package memorystores

import (
	"cmp"
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

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

const (
	maxBody    = 1 << 20
	freeBody   = 4 << 10          // bytes of a body that need no room; the number of connections limits them
	bodyFactor = 3                // a body, its texts, and what is made of them
	bodyTime   = 10 * time.Second // for a body to arrive, and a second more for each MiB
)

// readBody reads the body, also of a request that should have none: while a body is unread,
// the HTTP server does not notice that the client hangs up.
func (c *call) readBody(w http.ResponseWriter) error {
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
		if err := c.take(bodyFactor * size); err != nil {
			return err
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

// readQuery reads the query strictly: a filter that was not understood would give the wrong
// answer.
func (c *call) readQuery() error {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return invalid("the query cannot be read: %v", err)
	}
	c.query = map[string]string{}
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

// The following read what came with the request. They note in c.wrong what is wrong first, and
// [call.enter] returns it.

// invalid notes what is wrong, if nothing is so far.
func (c *call) invalid(format string, args ...any) {
	c.wrong = cmp.Or(c.wrong, error(invalid(format, args...)))
}

// full reports whether the contents are wanted.
func (c *call) full(byDefault bool) bool {
	view, given := c.query["view"]
	if given && view != "full" && view != "basic" {
		c.invalid("view must be basic or full")
	}
	return view == "full" || !given && byDefault
}

// number returns a parameter that is a number from least to most.
func (c *call) number(name string, least, most, byDefault int) int {
	text, given := c.query[name]
	if !given {
		return byDefault
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		c.invalid("%s must be a number from %d to %d", name, least, most)
	}
	return n
}

// time returns a parameter that is a time, or the zero time.
func (c *call) time(name string) time.Time {
	text, given := c.query[name]
	if !given {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC(); err != nil || t.Year() < 1 || t.Year() > 9999 {
		c.invalid("%s must be a time as in RFC 3339, such as 2026-10-21T09:30:00Z", name)
	}
	return t
}

// flag returns a parameter that is true or false.
func (c *call) flag(name string) bool {
	text, given := c.query[name]
	if given && text != "true" && text != "false" {
		c.invalid("%s must be true or false", name)
	}
	return text == "true"
}

// form returns what an object in a body may have. The texts and objects of a body are not
// converted.
func form(whole string, fields ...strictjson.Field) strictjson.Form {
	return strictjson.Form{Whole: whole, Part: "member", Exact: true, Fields: fields}
}

func text(name string) strictjson.Field { return strictjson.Field{Name: name, Kind: "string"} }

func object(name string) strictjson.Field { return strictjson.Field{Name: name, Kind: "object"} }

// readFields reads the body.
func (c *call) readFields(fields ...strictjson.Field) (all strictjson.Values) {
	body, _, err := strictjson.Parse(c.body)
	if err != nil {
		c.invalid("the body is %v", err)
	} else if all, err = form("the body", fields...).Read(body); err != nil {
		c.invalid("%v", err)
	}
	return all
}

// noBody refuses a body that would be ignored.
func (c *call) noBody() {
	if len(strictjson.Trim(c.body)) > 0 {
		c.readFields()
	}
}
