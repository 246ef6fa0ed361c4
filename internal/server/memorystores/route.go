package memorystores

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

const root = "/v1/memory_stores"

// A route is what clients can ask for.
type route struct {
	method string
	path   string // below root; each * stands for an id, the first for that of a store
	name   string
	need   auth.Scopes
	query  []string // the names that the query may have
	run    func(*call) (any, error)
}

const readWrite = auth.Read | auth.Write

// routes returns all routes. A route needs the scope read if its answer or its error may
// tell what the caller did not write itself.
func routes() []route {
	return []route{
		{"POST", "", "stores.create", auth.Write, nil, createStore},
		{"GET", "", "stores.list", auth.Read, []string{"limit", "page", "include_archived", from, until}, listStores},
		{"GET", "/*", "stores.retrieve", auth.Read, nil, getStore},
		{"POST", "/*", "stores.update", readWrite, nil, updateStore},
		{"DELETE", "/*", "stores.delete", auth.Write, nil, deleteStore},
		{"POST", "/*/archive", "stores.archive", readWrite, nil, archiveStore},
		{"POST", "/*/memories", "memories.create", auth.Write, []string{"view"}, createMemory},
		{"GET", "/*/memories", "memories.list", auth.Read, []string{"path_prefix", "depth", "limit", "page", "view"},
			listMemories},
		{"GET", "/*/memories/*", "memories.retrieve", auth.Read, []string{"view"}, getMemory},
		{"POST", "/*/memories/*", "memories.update", readWrite, []string{"view"}, updateMemory},
		{"DELETE", "/*/memories/*", "memories.delete", auth.Write, []string{expected}, deleteMemory},
		{"GET", "/*/memory_versions", "memory_versions.list", auth.Read,
			[]string{"memory_id", "operation", "session_id", "api_key_id", "service_account_id", from, until,
				"limit", "page", "view"}, listVersions},
		{"GET", "/*/memory_versions/*", "memory_versions.retrieve", auth.Read, []string{"view"}, getVersion},
		{"POST", "/*/memory_versions/*/redact", "memory_versions.redact", readWrite, nil, redactVersion},
	}
}

// The names of parameters that stand in several places.
const (
	from     = "created_at[gte]"
	until    = "created_at[lte]"
	expected = "expected_content_sha256"
)

// Operations returns the names of all routes.
func Operations() []string {
	var names []string
	for _, r := range routes() {
		names = append(names, r.name)
	}
	return names
}

// findRoute finds the route of a request. No id needs an escape in a path, so one with an
// escape is the id of nothing.
func (c *call) findRoute() error {
	below, ok := strings.CutPrefix(c.r.URL.EscapedPath(), root)
	var allow []string
	for _, r := range routes() {
		ids, match := matchPath(r.path, below)
		if !ok || !match {
			continue
		}
		if allow = append(allow, r.method); r.method != c.r.Method {
			continue
		}
		c.route = &r
		if len(ids) > 0 {
			c.agent, c.rest = storeAgent(ids[0]), ids[1:]
		}
		return nil
	}
	if allow == nil {
		return fail(http.StatusNotFound, "there is nothing here; memory stores are at %s", root)
	}
	f := fail(http.StatusMethodNotAllowed, "use %s", strings.Join(allow, " or "))
	f.allow = strings.Join(allow, ", ")
	return f
}

// matchPath returns what stands for the stars of a pattern.
func matchPath(pattern, path string) (ids []string, ok bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	for i := range want {
		switch {
		case want[i] == "*" && got[i] != "":
			ids = append(ids, got[i])
		case want[i] != got[i]:
			return nil, false
		}
	}
	return ids, true
}

// checkOrigin refuses requests that a page of another origin makes a browser send. Nobody
// needs a key at a server with --no-auth.
func (c *call) checkOrigin() error {
	write := *c.r
	write.Method = http.MethodPost // so that reads are checked too
	if err := c.h.origins.Check(&write); err != nil {
		return fail(http.StatusForbidden, "%v", err)
	}
	return nil
}

// checkBetas refuses two generations of the API at once. A request that names none gets the
// only one that there is.
func (c *call) checkBetas() error {
	named := 0
	for name := range strings.SplitSeq(strings.Join(c.r.Header["Anthropic-Beta"], ","), ",") {
		switch strings.TrimSpace(name) {
		case "agent-memory-2026-07-22":
			named |= 1
		case "managed-agents-2026-04-01":
			named |= 2
		}
	}
	if named == 3 {
		return fail(http.StatusBadRequest, "anthropic-beta names both "+
			"agent-memory-2026-07-22 and managed-agents-2026-04-01; send one of them")
	}
	return nil
}

// checkCaller finds out who calls, and whether that may do what the route does. What a key
// may not do is refused without a look at the store: the answer is the same whether a store
// exists or not.
func (c *call) checkCaller() error {
	caller, ok, err := auth.Current(c.ctx)
	switch {
	case errors.Is(err, auth.ErrUnknown):
		return fail(http.StatusUnauthorized,
			"your credential has expired or was revoked before the call could begin; get a new one")
	case err != nil:
		return fail(http.StatusServiceUnavailable,
			"credentials cannot be checked now; try again").retry(2 * time.Second)
	case !ok:
		return fail(http.StatusUnauthorized, "this server serves nobody without a key, and it has none yet; its "+
			"operator "+
			"makes one with: scratchpad keys create")
	}
	c.caller = caller
	missing := c.route.need &^ caller.Scopes
	if c.route.need == 0 { // a route that does not say what it needs is closed
		missing = readWrite
	}
	for _, one := range []auth.Scopes{auth.Read, auth.Write} {
		if missing.Has(one) {
			return fail(http.StatusForbidden, "your key may not %s; ask the operator for one with the scope %[1]s", one)
		}
	}
	return nil
}
